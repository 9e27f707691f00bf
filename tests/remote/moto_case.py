"""What tests against moto's S3 share: a server with an empty bucket, and a client of Amazon's that looks behind."""

import subprocess
import sys
import tempfile
from pathlib import Path

from http_server import free_port, wait_for_port
from remote_case import CLEAN, SKIPPED, RemoteTest

try:
    import boto3
    import moto  # noqa: F401
    from s3_proxy import KEY, REGION, SECRET, Proxy
except ImportError:
    print("skipped: moto is not installed (tests/requirements.txt)")
    sys.exit(SKIPPED)


class MotoCase(RemoteTest):
    MOTO = {}  # Environment of the server.

    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(cls.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**CLEAN, **cls.MOTO})
        cls.addClassCleanup(cls.server.wait, 30)
        cls.addClassCleanup(cls.server.terminate)
        wait_for_port(cls.port, cls.server, seconds=60)
        cls.url = f"http://127.0.0.1:{cls.port}"
        cls.s3 = boto3.client("s3", endpoint_url=cls.url, region_name=REGION, aws_access_key_id=KEY,
                              aws_secret_access_key=SECRET)
        cls.s3.create_bucket(Bucket="bucket")


class ProxiedMotoCase(MotoCase):
    """Programs see the proxy, and have a folder of their own; all that they write is signed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = Proxy(cls.port)
        cls.addClassCleanup(cls.proxy.shutdown)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.environment = {**CLEAN, "AWS_ENDPOINT_URL": cls.proxy.url, "AWS_REGION": REGION,
                           "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}

    def setUp(self):
        self.name = self.id().rsplit(".", 1)[1] + " +ü"
        del self.proxy.faults[:], self.proxy.rules[:], self.proxy.unsigned[:], self.proxy.writes[:]
        self.proxy.most_in_flight = 0

    def tearDown(self):
        self.assertEqual(self.proxy.unsigned, [])
