"""The figures as text."""


def tell(results):
    for name, table in results.items():
        print(
            f"\n{name}: {table['lists']} lists, {table['dense']} numbers of each row; "
            f"cores: {table['cores']}; memory is without that of workers"
        )
        for form, loaders in table["forms"].items():
            tell_form(form, loaders, table["files"])
        for form, loaders in table.get("overlap", {}).items():
            for peer, made in loaders.items():
                if made is not None:
                    print(
                        f"  {form:<5} {peer:<12} loading {made['loading_s']:.2f} s, "
                        f"computing {made['computing_s']:.2f} s, "
                        f"together {made['together_s']:.2f} s: "
                        f"{100 * made['hidden']:.0f} % of the shorter is hidden, "
                        f"{made['ideal_over_measured']:.2f} of the ideal speed"
                    )


def tell_form(form, loaders, files):
    """Each loader, and dsi's samples/s and CPU time per sample over its own."""
    head = (
        f"{'M samples/s':>12}{'least':>8}{'most':>7}{'CPU µs':>9}{'first ms':>10}{'memory MB':>11}"
    )
    print(f"\n  form {form:<10}{head}{'file MB':>9}{'dsi: speed':>12}{'CPU':>7}")
    dsi = loaders.get("dsi")
    for peer, made in sorted(loaders.items(), key=lambda kv: -kv[1]["samples_per_second"]):
        ratios = ""
        if dsi is not None and peer != "dsi":
            speed = dsi["samples_per_second"] / made["samples_per_second"]
            cpu = dsi["cpu_us_per_sample"] / made["cpu_us_per_sample"]
            ratios = f"{speed:>11.1f}x{cpu:>6.2f}x"
        print(
            f"  {peer:<15}{made['samples_per_second'] / 1e6:>12.2f}{made['least'] / 1e6:>8.2f}"
            f"{made['most'] / 1e6:>7.2f}{made['cpu_us_per_sample']:>9.2f}"
            f"{made['first_batch_ms']:>10.1f}{made['resident_mb']:>11.0f}"
            f"{files[peer]['bytes'] / 1e6:>9.0f}{ratios}"
        )
    if dsi is None:
        return
    print(f"  {100 * dsi['share_in_python']:.1f} % of dsi's time is spent in Python")
    others = {p: made for p, made in loaders.items() if p != "dsi"}
    for what, key in (
        ("samples/s", "samples_per_second"),
        ("CPU", "cpu_us_per_sample"),
        ("first batch", "first_batch_ms"),
        ("memory", "resident_mb"),
    ):
        more_is_better = key == "samples_per_second"
        ahead = [
            p
            for p, m in others.items()
            if m[key] != dsi[key] and (m[key] > dsi[key]) == more_is_better
        ]
        if ahead:
            print(f"  dsi loses in {what} to {', '.join(ahead)}")


def tell_first(found):
    for made in found:
        print(
            f"{made['features']:.0f} of {made['of']:.0f} lists: "
            f"opened in {made['open_ms']:.1f} ms, from there to the first batch "
            f"{made['first_batch_ms']:.1f} ms, to the second loader's {made['again_ms']:.1f} ms"
        )
