"""An interpreter for each loader: that which runs this where it has all packages, else a virtual environment of the loader's own."""
import importlib.util
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What a loader imports besides the standard library.
IMPORTS = {
    "dsi": ["torch", "numpy", "pyarrow", "nanobind_backend"],
    "pyarrow": ["torch", "numpy", "pyarrow"],
    "torchdata": ["torch", "numpy", "pyarrow", "torchdata"],
    "huggingface": ["torch", "numpy", "pyarrow", "datasets"],
    "lance": ["torch", "numpy", "pyarrow", "lance"],
    "vortex": ["torch", "numpy", "pyarrow", "vortex"],
    "mosaicml": ["torch", "numpy", "pyarrow", "streaming"],
}


def has_all(python, modules):
    found = f"from importlib.util import find_spec; exit(not all(map(find_spec, {modules})))"
    return subprocess.run([python, "-c", found], capture_output=True).returncode == 0


def interpreter(peer, folder):
    """Path of the interpreter; None, and why on stderr: its packages cannot be installed."""
    if all(importlib.util.find_spec(m) for m in IMPORTS[peer]):
        return sys.executable
    home = Path(folder) / peer
    python = home / "bin" / "python"
    if python.exists() and has_all(python, IMPORTS[peer]):
        return python
    print(f"installing what {peer} needs into {home}", file=sys.stderr, flush=True)
    if not python.exists():
        venv.create(home, with_pip=True)
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", HERE / f"requirements-{peer}.txt"], capture_output=True, text=True)
    if done.returncode != 0 or not has_all(python, IMPORTS[peer]):
        print(f"{peer} is left out: {(done.stderr.strip() or 'its packages are not there').splitlines()[-1]}", file=sys.stderr, flush=True)
        return None
    return python
