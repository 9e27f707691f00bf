"""What `cmake --install` copies is built by the target `installable`, which scripts/quickstart builds.

Needs the build folder of Ninja that ctest names.
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def built_files(build: Path):
    """Files of the build folder that the install rules name, and the target that makes them."""
    rules = (build / "cmake_install.cmake").read_text()
    # What only `--component` installs is built by whoever asks for that component.
    rules = re.sub(r'^if\(CMAKE_INSTALL_COMPONENT STREQUAL "\w+"\)\n.*?^endif\(\)', "", rules, flags=re.M | re.S)
    named = set(re.findall(r'"(%s/[^"]+)"' % re.escape(str(build)), rules))
    # What CMake writes while it configures is there whatever is built.
    outputs = set(subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True,
                                 capture_output=True, text=True).stdout.splitlines())
    made = {line.rsplit(": ", 1)[0] for line in outputs}
    return {path for path in named if os.path.relpath(path, build) in made or path in made}


def main():
    build = Path(os.environ["DSI_BUILD_DIR"])
    if not (build / "build.ninja").exists():
        sys.exit(77)
    files = built_files(build)
    assert any(path.endswith("/dsictl") for path in files), files
    assert any(path.endswith("libdsi.a") for path in files), files
    inputs = subprocess.run(["ninja", "-C", build, "-t", "inputs", "installable"], check=True,
                            capture_output=True, text=True).stdout.split()
    reached = {str((build / path).resolve()) for path in inputs}
    missing = {path for path in files if str(Path(path).resolve()) not in reached}
    assert not missing, f"installed, and not built by `installable`: {missing}"
    test = (Path(os.environ["DSI_SOURCE_DIR"]) / "scripts" / "quickstart").read_text()
    assert "--target installable" in test


main()
