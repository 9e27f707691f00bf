"""Files of other formats: Parquet, Arrow, Feather, ORC and CSV, by call and by `dsictl convert`."""

import json
import os
import subprocess
import sys

import dsi
import pyarrow
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet
import pytest
import random_tables


@pytest.fixture(scope="module")
def table():
    return pyarrow.table(
        {
            "session_id": [3, 3, 1, 1, 2],
            "timestamp": pyarrow.array([5, 4, 3, 2, 1], pyarrow.timestamp("ms")),
            "label": pyarrow.array([1, 0, 0, 1, None], "int8"),
            "clicks": [[1, 2], [1, 2], [], None, [3]],
            "name": ["a", None, "", "ä", "e"],
        }
    )


def in_input_order(path):
    return dsi.open(path).to_arrow().to_pydict()


@pytest.mark.parametrize("ending", [".parquet", ".pq", ".arrow", ".feather", ".orc"])
def test_every_format(table, tmp_path, ending):
    path = tmp_path / f"a{ending}"
    if ending in (".parquet", ".pq"):
        pyarrow.parquet.write_table(table, path)
    elif ending == ".orc":
        table = table.set_column(1, "timestamp", table["timestamp"].cast(pyarrow.timestamp("ns")))
        pyarrow.orc.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)
    report = dsi.from_parquet(path, tmp_path / "a.dsi", keep_order=True)
    assert report.num_rows == 5
    assert in_input_order(tmp_path / "a.dsi") == table.to_pydict()


def test_csv(tmp_path):
    pyarrow.csv.write_csv(pyarrow.table({"a": [1, 2], "s": ["x", "y"]}), tmp_path / "a.csv")
    dsi.from_parquet(tmp_path / "a.csv", tmp_path / "a.dsi")
    assert in_input_order(tmp_path / "a.dsi") == {"a": [1, 2], "s": ["x", "y"]}


def hive(folder, tables):
    """A Parquet file in each folder; where they lie."""
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        pyarrow.parquet.write_table(table, folder / name / "a.parquet")
    return folder


def test_keys_in_paths_are_columns(tmp_path):
    one = pyarrow.table({"session_id": [1, 2]})
    folders = ["day=2026-01-01/hour=7/code=07", "day=2026-01-02/hour=8/code=08", "plain"]
    where = hive(tmp_path / "in", dict.fromkeys(folders, one))
    expected = {
        "session_id": [1, 2] * 3,
        "day": [b"2026-01-01"] * 2 + [b"2026-01-02"] * 2 + [None] * 2,
        "hour": [7, 7, 8, 8, None, None],
        "code": [b"07"] * 2 + [b"08"] * 2 + [None] * 2,
    }
    files = [where / name / "a.parquet" for name in folders]
    for paths in (where, files):
        dsi.from_parquet(paths, tmp_path / "a.dsi", keep_order=True, overwrite=True)
        table = dsi.open(tmp_path / "a.dsi").to_arrow()
        assert {
            c: [v.encode() if isinstance(v, str) else v for v in table[c].to_pylist()]
            for c in table.column_names
        } == expected
    dsi.from_parquet(where, tmp_path / "b.dsi", columns=["hour"])
    assert [c.name for c in dsi.open(tmp_path / "b.dsi").columns()] == ["hour"]
    assert '"day"' in dsi.files.find_schema(where)


def test_keys_in_paths_yield_to_files_and_schemas(table, tmp_path):
    own = pyarrow.table({"session_id": [1, 2], "day": [5, 6]})
    where = hive(tmp_path / "own", {"day=9/hour=1": own})
    dsi.from_parquet(where, tmp_path / "a.dsi", keep_order=True)
    found = in_input_order(tmp_path / "a.dsi")
    assert found == {"session_id": [1, 2], "day": [5, 6], "hour": [1, 1]}
    lacking = {"features": [{"name": "session_id", "kind": "key", "type": "int64"}]}
    dsi.from_parquet(where, tmp_path / "b.dsi", {**lacking}, ignore_unknown=True)
    assert [c.name for c in dsi.open(tmp_path / "b.dsi").columns()] == ["session_id"]
    one = pyarrow.table({"session_id": [1, 2]})
    plain = hive(tmp_path / "plain", {"day=9": one})
    dsi.from_parquet(plain, tmp_path / "c.dsi", lacking)
    assert [c.name for c in dsi.open(tmp_path / "c.dsi").columns()] == ["session_id"]


