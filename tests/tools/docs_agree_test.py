"""Pages, help and code agree: verbs and options that pages name exist, those that exist are named, exit codes are one list."""

import os
import re
import shlex
from pathlib import Path

from cli_case import OK, CliTest, main

ROOT = Path(os.environ.get("DSI_SOURCE_DIR", "."))
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md")),
         "examples/README.md", "python/README.md", "text/README.md", "tools/README.md"]
OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-[a-z])(?![\w-])")
LISTED = re.compile(r"^ +((?:-\w,)?--[\w-]+)", re.MULTILINE)
# The Python package's dsictl converts to and from other formats by a program of its own.
PYTHONS = set(re.findall(r'"(--[\w-]+)"', (ROOT / "python/dsi/_convert.py").read_text()))
# Programs whose options pages show as well; a line of theirs is left out.
OTHERS = re.compile(r"cmake |ctest|pip install|pkg-config|scripts/|bench/(?:compare|codecs|choices)")


def errors_of(line, options):
    """What is wrong with the commands of dsictl in a line of a page: verbs and options that there are not."""
    errors = []
    for command in re.findall(r"\bdsictl ((?:[^|`#;\n])+)", line):
        command = re.split(r" {2,}\(", command)[0]  # What is said beside an example.
        command = re.sub(r"[<>]\([^)]*\)|\d?>+ *\S+", " x ", command)
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        if not words or not re.fullmatch(r"-?-?[a-z]+", words[0]):
            continue
        verb = words[0]
        if verb.startswith("-"):
            errors += [] if verb in options[""] else [f"dsictl has no {verb}"]
        elif verb not in options:
            errors.append(f"no verb {verb}")
        else:
            given = [word.split("=")[0] for word in words[1:] if OPTION.fullmatch(word.split("=")[0])]
            errors += [f"{verb} has no {option}" for option in given if option not in options[verb]]
    return errors


class DocsAgreeTest(CliTest):
    def options(self):
        """Verb: the options of its --help; "" those of dsictl itself."""
        root = self.expect(OK, "--help").stdout.decode()
        verbs = re.findall(r"^  (\w+)", root.split("Verbs:")[1].split("Examples:")[0], re.MULTILINE)
        self.assertGreater(len(verbs), 8)
        texts = {"": root, **{verb: self.expect(OK, verb, "--help").stdout.decode() for verb in verbs}}
        self.texts = texts
        return {verb: {name for names in LISTED.findall(text) for name in names.split(",")}
                for verb, text in texts.items()}

    def test_every_verb_and_option_is_in_the_page_and_no_other(self):
        page = (ROOT / "docs" / "dsictl.md").read_text()
        rows = re.findall(r"^\| `(\w+) [^|]*\|[^|]*\|(.*)\|$", page.split("## Verbs and options")[1].split("\n## ")[0],
                          re.MULTILINE)
        listed = {verb: set(OPTION.findall(cell)) for verb, cell in rows}
        options = self.options()
        del options[""]
        self.assertEqual(listed, {verb: names - {"-h", "--help"} for verb, names in options.items()})

    def test_commands_of_pages_and_of_the_help_are_right(self):
        options = self.options()
        options["convert"] |= PYTHONS
        for verb in ("completion", "man"):
            options[verb] = {"-h", "--help"}
        # The check can fail.
        for bad in ("dsictl conver a b", "zcat a | dsictl convert - b --sesion-key x", "`dsictl cat f --stats`", "dsictl --nope"):
            self.assertEqual(len(errors_of(bad, options)), 1, bad)
        texts = {page: (ROOT / page).read_text() for page in PAGES}
        texts |= {f"dsictl {verb} --help": text for verb, text in self.texts.items()}
        texts["scripts/quickstart"] = (ROOT / "scripts" / "quickstart").read_text().replace('"$dsictl"', "dsictl")
        errors, seen = [], 0
        for where, text in texts.items():
            for line in text.splitlines():
                is_command = re.search(r"(?:^ {2,}|^[$] |[$|`(] ?)dsictl|run dsictl", line)
                found = errors_of(line, options) if is_command else []
                seen += bool(is_command)
                errors += [f"{where}: {error}: {line.strip()}" for error in found]
        self.assertEqual(errors, [])
        self.assertGreater(seen, 60)

    def test_options_in_prose_are_some_verbs(self):
        known = PYTHONS.union(*self.options().values())
        errors = []
        for page in PAGES:
            for line in (ROOT / page).read_text().splitlines():
                if not OTHERS.search(line):
                    errors += [f"{page}: {name}" for name in OPTION.findall(line)
                               if name.startswith("--") and name not in known]
        self.assertEqual(errors, [])

    def test_calls_that_the_page_on_reading_names_are_there(self):
        header = (ROOT / "reader" / "batch.h").read_text()
        named = set(re.findall(r"`batch\.(\w+)\(", (ROOT / "docs" / "reading-cpp.md").read_text()))
        self.assertEqual(named, set(re.findall(r"Result<\w+View> (\w+)\(", header)))

    def test_exit_codes_are_one_list(self):
        code = (ROOT / "tools" / "exit_code_internal.h").read_text()
        of_code = {int(n) for n in re.findall(r"kExit\w+ = (\d+);", code)}
        self.assertGreater(len(of_code), 4)
        signals = {128 + n for n in (1, 2, 15)}
        page = (ROOT / "docs" / "exit-codes-and-json.md").read_text()
        self.assertEqual({int(n) for n in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}, of_code | signals)
        shown = self.expect(OK, "--help").stdout.decode().split("Exit codes:")[1]
        of_help = {int(n) for n in re.findall(r"\b(\d+)(?=,|  )", shown)}
        self.assertEqual(of_help, of_code | signals)


if __name__ == "__main__":
    main()
