"""E5 and FOUND: one index for what changes together, and whether the writer finds it by itself."""
import json
import statistics

import numpy as np

from report import Report
from tool import log

FEATURES, LENGTH = 30, 6


def short_features(tool, rows, desync):
    """30 features that change together: one generated list of 180 ids, cut in 30. With `desync`, at so many rows more the last
    of them alone takes a new list, which it keeps until the next change."""
    source, schema = tool.generate("sweep", rows, "--list-length", FEATURES * LENGTH, "--duplicate-rates", "0.985,0", "--order", "session")
    names = [f"short{i}" for i in range(FEATURES)]
    path = tool.path(f"short{int(desync * 100)}.jsonl")
    random = np.random.default_rng(tool.seed)
    before, own = None, None
    with open(source) as lines, open(path, "w") as out:
        for line in lines:
            row = json.loads(line)
            together, fresh = row.pop("list0"), row.pop("list1")
            if together != before:
                before, own = together, None
            if desync and random.random() < desync:
                own = fresh[:LENGTH]
            for i, name in enumerate(names):
                row[name] = together[i * LENGTH:(i + 1) * LENGTH]
            if own:
                row[names[-1]] = own
            out.write(json.dumps(row, separators=(",", ":")) + "\n")
    keys = [f for f in schema["features"] if f["kind"] != "list"]
    return path, {**schema, "features": keys + [{"name": n, "kind": "list", "type": "int64"} for n in names]}, names


def e5(tool):
    report = Report("E5: one index for a group against one inverse index per feature")
    rows = tool.rows(30000)
    lines = []
    for desync in (0, .05):
        text, schema, names = short_features(tool, rows, desync)
        path, run = tool.convert(text, schema)
        groups = {g["group"]: g for g in tool.group_of(path).values() if set(g["columns"]) & set(names)}
        index = sum(g["index_bytes"] for g in groups.values())
        inverse = 4 * rows * FEATURES
        sizes = sorted((len(set(g["columns"]) & set(names)) for g in groups.values()), reverse=True)
        forms = sorted({s["form"] for g in groups.values() for s in g["stripes"]})
        _, plain = tool.convert(text, schema, "--no-dedup", name="plain.dsi")
        ikjt = tool.bench(path, names, "ikjt").json
        jagged = tool.bench(path, names, "jagged").json
        lines.append([f"{100 * desync:.0f} %", " + ".join(map(str, sizes)), " and ".join(forms), index, inverse, inverse / index,
                      run.json["bytes_out"], plain.json["bytes_out"], ikjt["output_bytes"] / rows, jagged["output_bytes"] / rows])
        if desync == 0:
            report.target("int32 inverse per feature over the group's index (at least 32)", inverse / index, inverse >= 32 * index)
            report.target("groups of the 30 features", len(groups), len(groups) == 1)
        else:
            report.target("groups with one feature out of step in 5 % of rows (it splits off)", " + ".join(map(str, sizes)), sizes == [29, 1])
    report.table(f"30 lists of 6 ids, d = .985, S = 16.5, {rows:,} rows",
                 ["desync", "features by group", "form", "index B", "int32 inverse B", "ratio", "file B", "--no-dedup B", "IKJT B/row",
                   "KJT B/row"], lines)
    return report


def ideal_p3(schema):
    """What the generator changes together; item features change every row and stay out."""
    names = [f["name"] for f in schema["features"]]
    sequences = [n for n in names if n.startswith("user_seq")]
    groups = [sequences[i:i + 3] for i in range(0, len(sequences), 3)]
    groups += [[n] for n in names if n.startswith(("user_set", "user_dense", "counter_dense"))]
    return [{"name": "session", "owner": "session_id", "features": ["session_id"]}, {"name": "label", "features": ["label"]}] + [
        {"name": f"g{i}", "features": g} for i, g in enumerate(groups)]