def test_files_of_dsi_keep_their_schema_in_folders_with_keys(table, tmp_path):
    dsi.write(table, tmp_path / "a.dsi", cluster_by="session_id")
    for day in ("7", "x"):
        (tmp_path / "in" / f"day={day}").mkdir(parents=True)
        dsi.open(tmp_path / "a.dsi").to_parquet(tmp_path / "in" / f"day={day}" / "a.parquet")
    dsi.from_parquet(tmp_path / "in", tmp_path / "b.dsi")
    kinds = {c.name: c.kind for c in dsi.open(tmp_path / "b.dsi").columns()}
    of_a = {c.name: c.kind for c in dsi.open(tmp_path / "a.dsi").columns()}
    assert kinds == {**of_a, "day": "string"}


def test_several_files_and_folders(table, tmp_path):
    (tmp_path / "in").mkdir()
    for i in range(3):
        pyarrow.parquet.write_table(table, tmp_path / "in" / f"{i}.parquet", row_group_size=2)
    paths = [tmp_path / "in" / f"{i}.parquet" for i in range(3)]
    for source in (paths, tmp_path / "in", map(str, paths)):
        report = dsi.from_parquet(
            source, tmp_path / "a.dsi", cluster_by="session_id", overwrite=True
        )
        assert (report.num_rows, report.num_sessions) == (15, 3)


def test_columns_filter_and_schema(table, tmp_path):
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    dsi.from_parquet(
        tmp_path / "a.parquet",
        tmp_path / "a.dsi",
        columns=["label", "clicks"],
        filter=pc.field("session_id") > 1,
    )
    assert in_input_order(tmp_path / "a.dsi") == {
        "label": [1, 0, None],
        "clicks": [[1, 2], [1, 2], [3]],
    }
    schema = {
        "features": [
            {"name": "label", "kind": "label", "type": "float32"},
            {"name": "absent", "kind": "dense"},
        ]
    }
    with pytest.raises(dsi.BadInput, match=r"ignore_unknown|no feature"):
        dsi.from_parquet(tmp_path / "a.parquet", tmp_path / "b.dsi", schema)
    dsi.from_parquet(tmp_path / "a.parquet", tmp_path / "b.dsi", schema, ignore_unknown=True)
    assert in_input_order(tmp_path / "b.dsi") == {
        "label": [1, 0, 0, 1, None],
        "absent": [None] * 5,
    }


def test_exports_are_whole_or_not_there(sessions, tmp_path):
    data = dsi.open(sessions)
    for export in (data.to_parquet, data.to_feather):
        out = tmp_path / "a.out"
        with pytest.raises(dsi.Cancelled):
            export(out, progress=lambda *_: False)

        def fail(*_):
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            export(out, progress=fail)
        assert os.listdir(tmp_path) == []
        assert export(out) == len(data)
        with pytest.raises(dsi.AlreadyExists):
            export(out)
        export(out, ["label"], overwrite=True, where=("label", "==", 1))
        assert os.listdir(tmp_path) == ["a.out"]
        os.unlink(out)


def test_feather_keeps_the_schema(tmp_path):
    schema, rows = random_tables.make(8, 200)
    dsi.write(map(random_tables.nested, rows), tmp_path / "a.dsi", schema)
    data = dsi.open(tmp_path / "a.dsi")
    data.to_feather(tmp_path / "a.feather")
    dsi.from_parquet(tmp_path / "a.feather", tmp_path / "b.dsi")
    again = dsi.open(tmp_path / "b.dsi")
    assert again.schema == data.schema
    assert again.to_arrow().equals(data.to_arrow())


