"""Pipelines: every operation against plain Python, JSON, and errors."""

import bisect
import json
import math
import pickle
import re

import dsi
import numpy as np
import pytest
from conftest import SOURCE
from dsi.transforms import kept_transforms
from transform_pairs import PAIRS, few
from transform_rows import ROWS, everywhere, f32, hashed, made, write_table


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("transforms"))


def clamp(x, low, high):
    return min(max(x, low), high)


def logit(x):
    x = clamp(x, 1e-6, 1 - 1e-6)
    return math.log(x / (1 - x))


def scored(change):
    return lambda t: [f32(change(w)) for w in t["weights"]]


def each(function):
    """Of a list entry by entry, of a number as a list of one."""
    return lambda row: [function(x) for x in (row if isinstance(row, list) else [row])]


BORDERS = [2, 5, 10]
TABLE = {1: 100, 7: -3, 55: 2**40}
P = dsi.Pipeline
# Of each operation: the pipeline, what it takes, what that becomes.
OPERATIONS = {
    "sigrid_hash": (
        P().sigrid_hash("x", "clicks", max=1000, salt=7),
        ["clicks"],
        each(lambda x: hashed([x], 7, 1000)),
    ),
    "sigrid_hash of a key": (
        P().sigrid_hash("x", "session", max=2**40, salt=-1),
        ["session"],
        each(lambda x: hashed([x], -1, 2**40)),
    ),
    "modulus": (P().modulus("x", "clicks", max=7), ["clicks"], each(lambda x: x % 7)),
    "clamp": (
        P().clamp("x", "clicks", low=-10, high=np.int64(10)),
        ["clicks"],
        each(lambda x: clamp(x, -10, 10)),
    ),
    "clamp of floats": (
        P().clamp("x", "price", low=1.5, high=9),
        ["price"],
        each(lambda x: clamp(x, 1.5, 9)),
    ),
    "bucketize left": (
        P().bucketize("x", "price", borders=BORDERS, side="left"),
        ["price"],
        each(lambda x: bisect.bisect_left(BORDERS, x)),
    ),
    "bucketize right": (
        P().bucketize("x", "price", borders=np.array(BORDERS), side="right"),
        ["price"],
        each(lambda x: bisect.bisect_right(BORDERS, x)),
    ),
    "map_id": (
        P().map_id("x", "clicks", table=TABLE, default=-1),
        ["clicks"],
        each(lambda x: TABLE.get(x, -1)),
    ),
    "log1p": (P().log1p("x", "price"), ["price"], each(math.log1p)),
    "logit": (P().logit("x", "share"), ["share"], each(logit)),
    "boxcox": (
        P().boxcox("x", "price", lambda1=0.5, lambda2=1),
        ["price"],
        each(lambda x: (math.sqrt(x + 1) - 1) / 0.5),
    ),
    "cast": (P().cast("x", "price", dtype="int32"), ["price"], each(int)),
    "local_hour": (
        P().local_hour("x", "time", unit="ms", offset_s=-3600),
        ["time"],
        each(lambda x: (x // 1000 - 3600) % 86400 // 3600),
    ),
    "score_add": (P().score_add("x", "topics", value=0.5), ["topics"], scored(lambda w: w + 0.5)),
    "score_multiply": (
        P().score_multiply("x", "topics", value=3),
        ["topics"],
        scored(lambda w: w * 3),
    ),
    "score_clamp": (
        P().score_clamp("x", "topics", low=0.25, high=0.75),
        ["topics"],
        scored(lambda w: clamp(w, 0.25, 0.75)),
    ),
    "id_of_text": (P().id_of_text("x", "city"), ["city"], each(dsi.id_of_text)),
    "id_of_text and a hash": (
        P().id_of_text("id", "city").sigrid_hash("x", "id", max=1000, salt=2),
        ["city"],
        each(lambda city: hashed([dsi.id_of_text(city)], 2, 1000)),
    ),
    "firstx": (P().firstx("x", "clicks", n=3), ["clicks"], lambda row: row[:3]),
    "lastx": (P().lastx("x", "clicks", n=3), ["clicks"], lambda row: row[-3:]),
    "onehot": (
        P().onehot("x", "label", n=3),
        ["label"],
        lambda row: [float(row == i) for i in range(3)],
    ),
    "enumerate": (P().enumerate("x", "clicks"), ["clicks"], lambda row: list(range(len(row)))),
    "ngram": (
        P().ngram("x", "clicks", n=2, max=1000, salt=5),
        ["clicks"],
        lambda row: [hashed(row[i : i + 2], 5, 1000) for i in range(len(row) - 1)],
    ),
    "ngram of two": (
        P().ngram("x", ["clicks", "views"], n=2, max=1000),
        ["clicks", "views"],
        lambda a, b: [
            hashed(a[i : i + 2] + b[i : i + 2], 0, 1000) for i in range(min(len(a), len(b)) - 1)
        ],
    ),
    "cartesian": (
        P().cartesian("x", "clicks", "views", max=1000, limit=10, salt=3),
        ["clicks", "views"],
        lambda a, b: [hashed([i, j], 3, 1000) for i in a for j in b][:10],
    ),
}
OPERATIONS |= PAIRS
# Which part of them is looked at where results are scored lists.
PARTS = dict.fromkeys(("score_add", "score_multiply", "score_clamp", "enumerate"), "x.weights")
PARTS["difference of a scored list"] = "x.ids"


def of_type(values, expected):
    """Whole numbers to the last bit, others as float32 rounds them."""
    whole = all(isinstance(value, int) for value in values)
    return expected if whole else pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_are_what_the_specification_says(table, name):
    rows, ds = table
    pipeline, inputs, expected = OPERATIONS[name]
    found = made(ds, pipeline, PARTS.get(name, "x"))
    assert len(found) == ROWS
    for row, values in zip(rows, found, strict=True):
        taken = [row.get(column) for column in inputs]
        if None in taken:
            assert values is None
        else:
            assert values == of_type(values, expected(*taken))


def test_fill_gives_what_is_missing(table):
    rows, ds = table
    pipeline = dsi.Pipeline().fill("x", "price", value=-2.5).fill("y", "clicks", value=9)
    prices, clicks = made(ds, pipeline, "x"), made(ds, pipeline, "y")
    assert prices == [[row.get("price", -2.5)] for row in rows]
    assert clicks == [row.get("clicks", [9]) for row in rows]


def test_every_operation_has_a_method_and_a_case():
    methods = {
        name
        for name, value in vars(dsi.Pipeline).items()
        if value.__doc__ and "(T-0" in value.__doc__
    }
    assert methods == {name.split()[0] for name in OPERATIONS} | {"fill"}


def test_pairs_of_scored_lists_are_explained(table):
    told = table[1].explain(few().cosine("alike", "topic", "place")).splitlines()
    assert '"topics" "clicks"' in told[0]
    line = next(line for line in told if "rows by cosine" in line)
    assert line.endswith('-> number of type float32, output "alike"')


def test_published_vector():
    # T-020, as TorchArrow gives it.
    assert [hashed([x], 0, 100) for x in range(1, 17)] == [
        *(60, 54, 54, 9, 4, 91, 11, 67),
        *(79, 2, 25, 92, 98, 83, 66, 2),
    ]


# -- JSON, and what is wrong.


def test_json_round_trip(tmp_path):
    for pipeline, *_ in OPERATIONS.values():
        text = pipeline.to_json()
        assert dsi.Pipeline.from_json(text).to_json() == text
        assert pickle.loads(pickle.dumps(pipeline)) == pipeline
    pipeline = everywhere().keep("recent_hashed", "price_log")
    pipeline.save(tmp_path / "pipeline.json")
    read = dsi.Pipeline.load(tmp_path / "pipeline.json")
    assert read == dsi.Pipeline.from_json(pipeline.to_json())
    assert read.outputs == ["recent_hashed", "price_log"]
    assert read.features == ["clicks", "session", "price", "topics", "label", "time"]
    assert len(read) == len(pipeline) == 8


def test_json_and_dicts_are_taken_as_they_are(table):
    _, ds = table
    pipeline = everywhere()
    for form in (pipeline, pipeline.to_json(), json.loads(pipeline.to_json()), pipeline.to_dict()):
        assert made(ds, form, "recent_hashed") == made(ds, pipeline, "recent_hashed")


def test_files_are_read_by_dsictl(table, dsictl, tmp_path):
    rows, ds = table
    dsi.Pipeline().lastx("recent", "clicks", n=4).save(tmp_path / "p.json")
    told = dsictl("transform", tmp_path / "p.json", ds.files[0].path, "-n", 3)
    first = next(row["clicks"][-4:] for row in rows if row.get("clicks"))
    assert str(first[0]) in told


def test_explain_tells_what_runs(table):
    told = table[1].explain(everywhere())
    assert 'output "recent_hashed"' in told and '"clicks"' in told.splitlines()[0]


def wrong(pipeline, error=dsi.BadInput):
    with pytest.raises(error) as caught:
        pipeline()
    return str(caught.value)


def test_whole_borders_stay_whole():
    # T-023: what float64 does not hold is refused, not rounded.
    def of(*borders):
        return dsi.Pipeline().bucketize("x", "clicks", borders=borders, side="left")

    for border in (2**53 + 1, np.int64(-(2**53) - 1), 2**64 - 1, 10**30 + 1, 10**400):
        assert wrong(of(border).check)
    assert "float64 holds exactly" in wrong(of(2**53 + 1).check)
    read = json.loads(of(-(2**53), np.float32(0.5), 3, 2**63, 10**20).to_json())
    assert read["steps"][0]["borders"] == [-(2**53), 0.5, 3, 2**63, 10**20]


def test_a_step_that_cannot_be_is_named():
    start = dsi.Pipeline().lastx("recent", "clicks", n=4)
    told = wrong(
        lambda: pickle.loads(pickle.dumps(start)).sigrid_hash("h", "recent", max=0).check()
    )
    assert 'steps[1] "h" (sigrid_hash)' in told and '"max"' in told
    told = wrong(
        lambda: dsi.Pipeline().bucketize("b", "price", borders=[2, 1], side="left").check()
    )
    assert 'steps[0] "b" (bucketize)' in told and "sort them" in told
    told = wrong(
        lambda: dsi.Pipeline().bucketize("b", "price", borders=[1], side="middle").to_json()
    )
    assert "side" in told
    told = wrong(lambda: dsi.Pipeline().keep("nothing").log1p("l", "price").check())
    assert "nothing" in told
    told = wrong(lambda: dsi.Pipeline.from_json('{"version": 1, "steps": ['))
    assert told
    told = wrong(
        lambda: dsi.Pipeline().log1p("a", "b").fill("f", "a", value=math.nan), dsi.InvalidArgument
    )
    assert told == 'steps[1] "f" (fill): "value" is nan, expected a finite number'
    with pytest.raises(TypeError):
        dsi.Pipeline().firstx("x", "clicks", n=2.5)


def test_a_feature_that_does_not_fit_is_named(table):
    _, ds = table
    scan = lambda pipeline, *names: lambda: ds.scan(list(names) or None, transforms=pipeline)  # noqa: E731
    told = wrong(scan(dsi.Pipeline().log1p("l", "prcie")), dsi.NotFound)
    assert 'steps[0] "l" (log1p)' in told and '"prcie"' in told and "price" in told
    told = wrong(scan(dsi.Pipeline().modulus("m", "price", max=5)), dsi.InvalidArgument)
    assert 'steps[0] "m" (modulus)' in told and '"price"' in told
    told = wrong(scan(everywhere(), "recent_hashd"), dsi.NotFound)
    assert "'recent_hashd'" in told and "recent_hashed" in told
    told = wrong(scan(everywhere(), "recent"), dsi.NotFound)  # Not kept.
    assert "'recent'" in told
    told = wrong(scan(everywhere(), dsi.Padded("recent_hashed")), dsi.InvalidArgument)
    assert "recent_hashed" in told and "width" in told
    told = wrong(scan(few().cosine("c", "topic", "click")), dsi.InvalidArgument)
    assert 'steps[3] "c" (cosine): input "click" is a list of int32, expected a scored list' in told
    told = wrong(scan(dsi.Pipeline().score_min("s", "clicks", "topics")), dsi.InvalidArgument)
    assert 'steps[0] "s" (score_min): input "clicks" is a list of int64' in told
    wide = dsi.Pipeline().sigrid_hash("h", "clicks", max=2**40)
    told = wrong(lambda: ds.scan("h", transforms=wide, index_dtype="int32"), dsi.InvalidArgument)
    assert "h: the pipeline makes int64, int32 asked for" in told and "cast" in told


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (SOURCE / "docs" / "python-transforms.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec("\n".join(blocks), {})
    told = capsys.readouterr().out
    assert "['recent_hashed', 'price_bucket'] ['price_log'] (200,)" in told
    assert "['alike', 'liked'] ['new']" in told
    assert 'output "recent_hashed"' in told


def test_a_pipeline_may_be_a_file(table, tmp_path):
    _, table = table
    pipeline = dsi.Pipeline().log1p("p", "price")
    path = tmp_path / "pipeline.json"
    pipeline.save(path)
    expected = [batch.dense.tolist() for batch in table.scan(transforms=pipeline)]
    for transforms in (path, str(path), f" {pipeline.to_json()}", pipeline.to_dict()):
        found = [batch.dense.tolist() for batch in table.scan(transforms=transforms)]
        assert str(found) == str(expected)
        assert table.explain(transforms) == table.explain(pipeline)
    loader = table.loader(transforms=path, framework="numpy")
    path.unlink()  # What was read counts, in other processes too.
    for one in (loader, pickle.loads(pickle.dumps(loader))):
        assert str([batch.dense.tolist() for batch in one]) == str(expected)
    with pytest.raises(dsi.NotFound, match=r"pipeline\.json"):
        table.scan(transforms=path)
    with pytest.raises(dsi.NotFound, match=r"pipeline\.json"):
        table.loader(transforms=path)


def test_what_a_file_holds_is_kept_as_it_is(tmp_path):
    # T-004: written anew, with a point in every border, a text could be too long.
    path = tmp_path / "pipeline.json"
    step = '{"output":"x","op":"bucketize","inputs":["x1"],"borders":[1,2],"side":"left"}'
    text = '{"version":1,"steps":[' + step + "]}"
    path.write_text("\ufeff" + text, encoding="utf-8")
    assert kept_transforms(path) == text == kept_transforms(str(path))
    for bad in (b"{", b'{"version": 1, "steps": []}', b'{"\xff": 1}'):
        path.write_bytes(bad)
        assert "pipeline.json: pipeline: " in wrong(lambda: kept_transforms(path))


def test_an_output_hides_a_column_of_its_name(table):
    # T-001.
    rows, ds = table
    pipeline = dsi.Pipeline().clamp("label", "session", low=0, high=3)
    assert made(ds, pipeline, "label") == [[clamp(row["session"], 0, 3)] for row in rows]
