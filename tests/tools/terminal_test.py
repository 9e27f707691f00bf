"""What people see: tables as wide as the terminal, bars beside them, nothing that drives it."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

from cli_case import DSICTL, OK, CliTest, main

GOLDEN = Path(os.environ.get("DSI_SOURCE_DIR", ".")) / "tests" / "golden"


class TerminalTest(CliTest):
    def on_terminal(self, *arguments, expected=OK, columns=80, **variables):
        """Runs with standard output and error on a terminal; what it showed."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm", **variables}
        process = subprocess.Popen([DSICTL, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=follower, stderr=follower, env=environment)
        os.close(follower)
        shown = b""
        while True:
            try:
                block = os.read(leader, 65536)
            except OSError:  # How Linux says that the other side is closed.
                break
            if not block:
                break
            shown += block
        os.close(leader)
        code = process.wait()
        if expected is not None:
            self.assertEqual(code, expected, shown)
        return shown.decode(errors="replace")

    def test_people_see_tables_and_programs_lines(self):
        dsi = self.dsi()
        shown = self.on_terminal("head", dsi, "-n", "3", NO_COLOR="1")
        # What a progress bar leaves behind ends with the code that erases it.
        self.assertTrue(shown.split("\x1b[K")[-1].startswith("session_id"), shown)
        self.assertIn("more features", shown)
        self.assertNotIn("\x1b[1m", shown)
        self.assertIn("\x1b[1m", self.on_terminal("head", dsi, "-n", "3", NO_COLOR=""))
        lines = self.on_terminal("head", dsi, "-n", "3", "--json").split("\x1b[K")[-1].splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(json.loads(lines[0]))
        for line in self.on_terminal("cat", dsi, "--rows", "0:50", "--quiet").splitlines():
            self.assertLessEqual(len(line), 80)

    def lines(self, *arguments, columns):
        """What stays on the screen, a line each."""
        shown = self.on_terminal(*arguments, columns=columns, NO_COLOR="1").split("\x1b[K")[-1]
        return shown.replace("\r\n", "\n").splitlines()

    def test_tables_fit_the_terminal(self):
        dsi = self.dsi("clicks", "--metadata", "note=" + "many words " * 30)
        views = [["inspect", dsi, *view] for view in (
            [], ["--features"], ["--features", "--why"], ["--stats"], ["--stripes"], ["--groups"], ["--dedup"],
            ["--metadata"], ["--plan", "label,user.*"], ["--streams", "user.hist_item"])]
        views += [["head", dsi], ["bench", dsi, "--features", "label"], ["dedup", dsi, "--max-rows", "1000"],
                  ["convert", self.path("clicks.jsonl"), self.path("new.dsi"), "--force"],
                  ["convert", dsi, self.path("new.dsi"), "--force", "--where", "label = 1"]]
        for view in views:
            for columns in (60, 80, 130, 200):
                for line in self.lines(*view, columns=columns):
                    # A schema to copy stays as it is, and so does a path.
                    if not line.lstrip().startswith(('"', "{")) and "/" not in line:
                        self.assertLessEqual(len(line), columns, (view, line))

    def test_names_are_cut_only_where_they_must(self):
        name = "a_name_" * 8 + "end"
        rows = self.write("n.jsonl", "".join(json.dumps({name: [i, 7], "session_id": i // 4}) + "\n"
                                             for i in range(40)))
        dsi = self.path("n.dsi")
        self.expect(OK, "convert", rows, dsi, "-q")
        for view in ([], ["--features"], ["--groups"], ["--stats"], ["--dedup"], ["--streams", name]):
            shown = "\n".join(self.lines("inspect", dsi, *view, columns=200))
            self.assertNotIn("…", shown, view)
            for_programs = self.expect(OK, "inspect", dsi, *view).stdout.decode()
            self.assertNotIn("…", for_programs, view)
            if view != ["--dedup"]:  # It goes by group.
                self.assertIn(name, shown)
                self.assertIn(name, for_programs)
        narrow = "\n".join(self.lines("inspect", dsi, "--features", columns=60))
        self.assertIn("…", narrow)
        self.assertIn("(no room for: ", narrow)
        self.assertIn(name, "\n".join(self.lines("head", dsi, columns=200)))

    def test_bytes_of_features_add_up(self):
        for profile in ("clicks", "wide"):
            text = self.expect(OK, "inspect", self.dsi(profile), "--features").stdout.decode()
            shares = [float(share) for share in re.findall(r"(-?[0-9.]+)%", text)]
            self.assertEqual(shares.pop(), 100)
            self.assertAlmostEqual(sum(shares), 100, delta=0.005 * len(shares))
            for row in ("(indexes)", "(directory)", "(all)"):
                self.assertIn("\n" + row, text)

    def test_what_a_view_is_for_stays(self):
        dsi = self.dsi()
        titles = {"--stats": ("feature", "least", "greatest"), "--features": ("feature", "bytes", "encoding"),
                  "--dedup": ("owner", "factor", "index")}
        for view, wanted in titles.items():
            found = self.lines("inspect", dsi, view, columns=80)[0].split()
            self.assertEqual([title for title in wanted if title not in found], [], view)

    def test_no_bar_among_rows(self):
        dsi = self.dsi()
        for command in (["cat", dsi], ["cat", dsi, "--json"], ["convert", dsi, "-"],
                        ["cat", dsi, "--where", "label = 1", "--tail", "5"],
                        ["generate", "--rows", "100", "-"]):
            self.assertNotIn("\x1b[K", self.on_terminal(*command), command)

    def test_progress_only_on_a_terminal(self):
        dsi = self.dsi()
        self.assertIn("verifying", self.on_terminal("verify", dsi))
        self.assertNotIn("verifying", self.on_terminal("verify", dsi, "--quiet"))
        self.assertIn("scanning", self.on_terminal("inspect", dsi, "--stats"))
        self.assertIn("counting", self.on_terminal("head", dsi, "--where", "label = 1", "--count"))

    def assert_harmless(self, *arguments):
        """Shows no control character but those of bars, bold text and line breaks."""
        shown = self.on_terminal(*arguments, expected=None)
        for ours in ("\r\x1b[K", "\x1b[1m", "\x1b[0m", "\r\n"):
            shown = shown.replace(ours, "")
        bad = [c for c in shown if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f"]
        self.assertEqual(bad, [], (arguments, shown))

    def test_names_of_a_hostile_file(self):
        dsi = GOLDEN / "hostile" / "c1_controls_in_names_and_strings.dsi"
        name = json.loads(self.expect(OK, "inspect", dsi, "--features", "--json").stdout)[0]["name"]
        self.assertTrue(any("\x80" <= c <= "\x9f" for c in name), name)
        views = ["--features", "--stats", "--stripes", "--groups", "--dedup", "--metadata"]
        for verb in ([["inspect", dsi, view] for view in views] +
                     [["inspect", dsi, "--features", "--why"], ["inspect", dsi, "--plan", name],
                      ["inspect", dsi, "--streams", name], ["inspect", dsi], ["head", dsi], ["cat", dsi],
                      ["schema", dsi], ["verify", dsi], ["dedup", dsi], ["convert", dsi, "-"],
                      ["convert", dsi, self.path("new.dsi")], ["bench", dsi, "--features", name],
                      ["cat", dsi, "--where", name + " = 1"]]):
            self.assert_harmless(*verb)
            if verb[0] not in ("convert", "bench", "schema"):
                self.assert_harmless(*verb, "--json")

    def test_names_and_values_cannot_drive_the_terminal(self):
        evil = "e\x1b[31m\x9b31m\x7f\x85\r"
        rows = self.write("e.jsonl", "".join(json.dumps(
            {evil: i % 5, "k" + evil: "v" + evil, "list" + evil: [1, 2, 3],
             "session_id": i % 3}) + "\n" for i in range(40)))
        dsi = self.path("e.dsi")
        self.expect(OK, "convert", rows, dsi, "--metadata", f"a{evil}=b{evil}", "-q")
        lists = "list" + evil
        for verb in (["inspect", dsi], ["inspect", dsi, "--features"], ["inspect", dsi, "--stripes"],
                     ["inspect", dsi, "--features", "--why"], ["inspect", dsi, "--groups"],
                     ["inspect", dsi, "--dedup"], ["inspect", dsi, "--metadata"],
                     ["inspect", dsi, "--plan", lists], ["inspect", dsi, "--streams", lists],
                     ["inspect", dsi, "--stats"], ["inspect", dsi, "--stats", "--json"],
                     ["head", dsi, "--where", "no" + evil + " = 1"],
                     ["inspect", dsi, "--features", "--json"], ["head", dsi], ["head", dsi, "--json"],
                     ["cat", dsi], ["cat", dsi, "--json"], ["schema", dsi], ["schema", rows],
                     ["dedup", dsi], ["dedup", dsi, "--json"], ["dedup", rows],
                     ["verify", dsi], ["verify", dsi, "--json"], ["bench", dsi, "--features", lists],
                     ["convert", dsi, "-"], ["convert", rows, self.path("again.dsi")],
                     ["convert", rows, self.path("json.dsi"), "--json"],
                     ["inspect", dsi, "--plan", "no" + evil], ["head", dsi, "--features", "no" + evil],
                     ["convert", rows, self.path("no.dsi"), "--session-key", "no" + evil],
                     ["cat", self.path("no" + evil)], ["no" + evil]):
            self.assert_harmless(*verb)
        # What reads JSON gets the same names and values from a terminal.
        shown = self.on_terminal("cat", dsi, "--json", "--quiet")
        self.assertEqual([json.loads(line) for line in shown.splitlines()],
                         [json.loads(line) for line in self.expect(OK, "cat", dsi).stdout.splitlines()])


if __name__ == "__main__":
    main()