def test_a_note_that_is_no_schema_of_the_table_is_none(tmp_path):
    for note in (
        "{",
        '{"features": []}',
        '{"features": [{"name": "b", "kind": "dense"}]}',
        "[3]",
        '{"features": [{"name": "a", "kind": "list"}, {"name": "b", "kind": "dense"}]}',
    ):
        table = pyarrow.table({"a": [1], "b": [2.5]}).replace_schema_metadata({"dsi.schema": note})
        if '"list"' in note:
            with pytest.raises(dsi.BadInput, match="a"):
                dsi.write(table, tmp_path / "a.dsi", overwrite=True)
            continue
        dsi.write(table, tmp_path / "a.dsi", overwrite=True)
        assert in_input_order(tmp_path / "a.dsi") == {"a": [1], "b": [2.5]}


def test_open_of_another_format_names_what_makes_a_dsi_file_of_it(table, tmp_path):
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    for where in (tmp_path / "a.parquet", tmp_path / "*.parquet"):
        with pytest.raises(dsi.NotDsi, match=r"a\.parquet.*dsi\.from_parquet"):
            dsi.open(where)
    (tmp_path / "a.dsi").write_bytes(bytes(1000))
    with pytest.raises(dsi.NotDsi) as told:
        dsi.open(tmp_path / "a.dsi")
    assert "from_parquet" not in str(told.value)


# -- dsictl convert.


def dsictl(*arguments, without=()):
    hidden = "".join(f"sys.modules[{name!r}] = None; " for name in without)
    code = f"import sys; {hidden}from dsi._dsictl import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True
    )


def test_convert_warns_of_strings_in_lists(tmp_path):
    pyarrow.parquet.write_table(pyarrow.table({"tags": [["a"]]}), tmp_path / "a.parquet")
    done = dsictl("convert", tmp_path / "a.parquet", tmp_path / "a.dsi", "-q")
    assert done.returncode == 0
    assert done.stderr.startswith("dsictl: warning: tags: lists of strings are stored as ids (")
    assert done.stderr.count("\n") == 1


def test_convert_to_dsi(table, tmp_path):
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    done = dsictl(
        "convert",
        tmp_path / "a.parquet",
        tmp_path / "a.dsi",
        "--json",
        "--session-key",
        "session_id",
        "--time",
        "timestamp",
        "--threads",
        1,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["rows"], report["sessions"], report["output"]) == (5, 3, str(tmp_path / "a.dsi"))
    assert report["bytes_out"] == os.path.getsize(tmp_path / "a.dsi")
    assert dsi.open(tmp_path / "a.dsi").schema["cluster_by"] == ["session_id", "timestamp"]
    again = dsictl("convert", tmp_path / "a.parquet", tmp_path / "a.dsi")
    assert (again.returncode, "exists" in again.stderr) == (2, True)
    forced = dsictl(
        "convert",
        tmp_path / "a.parquet",
        tmp_path / "a.dsi",
        "--force",
        "-q",
        "--columns",
        "label,clicks",
    )
    assert (forced.returncode, forced.stdout) == (0, "")
    assert set(in_input_order(tmp_path / "a.dsi")) == {"label", "clicks"}


