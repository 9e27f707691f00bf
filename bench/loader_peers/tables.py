"""Tables to load: made once as .dsi, from which the others make their files, so that all have the same rows in the same order."""
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RETAIL = ROOT.parent / "shared" / "data" / "make_table.py"
ROWS = {"p3": 200_000, "retail": 541_909}
P3_LISTS = ["user_seq0", "user_set4", "user_set14"]  # 3 of 31 lists, and every tenth of 390 numbers: a tenth of the features.


def make_dsi(name, rows, folder, dsictl):
    """NAME.dsi of a profile of dsictl generate or of the log of a shop; False: its data is not there."""
    made, schema = folder / "table.dsi", folder / "schema.json"
    if name == "retail":
        if not RETAIL.exists():
            return False
        source = [sys.executable, RETAIL, "--preset", "retail", "--hash-ids", "--max-rows", rows, "--out", "-"]
        options = ["--session-key", "session_id", "--time", "timestamp"]
    else:
        generate = [dsictl, "generate", "--quiet", "--profile", name]
        run([*generate, "--rows", 1, "--write-schema", schema, "--force", folder / "one.jsonl"])
        source, options = [*generate, "--rows", rows, "-"], ["--schema", schema]
    text = subprocess.Popen(list(map(str, source)), stdout=subprocess.PIPE)
    run([dsictl, "convert", "--quiet", "--force", *options, "-", made], stdin=text.stdout)
    text.stdout.close()
    if text.wait() != 0:
        raise SystemExit(f"{source[0]} failed")
    return True


def wide(rows, work, dsictl):
    """Path of a .dsi of 20,000 features, half of them lists."""
    folder = Path(work) / f"wide-{rows}"
    if not (folder / "table.dsi").exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_dsi("wide", rows, folder, dsictl)
    return folder / "table.dsi"


def run(command, **keywords):
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, **keywords)


def choose(name, dataset):
    """What is read: of P3 a tenth of the features, of others every list of integers and every number."""
    known = dataset.columns()
    lists = [c.name for c in known if c.kind in ("list", "sequence") and "int" in c.type]
    dense = [c.name for c in known if c.kind == "dense"]
    label = next(c.name for c in known if c.kind == "label")
    if name == "p3":
        lists, dense = P3_LISTS, dense[::10]
    names = {n.replace(".", "__"): n for n in [*lists, *dense, label]}  # A dot means a struct to some.
    peers = {of: n for n, of in names.items()}
    return {"lists": [peers[n] for n in lists], "dense": [peers[n] for n in dense], "label": peers[label], "names": names}


def as_arrow(dataset):
    """All columns for those who take Arrow: int32 offsets, a missing list empty, a missing number 0."""
    import pyarrow as pa
    import pyarrow.compute as pc
    table = dataset.to_arrow()
    names, columns = [], []
    for field, column in zip(table.schema, table.columns):
        if pa.types.is_large_list(field.type):
            column = column.cast(pa.list_(field.type.value_type))
            column = pc.if_else(pc.is_null(column), pa.scalar([], column.type), column) if column.null_count else column
        elif column.null_count and not pa.types.is_large_string(field.type):
            column = pc.fill_null(column, pa.scalar(0, column.type))
        names.append(field.name.replace(".", "__"))
        columns.append(column)
    return pa.table(columns, names=names)


def prepared(name, rows, work, dsictl):
    """The table's folder, with table.dsi, table.arrow and columns.json; None: it cannot be made here."""
    rows = rows or ROWS.get(name, 100_000)
    folder = Path(work) / f"{name}-{rows}"
    if not (folder / "columns.json").exists():
        print(f"making {name}, {rows} rows", file=sys.stderr, flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        if not make_dsi(name, rows, folder, dsictl):
            return None
        import dsi
        import pyarrow as pa
        dataset = dsi.open(folder / "table.dsi")
        table = as_arrow(dataset)
        with pa.OSFile(str(folder / "table.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=65_536)
        (folder / "columns.json").write_text(json.dumps(choose(name, dataset)))
    return folder


if __name__ == "__main__":
    for table in sys.argv[3:]:
        print(prepared(table, 0, sys.argv[1], sys.argv[2]))
