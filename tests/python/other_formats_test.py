"""What calls and `dsictl` say of files of other formats: names, endings, columns, options."""

import os
import re
import subprocess
import sys

import dsi
import pyarrow
import pyarrow.compute as pc
import pyarrow.orc
import pyarrow.parquet
import pytest


@pytest.fixture
def parquet(tmp_path):
    """Three rows in a file t.parquet, in a folder of their own."""
    table = pyarrow.table({"label": [1, 0, 1], "clicks": [[1], [2, 3], []], "n": [0.5, 1.5, 2.5]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def dsictl(*arguments):
    code = "from dsi._dsictl import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True
    )


def refused(*arguments):
    """What `dsictl` says where it ends with 2."""
    done = dsictl(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done
    return done.stderr


# -- Names to write to.


@pytest.mark.parametrize(
    ("call", "ending", "advice"),
    [
        ("to_parquet", ".orc", "to_orc"),
        ("to_parquet", ".Feather", "to_feather"),
        ("to_parquet", ".arrow", "to_feather"),
        ("to_parquet", ".csv", "CSV is only read"),
        ("to_parquet", ".jsonl", "dsictl convert"),
        ("to_parquet", ".csv.gz", "dsictl convert"),
        ("to_parquet", ".dsi", "dsi.rewrite"),
        ("to_feather", ".pq", "to_parquet"),
        ("to_orc", ".parquet", "to_parquet"),
    ],
)
def test_a_name_that_ends_as_another_format_is_refused(sessions, tmp_path, call, ending, advice):
    with pytest.raises(dsi.InvalidArgument, match=rf"e{ending}: .*{advice}"):
        getattr(dsi.open(sessions), call)(tmp_path / f"e{ending}", ["label"])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("call", "ending", "magic"),
    [
        ("to_parquet", ".PQ", b"PAR1"),
        ("to_parquet", "", b"PAR1"),
        ("to_feather", ".arrow", b"ARROW1"),
        ("to_orc", ".orc", b"ORC"),
        ("to_orc", ".of", b"ORC"),
    ],
)
def test_other_names_are_written_to(sessions, tmp_path, call, ending, magic):
    out = tmp_path / f"e{ending}"
    getattr(dsi.open(sessions), call)(out, ["label"])
    assert out.read_bytes().startswith(magic)


def test_orc_goes_out_and_in(sessions, tmp_path):
    data, seen = dsi.open(sessions), []
    rows = data.to_orc(
        tmp_path / "a.orc",
        ["label", "user.*"],
        where=("label", "==", 1),
        progress=lambda *at: seen.append(at),
        compression=None,
    )
    expected = data.to_arrow(["label", "user.*"], where=("label", "==", 1))
    assert rows == len(expected) == seen[-1][1]
    found = pyarrow.orc.read_table(tmp_path / "a.orc")
    assert found.to_pydict() == expected.to_pydict()
    with pytest.raises(dsi.AlreadyExists):
        data.to_orc(tmp_path / "a.orc")
    with pytest.raises(dsi.Cancelled):
        data.to_orc(tmp_path / "b.orc", progress=lambda *_: False)
    assert os.listdir(tmp_path) == ["a.orc"]
    assert data.to_orc(tmp_path / "a.orc", ["label"], overwrite=True) == len(data)
    dsi.from_parquet(tmp_path / "a.orc", tmp_path / "a.dsi")
    assert dsi.open(tmp_path / "a.dsi").num_rows == len(data)


# -- Files to read.


@pytest.mark.parametrize(
    "name", ["s.jsonl", "s.NDJSON", "s.json.zst", "s.tsv", "s.csv.gz", "a b.jsonl"]
)
def test_texts_are_for_from_text(tmp_path, name):
    text, out = tmp_path / name, tmp_path / "o.dsi"
    text.write_text('{"a": 1}\n')
    for call in (dsi.from_parquet, dsi.write):
        for given in (text, str(text)):
            with pytest.raises(dsi.BadInput) as told:
                call(given, out)
            assert f"dsi.from_text({str(text)!r}, {str(out)!r})" in str(told.value)
    with pytest.raises(dsi.BadInput, match=r"dsi\.from_text"):
        dsi.from_parquet([tmp_path / "t.parquet", text], out)
    with pytest.raises(dsi.NotDsi, match=r"dsi\.from_text makes a \.dsi file of it"):
        dsi.open(text)
    assert os.listdir(tmp_path) == [name]


def test_write_says_what_takes_a_path(parquet, tmp_path):
    with pytest.raises(dsi.BadInput, match=r"dsi\.from_parquet\('.*t\.parquet', '.*o\.dsi'\)"):
        dsi.write(parquet, tmp_path / "o.dsi")
    with pytest.raises(dsi.BadInput, match=r"dsi\.open\('in\.dsi'\)"):
        dsi.write("in.dsi", tmp_path / "o.dsi")
    with pytest.raises(dsi.BadInput, match="a str is no table; expected"):
        dsi.write('{"a": 1}', tmp_path / "o.dsi")


def test_what_pyarrow_cannot_read_is_an_error_of_dsi(parquet, tmp_path):
    out = tmp_path / "o.dsi"
    (tmp_path / "rows").write_text('{"a": 1}\n')
    with pytest.raises(dsi.BadInput, match=r"rows.*'parquet'.*dsi\.from_text"):
        dsi.from_parquet(tmp_path / "rows", out)
    (tmp_path / "u.parquet").write_text("no table")
    with pytest.raises(dsi.BadInput, match=r"u\.parquet"):
        dsi.from_parquet([parquet, tmp_path / "u.parquet"], out)
    with pytest.raises(dsi.NotFound, match=r"none\.parquet: no such file"):
        dsi.from_parquet(tmp_path / "none.parquet", out)
    with pytest.raises(dsi.InvalidArgument, match=r"'xls'.*'parquet'"):
        dsi.from_parquet(parquet, out, format="xls")
    with pytest.raises(dsi.InvalidArgument, match=r"^filter \(nope > 1\): [^\n]*$"):
        dsi.from_parquet(parquet, out, filter=pc.field("nope") > 1)
    assert not out.exists()


def test_columns_that_are_not_there_are_named(parquet, tmp_path):
    out = tmp_path / "o.dsi"
    with pytest.raises(dsi.NotFound, match=r"no column is named 'lable'; near it: label$"):
        dsi.from_parquet(parquet, out, columns=["n", "lable"])
    with pytest.raises(dsi.NotFound, match=r"'zzz'; there are: label, clicks, n$"):
        dsi.files.find_schema(parquet, ["zzz"])
    dsi.from_parquet(parquet, out, columns="n")
    assert [c.name for c in dsi.open(out).columns()] == ["n"]
    told = refused("convert", parquet, tmp_path / "p.dsi", "--columns", "label,clikcs")
    assert told == f"dsictl: {parquet}: no column is named 'clikcs'; near it: clicks\n"
    wide = pyarrow.table({f"c{i}": [i] for i in range(1000)})
    pyarrow.parquet.write_table(wide, tmp_path / "wide.parquet")
    assert (
        len(refused("convert", tmp_path / "wide.parquet", out, "--force", "--columns", "x")) < 300
    )


# -- The program of the package.


def test_convert_lays_a_file_out_by_an_access_log(tmp_path):
    table = pyarrow.table({f"c{i}": range(i, 5000 * (i + 1), i + 1) for i in range(8)})
    source, log = tmp_path / "w.parquet", tmp_path / "log.jsonl"
    pyarrow.parquet.write_table(table, source)
    dsi.from_parquet(source, tmp_path / "plain.dsi")
    data = dsi.open(tmp_path / "plain.dsi")
    list(data.scan(["c1", "c6"], access_log=log))
    dsi.from_parquet(source, tmp_path / "asked.dsi", layout_from=str(log))
    done = dsictl("convert", source, tmp_path / "by.dsi", "--layout-from", log, "-q")
    assert (done.returncode, done.stderr) == (0, "")
    made = {name: (tmp_path / f"{name}.dsi").read_bytes() for name in ("plain", "asked", "by")}
    assert made["by"] == made["asked"] != made["plain"]
    done = dsictl("convert", source, tmp_path / "n.dsi", "--layout-from", tmp_path / "none")
    assert (done.returncode, "none" in done.stderr) == (3, True)
    told = refused("convert", tmp_path / "by.dsi", tmp_path / "o.orc", "--layout-from", log)
    assert "--layout-from means nothing when a .dsi file is turned into another format" in told


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (["--explain-schema"], "types of columns decide"),
        (["--infer-rows", "5"], "types of columns decide"),
        (["--time-format", "%Y"], "times have a type"),
        (["--epoch-unit=s"], "times have a type"),
        (["--format", "csv"], "the end of the name"),
        (["--original-order"], "JSON Lines"),
        (["--on-error", "skip"], "one type"),
        (["--max-errors", "5"], "one type"),
        (["--rejects", "bad.jsonl"], "one type"),
        (["--header", "a"], "cells of CSV"),
        (["--separator", ";"], "cells of CSV"),
        (["--no-quotes"], "cells of CSV"),
        (["--missing", "NA"], "cells of CSV"),
        (["--list-separator", ","], "cells of CSV"),
        (["--lists", "a"], "cells of CSV"),
    ],
    ids=lambda option: option[0] if isinstance(option, list) else "",
)
def test_options_of_texts_are_refused_with_the_reason(parquet, tmp_path, option, why):
    told = refused("convert", *option, parquet, tmp_path / "o.dsi")
    name = option[0].partition("=")[0]
    assert told.startswith(f"dsictl: {name} means nothing for Parquet") and why in told
    assert told.count("\n") == 1 and not (tmp_path / "o.dsi").exists()


