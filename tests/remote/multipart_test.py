"""Large objects put in parts: moto's server behind a proxy that checks signatures and breaks as it is told."""

import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from moto_case import KEY, SECRET, ProxiedMotoCase
from remote_case import SKIPPED, pattern

HELPER = Path(os.environ.get("DSI_BUILD_DIR", "")) / "bin" / "s3_put_helper"
PART = 4096
SMALL = (f"part_bytes={PART}", f"single_bytes={PART}", "parallel=4")


def refuse(status, code="SlowDown"):
    return lambda handler, forward: (status, [], f"<Error><Code>{code}</Code></Error>".encode())


def answer_is_lost(handler, forward):
    forward()


def is_never_answered(handler, forward):
    pass


def done_but(status, code):
    def fault(handler, forward):
        forward()
        return refuse(status, code)(handler, forward)
    return fault


def answer(body):
    def fault(handler, forward):
        status, headers, _ = forward()
        return status, headers, body
    return fault


def no_etag(handler, forward):
    status, headers, body = forward()
    return status, [(n, v) for n, v in headers if n.lower() != "etag"], body


class MultipartTest(ProxiedMotoCase):
    MOTO = {"S3_UPLOAD_PART_MIN_SIZE": "1024"}

    def setUp(self):
        super().setUp()
        self.key = self.name

    def tearDown(self):
        super().tearDown()
        self.assertEqual(self.proxy.rules, [])
        self.s3.delete_object(Bucket="bucket", Key=self.key)

    def start(self, size, *options, environment=None):
        self.data = pattern(size)
        (self.folder / "file").write_bytes(self.data)
        return subprocess.Popen([HELPER, f"s3://bucket/{self.key}", self.folder / "file", *(options or SMALL)],
                                env={**self.environment, **(environment or {})}, stdout=subprocess.PIPE, text=True)

    def put(self, *arguments, **more):
        return self.start(*arguments, **more).communicate(timeout=120)[0].rstrip("\n")

    def stored(self):
        return self.s3.get_object(Bucket="bucket", Key=self.key)["Body"].read()

    def uploads(self):
        return self.s3.list_multipart_uploads(Bucket="bucket").get("Uploads", [])

    def expect_put(self, size, *arguments, **more):
        self.assertEqual(self.put(size, *arguments, **more), "ok")
        self.assertEqual(self.stored(), self.data)
        self.assertEqual(self.uploads(), [])

    def expect_failure(self, said, code, *words):
        """And nothing is left behind."""
        self.assertTrue(said.startswith(f"error {code} s3://bucket/"), said)
        for word in words:
            self.assertIn(word, said)
        self.assertEqual(self.uploads(), [])
        self.assertEqual(self.s3.list_objects_v2(Bucket="bucket").get("Contents", []), [])

    def parts(self):
        return sum(method == "PUT" and "partNumber=" in path for method, path in self.proxy.writes)

    def test_sizes(self):
        for size, parts in ((0, 0), (1, 0), (PART, 0), (PART + 1, 2), (2 * PART, 2), (7 * PART - 1, 7)):
            with self.subTest(size=size):
                del self.proxy.writes[:]
                self.expect_put(size)
                self.assertEqual((self.parts(), len(self.proxy.writes)), (parts, parts + 2 if parts else 1))
                kind = self.s3.head_object(Bucket="bucket", Key=self.key)["ContentType"]
                self.assertEqual(kind, "binary/octet-stream")
                self.s3.delete_object(Bucket="bucket", Key=self.key)

    def test_parts_are_in_flight_together_and_not_too_many(self):
        self.expect_put(40 * PART)
        self.assertLessEqual(self.proxy.most_in_flight, 4)
        self.assertGreater(self.proxy.most_in_flight, 1)

    def test_the_usual_part(self):
        self.expect_put((64 << 20) + 1, "parallel=2")
        self.assertEqual(self.parts(), 3)

    def test_what_may_pass_is_tried_again(self):
        lost = ("PUT", "partNumber=2", answer_is_lost)
        for rules in ([("POST", "uploads=", refuse(503))], [("PUT", "partNumber=2", refuse(500)), lost],
                      [("PUT", "partNumber=3", is_never_answered)], [("POST", "uploadId=", refuse(500))],
                      [("POST", "uploadId=", refuse(200, "InternalError"))], [("POST", "uploadId=", refuse(409))]):
            with self.subTest(rules=[rule[:2] for rule in rules]):
                self.proxy.rules[:] = rules
                self.expect_put(3 * PART)
                self.s3.delete_object(Bucket="bucket", Key=self.key)

    def test_an_upload_that_was_done_though_nobody_said_so(self):
        for rules in ([("POST", "uploadId=", answer_is_lost)],
                      [("POST", "uploadId=", answer_is_lost), ("POST", "uploadId=", refuse(404, "NoSuchUpload"))],
                      [("POST", "uploadId=", answer_is_lost), ("POST", "uploadId=", refuse(412, "PreconditionFailed"))]):
            self.proxy.rules[:] = rules
            said = self.put(3 * PART)
            self.assertTrue(said == "ok" or said.startswith("error already exists"), said)
            self.assertEqual(self.stored(), self.data)
            self.s3.delete_object(Bucket="bucket", Key=self.key)
        # Another one's object is there.
        self.proxy.rules[:] = [("POST", "uploadId=", is_never_answered), ("POST", "uploadId=", refuse(404))]
        self.expect_failure(self.put(3 * PART), "not found", "answered 404")

    def test_what_does_not_pass_leaves_nothing(self):
        for rules, words in (([("PUT", "partNumber=2", refuse(403, "AccessDenied"))], ["writing a part", "AccessDenied"]),
                             ([("PUT", "partNumber=2", refuse(500))] * 2, ["answered 500", "requests: 2"]),
                             ([("POST", "uploadId=", refuse(400, "InvalidPart"))], ["writing", "InvalidPart"]),
                             ([("POST", "uploadId=", refuse(200, "Boom"))] * 2, ["answered 200 (Boom)"]),
                             ([("PUT", "partNumber=2", no_etag)], ["part 2 got no ETag"])):
            with self.subTest(words=words):
                self.proxy.rules[:] = rules
                self.expect_failure(self.put(6 * PART, *SMALL, "max_tries=2"), "i/o error", *words)

    def test_answers_that_name_no_upload(self):
        for body, words in ((b"<a/>", "names no upload"), (b"<InitiateMultipartUploadResult>", "malformed XML"),
                            (b"<InitiateMultipartUploadResult><UploadId>" + b"x" * 3000 +
                             b"</UploadId></InitiateMultipartUploadResult>", "names no upload")):
            self.proxy.rules[:] = [("POST", "uploads=", answer(body))]
            said = self.put(3 * PART)
            self.assertTrue(said.startswith("error i/o error s3://bucket/"), said)
            self.assertIn(words, said)
            for upload in self.uploads():
                self.s3.abort_multipart_upload(Bucket="bucket", Key=upload["Key"], UploadId=upload["UploadId"])

    def test_parts_that_cannot_be_removed_are_told_of(self):
        self.proxy.rules[:] = [("PUT", "partNumber=2", refuse(403)), ("DELETE", "uploadId=", refuse(403))]
        said = self.put(3 * PART)
        self.assertIn("its parts are left behind", said)
        for upload in self.uploads():
            self.s3.abort_multipart_upload(Bucket="bucket", Key=upload["Key"], UploadId=upload["UploadId"])

    def test_what_is_there_stays(self):
        self.s3.put_object(Bucket="bucket", Key=self.key, Body=b"first")
        said = self.put(3 * PART)
        self.assertTrue(said.startswith("error already exists"), said)
        self.assertEqual((self.stored(), self.uploads()), (b"first", []))

    def test_who_cancels_leaves_nothing(self):
        for after in (0, 1, 3, 12):
            said = self.put(200 * PART, *SMALL, f"cancel_after={after}")
            self.expect_failure(said, "cancelled", "was cancelled")

    def test_who_is_killed_leaves_parts_that_nobody_sees(self):
        def kill(handler, forward):
            running.send_signal(signal.SIGKILL)
        self.proxy.rules[:] = [("PUT", "partNumber=9&", kill)]
        running = self.start(40 * PART)
        self.assertEqual(running.wait(60), -signal.SIGKILL)
        running.stdout.close()
        left, = self.uploads()
        self.assertEqual(self.s3.list_objects_v2(Bucket="bucket").get("Contents", []), [])
        self.expect_put_beside(left)

    def expect_put_beside(self, left):
        self.assertEqual(self.put(3 * PART), "ok")
        self.assertEqual([one["UploadId"] for one in self.uploads()], [left["UploadId"]])
        self.s3.abort_multipart_upload(Bucket="bucket", Key=left["Key"], UploadId=left["UploadId"])

    def test_keys_that_end_during_an_upload_are_renewed(self):
        script = self.folder / "keys.py"
        script.write_text("import json, secrets\nprint(json.dumps({'Version': 1, 'AccessKeyId': " + repr(KEY) +
                          ", 'SecretAccessKey': " + repr(SECRET) + ", 'SessionToken': secrets.token_hex()}))")
        config = self.folder / "config"
        config.write_text(f"[default]\ncredential_process = {sys.executable} {script}\n")
        self.proxy.rules[:] = [("PUT", "partNumber=2", refuse(400, "ExpiredToken")),
                               ("POST", "uploadId=", refuse(400, "ExpiredToken"))]
        self.expect_put(5 * PART, environment={"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "",
                                               "AWS_CONFIG_FILE": str(config)})


if __name__ == "__main__":
    if not HELPER.is_file():
        print(f"skipped: {HELPER} is not built")
        sys.exit(SKIPPED)
    unittest.main()
