"""Who asks S3: every source of keys, in its order, renewed in time, and nothing secret in what is said.
One server plays S3, STS, a container's agent and a machine's metadata."""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from datetime import datetime, timedelta, timezone
from pathlib import Path

from http_server import FaultServer, free_port
from remote_case import CLEAN, RemoteTest, main, pattern

SIZE = 600_000
RANGE = (50_000, 200_000)
SECRET = "s3cr3t/KEY+x"
ROLES = "/latest/meta-data/iam/security-credentials/"


def ends(seconds):
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def as_json(name, seconds=3600, token="Token", **more):
    said = {"AccessKeyId": name, "SecretAccessKey": SECRET, token: f"token-{name}",
            "Expiration": ends(seconds)}
    return json.dumps({**said, **more})


def as_xml(name, seconds=3600, action="AssumeRoleWithWebIdentity"):
    said = {"AccessKeyId": name, "SecretAccessKey": SECRET, "SessionToken": f"token-{name}",
            "Expiration": ends(seconds)}
    parts = "".join(f"<{n}>{v}</{n}>\n" for n, v in said.items())
    return (f'<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n'
            f"<{action}Result><Credentials>{parts}</Credentials></{action}Result></{action}Response>\n")


def is_signed_for_sts(url, headers, body, region, token):
    """Whether the signature is that of AWS's rules, where botocore can tell."""
    try:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
    except ImportError:
        return True
    said = headers["authorization"]
    name = said.partition("Credential=")[2].partition("/")[0]
    signed = said.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    asked = AWSRequest(method="POST", url=url, data=body, headers={one: headers[one] for one in signed})
    asked.context["timestamp"] = headers["x-amz-date"]
    auth = SigV4Auth(Credentials(name, SECRET, token), "sts", region)
    expected = auth.signature(auth.string_to_sign(asked, auth.canonical_request(asked)), asked)
    return f"Signature={expected}" in said and {"host", "x-amz-date"} <= set(signed)


class KeyServer(http.server.ThreadingHTTPServer):
    """`answers` has for "METHOD /path" what is answered, one after the other, the last for ever: a body,
    or (status, body); or a number of seconds to wait, after which nothing is."""

    daemon_threads = True

    def __init__(self):
        self.answers, self.asked, self.lock = {}, [], threading.Lock()
        super().__init__(("127.0.0.1", 0), KeyHandler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        """Of clients that do not wait."""


class KeyHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        what = f"{self.command} {self.path}"
        with self.server.lock:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.asked.append((what, headers, body))
            answers = self.server.answers.get(what, [(404, "")])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, (int, float)):
            time.sleep(answer)
            return
        status, text = answer if isinstance(answer, tuple) else (200, answer)
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_PUT = do_POST = handle_any