def ideal_clicks(_):
    """What the simulated shop changes together: requests, sessions, users and items, the last two fixed and moving."""
    return [
        {"name": "request", "owner": "request_id", "features": ["request_id", "timestamp", "dense.hour", "dense.log_gap", "context.page",
                                                                  "context.query"]},
        {"name": "session", "owner": "session_id", "features": ["session_id", "user.last_session"]},
        {"name": "user", "owner": "user_id", "features": ["user_id", "dense.user_days", "dense.user_age", "user.interests", "user.segments"]},
        {"name": "user_now", "owner": "user_id", "features": ["dense.user_views", "user.hist_item", "user.hist_cat", "user.hist_gap"]},
        {"name": "item", "owner": "item_id", "features": ["item_id", "dense.item_price", "item.id", "item.cats", "item.words", "item.brand"]},
        {"name": "item_now", "owner": "item_id", "features": ["dense.item_views", "dense.item_clicks", "dense.item_click_rate", "item.seen_with",
                                                              "item.recent_users"]},
        {"name": "label", "features": ["label"]},
    ]


def found_groups(tool, path):
    groups = [g for g in tool.inspect(path, "--groups") if g["group"] != 0]
    return [{"name": f"found{g['group']}", "features": g["columns"], **({"owner": g["owner"]} if g["owner"] else {})} for g in groups]


def found(tool, repeat):
    report = Report("FOUND: groups that the writer finds against groups that the generator knows")
    sizes, times = [], []
    for profile, rows, ideal in (("p3", tool.rows(20000), ideal_p3), ("clicks", tool.rows(100000), ideal_clicks)):
        text, schema = tool.generate(profile, rows)
        _, plain = tool.convert(text, schema, "--no-dedup")
        _, known = tool.convert(text, {**schema, "groups": ideal(schema)}, "--no-groups")
        path, run = tool.convert(text, schema, name="found.dsi")
        again = {**schema, "groups": found_groups(tool, path)}
        searching, declared = [run], []
        for _ in range(repeat):
            declared.append(tool.convert(text, again, "--no-groups")[1])
            searching.append(tool.convert(text, schema)[1])
        searching = searching[1:]
        bytes_of = {k: r.json["bytes_out"] for k, r in (("plain", plain), ("known", known), ("found", run), ("again", declared[0]))}
        share = (bytes_of["plain"] - bytes_of["found"]) / (bytes_of["plain"] - bytes_of["known"])
        sizes.append([profile, rows, bytes_of["plain"], bytes_of["known"], bytes_of["found"], run.json["groups"], 100 * share])
        report.target(f"{profile}: bytes saved by found groups, % of those saved by the known ones (at least 98)", 100 * share, share >= .98)
        reading = statistics.median(tool.run("schema", text, "-q").cpu_seconds for _ in range(repeat))
        line = [profile]
        for of in (lambda r: r.seconds, lambda r: r.cpu_seconds):
            a, b = statistics.median(map(of, searching)), statistics.median(map(of, declared))
            line += [a, b, 100 * (a - b) / b]
        of_writing = 100 * (line[4] - line[5]) / max(line[5] - reading, 1e-3)
        times.append(line + [reading, of_writing, 100 * (bytes_of["again"] / bytes_of["found"] - 1)])
        report.target(f"{profile}: CPU time of finding, % of writing without (at most 25)", of_writing, of_writing <= 25)
        log(f"{profile} done")
    report.table("bytes", ["table", "rows", "--no-dedup", "known groups", "found groups", "found", "saved, % of known"], sizes)
    report.table(f"seconds to convert, medians of {repeat}, with the groups found against the same declared",
                 ["table", "wall, found", "wall, declared", "more, %", "CPU, found", "CPU, declared", "more, %", "CPU, reading", "of writing, %",
                  "bytes of declared, more %"], times)
    report.note("Converting reads JSON as well. 'Reading' is dsictl schema on the text, about that share; writing is the rest of converting.")
    return report
