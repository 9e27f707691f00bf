"""Rows that come clustered: --clustered writes them while they are read, and refuses those that come otherwise."""

import json
from itertools import pairwise

from cli_case import IO, OK, USAGE, CliTest, main


def row(session, time, i):
    return {"session_id": session, "timestamp": 1_700_000_000_000 + time, "clicks": [session, session + 1, 7], "item": i % 5}


# 60 sessions of 1 to 20 rows. Their ids go down, and their first times too.
ROWS = [row(1000 - s, 50 * (60 - s) + t, s + t) for s in range(60) for t in range(1 + s * 7 % 20)]


class ClusteredTest(CliTest):
    def log(self, name, rows):
        return self.write(name, "".join(json.dumps(one) + "\n" for one in rows))

    def rows_of(self, dsi):
        return [json.loads(line) for line in self.expect(OK, "cat", dsi).stdout.splitlines()]

    def test_rows_stay_as_they_came_and_have_their_sessions(self):
        log = self.log("a.jsonl", ROWS)
        a, b = self.path("a.dsi"), self.path("b.dsi")
        clustered = self.json("convert", log, a, "--clustered", "--stripe-rows", "50")
        usual = self.json("convert", log, b, "--stripe-rows", "50")
        self.assertEqual(self.rows_of(a), ROWS)
        self.assertNotEqual(self.rows_of(b), ROWS)
        for key in ("rows", "sessions", "values_in"):
            self.assertEqual(clustered[key], usual[key], key)
        self.assertEqual(clustered["sessions"], 60)
        self.assertGreater(clustered["stripes"], 8)
        self.assertEqual(clustered["input"]["cluster_by"], ["session_id", "timestamp"])
        self.assertEqual([clustered["input"]["came_clustered"], usual["input"]["came_clustered"]], [True, False])
        self.expect(OK, "verify", a, "-q")
        # The same of a file, and of that in shards.
        for name, of in (("c.dsi", a), ("d.dsi", self.path("c.dsi"))):
            report = self.json("rewrite", of, self.path(name), "--clustered", "--stripe-rows", "50")
            self.assertEqual((report["sessions"], report["stripes"]), (60, clustered["stripes"]))
            self.assertEqual(self.rows_of(self.path(name)), ROWS)
        self.assertEqual(self.path("c.dsi").read_bytes(), self.path("d.dsi").read_bytes())
        self.expect(OK, "rewrite", a, self.path("shards"), "--clustered", "--shard-rows", "200", "-q")
        # Shards have sessions by their first times, and each has its own as they lie.
        in_shards = self.rows_of(self.path("shards"))
        self.assertEqual(sum(a["session_id"] != b["session_id"] for a, b in pairwise(in_shards)), 59)
        self.assertCountEqual(map(json.dumps, in_shards), map(json.dumps, ROWS))

    def test_the_report_says_that_rows_came_so(self):
        log = self.log("a.jsonl", ROWS)
        in_time = self.log("b.jsonl", sorted(ROWS, key=lambda r: (r["session_id"], r["timestamp"])))
        said = self.expect(OK, "convert", log, self.path("a.dsi"), "--clustered").stdout.decode()
        self.assertRegex(said, r"clustered by +session_id, timestamp: rows came so\n")
        said = self.expect(OK, "convert", in_time, self.path("b.dsi")).stdout.decode()
        self.assertRegex(said, r"session_id, timestamp: rows came so \(--clustered ")
        said = self.expect(OK, "convert", log, self.path("c.dsi")).stdout.decode()
        self.assertRegex(said, r"clustered by +session_id, timestamp\n")
        kept = self.json("convert", log, self.path("d.dsi"), "--keep-order")
        self.assertFalse(kept["input"]["came_clustered"])

    def test_rows_that_come_otherwise_are_named_and_nothing_is_left(self):
        again = [*ROWS, dict(ROWS[3], timestamp=1_900_000_000_000)]
        back = [dict(one) for one in ROWS]
        at = next(i for i in range(300, len(back)) if back[i]["session_id"] == back[i - 1]["session_id"])
        back[at]["timestamp"] = back[at - 1]["timestamp"] - 1
        for name, rows, words in (("again", again, f"row {len(ROWS)} "), ("back", back, f"row {at} ")):
            log = self.log(f"{name}.jsonl", rows)
            for options in ((), ("--stripe-rows", "20"), ("--memory", "1M", "--stripe-rows", "20")):
                before = self.names()
                said = self.expect(USAGE, "convert", log, self.path("x.dsi"), "--clustered", *options).said
                self.assertIn(words, said)
                self.assertIn("do not come clustered", said)
                self.assertEqual(self.names(), before)
            self.expect(OK, "convert", log, self.path(f"{name}.dsi"), "-q")

    def test_what_does_not_go_together(self):
        log = self.log("a.jsonl", ROWS)
        out = self.path("x.dsi")
        self.assertIn("--keep-order", self.expect(USAGE, "convert", log, out, "--clustered", "--keep-order").said)
        nameless = self.write("n.jsonl", '{"a": 1, "b": 2.5}\n')
        said = self.expect(USAGE, "convert", nameless, out, "--clustered").said
        self.assertIn("--session-key", said)
        self.expect(OK, "convert", nameless, out, "--clustered", "--session-key", "a", "-q")
        self.expect(USAGE, "convert", out, self.path("t.jsonl"), "--clustered")
        self.expect(IO, "convert", self.path("none.jsonl"), self.path("y.dsi"), "--clustered")


if __name__ == "__main__":
    main()
