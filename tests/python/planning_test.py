"""What `Dataset.plan` tells of a scan, against what the scan then reads and what dsictl says."""

import json

import dsi
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of 1,500 rows in 3 stripes each, whose rows are numbered on, with a manifest."""
    folder = tmp_path_factory.mktemp("plan")
    for file in range(4):
        rows = range(file * 1500, (file + 1) * 1500)
        made = {
            "timestamp": list(rows),
            "label": [row % 2 for row in rows],
            "ids": [[row % 7, row % 11] for row in rows],
        }
        dsi.write(made, folder / f"{file}.dsi", keep_order=True, stripe_rows=500)
    (folder / "all.json").write_text(dsi.open(folder).manifest(str(folder)))
    return folder


@pytest.mark.parametrize(
    ("features", "keywords"),
    [
        (None, {}),
        (["ids"], {}),
        (["label"], {"where": [("timestamp", ">=", 3200), ("timestamp", "<", 3400)]}),
        (["ids", "label"], {"rows": [(100, 200), (5000, 5900)]}),
        (["hashed"], {"transforms": dsi.Pipeline().sigrid_hash("hashed", "ids", max=50)}),
    ],
)
def test_a_plan_is_what_a_scan_reads(folder, features, keywords):
    dataset = dsi.open(folder)
    plan = dataset.plan(features, **keywords)
    scan = dataset.scan(features, **keywords)
    for _ in scan:
        pass
    stats = scan.stats
    assert plan.bytes == sum(file.bytes for file in plan.files) > 0
    assert plan.reads == sum(file.reads for file in plan.files)
    assert plan.rows == sum(file.rows for file in plan.files)
    assert (plan.bytes, plan.reads) == (stats["bytes_read"], stats["reads"])
    assert [file.file for file in plan.files] == sorted({file.file for file in plan.files})


def test_what_is_passed_over_is_told(folder):
    terms = [("timestamp", ">=", 3200), ("timestamp", "<", 3400)]
    plan = dsi.open(folder).plan(["ids"], where=terms)
    assert (plan.stripes, plan.stripes_skipped, plan.files_skipped) == (12, 11, 0)
    known = dsi.open(folder / "all.json").plan(["ids"], where=terms)
    assert known.files_skipped == 3
    assert [file.is_skipped for file in known.files] == [True, True, False, True]
    assert known.bytes == plan.bytes
    assert dsi.open(folder).plan(["ids"], rows=[(10, 20)]).files[0].rows == 10
    assert "files_skipped=3" in repr(known)


def test_it_is_what_dsictl_says(folder, dsictl):
    terms = ["--where", "timestamp >= 3200", "--where", "timestamp < 3400"]
    told = json.loads(dsictl("inspect", folder, "--plan", "ids,label", *terms, "--json"))
    plan = dsi.open(folder).plan(
        ["ids", "label"], where=[("timestamp", ">=", 3200), ("timestamp", "<", 3400)]
    )
    for key in ("rows", "stripes", "stripes_skipped", "reads", "bytes", "bytes_needed"):
        assert getattr(plan, key) == told[key], key


def test_errors_are_those_of_a_scan(folder):
    dataset = dsi.open(folder)
    with pytest.raises(dsi.NotFound, match="idz"):
        dataset.plan(["idz"])
    with pytest.raises(TypeError, match="wher"):
        dataset.plan(["ids"], wher=[])
    with pytest.raises(dsi.NotFound, match="nothing"):
        dataset.plan(["ids"], where=[("nothing", "==", 1)])