def test_convert_of_a_pattern(table, tmp_path):
    for name in ("b", "a"):
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet")
    done = dsictl("convert", tmp_path / "?.parquet", tmp_path / "a.dsi", "--keep-order", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["rows"] == 2 * len(table)
    sizes = [os.path.getsize(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    assert report["bytes_in"] == sum(sizes)


def test_convert_adds_notes_and_a_time(table, tmp_path):
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    done = dsictl(
        "convert",
        tmp_path / "a.parquet",
        tmp_path / "a.dsi",
        "--metadata",
        "team=ads",
        "--time",
        "timestamp",
    )
    assert done.returncode == 0, done.stderr
    schema = dsi.open(tmp_path / "a.dsi").schema
    assert schema["metadata"] == {"team": "ads"}
    assert schema["cluster_by"] == ["session_id", "timestamp"]


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow", ".orc"])
def test_convert_from_dsi(sessions, tmp_path, ending):
    out = tmp_path / f"a{ending}"
    done = dsictl("convert", sessions, out, "--where", "label == 1", "--features", "label")
    assert done.returncode == 0, done.stderr
    rows = dsi.open(sessions).to_arrow("label", where=("label", "=", 1))
    found = pyarrow.dataset.dataset(
        out, format={".parquet": "parquet", ".orc": "orc"}.get(ending, "ipc")
    )
    assert found.to_table()["label"].to_pylist() == rows["label"].to_pylist()
    assert f"rows     {len(rows):,}" in done.stdout


def test_convert_of_no_rows(sessions, tmp_path):
    for ending in (".parquet", ".feather", ".orc"):
        out = tmp_path / f"a{ending}"
        done = dsictl("convert", sessions, out, "--where", "label > 5", "--features", "label")
        assert done.returncode == 0, done.stderr
        kind = {".parquet": "parquet", ".orc": "orc"}.get(ending, "ipc")
        found = pyarrow.dataset.dataset(out, format=kind).to_table()
        assert (found.num_rows, found.column_names) == (0, ["label"])


def test_convert_to_orc_refuses_types_that_it_lacks(tmp_path):
    table = {"n": pyarrow.array([1], "uint8"), "ids": [[1]], "x": [0.5]}
    table["hashes"] = pyarrow.array([[1]], pyarrow.list_(pyarrow.uint64()))
    dsi.write(pyarrow.table(table), tmp_path / "a.dsi")
    done = dsictl("convert", tmp_path / "a.dsi", tmp_path / "a.orc")
    assert done.returncode == 2
    assert "ORC has no type for n (uint8), hashes (large_list<item: uint64>)" in done.stderr
    assert "Traceback" not in done.stderr
    assert os.listdir(tmp_path) == ["a.dsi"]
    done = dsictl("convert", tmp_path / "a.dsi", tmp_path / "a.orc", "--columns", "ids,x")
    assert done.returncode == 0, done.stderr
    found = pyarrow.orc.read_table(tmp_path / "a.orc")
    assert found.to_pydict() == {"ids": [[1]], "x": [0.5]}


def test_an_index_of_pandas_without_a_name_is_no_column(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [3, 1, 2]}).sort_values("a")
    frame.to_parquet(tmp_path / "a.parquet")
    index = "__index_level_0__"
    assert index in pyarrow.parquet.read_schema(tmp_path / "a.parquet").names
    assert '"a"' in dsi.files.find_schema(tmp_path / "a.parquet")
    assert index not in dsi.files.find_schema(tmp_path / "a.parquet")

    def features(**options):
        dsi.from_parquet(tmp_path / "a.parquet", tmp_path / "a.dsi", overwrite=True, **options)
        return {
            feature["name"]: feature for feature in dsi.open(tmp_path / "a.dsi").schema["features"]
        }

    plain = features()
    assert list(plain) == ["a"]
    assert list(features(schema={"features": [plain["a"]]})) == ["a"]
    asked = features(columns=["a", index])
    assert list(asked) == ["a", index]
    assert list(features(schema={"features": [*asked.values()]})) == ["a", index]
    frame.rename_axis("place").to_parquet(tmp_path / "a.parquet")
    assert set(features()) == {"a", "place"}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["no.parquet", "a.dsi"], 3, "no.parquet: no such file"),
        (["no*.parquet", "a.dsi"], 3, "no*.parquet: no file has such a name"),
        (["bad.parquet", "*.parquet", "a.dsi"], 2, "bad.parquet: named twice"),
        (["no.dsi", "a.parquet"], 3, "no.dsi"),
        (["{sessions}", "a.parquet", "--columns", "nope"], 2, "nope"),
        (["a.jsonl", "a.parquet"], 2, "in one step"),
        (["{sessions}", "a.parquet", "--keep-order"], 2, "--keep-order means nothing"),
        (["bad.parquet", "a.dsi", "--where", "label = 1"], 2, "--where means nothing"),
        (["bad.parquet", "a.dsi"], 2, "arquet"),
        (["bad.parquet", "bad.orc", "a.dsi"], 2, "several formats"),
        (["{sessions}", "a.parquet", "--where", "label ~ 1"], 2, "FEATURE OP VALUE"),
        (["{sessions}", "a.parquet", "--where", "nobody = 1"], 2, "nobody"),
        (["bad.parquet", "a.dsi", "--memory", "much"], 2, "a size such as"),
        (["bad.parquet", "a.dsi", "--nothing"], 2, "--nothing"),
    ],
)
def test_convert_refuses(sessions, tmp_path, arguments, code, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + bytes(100))
    done = dsictl("convert", *(text.format(sessions=sessions) for text in arguments))
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert os.listdir(tmp_path) == ["bad.parquet"]


