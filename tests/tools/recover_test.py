"""What is left of damaged files."""

import json
import random

from cli_case import DAMAGED, OK, USAGE, CliTest, main, run


class RecoverTest(CliTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        rows = [{"session_id": i // 4, "label": i % 2, "clicks": [draw.randrange(1 << 40) for _ in range(60)]}
                for i in range(3000)]
        text = self.write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.sound, self.damaged, self.out = self.path("t.dsi"), self.path("d.dsi"), self.path("o.dsi")
        self.expect(OK, "convert", text, self.sound, "-q", "--stripe-rows", "1000", "--keep-order")
        self.bytes = self.sound.read_bytes()

    def damage(self):
        """Of a page that the lists of stripe 1 need and nothing else does."""
        for at in range(len(self.bytes) // 3, len(self.bytes) * 2 // 3, 1000):
            changed = bytearray(self.bytes)
            changed[at] ^= 16
            self.damaged.write_bytes(changed)
            others = run("cat", self.damaged, "--features", "label,session_id")
            if b"stripe 1" in run("cat", self.damaged).stderr and others.returncode == OK:
                return
        self.fail("no page is of the lists alone")

    def rows(self, path):
        return self.expect(OK, "cat", path).stdout.decode().splitlines()

    def test_rows_of_a_damaged_stripe_are_left_out_and_told(self):
        self.damage()
        self.assertIn("dsictl recover", self.expect(DAMAGED, "verify", self.damaged).said)
        said = self.expect(OK, "recover", self.damaged, self.out, warns=True)
        self.assertIn("1,000 rows could not be read and are left out", said.said)
        self.assertIn("clicks", said.stdout.decode())
        before = self.rows(self.sound)
        self.assertEqual(before[:1000] + before[2000:], self.rows(self.out))
        self.expect(OK, "verify", self.out, "-q")
        self.expect(USAGE, "recover", self.damaged, self.out)
        told = json.loads(self.expect(OK, "recover", self.damaged, self.out, "--force", "--json", warns=True).stdout)
        self.assertEqual((2000, 1000), (told["rows"], told["rows_left_out"]))
        (lost,) = told["lost"]
        self.assertEqual([1000, 2000, ["clicks"], True], [lost[k] for k in ("begin", "end", "features", "left_out")])
        self.assertIn("stripe 1", lost["message"])

    def test_rows_are_kept_without_what_is_lost(self):
        self.damage()
        said = self.expect(OK, "recover", self.damaged, self.out, "--keep-rows", "-q", warns=True).said
        self.assertIn("1,000 rows miss features that could not be read", said)
        want = [json.loads(line) for line in self.rows(self.sound)]
        for row in want[1000:2000]:
            del row["clicks"]
        self.assertEqual(want, [json.loads(line) for line in self.rows(self.out)])

    def test_sound_files_are_copied(self):
        said = self.expect(OK, "recover", self.sound, self.out).stdout.decode()
        self.assertIn("3,000 rows", said)
        self.assertEqual(self.rows(self.sound), self.rows(self.out))

    def test_nothing_is_written_where_nothing_can_be_read(self):
        changed = bytearray(self.bytes)
        changed[64:len(changed) - 8000] = bytes(len(changed) - 8064)
        self.damaged.write_bytes(changed)
        said = self.expect(DAMAGED, "recover", self.damaged, self.out).said
        self.assertIn("no row can be read in all features", said)
        self.assertIn("hint: --keep-rows", said)
        self.assertFalse(self.out.exists())
        self.damaged.write_bytes(self.bytes[:-100])
        self.assertIn("F-030", self.expect(DAMAGED, "recover", self.damaged, self.out).said)
        self.assertFalse(self.out.exists())
        self.assertIn("ends in .dsi", self.expect(USAGE, "recover", self.sound, self.path("folder")).said)


if __name__ == "__main__":
    main()