def test_every_option_of_the_program_is_taken_or_refused_with_a_reason():
    """Whatever `convert` of the program has, that of the package knows."""
    from dsi import _convert

    options = set(re.findall(r"--[a-z][a-z-]*", dsictl("convert", "--help").stdout))
    known = set(_convert._OF_TEXTS) | set(_convert._parser()._option_string_actions)
    assert {"--layout-from", "--time-format"} <= options
    assert options - known == set()


@pytest.mark.parametrize("verb", ["schema", "dedup", "overlay"])
def test_verbs_that_take_rows_say_how_to_make_a_dsi_file_of_them(parquet, verb):
    base = ["base.dsi"] if verb == "overlay" else []
    told = refused(verb, *base, parquet)
    made = parquet.with_suffix(".dsi")
    assert told.startswith(f"dsictl: {parquet}: {verb} does not read Parquet\n")
    assert f"dsictl convert {parquet} {made} && dsictl {verb} " in told and "package" not in told
    assert "Usage" in dsictl(verb, parquet, "--help").stdout
    parquet.write_text("no table")  # Nor is it one then: the program tells.
    assert f"{verb} does not read" not in dsictl(verb, *base, parquet).stderr


def test_what_the_hint_says_works(parquet):
    for verb in ("schema", "dedup"):
        hint = refused(verb, parquet).splitlines()[1]
        for command in hint.partition("of it: ")[2].split(" && "):
            done = dsictl(*command.split()[1:], *(["--force"] if "convert" in command else []))
            assert done.returncode == 0, done.stderr
