"""What `dsi.describe` tells is what `dsictl inspect` tells, and what it shows cannot harm."""

import json
from html.parser import HTMLParser
from xml.etree import ElementTree

import dsi
import numpy
import pytest
from conftest import SOURCE

GOLDEN = sorted((SOURCE / "tests" / "golden" / "valid").glob("*.dsi"))
GOLDEN.append(SOURCE / "tests" / "golden" / "hostile" / "unknown_kind_index_value.dsi")
TAGS = {"div", "table", "thead", "tbody", "tr", "th", "td", "svg", "text", "rect"}
HOSTILE = [
    '<script>alert("x")</script>',
    "a\x1b[31mred",
    "b\u202egnp.exe",
    "c&amp;'\"d\n\t",
    "x" * 900,
]


def inspect(dsictl, *arguments):
    return json.loads(dsictl("inspect", *arguments, "--json"))


def test_sums_are_those_of_inspect(dsictl, sessions):
    told, summary = dsi.describe(sessions), inspect(dsictl, sessions)
    assert (told.files, told.rows, told.sessions) == (1, summary["rows"], summary["sessions"])
    assert (told.bytes, told.stripes) == (sessions.stat().st_size, summary["stripes"])
    assert told.writers == [summary["writer"]]
    assert sum(one.index_bytes for one in told.groups) == summary["index_bytes"]
    assert sum(one.values for one in told.features) == summary["stored_values"]


def test_bytes_of_features_and_the_rest_add_up(dsictl, sessions):
    told = dsi.describe(sessions)
    expected = {}
    for column in inspect(dsictl, sessions, "--features"):
        expected.setdefault(column["feature"], 0)
        expected[column["feature"]] += column["stored_bytes"]
    assert {one.name: one.bytes for one in told.features} == expected
    assert [one.bytes for one in told.features] == sorted(expected.values(), reverse=True)
    assert sum(expected.values()) + sum(told.other_bytes.values()) == told.bytes


def test_groups_are_those_of_inspect(dsictl, sessions):
    told = dsi.describe(sessions).groups
    expected = inspect(dsictl, sessions, "--dedup")
    assert sorted((one.owner, one.columns, one.rows, one.unique_rows) for one in told) == sorted(
        (one["owner"], one["columns"], one["rows"], one["unique_rows"]) for one in expected
    )
    assert [one.shared for one in told].count(False) == 1
    assert max(one.factor for one in told) == max(one["factor"] for one in expected) > 2


def test_the_plan_is_that_of_inspect(dsictl, sessions):
    where = ("timestamp", ">=", 1 << 62)
    for keywords, more in (({}, []), ({"where": where}, ["--where", f"timestamp >= {1 << 62}"])):
        plan = dsi.describe(sessions, ["label", "user.*"], **keywords).plan
        expected = inspect(dsictl, sessions, "--plan", "label,user.*", *more)
        assert plan.columns == expected["columns"]
        assert (plan.bytes, plan.bytes_needed) == (expected["bytes"], expected["bytes_needed"])
        assert (plan.reads, plan.pages) == (len(expected["ranges"]), expected["pages"])
        assert plan.directory_bytes == expected["directory_bytes"]
        assert plan.stripes_skipped == expected["stripes_skipped"] == (3 if keywords else 0)
    everything, scan = dsi.describe(sessions).plan, dsi.open(sessions).scan()
    assert sum(map(len, scan)) == 3000
    assert everything.bytes == scan.stats["bytes_read"] > plan.bytes


def test_a_plan_reads_what_the_scan_does(sessions):
    features = ["user.hist_item", "label"]
    scan = dsi.open(sessions).scan(features)
    assert sum(map(len, scan)) == 3000
    assert dsi.describe(sessions, features).plan.bytes == scan.stats["bytes_read"]


def test_files_are_added_up_and_need_not_have_all_features(tmp_path):
    dsi.write({"a": numpy.arange(5), "b": numpy.arange(5)}, tmp_path / "1.dsi")
    dsi.write({"a": numpy.arange(7)}, tmp_path / "2.dsi")
    parts = [dsi.describe(tmp_path / name) for name in ("1.dsi", "2.dsi")]
    both = dsi.describe(dsi.open(tmp_path))
    assert (both.files, both.rows) == (2, 12)
    assert both.bytes == parts[0].bytes + parts[1].bytes
    values = {one.name: one.values for one in both.features}
    assert values == {"a": 12, "b": 5}
    asked = dsi.describe(tmp_path, "b").plan
    assert asked.bytes == dsi.describe(tmp_path / "1.dsi", "b").plan.bytes > 0
    thinned = dsi.describe(tmp_path, "a", where=("b", ">=", 0)).plan
    assert thinned.bytes > 0 and thinned.stripes_skipped == 1


