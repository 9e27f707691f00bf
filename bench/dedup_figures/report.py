"""What an experiment found: tables to print and the same as JSON."""


class Report:
    def __init__(self, title):
        self.title, self.tables, self.notes, self.targets = title, [], [], []

    def table(self, caption, head, rows):
        self.tables.append({"caption": caption, "head": head, "rows": rows})

    def note(self, text):
        self.notes.append(text)

    def target(self, text, value, met):
        self.targets.append({"target": text, "measured": value, "met": bool(met)})

    def as_json(self):
        return {"title": self.title, "tables": self.tables, "targets": self.targets, "notes": self.notes}

    def show(self):
        print(f"\n== {self.title}")
        for t in self.tables:
            print(f"\n{t['caption']}")
            rows = [t["head"]] + [[cell(x) for x in row] for row in t["rows"]]
            widths = [max(len(row[i]) for row in rows) for i in range(len(t["head"]))]
            left = [all(isinstance(row[i], str) for row in t["rows"]) for i in range(len(t["head"]))]
            for row in rows:
                print("  " + "  ".join(c.ljust(w) if l else c.rjust(w) for c, w, l in zip(row, widths, left)).rstrip())
        for note in self.notes:
            print(f"  {note}")
        for t in self.targets:
            print(f"  {'MET ' if t['met'] else 'MISS'} {t['target']}: {cell(t['measured'])}")


def cell(x):
    if x is None:
        return "-"
    if isinstance(x, (bool, str)):
        return str(x)
    if isinstance(x, int):
        return f"{x:,}"
    if abs(x) < 1e-9:
        return "0"
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.2f}" if abs(x) >= 10 else f"{x:.3g}"