class CredentialsTest(RemoteTest):
    OPTIONS = ("first_connections=2",)  # The ends and nothing else.

    def setUp(self):
        self.data = pattern(SIZE)
        self.keys = KeyServer()
        self.addCleanup(self.keys.server_close)
        self.addCleanup(self.keys.shutdown)
        self.expired = set()
        self.s3 = FaultServer(self.data, always=self.check_keys)
        self.addCleanup(self.s3.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {"AWS_ENDPOINT_URL_S3": self.s3.url.removesuffix("/file"), "HOME": folder.name}
        self.web = {"AWS_WEB_IDENTITY_TOKEN_FILE": str(self.file("jwt", "header.payload.seal\n")),
                    "AWS_ROLE_ARN": "arn:aws:iam::1:role/a b", "AWS_ENDPOINT_URL_STS": self.keys.url + "/"}
        self.machine = {"AWS_EC2_METADATA_DISABLED": "",
                        "AWS_EC2_METADATA_SERVICE_ENDPOINT": self.keys.url + "/"}
        self.container = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": self.keys.url + "/agent?x"}

    def check_keys(self, answer):
        said = answer.asked.get("authorization", "")
        name = said.partition("Credential=")[2].partition("/")[0]
        if name in self.expired:
            answer.refuse(400, b"<Error><Code>ExpiredToken</Code><Message>It has.</Message></Error>")
        elif name.startswith("WRONG"):
            answer.refuse(403, b"<Error><Code>InvalidAccessKeyId</Code></Error>")

    def signers(self):
        """Whose keys requests were signed with: (key, token), each once in a row."""
        found = []
        for _, headers in self.s3.requests:
            name = headers.get("authorization", "").partition("Credential=")[2].partition("/")[0]
            one = (name, headers.get("x-amz-security-token", ""))
            if not found or found[-1] != one:
                found.append(one)
        return found

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def profiles(self, config="", credentials=""):
        self.file(".aws/config", config)
        self.file(".aws/credentials", credentials)
        return {"AWS_CONFIG_FILE": "", "AWS_SHARED_CREDENTIALS_FILE": ""}

    def s3_open(self, *options, **environment):
        return self.open("s3://bucket/file", *options, environment={**self.environment, **environment})

    def expect_signed(self, name, *options, token=None, **environment):
        del self.s3.requests[:]
        remote = self.s3_open(*options, **environment)
        self.assertEqual(remote.opened, f"ok {SIZE}")
        self.assertEqual(self.signers(), [(name, f"token-{name}" if token is None else token)])
        return remote

    def expect_refused(self, code, *words, options=(), **environment):
        said = self.s3_open(*options, **environment).opened
        self.expect_failure(said, code, *words)
        for secret in (SECRET, "token-", "payload"):
            self.assertNotIn(secret, said)
        return said

    def asked(self, *what):
        return [one for one in self.keys.asked if one[0] in what]

    def answer_as_machine(self, *bodies, role="my-role"):
        self.keys.answers.update({"PUT /latest/api/token": ["imds-token"], f"GET {ROLES}": [role + "\n"],
                                  f"GET {ROLES}{role}": list(bodies)})

    def test_web_identity(self):
        self.keys.answers["POST /"] = [as_xml("WEB")]
        self.expect_signed("WEB", **self.web)
        (_, _, body), = self.asked("POST /")
        form = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
        name = form.pop("RoleSessionName")
        self.assertRegex(name, r"^dsi-\d+$")
        self.assertEqual(form, {"Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15",
                                "RoleArn": "arn:aws:iam::1:role/a b", "WebIdentityToken": "header.payload.seal"})
        self.expect_signed("WEB", **self.web, AWS_ROLE_SESSION_NAME="mine")
        self.assertIn("RoleSessionName=mine&", self.keys.asked[-1][2])
        config = self.profiles("[profile w]\nrole_arn = arn\nrole_session_name = of\n"
                               f"web_identity_token_file = {self.folder}/jwt\nendpoint_url={self.keys.url}\n")
        self.expect_signed("WEB", **config, AWS_PROFILE="w")
        self.assertIn("RoleArn=arn&RoleSessionName=of&", self.keys.asked[-1][2])

    def test_web_identity_that_is_refused(self):
        denied = "<ErrorResponse><Error><Code>{}</Code><Message>{}</Message></Error></ErrorResponse>"
        self.keys.answers["POST /"] = [(403, denied.format("AccessDenied", "No."))]
        self.expect_refused("i/o error", "s3://bucket/file", "web identity (role arn:aws:iam::1:role/a b)",
                            "STS at http://127.0.0.1", "answered 403 (AccessDenied: No.)", **self.web)
        self.assertEqual(len(self.asked("POST /")), 1)
        # What is secret comes back.
        self.keys.answers["POST /"] = [(400, denied.format("Bad", "header.payload.seal"))]
        self.expect_refused("i/o error", "answered 400", **self.web)
        self.keys.answers["POST /"] = ["<a>"]
        self.expect_refused("i/o error", "malformed XML", **self.web)
        self.keys.answers["POST /"] = [as_xml("X").replace("SecretAccessKey", "Other")]
        self.expect_refused("invalid argument", "the second is missing", **self.web)
        self.keys.answers["POST /"] = ["x" * 70_000]
        self.expect_refused("i/o error", "more than 65536 bytes came", **self.web)
        self.keys.answers["POST /"] = [(503, ""), (500, ""), as_xml("WEB")]
        self.expect_signed("WEB", **self.web)
        without_role = {**self.web, "AWS_ROLE_ARN": ""}
        self.expect_refused("invalid argument", "AWS_ROLE_ARN", **without_role)
        gone = {**self.web, "AWS_WEB_IDENTITY_TOKEN_FILE": "/none/there"}
        self.expect_refused("not found", "/none/there", **gone)
        nobody = {**self.web, "AWS_ENDPOINT_URL_STS": f"http://127.0.0.1:{free_port()}"}
        self.expect_refused("i/o error", "onnect", **nobody)
        self.assertNotIn("GET", str(self.keys.asked))

    def test_profiles(self):
        keys = "aws_access_key_id = {}\naws_secret_access_key = " + SECRET + "\naws_session_token = token-{}\n"
        files = self.profiles(
            f"[default]\nregion = eu-west-3\n[profile train]\nendpoint_url = {self.keys.url}\n"
            f"services = mine\n[services mine]\ns3 =\n  endpoint_url = {self.environment['AWS_ENDPOINT_URL_S3']}\n"
            "[profile empty]\nregion = here\n[profile half]\naws_access_key_id = A\n",
            "[default]\n" + keys.format("DEFAULT", "DEFAULT") + "[train]\n" + keys.format("TRAIN", "TRAIN"))
        self.expect_signed("DEFAULT", **files)
        self.assertIn("/eu-west-3/s3/", self.s3.requests[-1][1]["authorization"])
        self.expect_signed("TRAIN", AWS_PROFILE="train", AWS_REGION="x-1", AWS_ENDPOINT_URL_S3="", **files)
        self.assertIn("/x-1/s3/", self.s3.requests[-1][1]["authorization"])
        env = {"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": "token-ENV"}
        self.expect_signed("ENV", AWS_PROFILE="train", **env, **files)
        self.expect_signed("TRAIN", "profile=train", **env, **self.web, **files)
        self.expect_signed("GIVEN", f"key=GIVEN:{SECRET}", "profile=train", token="", **env, **files)
        self.expect_signed("", "no_sign_request=1", token="", **env, **files)
        self.expect_signed("", token="", AWS_NO_SIGN_REQUEST="YES", **env, **files)
        self.expect_signed("", "profile=empty", token="", **files)
        for named in ({"AWS_PROFILE": "none"}, {"options": ["profile=none"]}):
            self.expect_refused("invalid argument", 'profile "none": none of this name', **named, **files)
        self.expect_refused("invalid argument", 'profile "half": of access key id and secret access key the second',
                            AWS_PROFILE="half", **files)
        elsewhere = {"AWS_CONFIG_FILE": str(self.folder / ".aws/none"),
                     "AWS_SHARED_CREDENTIALS_FILE": "~/.aws/credentials"}
        self.expect_signed("TRAIN", AWS_PROFILE="train", **elsewhere)

    def test_profiles_that_are_damaged_or_not_spoken(self):
        files = self.profiles(f"[default]\n{SECRET}\n")
        self.expect_refused("bad input", f"{self.folder}/.aws/config:2: expected name = value", **files)
        files = self.profiles(credentials="[default]\naws_access_key_id = A\naws_secret_access_key = \x01" + SECRET)
        self.expect_refused("bad input", "/.aws/credentials:3: a control character", **files)
        (self.folder / "d").mkdir()
        self.expect_refused("i/o error", "AWS_CONFIG_FILE", AWS_CONFIG_FILE=str(self.folder / "d"))
        for more, word in (("sso_start_url = x", "single sign-on"), ("sso_session = x", "single sign-on"),
                           ("role_arn = a\nsource_profile = b\nmfa_serial = c", "codes of a device")):
            files = self.profiles("[default]\n" + more)
            self.expect_refused("unsupported", word, "aws configure export-credentials --profile default", **files)

    def test_roles_of_profiles(self):
        self.keys.answers["POST /"] = [as_xml("ROLE", action="AssumeRole")]
        sts = {"AWS_ENDPOINT_URL_STS": self.keys.url + "/"}
        files = self.profiles(
            "[profile r]\nrole_arn = arn:r\nsource_profile = src\nexternal_id = e&x\nrole_session_name = me\n"
            "duration_seconds = 900\nregion = eu-west-3\n[profile r2]\nrole_arn = arn:r2\nsource_profile = r\n"
            "[profile self]\nrole_arn = arn:s\nsource_profile = self\n"
            "[profile loop]\nrole_arn = arn:l\nsource_profile = loop2\n"
            "[profile loop2]\nrole_arn = arn:l\nsource_profile = loop\n[profile nobody]\nrole_arn = arn:n\n"
            "[profile empty]\n[profile of_empty]\nrole_arn = a\nsource_profile = empty\n"
            "[profile of_none]\nrole_arn = a\nsource_profile = none\n" +
            "".join(f"[profile {name}]\nrole_arn = a\ncredential_source = {name}\n"
                    for name in ("Environment", "EcsContainer", "Ec2InstanceMetadata", "Other")),
            f"[src]\naws_access_key_id=SRC\naws_secret_access_key={SECRET}\naws_session_token=token-SRC\n"
            f"[self]\naws_access_key_id=SELF\naws_secret_access_key={SECRET}\n")
        self.expect_signed("ROLE", AWS_PROFILE="r", **sts, **files)
        (_, headers, body), = self.asked("POST /")
        self.assertEqual(dict(urllib.parse.parse_qsl(body, strict_parsing=True)), {
            "Action": "AssumeRole", "Version": "2011-06-15", "RoleArn": "arn:r", "RoleSessionName": "me",
            "ExternalId": "e&x", "DurationSeconds": "900"})
        self.assertIn("Credential=SRC/", headers["authorization"])
        self.assertEqual(headers["x-amz-security-token"], "token-SRC")
        self.assertTrue(is_signed_for_sts(self.keys.url + "/", headers, body, "eu-west-3", "token-SRC"))
        self.expect_signed("ROLE", AWS_PROFILE="r2", **sts, **files)
        self.assertIn("Credential=ROLE/", self.keys.asked[-1][1]["authorization"])
        self.assertIn("/us-east-1/sts/", self.keys.asked[-1][1]["authorization"])
        self.expect_signed("ROLE", AWS_PROFILE="self", **sts, **files)
        self.assertIn("Credential=SELF/", self.keys.asked[-1][1]["authorization"])
        self.assertTrue(is_signed_for_sts(self.keys.url + "/", *self.keys.asked[-1][1:], "us-east-1", None))
        self.keys.answers["GET /agent?x"] = [as_json("TASK")]
        self.answer_as_machine(as_json("MACHINE"))
        env = {"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": SECRET}
        for name, asker, more in (("Environment", "ENV", env), ("EcsContainer", "TASK", self.container),
                                  ("Ec2InstanceMetadata", "MACHINE", self.machine)):
            self.expect_signed("ROLE", "profile=" + name, **more, **sts, **files)
            self.assertIn(f"Credential={asker}/", self.keys.asked[-1][1]["authorization"])
        number = len(self.keys.asked)
        for name, words in (("loop", "more than 8 roles"), ("nobody", "needs one of source_profile"),
                            ("of_empty", "no keys are found"), ("of_none", 'profile "none": none of this name'),
                            ("EcsContainer", "no keys are found"), ("Other", "credential_source is")):
            self.expect_refused("invalid argument", words, AWS_PROFILE=name, **sts, **files)
        self.assertEqual(len(self.keys.asked), number)
        self.keys.answers["POST /"] = [(403, "<Error><Code>AccessDenied</Code><Message>token-SRC</Message></Error>")]
        self.expect_refused("i/o error", "role arn:r, asked for by profile", "answered 403", AWS_PROFILE="r",
                            **sts, **files)

    def test_programs(self):
        def files(command):
            return self.profiles(f"[default]\ncredential_process = {command}\n")
        script = self.file("a b.py", f"import sys\nprint(open(sys.argv[1]).read())\n{'#' * 9}")
        self.file("keys", as_json("RUN", token="SessionToken", Version=1))
        self.expect_signed("RUN", **files(f'{sys.executable} "{script}" {self.folder}/keys'))
        self.file("keys", as_json("RUN")[:-5])
        self.expect_refused("i/o error", 'profile "default" (credential_process): answered malformed JSON',
                            **files(f'{sys.executable} "{script}" {self.folder}/keys'))
        self.expect_refused("i/o error", "ended with 1", **files("false"))

    def test_containers(self):
        self.keys.answers["GET /agent?x"] = [as_json("TASK")]
        self.expect_signed("TASK", **self.container, AWS_CONTAINER_AUTHORIZATION_TOKEN="Basic a")
        self.assertEqual(self.keys.asked[-1][1]["authorization"], "Basic a")
        token = self.file("token", "Bearer b\n")
        self.expect_signed("TASK", **self.container, AWS_CONTAINER_AUTHORIZATION_TOKEN="Basic a",
                           AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=str(token))
        self.assertEqual(self.keys.asked[-1][1]["authorization"], "Bearer b")
        # No proxy is told.
        self.expect_signed("TASK", **self.container, http_proxy="http://127.0.0.1:1", no_proxy="127.0.0.1")
        number = len(self.keys.asked)
        token.write_text("Bearer b\r\nX: payload")
        self.expect_refused("invalid argument", "a token is one line", **self.container,
                            AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=str(token))
        for url in ("http://example.com/", "http://127.0.0.1.example.com/", "http://169.254.170.2@example.com/",
                    "http://169.254.170.3/", "http://[::2]/"):
            self.expect_refused("invalid argument", "keys are asked for by https", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                AWS_CONTAINER_CREDENTIALS_FULL_URI=url)
        self.expect_refused("invalid argument", "no URL", AWS_CONTAINER_CREDENTIALS_FULL_URI="ftp://h/payload")
        self.expect_refused("invalid argument", "does not begin with /",
                            AWS_CONTAINER_CREDENTIALS_RELATIVE_URI="@127.0.0.1/")
        self.assertEqual(len(self.keys.asked), number)
        self.keys.answers["GET /agent?x"] = [(403, "<Code>Denied</Code>token-")]
        said = self.expect_refused("i/o error", "the container (AWS_CONTAINER_CREDENTIALS_FULL_URI)", "answered 403",
                                   **self.container)
        self.assertNotIn("agent", said)
        self.keys.answers["GET /agent?x"] = [(302, "")]
        self.expect_refused("i/o error", "answered 302", **self.container)
        self.keys.answers["GET /agent?x"] = [as_json("TASK").replace("token-", "\\r\\nX: token-")]
        self.expect_refused("invalid argument", "bytes that no key has", **self.container)

    def test_machines(self):
        self.answer_as_machine(as_json("MACHINE", Code="Success"))
        self.expect_signed("MACHINE", **self.machine)
        (what, headers, _), *rest = self.keys.asked
        self.assertEqual((what, headers["x-aws-ec2-metadata-token-ttl-seconds"]), ("PUT /latest/api/token", "21600"))
        self.assertEqual([one[0] for one in rest], [f"GET {ROLES}", f"GET {ROLES}my-role"])
        for _, headers, _ in rest:
            self.assertEqual(headers["x-aws-ec2-metadata-token"], "imds-token")
        self.keys.answers["PUT /latest/api/token"] = [(503, ""), (503, ""), "imds-token"]
        self.expect_signed("MACHINE", **self.machine)
        self.answer_as_machine(as_json("MACHINE", Code="Success"), role="a b")
        self.keys.answers[f"GET {ROLES}"] = ["a b"]
        self.expect_refused("i/o error", "no name of a role", **self.machine)
        self.answer_as_machine(json.dumps({"Code": "Failed", "Message": SECRET}))
        self.expect_refused("i/o error", "the machine's metadata at http://127.0.0.1", '"Failed"', **self.machine)
        self.answer_as_machine(as_json("MACHINE")[:-9])
        self.expect_refused("i/o error", "malformed JSON", **self.machine)
        self.keys.answers["PUT /latest/api/token"] = [(503, "")]
        self.expect_refused("i/o error", "answered 503", **self.machine)

    def test_machines_that_are_none_of_ec2(self):
        for answers in ({}, {"PUT /latest/api/token": [(403, "")]}, {"PUT /latest/api/token": ["two\nlines"]},
                        {"PUT /latest/api/token": ["t"], f"GET {ROLES}": [(404, "")]}):
            self.keys.answers = answers
            self.expect_signed("", token="", **self.machine)
        self.answer_as_machine(as_json("MACHINE"))
        self.expect_signed("", token="", **{**self.machine, "AWS_EC2_METADATA_DISABLED": "TRUE"})
        nobody = {**self.machine, "AWS_EC2_METADATA_SERVICE_ENDPOINT": f"http://127.0.0.1:{free_port()}"}
        self.expect_signed("", token="", **nobody)
        # An address that does not answer at all is not waited for.
        self.keys.answers["PUT /latest/api/token"] = [8]
        start = time.monotonic()
        self.expect_signed("", token="", **self.machine)
        self.assertLess(time.monotonic() - start, 6)

    def test_the_order(self):
        self.keys.answers["POST /"] = [as_xml("WEB")]
        self.keys.answers["GET /agent?x"] = [as_json("TASK")]
        self.answer_as_machine(as_json("MACHINE"))
        files = self.profiles("[default]\ncredential_process = false\n",
                              f"[default]\naws_access_key_id=FILE\naws_secret_access_key={SECRET}\n")
        env = {"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": SECRET}
        everything = {**self.machine, **self.container, **files, **self.web, **env}
        for name, token, used in (("ENV", "", env), ("WEB", None, self.web), ("FILE", "", files),
                                  ("TASK", None, self.container), ("MACHINE", None, self.machine)):
            with self.subTest(name):
                self.expect_signed(name, token=token, **everything)
            for variable in used:
                del everything[variable]
        # The first that is there is asked alone.
        self.keys.answers["POST /"] = [(403, "")]
        self.expect_refused("i/o error", "web identity", **self.machine, **self.container, **self.web)

    def test_keys_that_end_are_renewed(self):
        self.keys.answers["POST /"] = [as_xml("ONE", 2), as_xml("TWO", 2), as_xml("THREE")]
        remote = self.expect_signed("ONE", **self.web)
        local = self.local(self.data)
        self.expect_same(self.data, remote, RANGE, local)
        self.assertEqual(self.signers(), [("ONE", "token-ONE")])
        self.file("jwt", "another.payload.seal")  # As the cluster replaces it.
        time.sleep(1.8)
        answer = local.read(*RANGE)
        self.assertEqual(remote.ask("threads", 16, *RANGE), answer)
        self.assertEqual(len(self.asked("POST /")), 2)
        self.assertIn("WebIdentityToken=another.payload.seal", self.keys.asked[-1][2])
        time.sleep(2.2)
        self.assertEqual(remote.ask("threads", 16, *RANGE), answer)
        self.assertEqual(self.signers()[-1], ("THREE", "token-THREE"))
        self.assertEqual(len(self.asked("POST /")), 3)

    def test_a_forked_process_renews_too(self):
        self.keys.answers["POST /"] = [as_xml("ONE", 1), as_xml("TWO"), as_xml("THREE")]
        remote = self.expect_signed("ONE", **self.web)
        time.sleep(1.2)
        self.assertEqual(remote.ask("fork", *RANGE), self.local(self.data).read(*RANGE))
        self.assertEqual(self.signers()[-1], ("TWO", "token-TWO"))
        self.expect_same(self.data, remote, RANGE, self.local(self.data))
        self.assertEqual(self.signers()[-1], ("THREE", "token-THREE"))

    def test_renewing_that_fails_is_an_error_once_the_keys_are_over(self):
        self.keys.answers["POST /"] = [as_xml("ONE", 3), (403, "<Code>Gone</Code>")]
        remote = self.expect_signed("ONE", **self.web)
        time.sleep(2.4)
        self.expect_same(self.data, remote, RANGE, self.local(self.data))
        self.assertEqual(len(self.asked("POST /")), 2)
        time.sleep(0.8)
        self.expect_failure(remote.read(*RANGE), "i/o error", "web identity", "answered 403 (Gone)")
        self.keys.answers["POST /"] = [as_xml("TWO")]
        time.sleep(1.1)
        self.expect_same(self.data, remote, RANGE, self.local(self.data))

    def test_keys_that_s3_says_are_over(self):
        self.keys.answers["GET /agent?x"] = [as_json("ONE"), as_json("TWO")]
        remote = self.expect_signed("ONE", **self.container)
        self.expired.add("ONE")
        answer = self.local(self.data).read(*RANGE)
        self.assertEqual(remote.ask("threads", 8, *RANGE), answer)
        self.assertEqual(len(self.keys.asked), 2)
        self.expired.add("TWO")
        said = remote.read(*RANGE)
        self.expect_failure(said, "i/o error", "answered 400 (ExpiredToken: It has.)", "asked again",
                            "gave the same keys")
        self.assertEqual(len(self.keys.asked), 3)
        # Of a file that somebody writes anew.
        text = "[default]\naws_access_key_id={}\naws_secret_access_key=" + SECRET
        files = self.profiles(credentials=text.format("OLD"))
        remote = self.s3_open(**files)  # Requests of the one before may still be on their way.
        self.assertEqual((remote.opened, self.signers()[-1]), (f"ok {SIZE}", ("OLD", "")))
        self.expired.add("OLD")
        self.profiles(credentials=text.format("NEW"))
        self.assertEqual(remote.read(*RANGE), answer)
        self.assertEqual(self.signers()[-1], ("NEW", ""))

    def test_who_is_refused_is_told_who_asked(self):
        files = self.profiles(credentials=f"[p]\naws_access_key_id=WRONG\naws_secret_access_key={SECRET}")
        self.expect_refused("i/o error", "answered 403", "InvalidAccessKeyId", 'signed with the keys of profile "p"',
                            AWS_PROFILE="p", **files)
        self.s3.always = lambda answer: answer.refuse(403, b"<Error><Code>AccessDenied</Code></Error>")
        self.expect_refused("i/o error", "AccessDenied", "not signed, for no keys were found")

    def test_files_of_a_dataset_share_the_keys(self):
        dsictl = os.environ.get("DSICTL", "")
        if not dsictl:
            self.skipTest("DSICTL does not name the program")
        rows, path = self.folder / "a.jsonl", self.folder / "a.dsi"
        subprocess.run([dsictl, "generate", "--profile", "sweep", "--rows", "100", "-q", rows], check=True)
        subprocess.run([dsictl, "convert", rows, path, "-q"], check=True)
        self.s3.data = path.read_bytes()
        self.keys.answers["POST /"] = [as_xml("WEB")]
        names = [f"s3://bucket/{i}.dsi" for i in range(5)]
        made = self.folder / "made.json"
        subprocess.run([dsictl, "manifest", *names, "-o", made, "-q"], check=True,
                       env={**CLEAN, **self.environment, **self.web})
        self.assertEqual(len(json.loads(made.read_text())["files"]), 5)
        self.assertEqual(self.signers(), [("WEB", "token-WEB")])
        self.assertEqual(len(self.keys.asked), 1)


if __name__ == "__main__":
    main()