def test_many_files_are_told_of_once_each(tmp_path):
    for number in range(35):
        dsi.write({"a": numpy.arange(number)}, tmp_path / f"{number:02}.dsi")
    told = dsi.describe(tmp_path)
    assert (told.files, told.rows) == (35, sum(range(35)))
    assert told.bytes == sum(file.stat().st_size for file in tmp_path.iterdir())


def test_rounding_is_told(tmp_path):
    numbers = {"x": numpy.linspace(0, 1, 100, dtype="float32")}
    schema = {"features": [{"name": "x", "kind": "dense", "type": "float32", "precision": "fp16"}]}
    dsi.write(numbers, tmp_path / "a.dsi", schema=schema)
    told = dsi.describe(tmp_path / "a.dsi")
    assert told.features[0].precision == "fp16" and 0 < told.features[0].max_error < 1e-3
    assert "fp16" in repr(told) and "max error" in told._repr_html_()
    (of_all,), (of_one,) = dsi.open(tmp_path).columns(), dsi.open(tmp_path).columns_of(0)
    assert of_all.precision == of_one.precision == "fp16"
    assert (of_all.max_error, of_one.max_error) == (0, told.features[0].max_error)


def test_columns_of_one_file_are_those_of_inspect(dsictl, sessions):
    ds, expected = dsi.open([sessions]), inspect(dsictl, sessions, "--features")
    names = ("name", "feature", "kind", "type", "id_space", "group", "stored_bytes")
    assert [tuple(getattr(one, name) for name in names) for one in ds.columns_of(0)] == [
        tuple(one[name] for name in names) for one in expected
    ]
    with pytest.raises(dsi.OutOfRange, match="file 1"):
        ds.columns_of(1)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_files_of_all_kinds_are_described(path):
    """Those of newer versions too, of which parts are unknown."""
    told = dsi.describe(path)
    assert sum(one.bytes for one in told.features) + sum(told.other_bytes.values()) == told.bytes
    assert ("unsupported" in repr(told)) == ("unknown" in path.stem)
    assert Page(told._repr_html_()).tags <= TAGS


def test_few_lines_sum_up_the_rest(sessions):
    told = dsi.describe(sessions, top=3)
    lines = repr(told).splitlines()
    (others,) = [line for line in lines if f"({len(told.features) - 3} others)" in line]
    assert told.features[2].name in repr(told) and told.features[3].name not in repr(told)
    assert others.rstrip().endswith("%")


@pytest.fixture
def hostile(tmp_path):
    columns = {name: numpy.arange(9) // 3 for name in HOSTILE}
    features = [
        {"name": name, "kind": "dense", "type": "int64", "nested": False} for name in columns
    ]
    groups = [{"name": HOSTILE[0], "features": HOSTILE}]
    schema = {"features": features, "groups": groups}
    dsi.write(columns, tmp_path / "a.dsi", schema=schema)
    return dsi.describe(tmp_path / "a.dsi")


class Page(HTMLParser):
    """Tags and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attributes)

    def handle_data(self, data):
        self.text += data


def test_names_are_text_wherever_they_are_shown(hostile):
    page = Page(hostile._repr_html_())
    assert page.tags == TAGS
    assert not [name for name in page.attributes if name.startswith("on") or name == "href"]
    assert HOSTILE[0] in page.text
    for shown in (repr(hostile), page.text):
        assert not [c for c in shown if not c.isprintable() and c != "\n"]
        assert "\\u{1b}[31mred" in shown and "\\u{202e}" in shown
    assert max(map(len, repr(hostile).splitlines())) < 150


def test_plots_are_svg_of_their_own(hostile, sessions):
    for told in (hostile, dsi.describe(sessions)):
        plots = told.plots()
        assert list(plots) == ["bytes", "dedup", "plan"]
        for plot in plots.values():
            root = ElementTree.fromstring(plot)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            bars = root.findall("{http://www.w3.org/2000/svg}rect")
            assert bars and all(0 <= float(bar.get("width")) <= 330 for bar in bars)


def test_what_is_not_there_is_said(sessions, tmp_path):
    with pytest.raises(dsi.NotFound):
        dsi.describe(tmp_path / "no.dsi")
    with pytest.raises(dsi.NotFound, match="user.hist_item".replace(".", "[.]")):
        dsi.describe(sessions, "user.hist_itm")
    with pytest.raises(dsi.InvalidArgument, match="'~'"):
        dsi.describe(sessions, where=("label", "~", 1))
