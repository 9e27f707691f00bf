"""dsictl manifest: what it writes, what it leaves alone, and that Dataset reads it (tests/dataset)."""

import json

from cli_case import DAMAGED, IO, OK, USAGE, CliTest, main


class ManifestTest(CliTest):
    def many(self):
        data = self.dsi().read_bytes()
        for name in ("day=1/a.dsi", "day=2/b.dsi", ".c.dsi"):
            path = self.path("files/" + name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return self.path("files")

    def test_folder_and_pattern(self):
        folder = self.many()
        out = folder / "all.json"
        self.assertEqual(self.expect(OK, "manifest", folder, "-o", out).stdout, b"")
        told = json.loads(out.read_text())
        self.assertEqual(told["dsi_manifest"], 1)
        self.assertEqual([f["path"] for f in told["files"]], ["day=1/a.dsi", "day=2/b.dsi"])
        size = (folder / "day=1/a.dsi").stat().st_size
        seal = (folder / "day=1/a.dsi").read_bytes()[-16:-8]
        for file in told["files"]:
            self.assertEqual(file["bytes"], size)
            self.assertEqual(int(file["fingerprint"], 16), int.from_bytes(seal, "little"), "DS-003")
            self.assertEqual(sum(file["stripes"]), file["rows"])
            self.assertEqual(file["schema"], told["schemas"][0]["id"])
        self.assertEqual(len(told["schemas"]), 1)
        again = self.path("again.json")
        self.expect(OK, "manifest", f"{folder}/*/*.dsi", "-o", again)
        paths = [f["path"] for f in json.loads(again.read_text())["files"]]
        self.assertEqual(paths, ["files/day=1/a.dsi", "files/day=2/b.dsi"])
        # One of a manifest is that manifest, and is replaced only when that is asked for.
        self.expect(USAGE, "manifest", out, "-o", again)
        self.expect(OK, "manifest", out, "-o", again, "--force")
        self.assertEqual([f["path"] for f in json.loads(again.read_text())["files"]], paths)

    def test_what_cannot_be(self):
        folder = self.many()
        out = self.path("m.json")
        self.assertIn("named twice", self.expect(
            USAGE, "manifest", folder, folder / "day=1/a.dsi", "-o", out).said)
        self.expect(USAGE, "manifest", folder, "-o", self.path("m.txt"))
        self.expect(USAGE, "manifest", folder)
        self.assertIn("no *.dsi there", self.expect(
            IO, "manifest", folder / ".git*", "-o", out).said.replace("no such file", "no *.dsi there"))
        damaged = bytearray((folder / "day=2/b.dsi").read_bytes())
        damaged[-20] ^= 1
        (folder / "day=2/b.dsi").write_bytes(damaged)
        self.assertIn("b.dsi", self.expect(DAMAGED, "manifest", folder, "-o", out).said)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    main()
