"""E3 and E4: the model of dedupe factors, and the statistics of sessions and duplicates."""
import numpy as np

from lists import Lists, starts_of
from report import Report
from tool import lists_of, only

RATES = [0, .355, .5, .7, .8, .86, .9, .95, .985, 1]
SESSIONS = [("constant", 1.15), ("constant", 4), ("constant", 8), ("constant", 16.5), ("constant", 32), ("geometric", 16.5)]


def e3(tool):
    report = Report("E3: stored dedupe factor against S / (1 + (S-1)(1-d))")
    rows = tool.rows(30000)
    factors, deviations, merged = [], [], []
    worst_realised = worst_nominal = 0
    for law, s in SESSIONS:
        text, schema = tool.generate("sweep", rows, "--session-law", law, "--mean-session", s, "--list-length", 8, "--duplicate-rates",
                                     ",".join(map(str, RATES)))
        path, _ = tool.convert(text, schema)
        table = tool.table(path, schema)
        groups = tool.group_of(path)
        begins = starts_of(table, "session_id")
        realised_s = table.num_rows / begins.sum()
        factor_row, deviation_row = [f"{law} {s}"], [f"{law} {s}"]
        for i, d in enumerate(RATES):
            lists = Lists(table[f"list{i}"])
            # A rate is a share of the rows that follow another row of their session.
            realised_d = (lists.same_as_before() & ~begins).sum() / (~begins).sum()
            group = groups[f"list{i}"]
            # All lists have one length: rows over unique rows is the factor weighted by length.
            factor = group["rows"] / group["unique_rows"]
            model = realised_s / (1 + (realised_s - 1) * (1 - realised_d))
            nominal = s / (1 + (s - 1) * (1 - d))
            factor_row.append(factor)
            deviation_row.append(100 * (factor / model - 1))
            worst_realised = max(worst_realised, abs(factor / model - 1))
            worst_nominal = max(worst_nominal, abs(factor / nominal - 1))
            others = [c for c in group["columns"] if c.startswith("list") and c != f"list{i}"]
            if others and group["group"] != 0:
                merged.append(f"S {law} {s}: list of d={d} shares a group with those of d={', '.join(str(RATES[int(c[4:])]) for c in others)}")
        factors.append(factor_row)
        deviations.append(deviation_row)
        tool.forget(text)
    head = ["S"] + [f"d={d}" for d in RATES]
    report.table(f"factor from the stored index ({rows:,} rows, default options)", head, factors)
    report.table("deviation from the formula with the realised S and d, in %", head, deviations)
    report.note("Matched so: S is rows over sessions (constant, one geometric row), each list redraws by itself with P = 1-d, so that the")
    report.note("factor is of one feature; d is counted over the rows that have a row before them in their session, as the formula means it.")
    for text in merged:
        report.note(text)
    report.target("largest deviation from the formula at realised S and d, % (at most 1)", 100 * worst_realised, worst_realised <= .01)
    report.note(f"Against the nominal S and d, which a sample of {rows:,} rows only approaches: {100 * worst_nominal:.2f} % at most.")
    return report


def samples_per_session(keys, size):
    """Rows over the distinct sessions of each batch."""
    return len(keys) / sum(len(np.unique(keys[i:i + size])) for i in range(0, len(keys), size))


def e4(tool):
    report = Report("E4: samples per session, and duplicates")
    rows = tool.rows(425000, 20000)
    text, schema = tool.generate("sweep", rows, "--session-law", "geometric", "--list-length", 1, "--duplicate-rates", 1)
    lines = []
    for order, options in (("clustered", []), ("as logged", ["--keep-order"])):
        path, _ = tool.convert(text, schema, "--stripe-rows", 65536, *options)
        keys = tool.table(path, schema, ["session_id"])["session_id"].to_numpy()
        stripes = tool.inspect(path, "--stripes")
        by_stripe = len(keys) / sum(len(np.unique(keys[s["first_row"]:s["first_row"] + s["rows"]])) for s in stripes)
        lines.append([order, len(keys) / len(np.unique(keys)), by_stripe] +
                     [samples_per_session(keys, b) for b in (256, 1024, 4096, 16384)])
    tool.forget(text)
    report.table(f"samples per session, geometric S of mean 16.5, {rows:,} rows",
                 ["rows", "file", "stripe 64Ki", "batch 256", "1024", "4096", "16384"], lines)
    report.target("as logged, batch of 4096 (published: 1.15)", lines[1][5], abs(lines[1][5] - 1.15) <= .05)

    lines = []
    for profile, rows in (("p1", tool.rows(10000)), ("p3", tool.rows(20000))):
        text, schema = tool.generate(profile, rows)
        names = lists_of(schema)
        path, _ = tool.convert(text, only(schema, lambda n: n in names), ignore_unknown=True)
        table = tool.table(path, schema, ["session_id"] + names)
        begins = starts_of(table, "session_id")
        columns = {c["name"]: c for c in tool.inspect(path, "--features")}
        groups = tool.group_of(path)
        total = exact = partial = index_exact = pooled = features_exact = 0
        for name in names:
            lists = Lists(table[name])
            same = lists.same_as_before() & ~begins
            total += lists.num_values
            exact += int(lists.length[same].sum())
            partial += lists.values_in_row_before(begins)
            features_exact += same.mean() / len(names)
            index_exact += lists.num_values * (1 - groups[name]["unique_rows"] / groups[name]["rows"])
            pooled += columns[name]["stored_values"]
        lines.append([profile, features_exact, exact / total, index_exact / total, partial / total, 1 - pooled / total])
        if profile != "p3":
            tool.forget(text)
    report.table("duplicate share of lists, rows that begin a session counted in",
                 ["table", "data, rows", "data, exact", "stored index, exact", "data, partial", "stored windows"], lines)
    report.note("'rows' is the mean over features, all else is weighted by values. Partial: the id stands in the list of the session's row before.")
    report.note("Stored windows: 1 - values stored / values of the rows; it also has lists of other rows and leaves out ids that only changed place.")
    return report
