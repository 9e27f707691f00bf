"""Outputs never take the place of what is read, or of each other, and edits are of the file that is meant."""

import json
import os

from cli_case import OK, USAGE, CliTest, main

ROWS = [{"id": i, "k": ["a", "", "b"][i % 3], "v": i} for i in range(30)]


class OutputsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.text = self.lines("in.jsonl", ROWS)
        self.base = self.path("b.dsi")
        self.expect(OK, "convert", self.text, self.base, "-q")

    def lines(self, name, rows):
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def refused(self, said, *arguments):
        """Nothing that is there changes."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertIn(said, self.expect(USAGE, *arguments).said)
        self.assertEqual(before, {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()})

    def link(self, name, to):
        self.path(name).symlink_to(to.name)
        return self.path(name)

    def count(self, *arguments):
        return self.json("cat", *arguments, "--count")["rows"]

    def test_an_overlay_is_neither_its_base_nor_its_rows(self):
        more = self.lines("w.jsonl", [{"id": row["id"], "w": 1} for row in ROWS])
        key = ["--key", "id", "--force"]
        link = self.link("bl.dsi", self.base)
        self.refused("the base itself", "overlay", self.base, more, "-o", self.base, *key)
        self.refused("the base itself", "overlay", link, more, "-o", self.base, *key)
        self.refused("the base itself", "overlay", self.base, more, "-o", link, *key)
        self.refused("the base itself", "overlay", "--bases", self.base, more, "-o", "{}.dsi", *key)
        self.refused("an overlay is a .dsi file", "overlay", self.base, more, "-o", more, *key)
        rows = self.path("w.dsi")
        self.expect(OK, "convert", more, rows, "-q")
        self.refused("the rows are read from it", "overlay", self.base, rows, "-o", rows, *key)

    def test_rejects_and_schemas_are_files_of_their_own(self):
        bad = self.write("bad.jsonl", self.text.read_text() + "{\n")
        out = self.path("o.dsi")
        skip = ["--on-error", "skip", "--force", "--rejects"]
        self.refused("the same file as", "convert", bad, out, *skip, out)
        self.refused("the same file as", "convert", bad, out, *skip, self.folder / "." / "o.dsi")
        self.refused("the same file as", "convert", bad, out, *skip, bad)
        self.refused("the same file as", "convert", bad, out, *skip, self.link("bl.jsonl", bad))
        pattern = self.folder / "ba[d].jsonl"
        self.refused("the same file as", "convert", pattern, out, *skip, bad)
        self.refused("the same file as", "convert", f"file://{bad}", out, *skip, bad)
        self.refused("the same file as", "dedup", self.text, "--write-schema", self.text, "--force")
        self.refused("the same file as", "generate", "--rows", "3", "--write-schema", self.folder / "." / "g.jsonl",
                     self.path("g.jsonl"))

    def test_folders_that_are_read_get_no_second_copy(self):
        self.path("f").mkdir()
        self.base.rename(self.path("f/a.dsi"))
        for out, more in (("f/all.dsi", []), ("f/deeper/all.dsi", []), ("f/shards", ["--shard-rows", "10"])):
            self.refused("twice", "rewrite", self.path("f"), self.path(out), *more)
        self.refused("twice", "recover", self.path("f"), self.path("f/all.dsi"))
        self.refused("the same file as", "recover", self.path("f/a.dsi"), self.path("f/a.dsi"), "--force")
        self.refused("the same file as", "recover", f"file://{self.path('f/a.dsi')}", self.path("f/a.dsi"), "--force")
        self.refused("twice", "recover", self.path("f/*.dsi"), self.path("f/a.dsi"), "--force")
        self.refused("one of the files that are read", "recover", self.path("f/**/*.dsi"), self.path("f/a.dsi"), "--force")
        self.refused("twice", "rewrite", self.path("f/*.dsi"), self.path("f/all.dsi"))
        self.refused("twice", "rewrite", self.folder / "." / "f" / ".." / "f" / "*.dsi", self.path("f/all.dsi"))
        self.refused("twice", "rewrite", f"file://{self.path('f')}/*.dsi", self.path("f/all.dsi"))
        self.expect(OK, "rewrite", self.path("f"), self.path("fine.dsi"), "-q")
        self.assertEqual(self.count(f"{self.path('f')}/"), len(ROWS))

    def test_rows_are_deleted_of_the_file_behind_a_link(self):
        self.base.chmod(0o640)
        link = self.link("bl.dsi", self.base)
        self.expect(OK, "delete", link, "--key", "id", "--values", "1,2", "-q")
        self.assertTrue(link.is_symlink())
        self.assertEqual((self.count(self.base), self.count(link)), (28, 28))
        self.assertEqual(self.base.stat().st_mode & 0o777, 0o640)

    def test_what_is_replaced_keeps_its_mode(self):
        os.umask(0o022)
        for mode in (0o600, 0o664):
            self.base.chmod(mode)
            self.expect(OK, "convert", self.text, self.base, "-q", "--force")
            self.assertEqual(self.base.stat().st_mode & 0o777, mode)
        fresh = self.path("fresh.dsi")
        self.expect(OK, "convert", self.text, fresh, "-q")
        self.assertEqual(fresh.stat().st_mode & 0o777, 0o644)

    def test_empty_lines_name_no_rows(self):
        gone = self.write("gone.txt", "a\r\n\n\n")
        self.expect(OK, "delete", self.base, "--key", "k", "--values-from", gone, "-q")
        self.assertEqual(self.count(self.base), 20)
        self.expect(OK, "delete", self.base, "--where", 'k = ""', "-q")
        self.assertEqual(self.count(self.base), 10)

    def test_numbers_beyond_64_bits_are_of_no_row(self):
        text = self.lines("e.jsonl", [{"id": -2**63}, {"id": 2**63 - 1}, {"id": 0}])
        self.expect(OK, "convert", text, self.base, "-q", "--force", warns=True)
        for value in (-2**63 - 1, 2**63, 2**64, -2**70):
            told = self.json("delete", self.base, "--key", "id", f"--values={value}", "--dry-run")
            self.assertEqual(told[0]["deleted"], 0, value)
        told = self.json("delete", self.base, "--key", "id", f"--values={-2**63},{2**63 - 1}", "--dry-run")
        self.assertEqual(told[0]["deleted"], 2)

    def test_a_job_deletes_once(self):
        table = self.path("t")
        self.expect(OK, "table", "create", table)
        self.expect(OK, "table", "add", table, self.base, "--job", "day-1", "-q")
        self.refused("job day-1 has committed snapshot 2", "delete", f"{table}/", "--key", "id", "--values", "1",
                     "--job", "day-1")
        self.expect(OK, "delete", f"{table}/", "--key", "id", "--values", "1", "--job", "gdpr", "-q")
        self.refused("job gdpr has committed snapshot 3", "delete", f"{table}/", "--key", "id", "--values", "2",
                     "--job", "gdpr")
        self.assertEqual(self.count(f"{table}/"), 29)

    def test_a_name_that_is_there_is_no_pattern(self):
        text = self.lines("p.jsonl", [{"a*": 1, "ab": 2}])
        self.expect(OK, "convert", text, self.base, "-q", "--force")
        self.assertEqual([column["name"] for column in self.json("values", self.base, "--features", "a*")], ["a*"])


if __name__ == "__main__":
    main()
