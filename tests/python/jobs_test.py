"""Spark and Ray, each in a process of its own: what they start there does not survive a fork, and
other tests fork."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HAS_JAVA

HERE = Path(__file__).parent
# Neither asks the network who this machine is, nor tells it anything.
ALONE = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_LOCAL_HOSTNAME": "localhost",
    "RAY_USAGE_STATS_ENABLED": "0",
}


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", *map(str, arguments)],
        cwd=HERE.parents[1],
        env={**os.environ, **ALONE, "DSI_PAGES_OF_JOBS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]


def need(*modules):
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"could not import {module}")
    if "pyspark" in modules and not HAS_JAVA:
        pytest.skip("Spark needs java")


def test_spark():
    need("pyspark")
    run(HERE / "spark_jobs.py")


def test_ray():
    need("ray")
    run(HERE / "ray_jobs.py")


def test_the_page():
    need("pyspark", "ray")
    run(HERE / "guide_test.py", "-k", "spark-and-ray.md")