def test_convert_without_pyarrow_says_what_to_install(tmp_path):
    done = dsictl("convert", "a.parquet", "a.dsi", without=["pyarrow"])
    assert done.returncode == 2
    assert 'pip install "dsi[arrow]"' in done.stderr


def test_columns_that_the_first_file_lacks_are_read(tmp_path):
    where = tmp_path / "in"
    where.mkdir()
    pyarrow.parquet.write_table(
        pyarrow.table({"a": pyarrow.array([1], "int32")}), where / "1.parquet"
    )
    later = pyarrow.table({"a": pyarrow.array([2**40], "int64"), "b": [5.0]})
    pyarrow.parquet.write_table(later, where / "2.parquet")
    dsi.from_parquet(where, tmp_path / "a.dsi", keep_order=True)
    assert dsi.open(tmp_path / "a.dsi").to_arrow().to_pydict() == {
        "a": [1, 2**40],
        "b": [None, 5.0],
    }
    pyarrow.parquet.write_table(
        pyarrow.table({"c": pyarrow.array(["x", "x"]).dictionary_encode()}), where / "3.parquet"
    )
    pyarrow.parquet.write_table(pyarrow.table({"c": ["y"]}), where / "4.parquet")
    dsi.from_parquet(where, tmp_path / "c.dsi", keep_order=True)
    assert dsi.open(tmp_path / "c.dsi").to_arrow()["c"].to_pylist() == [None, None, "x", "x", "y"]
    pyarrow.parquet.write_table(pyarrow.table({"a": ["x"]}), where / "5.parquet")
    with pytest.raises(dsi.BadInput, match=r"5\.parquet: its columns do not go together"):
        dsi.from_parquet(where, tmp_path / "b.dsi")


@pytest.mark.parametrize(
    ("mark", "format"),
    [
        ("_delta_log/0.json", "Delta Lake"),
        (".hoodie/hoodie.properties", "Hudi"),
        ("metadata/v1.metadata.json", "Iceberg"),
    ],
)
def test_files_of_tables_that_may_have_deleted_some_are_refused(tmp_path, mark, format):
    where = tmp_path / "in"
    where.mkdir()
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), where / "1.parquet")
    dsi.from_parquet(where, tmp_path / "a.dsi")
    (where / mark).parent.mkdir()
    (where / mark).write_text("{}")
    for path in (where, where.as_uri()):
        with pytest.raises(dsi.InvalidArgument, match=f"a table of {format}"):
            dsi.from_parquet(path, tmp_path / "b.dsi")


def test_convert_does_with_nulls_in_lists_what_is_asked(tmp_path):
    pyarrow.parquet.write_table(pyarrow.table({"a": [[1, None], [3]]}), tmp_path / "a.parquet")
    where = ("convert", tmp_path / "a.parquet", tmp_path / "a.dsi")
    refused = dsictl(*where)
    assert refused.returncode == 2 and "null_entries drops or fills them" in refused.stderr
    assert dsictl(*where, "--null-entries", "drop").returncode == 0
    assert dsi.open(tmp_path / "a.dsi").to_arrow()["a"].to_pylist() == [[1], [3]]
