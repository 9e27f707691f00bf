"""The figures as text."""


def tell(results):
    for name, table in results.items():
        print(f"\n{name}: {table['lists']} lists, {table['dense']} numbers of each row")
        for form, loaders in table["forms"].items():
            tell_form(form, loaders, table["files"])
        for form, loaders in table.get("overlap", {}).items():
            for peer, made in loaders.items():
                if made is not None:
                    print(f"  {form:<5} {peer:<12} loading {made['loading_s']:.2f} s, computing {made['computing_s']:.2f} s, together "
                          f"{made['together_s']:.2f} s: {100 * made['hidden']:.0f} % of the shorter is hidden, "
                          f"{made['ideal_over_measured']:.2f} of the ideal speed")


def tell_form(form, loaders, files):
    print(f"\n  form {form:<10}{'M samples/s':>12}{'least':>8}{'most':>7}{'CPU µs':>9}{'first ms':>10}{'memory MB':>11}{'file MB':>9}")
    for peer, made in sorted(loaders.items(), key=lambda kv: -kv[1]["samples_per_second"]):
        print(f"  {peer:<15}{made['samples_per_second'] / 1e6:>12.2f}{made['least'] / 1e6:>8.2f}{made['most'] / 1e6:>7.2f}"
              f"{made['cpu_us_per_sample']:>9.2f}{made['first_batch_ms']:>10.1f}{made['resident_mb']:>11.0f}{files[peer]['bytes'] / 1e6:>9.0f}")
    others = {p: made for p, made in loaders.items() if p != "dsi"}
    if "dsi" not in loaders or not others:
        return
    dsi = loaders["dsi"]
    best = max(others, key=lambda p: others[p]["samples_per_second"])
    print(f"  dsi has {dsi['samples_per_second'] / others[best]['samples_per_second']:.1f}x the samples/s of {best}; "
          f"{100 * dsi['share_in_python']:.1f} % of its time is spent in Python")
    for what, key in (("samples/s", "samples_per_second"), ("CPU", "cpu_us_per_sample"), ("first batch", "first_batch_ms"),
                      ("memory", "resident_mb")):
        ahead = [p for p, made in others.items() if (made[key] > dsi[key] if key == "samples_per_second" else made[key] < dsi[key])]
        if ahead:
            print(f"  dsi loses in {what} to {', '.join(ahead)}")


def tell_first(found):
    for made in found:
        print(f"{made['features']:.0f} of {made['of']:.0f} lists: opened in {made['open_ms']:.1f} ms, from there to the first batch "
              f"{made['first_batch_ms']:.1f} ms, to the second loader's {made['again_ms']:.1f} ms")
