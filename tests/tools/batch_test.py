"""dsictl batch: the rows of a step, by the state of a job."""

import json
import shutil

from cli_case import OK, USAGE, CliTest, main

ROWS = 1000


class BatchTest(CliTest):
    def setUp(self):
        super().setUp()
        self.rows = [{"id": i, "session_id": i // 10, "clicks": [i, i // 2]} for i in range(2 * ROWS)]
        self.path("d").mkdir()
        for part in range(2):
            text = "".join(json.dumps(row) + "\n" for row in self.rows[part * ROWS : (part + 1) * ROWS])
            self.expect(OK, "convert", self.write("t.jsonl", text), self.path(f"d/{part}.dsi"), "-q")
        self.state = self.state_of(
            self.path("d"),
            batch_size=150,
            world=2,
            handed_out=2,
            order={"unit": "block", "block_rows": 100, "mixing_rows": 500},
        )

    def batch(self, step, rank=0, *options):
        return self.json("batch", self.path("d"), "--state", self.state, "--step", str(step),
                         "--rank", str(rank), *options)

    def rows_of(self, told):
        return [(run["file"], run["first"] + i) for run in told["runs"] for i in range(run["rows"])]

    def test_steps_of_all_ranks_are_the_rows_once(self):
        seen = []
        for rank in (0, 1):
            for step in range(-2, 5):  # 14 batches, the last of 50 rows.
                told = self.batch(step, rank)
                self.assertEqual(
                    ({"step", "rank", "epoch", "seed", "rows", "runs"}, step, rank),
                    (set(told), told["step"], told["rank"]),
                )
                rows = self.rows_of(told)
                self.assertEqual(told["rows"], len(rows))
                seen += rows
        self.assertEqual(
            sorted(seen),
            sorted({(str(self.path(f"d/{part}.dsi")), row) for part in range(2) for row in range(ROWS)}),
        )

    def test_the_rows_themselves(self):
        told = self.batch(1, 1)
        printed = self.expect(OK, "batch", self.path("d"), "--state", self.state, "--step", "1",
                              "--rank", "1", "--rows").stdout.decode().splitlines()
        rows = [json.loads(line) for line in printed]
        stored = {}
        for part in range(2):
            path = self.path(f"d/{part}.dsi")
            lines = self.expect(OK, "cat", path).stdout.decode().splitlines()
            stored[str(path)] = [json.loads(line) for line in lines]
        self.assertEqual(rows, [stored[file][row] for file, row in self.rows_of(told)])
        # What a filter leaves out of a batch.
        self.state = self.state_of(self.path("d"), batch_size=150, order={"unit": "block", "block_rows": 100})
        some = self.expect(OK, "batch", self.path("d"), "--state", self.state, "--rows", "--features",
                           "id", "--where", "id < 1000").stdout.decode().splitlines()
        expected = [row for file, row in self.rows_of(self.batch(0)) if file.endswith("0.dsi")]
        self.assertEqual(len(some), len(expected))
        self.assertTrue(all(set(json.loads(line)) == {"id"} for line in some))
        self.assertEqual(self.batch(0, 0, "--where", "id < 1000")["rows"], len(some))

    def test_for_people(self):
        said = self.expect(OK, "batch", self.path("d"), "--state", self.state).stdout.decode()
        self.assertRegex(said, r"rank 0, step 0, epoch 0, seed 7: 150 rows in \d+ runs\n")
        self.assertIn("d/0.dsi", said)

    def test_states_of_loaders(self):
        text = self.state.read_text()
        state = json.loads(text)
        self.state = self.write(
            "loader.json",
            json.dumps({"dsi_loader_state": 1, "snapshot": state["snapshot"], "epoch": 0, "state": text}),
        )
        self.assertEqual(self.batch(0)["rows"], 150)

        def refused(content, said):
            self.state = self.write("other.json", content)
            error = self.expect(USAGE, "batch", self.path("d"), "--state", self.state).stderr.decode()
            self.assertIn(said, error)

        refused(json.dumps({"dsi_loader_state": 1, "state": ""}), "the epoch had not begun")
        refused(json.dumps({"dsi_loader_state": 1, "state": text, "worker": [0, 2]}), "one worker")
        refused(json.dumps({"dsi_loader_state": 1, "state": '{"dsi_mixed_state": 1}'}), "a mixture")
        refused("{}", 'expected an object with "dsi_scan_state"')
        refused("[1, 2", "malformed JSON")
        refused(text.replace(state["snapshot"], "0" * 16), "dataset snapshot")

    def test_what_is_not_there(self):
        for options, said in (
            (["--step", "5"], "the last batch of the rank is step 4"),
            (["--step", "-3"], "take a state of before"),
            (["--rank", "2"], "rank 2 of world 2"),
            (["--features", "id"], "--rows"),
        ):
            error = self.expect(USAGE, "batch", self.path("d"), "--state", self.state, *options).stderr
            self.assertIn(said, error.decode())
        shutil.move(self.path("d/1.dsi"), self.path("gone.dsi"))
        error = self.expect(USAGE, "batch", self.path("d"), "--state", self.state).stderr.decode()
        self.assertIn("dataset snapshot", error)


if __name__ == "__main__":
    main()
