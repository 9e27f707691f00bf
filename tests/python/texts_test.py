"""`from_text`, `Writer.append_text` and `schema_of_text`, held against `dsictl convert`."""

import gzip
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time

import dsi
import pyarrow
import pytest

ROWS = [
    {
        "session_id": 7 + i // 4,
        "timestamp": 1_700_000_000_000 + i,
        "label": i % 2,
        "clicks": list(range(i // 4, i // 4 + 3)),
        "place": f"p{i // 8}",
    }
    for i in range(40)
]
SCHEMA = {"features": [{"name": "a", "kind": "dense", "type": "int64"}]}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(lines(ROWS))
    return path


def converted(tmp_path, *arguments):
    out = tmp_path / "by_dsictl.dsi"
    subprocess.run([os.environ["DSICTL"], "convert", *map(str, arguments), out, "-q"], check=True)
    return out.read_bytes()


def test_the_file_is_that_of_dsictl(log, tmp_path):
    report = dsi.from_text(log, tmp_path / "o.dsi")
    assert (report.num_rows, report.num_sessions) == (40, 10)
    assert (tmp_path / "o.dsi").read_bytes() == converted(tmp_path, log)
    with pytest.raises(dsi.AlreadyExists):
        dsi.from_text(log, tmp_path / "o.dsi")
    dsi.from_text(log, tmp_path / "o.dsi", overwrite=True, cluster_by="place", threads=1)
    assert dsi.open(tmp_path / "o.dsi").schema["cluster_by"] == ["place"]


def test_files_patterns_folders_and_packed_ones(tmp_path):
    (tmp_path / "day=1").mkdir()
    (tmp_path / "day=2").mkdir()
    (tmp_path / "day=1" / "a.jsonl").write_text(lines(ROWS[:20]))
    with gzip.open(tmp_path / "day=2" / "b.jsonl.gz", "wt") as file:
        file.write(lines(ROWS[20:]))
    named = [tmp_path / "day=1" / "a.jsonl", tmp_path / "day=2" / "b.jsonl.gz"]
    expected = converted(tmp_path, *named)
    for n, paths in enumerate((named, tmp_path, f"{tmp_path}/day=*/*")):
        out = tmp_path / f"{n}.dsi"
        assert dsi.from_text(paths, out).num_rows == 40
        assert out.read_bytes() == expected
        assert dsi.open(out).to_arrow(["day"])["day"].to_pylist() == [1] * 20 + [2] * 20
    with pytest.raises(dsi.InvalidArgument, match="named twice"):
        dsi.from_text([named[0], named[0]], tmp_path / "o.dsi")
    with pytest.raises(dsi.InvalidArgument, match="no file"):
        dsi.from_text([], tmp_path / "o.dsi")
    for none in ("none-*", "none", "none.jsonl"):
        with pytest.raises(dsi.NotFound, match=rf"{re.escape(none)}: no "):
            dsi.from_text(tmp_path / none, tmp_path / "o.dsi")
    for other, takes in (("a.dsi", r"dsi\.open"), ("a.parquet", r"dsi\.from_parquet")):
        (tmp_path / other).write_text("")
        with pytest.raises(dsi.BadInput, match=rf"{other}: .*no text; {takes}"):
            dsi.from_text(tmp_path / other, tmp_path / "o.dsi")
    assert not (tmp_path / "o.dsi").exists()


def test_cells_of_csv(tmp_path):
    text, out = tmp_path / "t.txt", tmp_path / "o.dsi"
    text.write_text("1;x;2/3;\\N;05/02/2026\n2;y;;4;06/02/2026\n")
    dsi.from_text(
        text,
        out,
        format="csv",
        separator=";",
        header=["user_id", "", "clicks", "n", "time"],
        lists=["clicks"],
        list_separator="/",
        missing="\\N",
        quotes=False,
        time_formats=["%d/%m/%Y"],
    )
    made = dsi.open(out).to_arrow(["user_id", "clicks", "n"]).to_pylist()
    assert made == [
        {"user_id": 1, "clicks": [2, 3], "n": None},
        {"user_id": 2, "clicks": None, "n": 4},
    ]
    expected = converted(
        tmp_path, text, "--format", "csv", "--separator", ";", "--header", "user_id,,clicks,n,time",
        "--lists", "clicks", "--list-separator", "/", "--missing", "\\N", "--no-quotes",
        "--time-format", "%d/%m/%Y",
    )  # fmt: skip
    assert out.read_bytes() == expected


def test_the_unit_of_numbers_of_times(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"ts": 1700000000}\n')
    schema = {"features": [{"name": "ts", "kind": "timestamp", "unit": "ms"}]}
    dsi.from_text(tmp_path / "t.jsonl", tmp_path / "o.dsi", schema, epoch_unit="s")
    (row,) = dsi.open(tmp_path / "o.dsi").to_arrow().to_pylist()
    assert row["ts"].timestamp() == 1_700_000_000


def test_a_schema_is_found_changed_and_used(log, tmp_path):
    found = dsi.schema_of_text(log)
    assert {f["name"]: f["kind"] for f in found["features"]} == {
        "session_id": "key",
        "timestamp": "timestamp",
        "label": "label",
        "clicks": "list",
        "place": "string",
    }
    found["features"] = [f for f in found["features"] if f["name"] != "place"]
    with pytest.raises(dsi.BadInput, match=r"log\.jsonl:1.*place"):
        dsi.from_text(log, tmp_path / "o.dsi", found)
    dsi.from_text(log, tmp_path / "o.dsi", found, ignore_unknown=True)
    assert "place" not in dsi.open(tmp_path / "o.dsi").schema
    (tmp_path / "late.jsonl").write_text(lines([{"a": 1}, {"a": 2}, {"a": 0.5, "b": 1}]))
    of_two = dsi.schema_of_text(tmp_path / "late.jsonl", infer_rows=2)["features"]
    assert [(f["name"], f["type"]) for f in of_two] == [("a", "int64")]


def test_warnings_point_at_who_calls(tmp_path):
    text, out = tmp_path / "t.jsonl", tmp_path / "o.dsi"
    text.write_text('{"tags": ["a"]}\n')
    for call in (
        lambda: dsi.from_text(text, out, overwrite=True),
        lambda: dsi.schema_of_text(text),
        lambda: dsi.write([{"tags": ["a"]}], out, overwrite=True),
        lambda: dsi.write(pyarrow.table({"tags": [["a"]]}), out, overwrite=True),
    ):
        with pytest.warns(UserWarning, match="tags: lists of strings") as told:
            call()
        assert [warning.filename for warning in told] == [__file__]


def test_what_was_read_is_told(log, tmp_path):
    schema = {"features": [{"name": n, "kind": "dense", "type": "int64"} for n in ("label", "x")]}
    with dsi.Writer(tmp_path / "o.dsi", schema, ignore_unknown=True) as writer:
        writer.append([{"label": 5}])
        read = writer.append_text(log)
        assert (read.num_rows, read.num_bad_rows, writer.num_rows) == (40, 0, 41)
        assert dict(read.ignored) == dict.fromkeys(
            ("session_id", "timestamp", "clicks", "place"), 40
        )
        assert list(read.absent) == ["x"]
        with pytest.raises(dsi.InvalidArgument, match="lists"):
            writer.append_text(log, lists=["clicks"])
    with pytest.raises(dsi.InvalidArgument, match="finished"):
        writer.append_text(log)
    assert dsi.open(tmp_path / "o.dsi").num_rows == 41


def test_bad_rows_are_handed_out_or_an_error(tmp_path):
    text, out = tmp_path / "t.jsonl", tmp_path / "o.dsi"
    text.write_bytes(b'{"a": 1}\n{"a": \xff}\n{"a": "x"}\n{"a": 4}\n')
    with pytest.raises(dsi.BadInput, match=r"t\.jsonl:2"):
        dsi.from_text(text, out, SCHEMA)
    assert not out.exists()
    bad = []
    assert dsi.from_text(text, out, SCHEMA, on_bad_row=bad.append).num_rows == 2
    assert [(row.file, row.line, row.text) for row in bad] == [
        (str(text), 2, b'{"a": \xff}'),
        (str(text), 3, b'{"a": "x"}'),
    ]
    assert "t.jsonl:3" in bad[1].reason
    assert dsi.open(out).to_arrow()["a"].to_pylist() == [1, 4]
    # Where no schema is given it is found from the rows that can be read.
    text.write_text('{"a": 1}\n{"a"\n')
    with dsi.Writer(out, overwrite=True) as writer:
        read = writer.append_text(text, on_bad_row=bad.append)
        assert (read.num_rows, read.num_bad_rows) == (1, 1)
        assert read.first_bad_row == bad[2].reason


def test_on_bad_row_stops_and_raises(tmp_path):
    text, out = tmp_path / "t.jsonl", tmp_path / "o.dsi"
    text.write_text('{"a": 1}\nnone\n')
    with pytest.raises(dsi.Cancelled, match="on_bad_row"):
        dsi.from_text(text, out, SCHEMA, on_bad_row=lambda row: False)

    def fail(row):
        raise KeyError(row.line)

    with pytest.raises(KeyError, match="2"):
        dsi.from_text(text, out, SCHEMA, on_bad_row=fail)
    assert os.listdir(tmp_path) == ["t.jsonl"]


def test_rows_before_an_error_are_added(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n{"a": 2}\n{"b": 3}\n')
    with dsi.Writer(tmp_path / "o.dsi", SCHEMA) as writer:
        with pytest.raises(dsi.BadInput, match=r"t\.jsonl:3"):
            writer.append_text(tmp_path / "t.jsonl")
        assert writer.num_rows == 2


def test_progress_is_told_of_both_readings_and_stops_them(log, tmp_path):
    told = []
    dsi.from_text(log, tmp_path / "o.dsi", progress=lambda *at: told.append(at))
    size = log.stat().st_size
    for phase in ("schema", "read"):
        assert [at for at in told if at[0] == phase][-1][1:] == (size, size)
    for stop in ("schema", "read"):
        with pytest.raises(dsi.Cancelled):
            dsi.from_text(
                log, tmp_path / "p.dsi", progress=lambda phase, *_, stop=stop: phase != stop
            )
    assert not (tmp_path / "p.dsi").exists()


def test_a_pipe_is_read_once_and_takes_a_schema(tmp_path):
    pipe = tmp_path / "rows.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(dsi.InvalidArgument, match=r"rows\.jsonl: can be read but once.*schema="):
        dsi.from_text(pipe, tmp_path / "o.dsi")
    with pytest.raises(dsi.InvalidArgument, match="-: can be read but once"):
        dsi.schema_of_text("-")
    thread = threading.Thread(target=lambda: pipe.write_text('{"a": 1}\n{"a": 2}\n'))
    thread.start()
    assert dsi.from_text(pipe, tmp_path / "o.dsi", SCHEMA).num_rows == 2
    thread.join()


def test_ctrl_c_ends_waiting_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "rows.jsonl")
    script = f"import dsi; print('go', flush=True); dsi.from_text('rows.jsonl', 'o.dsi', {SCHEMA})"
    job = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert job.stdout.readline() == "go\n"
    time.sleep(0.3)
    with open(tmp_path / "rows.jsonl", "w") as rows:
        rows.write('{"a": 1}\n')
        rows.flush()
        job.send_signal(signal.SIGINT)
    _, errors = job.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert os.listdir(tmp_path) == ["rows.jsonl"]


def test_tfrecords_and_criteo(tmp_path):
    def framed(data):
        # Checksums are of another table than zlib's; what is damaged is found by them.
        return struct.pack("<Q", len(data)) + b"\0" * 4 + data + b"\0" * 4

    (tmp_path / "t.tfrecord").write_bytes(framed(b"\n\0"))
    with pytest.raises(dsi.Error, match=r"t\.tfrecord"):
        dsi.from_text(tmp_path / "t.tfrecord", tmp_path / "o.dsi")
    cells = ["1", *map(str, range(13)), *(f"{i:08x}" for i in range(26))]
    (tmp_path / "day_0").write_text("\t".join(cells) + "\n")
    dsi.from_text(tmp_path / "day_0", tmp_path / "o.dsi", format="criteo")
    (row,) = dsi.open(tmp_path / "o.dsi").to_arrow().to_pylist()
    assert (row["label"], row["I13"]) == (1, 12)


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"format": "xml"}, "format is 'xml', expected one of .*'tfrecord'"),
        ({"epoch_unit": "h"}, "epoch_unit is 'h'"),
        ({"separator": ";;"}, "separator is ';;', expected one ASCII character"),
        ({"header": "a,b"}, "header is 'a,b', expected a list"),
        ({"lists": "a"}, "lists is 'a', expected a list"),
        ({"separator": ";"}, "separator"),
        ({"null_entries": "no"}, "null_entries"),
        ({"on_bad_row": "skip"}, "on_bad_row is 'skip', expected what can be called"),
    ],
)
def test_keywords_that_are_none(log, tmp_path, keywords, words):
    with pytest.raises(dsi.InvalidArgument, match=words):
        dsi.from_text(log, tmp_path / "o.dsi", **keywords)
    with pytest.raises(TypeError, match="formt"):
        dsi.from_text(log, tmp_path / "o.dsi", formt="csv")


def test_a_budget_is_kept(log, tmp_path):
    dsi.from_text(log, tmp_path / "o.dsi", memory_bytes=8 << 20)
    assert (tmp_path / "o.dsi").read_bytes() == converted(tmp_path, log)
