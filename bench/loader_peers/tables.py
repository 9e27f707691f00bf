"""Tables to load: made as .dsi, from which the others make their files.

So all have the same rows in the same order. A table is kept until dsictl or the command that makes
its rows is another; the files of the loaders go with it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RETAIL = ROOT.parent / "shared" / "data" / "make_table.py"
ROWS = {"p3": 200_000, "retail": 541_909}
# 3 of 31 lists, and every tenth of 390 numbers: a tenth of the features.
P3_LISTS = ["user_seq0", "user_set4", "user_set14"]


def made_by(name, rows, dsictl):
    """What a table depends on, as it is noted beside the table."""
    version = subprocess.run([dsictl, "--version"], capture_output=True, text=True, check=True)
    program = Path(dsictl).stat()
    return {
        "dsictl": [version.stdout.strip(), program.st_size, program.st_mtime_ns],
        "rows": list(map(str, rows_command(name, rows, dsictl))),
    }


def rows_command(name, rows, dsictl):
    """Writes the rows of a profile of dsictl generate, or of the log of a shop, as JSON Lines."""
    if name == "retail":
        options = ["--preset", "retail", "--hash-ids", "--max-rows", rows, "--out", "-"]
        return [sys.executable, RETAIL, *options]
    return [dsictl, "generate", "--quiet", "--profile", name, "--rows", rows, "-"]


def make_dsi(name, rows, folder, dsictl):
    """table.dsi in the folder."""
    if name == "retail":
        options = ["--session-key", "session_id", "--time", "timestamp"]
    else:
        schema = folder / "schema.json"
        write_schema = ["--rows", 1, "--write-schema", schema, folder / "one.jsonl"]
        run([dsictl, "generate", "--quiet", "--profile", name, *write_schema])
        options = ["--schema", schema]
    source = list(map(str, rows_command(name, rows, dsictl)))
    text = subprocess.Popen(source, stdout=subprocess.PIPE)
    run(
        [dsictl, "convert", "--quiet", *options, "-", folder / "table.dsi"],
        stdin=text.stdout,
    )
    text.stdout.close()
    if text.wait() != 0:
        raise SystemExit(f"{' '.join(source)} failed; see above")


def is_kept(folder, by):
    """Whether the folder holds a whole table made in this way; if not, it is emptied."""
    note = folder / "made_by.json"
    if note.exists() and json.loads(note.read_text()) == by:
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return False


def keep(folder, by):
    (folder / "made_by.json").write_text(json.dumps(by))


def wide(rows, work, dsictl):
    """Path of a .dsi of 20,000 features, half of them lists."""
    folder, by = Path(work) / f"wide-{rows}", made_by("wide", rows, dsictl)
    if not is_kept(folder, by):
        make_dsi("wide", rows, folder, dsictl)
        keep(folder, by)
    return folder / "table.dsi"


def run(command, **keywords):
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, **keywords)


def choose(name, dataset):
    """What is read: of P3 a tenth of the features, of others all lists of integers and numbers."""
    known = dataset.columns()
    lists = [c.name for c in known if c.kind in ("list", "sequence") and "int" in c.type]
    dense = [c.name for c in known if c.kind == "dense"]
    label = next(c.name for c in known if c.kind == "label")
    if name == "p3":
        lists, dense = P3_LISTS, dense[::10]
    # A dot means a struct to some.
    names = {n.replace(".", "__"): n for n in [*lists, *dense, label]}
    peers = {of: n for n, of in names.items()}
    return {
        "lists": [peers[n] for n in lists],
        "dense": [peers[n] for n in dense],
        "label": peers[label],
        "names": names,
    }


def as_arrow(dataset):
    """All columns for those who take Arrow: int32 offsets, what is missing empty or 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = dataset.to_arrow()
    names, columns = [], []
    for field, column in zip(table.schema, table.columns):
        if pa.types.is_large_list(field.type):
            column = column.cast(pa.list_(field.type.value_type))
            if column.null_count:
                column = pc.if_else(pc.is_null(column), pa.scalar([], column.type), column)
        elif column.null_count and not pa.types.is_large_string(field.type):
            column = pc.fill_null(column, pa.scalar(0, column.type))
        names.append(field.name.replace(".", "__"))
        columns.append(column)
    return pa.table(columns, names=names)


def prepared(name, rows, work, dsictl):
    """The table's folder, with table.dsi, table.arrow and columns.json; None: it cannot be made."""
    if name == "retail" and not RETAIL.exists():
        return None
    rows = rows or ROWS.get(name, 100_000)
    folder, by = Path(work) / f"{name}-{rows}", made_by(name, rows, dsictl)
    if not is_kept(folder, by):
        print(f"making {name}, {rows} rows", file=sys.stderr, flush=True)
        make_dsi(name, rows, folder, dsictl)
        import dsi
        import pyarrow as pa

        dataset = dsi.open(folder / "table.dsi")
        table = as_arrow(dataset)
        path = str(folder / "table.arrow")
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=65_536)
        (folder / "columns.json").write_text(json.dumps(choose(name, dataset)))
        keep(folder, by)
    return folder
