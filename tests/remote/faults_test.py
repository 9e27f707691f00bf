"""What goes wrong between a file and its reader: tried again where it may pass, an error where not."""

import random
import time

from http_server import FaultServer
from remote_case import RemoteTest, main, pattern

SIZE = 2_000_000
RANGE = (300_000, 500_000)


def cut(at):
    def fault(answer):
        answer.cut = at
    return fault


def refuse(status, body=b"", **headers):
    return lambda answer: answer.refuse(status, body, **headers)


def say(**headers):
    """Headers in the place of the right ones; None: left out."""
    return lambda answer: answer.headers.update(
        {name.replace("_", "-"): value for name, value in headers.items()})


def length(difference):
    def fault(answer):
        answer.length = len(answer.body) + difference
    return fault


def hang_up(answer):
    answer.status = None


def wait(seconds):
    def fault(answer):
        answer.wait = seconds
    return fault


def whole(answer):
    answer.status, answer.body = 200, answer.server.data
    del answer.headers["Content-Range"]


def shift(answer):
    answer.headers["Content-Range"] = f"bytes {answer.begin + 8}-{answer.end + 7}/{SIZE}"


def halve(answer):
    answer.body = answer.body[:len(answer.body) // 2]
    last = answer.begin + len(answer.body) - 1
    answer.headers["Content-Range"] = f"bytes {answer.begin}-{last}/{SIZE}"


class FaultsTest(RemoteTest):
    OPTIONS = ("connections=1",)  # One request after the other, as they are counted here.

    def serve(self, data, *faults, **more):
        server = FaultServer(data, faults, **more)
        self.addCleanup(server.close)
        return server

    def setUp(self):
        self.data = pattern(SIZE)
        self.reference = self.local(self.data)

    def test_what_passes_is_tried_again(self):
        faults = {
            "cut": [cut(0), cut(1), cut(100_000), cut(499_999)],
            "hung up": [hang_up, hang_up],
            "too short": [length(-1000)],
            "too long": [length(+1000)],
            "statuses": [refuse(s) for s in (408, 429, 500, 502, 503, 504)],
            "no range": [say(Content_Range=None)],
            "nonsense": [say(Content_Range=v) for v in (
                "bytes 0-1", "bytes 5-2/9", "bytes -5-9/20", "lines 1-2/3",
                "bytes 300000-99999999999999999999999/2000000")],
            "elsewhere": [shift],
            "half": [halve, halve],
            "stalled": [wait(3)],
        }
        for name, what in faults.items():
            with self.subTest(name):
                server = self.serve(self.data, *what)
                remote = self.open(server.url, "stall_timeout_s=1")
                self.expect_same(self.data, remote, RANGE, self.reference)
                self.assertFalse(server.faults)

    def test_what_came_is_not_asked_for_again(self):
        server = self.serve(self.data, cut(200_000))
        remote = self.open(server.url)
        self.expect_same(self.data, remote, RANGE, self.reference)
        asked = [headers["range"] for _, headers in server.requests[2:]]
        self.assertEqual(asked, ["bytes=300000-799999", "bytes=500000-799999"])

    def test_many_faults_at_once(self):
        choice = random.Random(5)
        faults = [choice.choice([cut(1000), cut(0), hang_up, refuse(503), halve, shift, None])
                  for _ in range(100)]
        server = self.serve(self.data, *faults)
        remote = self.open(server.url, "connections=8")
        numbers = [n for i in range(150) for n in (5000 + i * 10_000, 9000)]
        self.expect_same(self.data, remote, numbers, self.reference)
        self.assertEqual(remote.ask("threads", 4, *numbers), self.reference.read(*numbers))

    def test_what_lasts_is_an_error_that_says_how_often(self):
        cases = {refuse(503): "503", cut(0): "0 of 500000 bytes came",
                 shift: "bytes 300008..800008 were answered",
                 length(+10): "answered 500010 bytes as bytes 300000..800000"}
        for always, words in cases.items():
            server = self.serve(self.data, *[always] * 50)
            remote = self.open(server.url, "max_tries=3", "stall_timeout_s=1")
            answer = remote.read(*RANGE)
            self.expect_failure(answer, "i/o error", server.url, "bytes 300000..800000", words,
                                "(requests: 3, within ")
            # A file with a failed read is still open.
            server.faults.clear()
            self.expect_same(self.data, remote, RANGE, self.reference)

    def test_what_does_not_pass_is_not_tried_again(self):
        cases = [
            (refuse(404), "not found", "404"), (refuse(400), "i/o error", "400"),
            (refuse(412), "i/o error", "replaced"), (refuse(416), "i/o error", "shortened"),
            (refuse(418), "i/o error", "418"), (whole, "i/o error", "ignores ranges"),
            (say(ETag='"2"'), "i/o error", "another ETag"),
            (say(Content_Range=f"bytes 300000-799999/{SIZE + 1}"), "i/o error",
             f"it had {SIZE} bytes and has {SIZE + 1}"),
            (say(Content_Encoding="gzip"), "i/o error", "Content-Encoding"),
            (refuse(302), "i/o error", "without a place to go to"),
            (refuse(302, Location="file:///etc/passwd"), "i/o error", "redirected"),
            (refuse(403, b"<Error><Code>AccessDenied</Code><Message>No\x1b[1m!</Message></Error>"),
             "i/o error", "(AccessDenied: No[1m!)"),
        ]
        for fault, code, words in cases:
            with self.subTest(words):
                server = self.serve(self.data, fault)
                remote = self.open(server.url)
                answer = remote.read(*RANGE)
                self.expect_failure(answer, code, words)
                self.assertNotIn("requests:", answer)
                self.assertEqual(len(server.requests), 3)

    def test_weak_tags_and_times(self):
        server = self.serve(self.data, etag='W/"1"')
        remote = self.open(server.url)
        self.expect_same(self.data, remote, RANGE, self.reference)
        headers = server.requests[2][1]
        self.assertNotIn("if-match", headers)
        self.assertEqual(headers["if-unmodified-since"], server.modified)
        server.modified = "Tue, 24 Nov 2026 11:00:00 GMT"
        self.expect_failure(remote.read(*RANGE), "i/o error", "modified Tue, 24 Nov 2026 11:00:00")
        server = self.serve(self.data)
        self.expect_same(self.data, self.open(server.url), RANGE, self.reference)
        self.assertEqual(server.requests[2][1]["if-match"], '"1"')

    def test_the_server_says_when_to_come_back(self):
        server = self.serve(self.data, refuse(429, Retry_After="2"))
        remote = self.open(server.url)
        begin = time.monotonic()
        self.expect_same(self.data, remote, RANGE, self.reference)
        self.assertGreaterEqual(time.monotonic() - begin, 1.9)
        for value in ("99999", "99999999999999999999999", "-1", "soon"):
            server = self.serve(self.data, refuse(429, Retry_After=value))
            remote = self.open(server.url)
            answer = remote.read(*RANGE)
            if value == "99999":
                self.expect_failure(answer, "i/o error", "no more than 120 s are waited")
            else:
                self.assertTrue(answer.startswith("ok "), answer)

    def test_a_deadline_ends_it(self):
        server = self.serve(self.data, *[wait(1.2)] * 9)
        remote = self.open(server.url, "deadline_s=2", "stall_timeout_s=1", "max_tries=100")
        begin = time.monotonic()
        self.expect_failure(remote.read(*RANGE), "i/o error", "no more than 2 s are waited")
        self.assertLess(time.monotonic() - begin, 30)

    def test_opening(self):
        for name, fault in {"cut": cut(10), "503": refuse(503), "hung up": hang_up,
                            "no size": say(Content_Range="bytes 0-4095/*"),
                            "nonsense": say(Content_Range="x"), "halved": halve}.items():
            with self.subTest(name):
                server = self.serve(self.data, fault, fault, every_request=True)
                remote = self.open(server.url)
                self.assertEqual(remote.opened, f"ok {SIZE}")
                self.expect_same(self.data, remote, [0, 3000, SIZE - 200_000, 200_000],
                                 self.reference)

    def test_ranges_from_the_end_need_not_be_known(self):
        def no_suffix(answer):
            if answer.range.startswith("bytes=-"):
                whole(answer)
        server = self.serve(self.data, always=no_suffix)
        remote = self.open(server.url)
        self.assertEqual(remote.opened, f"ok {SIZE}")
        self.expect_same(self.data, remote, [*RANGE, SIZE - 100, 100, 0, 100], self.reference)

    def test_a_file_of_unknown_length(self):
        def unknown(answer):
            answer.status, answer.body = 200, answer.server.data[:50]
            answer.headers = {}
            answer.length = False
        server = self.serve(self.data[:100], always=unknown)
        self.expect_failure(self.open(server.url).opened, "i/o error", "ignores ranges")

    def test_both_ends_are_of_one_version(self):
        def changes(answer):
            if answer.range == "bytes=0-4095":
                answer.headers["ETag"] = '"2"'
        server = self.serve(self.data, always=changes)
        self.expect_failure(self.open(server.url).opened, "i/o error", "another ETag")

    def test_an_answer_larger_than_its_announcement(self):
        def huge(answer):
            answer.headers["Content-Range"] = f"bytes {SIZE - 262_144}-{SIZE - 1}/{SIZE}"
            answer.body = answer.server.data
        server = self.serve(self.data, always=huge)
        self.expect_failure(self.open(server.url, "max_tries=2").opened, "i/o error", "answered")

    def test_secrets_stay_with_the_server_they_are_for(self):
        other = self.serve(self.data)
        server = self.serve(self.data, always=refuse(307, Location=other.url))
        remote = self.open(server.url.replace("http://", "http://me:hidden@"),
                           "header=X-Token: hidden")
        self.assertEqual(remote.opened, f"ok {SIZE}")
        self.assertIn("authorization", server.requests[0][1])
        self.assertEqual(server.requests[0][1]["x-token"], "hidden")
        for _, headers in other.requests:
            self.assertNotIn("hidden", str(headers))
            self.assertNotIn("authorization", headers)

    def test_a_redirection_that_is_over_is_asked_for_anew(self):
        first, second = self.serve(self.data), self.serve(self.data)
        server = self.serve(self.data, always=refuse(307, Location=first.url))
        remote = self.open(server.url)
        self.expect_same(self.data, remote, RANGE, self.reference)
        first.always = refuse(403)
        server.always = refuse(307, Location=second.url)
        self.expect_same(self.data, remote, RANGE, self.reference)
        asked = len(server.requests)
        self.expect_same(self.data, remote, RANGE, self.reference)
        self.assertEqual(len(server.requests), asked)  # It is known where to go.


if __name__ == "__main__":
    main()
