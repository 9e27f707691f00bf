"""The example that trains: on a small log its loss falls, and both forms train the same model."""

import json
import os
import subprocess
import sys

import pytest
from conftest import BUILD, SOURCE

pytest.importorskip("torchrec", reason="torchrec and fbgemm-gpu-cpu are not installed")
pytest.importorskip("tqdm", reason="tqdm is not installed")

PROGRAM = SOURCE / "examples" / "train_dlrm.py"
STEPS = 20_000 * 4 // 5 // 256 + 1


def start(*arguments):
    environment = dict(os.environ, PATH=f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return subprocess.run(
        [sys.executable, PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )


def run(*arguments):
    done = start(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def result():
    return json.loads(run("--json", "--form", "both", "--rows", 20_000, "--batch-size", 256))


def test_the_loss_falls_and_later_rows_are_ranked(result):
    for form in result["forms"]:
        losses = form["losses"]
        assert len(losses) == STEPS
        assert sum(losses[-10:]) / 10 < losses[0] - 0.1
        assert form["auc"] > 0.53


def test_both_forms_train_the_same_model(result):
    """Bit for bit before a backward pass: the first loss, and all scores of one model."""
    comparison = result["comparison"]
    assert comparison["first losses equal bit for bit"]
    assert comparison["scores of one model in both forms equal bit for bit"]
    assert comparison["largest relative difference of losses"] < 1e-2
    one, other = result["forms"]
    assert abs(one["auc"] - other["auc"]) < 0.01


def test_the_time_of_each_stage_is_told(result):
    for form in result["forms"]:
        assert list(form["seconds"]) == ["waiting", "copying", "forward", "backward", "optimizer"]
        assert all(seconds > 0 for seconds in form["seconds"].values())
        assert form["rows_per_second"] > 0


def test_a_log_of_ones_own_is_read(dsictl, tmp_path):
    """Another table, its schema inferred: other names, no spaces of ids, 63-bit ids."""
    log = tmp_path / "shop.jsonl"
    dsictl("generate", log, "--profile", "clicks", "--hash-ids", "--rows", 3000, "-q")
    printed = run(log, "--without", "dense.position")
    assert "deduplicated: loss" in printed and "AUC on later rows" in printed
    assert printed.splitlines()[1].split()[:3] == ["seconds", "waiting", "copying"]


def test_a_log_whose_list_of_clicks_is_called_otherwise_is_told_the_option(tmp_path):
    log = tmp_path / "own.jsonl"
    rows = [{"user_id": i, "label": i % 2, "seen": [i, 1], "tags": [2], "x": 0.5} for i in range(9)]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for options, named in (([], "user.clicked or"), (["--sequence", "sean"], "sean: ")):
        done = start(log, *options)
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert f"no list of clicked items is called {named}" in done.stderr
        assert "--sequence NAME" in done.stderr and "there are: seen, tags" in done.stderr
