"""Whether files are whole, how many rows they give, and the notes that they carry."""

import json
import shutil

import dsi
import pytest

SCHEMA = {
    "features": [
        {"name": "id", "kind": "key", "type": "int64"},
        {"name": "label", "kind": "label", "type": "int8"},
        {"name": "clicks", "kind": "list", "type": "int64"},
    ],
    "metadata": {"team": "ads", "made": "by hand"},
}


def rows(begin, end):
    return [{"id": i, "label": i % 3, "clicks": [i] * (i % 5)} for i in range(begin, end)]


@pytest.fixture
def folder(tmp_path):
    for part in range(4):
        begin = 500 * part
        dsi.write(rows(begin, begin + 500), tmp_path / f"{part}.dsi", SCHEMA, stripe_rows=100)
    return tmp_path


def damage(path, at=300):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def states(files):
    return [file.state for file in files]


def test_files_of_a_dataset(folder):
    dataset = dsi.open([folder / "1.dsi", folder / "0.dsi"])
    damage(folder / "1.dsi")
    assert states(dsi.verify(dataset)) == ["damaged", "sound"]


def test_sound_files(folder):
    told = []
    files = dsi.verify(folder, progress=lambda *now: told.append(now))
    assert states(files) == ["sound"] * 4
    assert [file.path for file in files] == [str(folder / f"{part}.dsi") for part in range(4)]
    assert all(file.num_rows == 500 and file.bytes > 0 and file.error is None for file in files)
    assert told[-1] == ("files", 4, 4)
    told.clear()
    [one] = dsi.verify(folder / "0.dsi", threads=1, progress=lambda *now: told.append(now))
    assert told[-1] == ("bytes", one.bytes, one.bytes)
    assert states(dsi.verify([folder / "1.dsi", str(folder / "[23].dsi")])) == ["sound"] * 3


def test_each_file_has_its_verdict(folder):
    damage(folder / "1.dsi")
    (folder / "2.dsi").write_bytes((folder / "2.dsi").read_bytes()[:700])
    files = dsi.verify([folder, folder / "gone.dsi"])
    assert states(files) == ["sound", "damaged", "damaged", "sound", "unreadable"]
    assert "page" in files[1].damage[0].where and files[1].damage[0].message
    assert "the file was cut" in files[2].damage[0].message
    assert "No such file" in files[4].error and files[4].damage == []
    assert "1.dsi: damaged" in repr(files[1])


def test_a_manifest_says_which_files_they_are(folder):
    manifest = folder / "all.json"
    manifest.write_text(dsi.open(folder).manifest(str(folder)))
    shutil.copyfile(folder / "1.dsi", folder / "0.dsi")
    assert states(dsi.verify(folder)) == ["sound"] * 4
    files = dsi.verify(manifest)
    assert states(files) == ["damaged"] + ["sound"] * 3
    assert "the manifest says" in files[0].damage[-1].message


def test_overlays_fit_one_of_the_files(folder):
    over = folder / "0.more.dsi"
    dsi.write_overlay(folder / "0.dsi", [{"score": 0.5}] * 500, over)
    assert [file.is_overlay for file in dsi.verify(folder)] == [False, True, False, False, False]
    (folder / "0.dsi").unlink()
    with pytest.raises(dsi.BadInput, match=r"0\.more\.dsi"):
        dsi.verify(folder)
    assert states(dsi.verify(over)) == ["sound"]


def test_it_can_be_stopped(folder):
    with pytest.raises(dsi.Cancelled):
        dsi.verify(folder, progress=lambda *_: False)
    with pytest.raises(ZeroDivisionError):
        dsi.verify(folder, progress=lambda *_: 1 / 0)
    with pytest.raises(dsi.NotFound):
        dsi.verify(folder / "*.txt")
    with pytest.raises(dsi.InvalidArgument):
        dsi.verify([])


def test_rows_are_counted_as_a_scan_gives_them(folder):
    dsi.delete_rows(folder / "1.dsi", ("id", "<", 600))
    dataset = dsi.open(folder)
    assert (len(dataset), dataset.count_rows()) == (2000, 1900)
    assert dataset.count_rows(rows=[(0, 10), (550, 700)]) == 110
    terms = (
        (),
        ("label", "==", 1),
        [("id", ">=", 700), dsi.AnyOf(("label", "==", 0), (dsi.Length("clicks"), ">", 2))],
        (dsi.Hash("id"), "<", 0.2),
        ("id", "in", [1, 2, 700, 1999, 5000]),
        ("clicks", "exists"),
    )
    for where in terms:
        for rest in ({}, {"rows": [(90, 1500)]}, {"sample": [(("label", "==", 0), 0.5)]}):
            given = sum(len(batch) for batch in dataset.scan("id", where=where, **rest))
            assert dataset.count_rows(where, **rest) == given > 0
    assert dataset.count_rows(("id", ">", 5000)) == 0
    with pytest.raises(dsi.NotFound, match="labels"):
        dataset.count_rows(("labels", "==", 1))
    with pytest.raises(dsi.InvalidArgument, match="ascending"):
        dataset.count_rows(rows=[(5, 3)])


def test_notes_are_stored_and_given_back(folder):
    assert dsi.open(folder).metadata_of(3) == SCHEMA["metadata"]
    out = folder / "noted.dsi"
    dsi.write(rows(0, 5), out, SCHEMA, metadata={"made": "by a test", "tag": "ä"})
    noted = {"team": "ads", "made": "by a test", "tag": "ä"}
    assert dsi.open(out).metadata_of(0) == noted
    # Also where the schema is found, and from and in tables.
    dsi.write(rows(0, 5), out, metadata={"tag": "1"}, overwrite=True)
    assert dsi.open(out).metadata_of(0) == {"tag": "1"}
    dsi.open(out).to_parquet(folder / "a.parquet")
    dsi.from_parquet(folder / "a.parquet", out, metadata={"from": "parquet"}, overwrite=True)
    assert dsi.open(out).metadata_of(0)["from"] == "parquet"
    table = dsi.Table.create(folder / "table")
    message = table.write(rows(0, 5), "job", schema=json.dumps(SCHEMA), metadata={"day": "1"})
    table.commit("job", [message])
    assert dsi.open(folder / "table").metadata_of(0) == {**SCHEMA["metadata"], "day": "1"}
    with pytest.raises(dsi.OutOfRange):
        dsi.open(out).metadata_of(1)
    with pytest.raises(dsi.BadInput, match="metadata"):
        dsi.write(rows(0, 5), folder / "x.dsi", metadata={"n": 5})
