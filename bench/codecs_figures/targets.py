"""What the kernels should reach, per core and within one run."""
import statistics


def ratio(v):
    return v["dsi"]["gb_s"] / v["memcpy"]["gb_s"]


def encode_speed(v):
    return v["dsi"]["gb_s"] * 1e3


# Name, which cases by the parts of their names, what is judged, at least.
TARGETS = [
    ("unpack u32 of 16 bits or fewer, of memcpy", lambda n: n[:2] == ["packed", "u32"] and bits(n[2]) <= 16 and n[3] == "L2", ratio, 0.7),
    ("unpack u64, of memcpy", lambda n: n[:2] == ["packed", "u64"] and n[3] == "L2", ratio, 0.6),
    ("delta u32 and u64, of memcpy", lambda n: n[0] == "delta" and n[1] in ("u32", "u64") and n[3] == "L2", ratio, 0.35),
    ("dictionary of <= 64 Ki ids to u64, G values/s", lambda n: n[:2] == ["dictionary", "u64"] and n[3] == "L2", lambda v: v["dsi"]["gv_s"], 2.0),
    ("lengths to offsets, of memcpy", lambda n: n[0] == "offsets" and n[3] == "L2", ratio, 0.4),
    ("encode a page with choice, MB/s", lambda n: n[0] == "encode", encode_speed, 150),
]


def bits(name):
    return int(name[1:].split("+")[0])


def judge(cases):
    verdicts = []
    for name, belongs, value, least in TARGETS:
        values = {c: value(v) for c, v in cases.items() if belongs(c.split("/")) and "dsi" in v}
        if values:
            worst = min(values, key=values.get)
            verdicts.append({"target": name, "least": least, "worst": values[worst], "worst_case": worst,
                             "median": statistics.median(values.values()), "met": values[worst] >= least,
                             "missed_by": sorted(c for c, x in values.items() if x < least)})
    return verdicts


def show(verdicts):
    if verdicts:
        print(f"\n{'target':48} {'least':>6} {'worst':>7} {'median':>7}")
    for v in verdicts:
        missed = "met" if v["met"] else "missed by " + ", ".join(v["missed_by"])
        print(f"{v['target']:48} {v['least']:6g} {v['worst']:7.2f} {v['median']:7.2f}  {missed}")
