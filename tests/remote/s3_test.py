"""Objects of S3: names, signatures, refusals, from moto's server and from one that recomputes each
signature by the rules of AWS (botocore's)."""

import urllib.parse

from http_server import FaultServer
from moto_case import KEY, SECRET, MotoCase
from remote_case import RemoteTest, main, pattern

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SIZE = 1_000_000
RANGE = (300_000, 150_000)
TOKEN, REGION = "token+/=", "eu-west-3"
ASKING = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION}
NAMES = ["file", "day=2/part 0+1.dsi", "ünï/日本", "a~b_c.d-e!*'()", "per%cent%20", "q?x=1&y#z",
         "a//b/./c/../d"]


class MotoTest(MotoCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data = pattern(SIZE)
        for name in NAMES:
            cls.s3.put_object(Bucket="bucket", Key=name, Body=cls.data)

    def s3_open(self, uri, **environment):
        return self.open(uri, environment={"AWS_ENDPOINT_URL": self.url, **ASKING, **environment})

    def test_same_bytes_as_a_local_file(self):
        local = self.local(self.data)
        for name in NAMES:
            if "/../" in name:
                continue  # moto takes it for another name.
            remote = self.s3_open(f"s3://bucket/{name}")
            self.assertEqual(remote.opened, f"ok {SIZE}")
            self.expect_same(self.data, remote, [*RANGE, 0, 10, SIZE - 10, 10], local)
        self.assertEqual(remote.ask("costs"), "ok 0.03 1e+08")

    def test_refusals(self):
        said = self.s3_open("s3://bucket/none").opened
        self.expect_failure(said, "not found", "s3://bucket/none: opening: answered 404",
                            "NoSuchKey")
        self.expect_failure(self.s3_open("s3://nowhere/none").opened, "not found", "NoSuchBucket")

    def test_a_replaced_object_is_an_error(self):
        self.s3.put_object(Bucket="bucket", Key="replaced", Body=self.data)
        remote = self.s3_open("s3://bucket/replaced")
        self.s3.put_object(Bucket="bucket", Key="replaced", Body=pattern(SIZE, seed=2))
        self.expect_failure(remote.read(*RANGE), "i/o error", "replaced since it was opened")

    def test_signed_urls(self):
        url = self.s3.generate_presigned_url("get_object", {"Bucket": "bucket", "Key": NAMES[1]})
        remote = self.open(url)
        self.assertEqual(remote.opened, f"ok {SIZE}")
        self.expect_same(self.data, remote, RANGE, self.local(self.data))
        said = self.open(url.replace("part", "past")).opened
        self.expect_failure(said, "not found", "?…")
        self.assertNotIn("Signature", said)


class SignatureTest(RemoteTest):
    OPTIONS = ("first_connections=2",)  # The ends and nothing else.

    def serve(self, region=REGION, token=None, secret=SECRET, **more):
        def check(answer):
            headers = dict(answer.asked)
            said = headers.pop("authorization", "")
            signed = said.partition("SignedHeaders=")[2].partition(",")[0].split(";")
            request = AWSRequest(method="GET", url=f"http://{headers['host']}{answer.path}",
                                 headers={name: headers[name] for name in signed})
            request.context["timestamp"] = headers.get("x-amz-date")
            auth = S3SigV4Auth(Credentials(KEY, secret, token), "s3", region)
            request.context["payload_signing_enabled"] = False
            canonical = auth.canonical_request(request)
            expected = auth.signature(auth.string_to_sign(request, canonical), request)
            scope = f"Credential={KEY}/{headers['x-amz-date'][:8]}/{region}/s3/aws4_request"
            needed = {"host", "x-amz-date", "x-amz-content-sha256"}
            needed |= {"x-amz-security-token"} if token else set()
            if scope not in said or not needed <= set(signed) or \
                    f"Signature={expected}" not in said:
                answer.refuse(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
        server = FaultServer(pattern(SIZE), always=check, **more)
        self.addCleanup(server.close)
        return server

    def s3_open(self, server, name, *options, **environment):
        endpoint = server.url.removesuffix("/file")
        return self.open(f"s3://bucket/{name}", *options,
                         environment={"AWS_ENDPOINT_URL_S3": endpoint + "/",
                                      "AWS_ENDPOINT_URL": "http://127.0.0.1:1", **ASKING,
                                      **environment})

    def test_each_request_is_signed(self):
        local = self.local(pattern(SIZE))
        for token in (None, TOKEN):
            server = self.serve(token=token)
            more = {"AWS_SESSION_TOKEN": token} if token else {}
            for name in NAMES:
                remote = self.s3_open(server, name, **more)
                self.assertEqual(remote.opened, f"ok {SIZE}", name)
                self.expect_same(None, remote, RANGE, local)
                path = server.requests[-1][0]
                self.assertEqual(path, "/bucket/" + urllib.parse.quote(name, safe="/~"))

    def test_wrong_keys(self):
        server = self.serve(secret="other")
        said = self.s3_open(server, "file").opened
        self.expect_failure(said, "i/o error", "403", "SignatureDoesNotMatch")
        self.assertNotIn(SECRET, said)
        said = self.s3_open(server, "file", AWS_SECRET_ACCESS_KEY="").opened
        self.expect_failure(said, "invalid argument", "AWS_SECRET_ACCESS_KEY")

    def test_without_keys_nothing_is_signed(self):
        server = FaultServer(pattern(SIZE))
        self.addCleanup(server.close)
        remote = self.s3_open(server, "file", AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")
        self.assertEqual(remote.opened, f"ok {SIZE}")
        for _, headers in server.requests:
            self.assertFalse({"authorization", "x-amz-content-sha256"} & set(headers))

    def test_the_region_of_the_bucket_is_learned(self):
        server = self.serve(region="ap-south-1")
        check = server.always

        def elsewhere(answer):
            if "/ap-south-1/" not in answer.asked["authorization"]:
                answer.refuse(301, x_amz_bucket_region="ap-south-1")
            else:
                check(answer)
        server.always = elsewhere
        remote = self.s3_open(server, "file")
        self.assertEqual(remote.opened, f"ok {SIZE}")
        self.expect_same(None, remote, RANGE, self.local(pattern(SIZE)))
        self.assertEqual(len(server.requests), 5)

    def test_redirections_are_signed_for_the_same_server_only(self):
        server = self.serve()
        check, other = server.always, FaultServer(pattern(SIZE))
        self.addCleanup(other.close)
        server.always = lambda answer: (
            check(answer) if answer.path == "/bucket/there" else answer.refuse(
                307, Location="/bucket/there" if answer.path == "/bucket/file" else other.url))
        self.assertEqual(self.s3_open(server, "file").opened, f"ok {SIZE}")
        self.assertEqual(self.s3_open(server, "away").opened, f"ok {SIZE}")
        for _, headers in other.requests:
            self.assertFalse({"authorization", "x-amz-security-token"} & set(headers))

    def test_names_that_are_none(self):
        for uri in ("s3://", "s3://bucket", "s3://bucket/", "s3:///key", "s3://evil.com#/key",
                    "s3://a@b/key"):
            self.expect_failure(self.open(uri).opened, "invalid argument", uri)
        said = self.open("s3://bucket/key", environment={"AWS_REGION": "x/y"}).opened
        self.expect_failure(said, "invalid argument", "no region")
        said = self.open("s3://bucket/key", environment={"AWS_ENDPOINT_URL": "ftp://x"}).opened
        self.expect_failure(said, "invalid argument", "endpoint")


if __name__ == "__main__":
    main()
