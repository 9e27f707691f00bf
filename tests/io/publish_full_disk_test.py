"""Publishes to a real small file system that fills up at every 4 KiB, without any injection."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from publish_program import Target, run_helper, skip

STEP = 4096
DISK = 2 << 20
SIZE, APPEND = 600_000, 50_000
INSIDE = "--inside"


def publish_at_every_level(mount: Path) -> int:
    sample = mount / "sample"
    if run_helper(["write", sample, SIZE, APPEND, 0]).code != 0:
        sys.exit("the helper fails on an empty disk")
    target = Target(mount / "target", sample.read_bytes())
    sample.unlink()
    ballast = mount / "ballast"
    failures, full, succeeded = [], 0, 0
    for free in range(0, SIZE + 8 * STEP, STEP):
        for overwrite in (0, 1):
            ballast.unlink(missing_ok=True)
            target.reset(has_old=bool(overwrite))
            space = os.statvfs(mount)
            with open(ballast, "wb") as file:
                file.write(bytes(max(0, space.f_bavail * space.f_frsize - free)))
            outcome = run_helper(["write", target.path, SIZE, APPEND, overwrite])
            state = target.state()
            expected = "new" if outcome.code == 0 else "old" if overwrite else "none"
            reported = outcome.code == 0 or (
                outcome.code == 3 and "No space left on device" in outcome.message)
            if state != expected or target.others() or not reported:
                failures.append(f"{free} bytes free, overwrite={overwrite}: exit code "
                                f"{outcome.code}, {outcome.message!r}, name shows {state}, "
                                f"besides {target.others()}")
            full += outcome.code == 3
            succeeded += outcome.code == 0
    if full < 100 or succeeded < 4:
        failures.append(f"only {full} runs filled the disk and {succeeded} did not")
    for failure in failures:
        print(failure)
    print(f"{full} full disks, {succeeded} published, {len(failures)} failures")
    return 1 if failures else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == INSIDE:
        return publish_at_every_level(Path(sys.argv[2]))
    with tempfile.TemporaryDirectory() as folder:
        # A mount namespace of its own, so that nothing is left behind whatever happens.
        unshare = ["unshare", "--mount"] if os.geteuid() == 0 else [
            "unshare", "--mount", "--map-root-user"]
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", folder]
        try:
            probe = subprocess.run(unshare + mount, capture_output=True)
        except FileNotFoundError:
            skip("unshare is not installed")
        if probe.returncode != 0:
            skip(f"mounting is not permitted: {probe.stderr.decode(errors='replace').strip()}")
        script = '"$@" && exec "$PYTHON" "$SCRIPT" "$FLAG" "$FOLDER"'
        environment = dict(os.environ, PYTHON=sys.executable, SCRIPT=os.path.abspath(__file__),
                           FLAG=INSIDE, FOLDER=folder)
        return subprocess.run(unshare + ["bash", "-c", script, "bash"] + mount,
                              env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
