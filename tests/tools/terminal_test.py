"""What a person sees: dsictl with standard output and error on a pseudo terminal of a given width."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
from pathlib import Path

import cli_case
from cli_case import OK, CliTest

ROOT = Path(__file__).resolve().parents[2]
STYLE = re.compile(r"\x1b\[[0-9;]*m")
BAR = re.compile(r"\r?\x1b\[K[^\n\x1b]*(?=\r?\x1b\[K)|\r?\x1b\[K")  # Drawn, and removed again.
# What moves a cursor or starts a command of a terminal: C0 but the ends of lines, DEL, C1.
CONTROL = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")


def on_terminal(width, *arguments, errors_too=True):
    """What appears on the terminal, with what the terminal itself makes of line ends undone."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen([cli_case.DSICTL, *map(str, arguments)], stdin=subprocess.DEVNULL,
                               stdout=side, stderr=side if errors_too else subprocess.DEVNULL)
    os.close(side)
    seen = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # Linux: the other side is closed.
            part = b""
        if not part:
            break
        seen += part
    os.close(main)
    text = seen.decode(errors="surrogateescape").replace("\r\n", "\n")
    return process.wait(), text


def lines_left(seen):
    """What stays on the terminal when bars are gone, without styles."""
    return STYLE.sub("", BAR.sub("", seen))


class TerminalTest(CliTest):
    def test_no_bar_among_rows(self):
        path = self.dsi("p3")
        code, seen = on_terminal(100, "cat", path)
        self.assertEqual(code, OK, seen)
        self.assertIsNone(CONTROL.search(STYLE.sub("", seen)), seen[:500])
        code, seen = on_terminal(100, "head", path)
        self.assertEqual(code, OK, seen)
        self.assertNotIn("\x1b[K", seen[seen.index("session_id"):])
        for line in lines_left(seen).splitlines():
            self.assertLessEqual(len(line), 100)

    def test_tables_fit_and_names_are_cut_only_where_they_must(self):
        names = [f"user.a_feature_with_a_rather_long_name_{i}_{'x' * 50}" for i in range(3)]
        row = "{" + ",".join(f'"{name}":[{i}]' for i, name in enumerate(names)) + "}\n"
        path = self.path("long.dsi")
        self.expect(OK, "convert", self.write("long.jsonl", row * 50), path, "--quiet")
        for arguments in (("inspect",), ("inspect", "--features"), ("inspect", "--dedup"),
                          ("inspect", "--stats"), ("verify",)):
            for width in (60, 80, 120, 200):
                code, seen = on_terminal(width, *arguments, path)
                self.assertEqual(code, OK, seen)
                for line in lines_left(seen).splitlines():
                    if "dsi" not in line:  # Paths stay whole.
                        self.assertLessEqual(len(line), width, (arguments, line))
        _, seen = on_terminal(250, "inspect", "--features", path)
        whole = self.expect(OK, "inspect", "--features", path).stdout.decode()
        for name in names:
            self.assertIn(name, seen)
            self.assertIn(name, whole)

    def test_bytes_of_features_add_up(self):
        for profile in ("clicks", "wide"):
            path = self.dsi(profile)
            text = self.expect(OK, "inspect", "--features", path).stdout.decode()
            shares = [float(s) for s in re.findall(r"([0-9.]+)%", text)]
            self.assertEqual(shares[-1], 100)
            self.assertAlmostEqual(sum(shares[:-1]), 100, delta=0.005 * len(shares))

    def test_no_control_characters(self):
        path = ROOT / "tests/golden/hostile/c1_controls_in_names_and_strings.dsi"
        for arguments in (("cat",), ("cat", "--json"), ("head",), ("inspect",), ("inspect", "--json"),
                          ("inspect", "--features"), ("inspect", "--stats"), ("schema",),
                          ("verify",), ("dedup",)):
            _, seen = on_terminal(100, *arguments, path)
            rest = lines_left(seen)
            found = CONTROL.search(rest)
            self.assertIsNone(found, (arguments, found and rest[found.start() - 40:found.end() + 9]))


class VerdictTest(CliTest):
    def test_the_verdict_comes_first(self):
        source = self.table("clicks")
        text = self.expect(OK, "dedup", source).stdout.decode()
        self.assertTrue(text.startswith("verdict: "), text[:100])
        report = self.json("dedup", source)
        shown = " ".join(text.split("\n\n")[0].split())
        self.assertEqual(shown, "verdict: " + report["verdict"])

    def test_no_advice_for_a_thousandth(self):
        for profile in ("clicks", "p3"):
            source = self.table(profile)
            report = self.json("dedup", source)
            base = report["trials"][0]["bytes"]
            advised = [t["bytes"] for t in report["trials"] if t["kind"] == "advice"]
            if report["groups_advised"]:
                self.assertLess(min(advised), 0.99 * base)
            else:
                self.assertNotIn("Groups to declare",
                                 self.expect(OK, "dedup", source).stdout.decode())


if __name__ == "__main__":
    cli_case.main()
