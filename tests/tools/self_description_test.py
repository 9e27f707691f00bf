"""Completion scripts and man page: every verb and option of --help, and shells that can read them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from cli_case import OK, USAGE, CliTest, main

OPTION = re.compile(r"^ +((?:-\w,)?--[\w-]+|-\w)", re.MULTILINE)


class SelfDescriptionTest(CliTest):
    def printed(self, *arguments):
        return self.expect(OK, *arguments).stdout.decode()

    def verbs(self):
        """Verb: its options as --help lists them."""
        listed = self.printed("--help").split("Verbs:")[1].split("Examples:")[0]
        verbs = re.findall(r"^  (\w+)", listed, re.MULTILINE)
        self.assertGreater(len(verbs), 8)
        self.assertNotIn("completion", verbs)
        return {verb: [name for names in OPTION.findall(self.printed(verb, "--help"))
                       for name in names.split(",")] for verb in verbs}

    def completed(self, *words):
        """What bash offers for the last word."""
        script = self.write("dsictl.bash", self.printed("completion", "bash"))
        command = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dsictl; '
                   'printf "%s\\n" "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-c", command, "bash", script, "dsictl", *words], check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(result.stderr, b"")
        return result.stdout.decode().split()

    def test_bash(self):
        script = self.write("s", self.printed("completion", "bash"))
        subprocess.run(["bash", "-n", script], check=True)
        self.assertIn("complete -o default -F _dsictl dsictl", script.read_text())
        verbs = self.verbs()
        self.assertEqual(set(self.completed("")), set(verbs))
        self.assertEqual(self.completed("ins"), ["inspect"])
        self.assertEqual(set(self.completed("-")), {"-h", "--help", "--version"})
        for verb, options in verbs.items():
            with self.subTest(verb):
                offered = self.completed(verb, "-")
                self.assertEqual(sorted(offered), sorted(set(options)))

    def test_bash_values(self):
        self.assertEqual(self.completed("head", "--wh"), ["--where"])
        self.assertEqual(self.completed("convert", "a", "b", "--tuning", ""),
                         ["nvme", "network", "archive"])
        self.assertEqual(self.completed("bench", "--layout", "pad"), ["padded", "padded-ikjt"])
        self.assertEqual(self.completed("inspect", "f", "--sort", "=", "by"), ["bytes"])
        self.assertEqual(self.completed("inspect", "f", "--sort", "="),
                         ["file", "bytes", "name", "values"])
        # Names of files are bash's own to offer.
        for words in (["head", "f"], ["convert", "--schema", ""], ["head", "-n", "-"]):
            self.assertEqual(self.completed(*words), [])

    def test_zsh(self):
        script = self.printed("completion", "zsh")
        self.assertTrue(script.startswith("#compdef dsictl\n"))
        for verb, options in self.verbs().items():
            self.assertIn(f"    '{verb}:", script)
            part = script.split(f"    {verb})\n")[1].split(";;")[0]
            for option in options:
                self.assertRegex(part, rf"'\*?{option}[=+]?\[")
        self.assertIn("--tuning=[", script)
        self.assertIn("(nvme network archive)", script)
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", self.write("_dsictl", script)], check=True)

    def test_man(self):
        page = self.printed("man")
        for verb, options in self.verbs().items():
            part = page.split(f"\n.SS {verb}\n")[1].split("\n.SS ")[0]
            for option in options:
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", part)
            self.assertIn("Examples:", part)
        self.assertIn("Exit codes:", page)
        for line in page.splitlines():
            self.assertRegex(line, r"^(?!')(?!\.(?!TH |SH |SS |TP$|PP$|br$|nf$|fi$|RS$|RE$))")
        if shutil.which("groff"):
            shown = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page.encode(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
            self.assertEqual(shown.stderr, b"")

    def test_usage(self):
        self.expect(USAGE, "completion")
        self.expect(USAGE, "completion", "fish")

    def test_installed(self):
        build, cmake = os.environ.get("DSI_BUILD_DIR"), shutil.which("cmake")
        if not build or not cmake or not (Path(build) / "share" / "dsictl.1").exists():
            self.skipTest("no build folder with everything in it")
        result = subprocess.run([cmake, "--install", build, "--component", "dsictl", "--prefix",
                                 self.path("usr")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, 0, result.stdout)
        share = self.path("usr") / "share"
        for path, printed in (("man/man1/dsictl.1", ["man"]),
                              ("bash-completion/completions/dsictl", ["completion", "bash"]),
                              ("zsh/site-functions/_dsictl", ["completion", "zsh"])):
            self.assertEqual((share / path).read_text(), self.printed(*printed))


if __name__ == "__main__":
    main()
