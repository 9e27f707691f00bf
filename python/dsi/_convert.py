"""`dsictl convert` from and to files that pyarrow reads and writes, with the program's options."""

from __future__ import annotations

import argparse
import glob
import json
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any, get_args

from . import _dsi, dataset, files
from ._dsictl import ARROW_ENDINGS
from ._frameworks import need
from ._schema import schema_json
from .errors import BadInput, Cancelled, Error, InvalidArgument, NotFound
from .options import AnyOf
from .writer import NullEntries

# Exit codes of the program; any other error of the library is 3, as a file that is not there.
_EXIT_CODES = {
    "corrupt": 1,
    "truncated": 1,
    "not a dsi file": 1,
    "invalid argument": 2,
    "already exists": 2,
    "bad input": 2,
    "out of range": 2,
    "unsupported": 4,
}
_SIZE = re.compile(r"^(\d+)([kmgt]?)(i?b)?$", re.IGNORECASE)


def _size(text: str) -> int:
    match = _SIZE.match(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}', expected a size such as 512M or 4G")
    return int(match[1]) << 10 * " kmgt".index(match[2].lower() or " ")


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dsictl convert",
        description="From and to Parquet, Arrow, Feather and ORC, through pyarrow.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("inputs", metavar="IN", nargs="+", help="files of one format, or a .dsi file")
    add(
        "out",
        metavar="OUT",
        help="a .dsi file; from .dsi one that ends in " + " ".join(ARROW_ENDINGS),
    )
    add("--force", action="store_true", help="replace an existing OUT")
    add("--json", action="store_true", help="the report as JSON")
    add("-q", "--quiet", action="store_true", help="no report")
    add("--columns", "--features", type=_names, metavar="NAMES", help="only these columns")
    to_dsi = parser.add_argument_group("To .dsi")
    add = to_dsi.add_argument
    add("--schema", metavar="FILE", help="schema as JSON; else it is inferred")
    add("--ignore-unknown", action="store_true", help="skip columns that the schema lacks")
    add(
        "--null-entries",
        choices=get_args(NullEntries),
        help="what a null in a list does: fail (the default), drop or fill",
    )
    add(
        "--session-key",
        "--cluster-by",
        type=_names,
        action="extend",
        metavar="NAMES",
        help="cluster by these, outermost first; default: the schema's",
    )
    add("--time", metavar="NAME", help="order the rows of a session by this")
    add("--keep-order", action="store_true", help="leave rows as they come")
    add(
        "--clustered",
        action="store_true",
        help="rows come so, session by session, and stay so: written while they are read",
    )
    add("--keep-position", action="store_true", help="store each row's place")
    add("--no-dedup", action="store_true", help="store every row's values")
    add("--no-groups", action="store_true", help="only the groups that the schema declares")
    add("--stripe-rows", type=int, metavar="N", help="rows in a stripe; default 262144")
    add("--stripe-memory", type=_size, metavar="SIZE", help="of a stripe; default 1G")
    add("--tuning", choices=("nvme", "network", "archive"), help="default nvme")
    add("--threads", type=int, metavar="N", help="default: one for each core")
    add("--memory", type=_size, metavar="SIZE", help="default: three quarters of what there is")
    add("--spill-folder", metavar="FOLDER", help="of rows that wait; default: that of OUT")
    add("--layout-from", metavar="FILE", help="access log: what its jobs read lies side by side")
    add("--metadata", action="append", metavar="KEY=VALUE", help="store a note; repeatable")
    from_dsi = parser.add_argument_group("From .dsi")
    add = from_dsi.add_argument
    add(
        "--where",
        action="append",
        metavar="TERM",
        help="only rows such as 'label = 1', or 'label = 1 or age < 30'; repeatable",
    )
    add("--sample", type=float, metavar="SHARE", help="only this share of them")
    add("--seed", type=int, metavar="N", help="with --sample: another number, other rows")
    add("--compression", metavar="WORD", help="of the file's pages; default zstd")
    return parser


_ONLY_FROM_DSI = ("where", "sample", "seed", "compression")
_ONLY_TO_DSI = (
    "schema",
    "ignore_unknown",
    "null_entries",
    "session_key",
    "time",
    "keep_order",
    "clustered",
    "keep_position",
    "no_dedup",
    "no_groups",
    "stripe_rows",
    "stripe_memory",
    "tuning",
    "threads",
    "memory",
    "spill_folder",
    "layout_from",
    "metadata",
)
_CELLS = "it says how cells of CSV and TSV are written"
_ROWS = "rows that cannot be read are left out of texts; here a column has one type"
# Options of the program for texts, each with why it says nothing about columns of types.
_OF_TEXTS = {
    "--explain-schema": "types of columns decide on features; 'dsictl schema OUT' shows them",
    "--infer-rows": "types of columns decide on features, not the values of so many rows",
    "--time-format": "times have a type and a unit in these files",
    "--epoch-unit": "times have a type and a unit in these files, of numbers --schema says it",
    "--format": "the end of the name tells the format",
    "--original-order": "it is for JSON Lines; dsictl convert IN.dsi OUT.jsonl takes it",
    "--on-error": _ROWS,
    "--max-errors": _ROWS,
    "--rejects": _ROWS,
    "--header": _CELLS,
    "--separator": _CELLS,
    "--no-quotes": _CELLS,
    "--missing": _CELLS,
    "--list-separator": _CELLS,
    "--lists": _CELLS,
}


def _refuse_options_of_texts(arguments: Sequence[str]) -> None:
    for argument in arguments:
        option = argument.partition("=")[0]
        if option in _OF_TEXTS:
            raise InvalidArgument(
                f"{option} means nothing for Parquet, Arrow, Feather and ORC: {_OF_TEXTS[option]}"
            )


def _refuse(asked: argparse.Namespace, names: Sequence[str], when: str) -> None:
    for name in names:
        if getattr(asked, name) not in (None, False):
            raise InvalidArgument(f"--{name.replace('_', '-')} means nothing when {when}")


def _term(source: dataset.Dataset, text: str) -> AnyOf:
    try:
        return AnyOf(*_dsi.parse_terms(source.native, text))
    except Error as error:
        raise type(error)(f"--where '{text}': {error}") from None


def _notes(texts: Sequence[str]) -> dict[str, str]:
    notes = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InvalidArgument(f"--metadata '{text}': expected KEY=VALUE")
        notes[key] = value
    return notes


def _named(inputs: Sequence[str]) -> list[str]:
    """Files and folders, patterns by what they match. NotFound: nothing is there."""
    found: list[str] = []
    for name in inputs:
        if "://" in name or os.path.exists(name):
            found.append(name)
            continue
        is_pattern = any(c in name for c in "*?[")
        matches = sorted(glob.glob(name, recursive=True)) if is_pattern else []
        if not matches:
            raise NotFound(f"{name}: no {'file has such a name' if is_pattern else 'such file'}")
        found += matches
    seen: set[str] = set()
    for name in map(os.path.normpath, found):
        if name in seen:
            raise InvalidArgument(f"{name}: named twice, and its rows would be too")
        seen.add(name)
    return found


def _to_dsi(asked: argparse.Namespace) -> dict[str, Any]:
    _refuse(asked, _ONLY_FROM_DSI, "a .dsi file is made")
    if asked.keep_order and (asked.session_key or asked.time):
        raise InvalidArgument("--keep-order excludes --session-key and --time")
    if asked.keep_order and asked.clustered:
        raise InvalidArgument("--keep-order excludes --clustered")
    kinds = {files.format_of(name) for name in asked.inputs}
    if len(kinds) != 1:
        raise InvalidArgument("files of several formats are not made into one .dsi file")
    need("pyarrow.dataset", "pyarrow", "dsictl convert")
    asked.inputs = _named(asked.inputs)
    schema: Any = asked.schema
    if asked.time and not asked.session_key:
        found = files.find_schema(asked.inputs, asked.columns) if schema is None else schema
        schema = json.loads(schema_json(found))
    keys = list(asked.session_key or ())
    if asked.time:
        keys = [*(keys or _keys(schema)), asked.time]
    options: dict[str, Any] = {
        "stripe_rows": asked.stripe_rows,
        "stripe_bytes": asked.stripe_memory,
        "tuning": asked.tuning,
        "threads": asked.threads,
        "memory_bytes": asked.memory,
        "spill_folder": asked.spill_folder,
        "layout_from": asked.layout_from,
    }
    report = files.from_parquet(
        asked.inputs,
        asked.out,
        schema,
        keys,
        columns=asked.columns,
        metadata=_notes(asked.metadata or ()),
        ignore_unknown=asked.ignore_unknown,
        null_entries=asked.null_entries or "fail",
        keep_order=asked.keep_order,
        clustered=asked.clustered,
        keep_position=asked.keep_position,
        dedup=not asked.no_dedup,
        find_groups=not asked.no_groups,
        overwrite=asked.force,
        **{name: value for name, value in options.items() if value is not None},
    )
    return {
        "rows": report.num_rows,
        "sessions": report.num_sessions,
        "stripes": report.num_stripes,
        "groups": report.num_groups,
        "values_in": report.values_in,
        "values_stored": report.values_stored,
        "index_bytes": report.index_bytes,
        "bytes_in": sum(os.path.getsize(name) for name in asked.inputs if os.path.isfile(name)),
        "bytes_out": report.file_bytes,
        "encode_seconds": report.encode_seconds,
        "choose_seconds": report.choose_seconds,
    }


def _keys(schema: dict[str, Any]) -> list[str]:
    """The keys of a schema without its time."""
    times = {f["name"] for f in schema["features"] if f["kind"] == "timestamp"}
    return [name for name in schema.get("cluster_by", ()) if name not in times]


def _from_dsi(asked: argparse.Namespace) -> dict[str, Any]:
    _refuse(asked, _ONLY_TO_DSI, "a .dsi file is turned into another format")
    if len(asked.inputs) != 1:
        raise InvalidArgument(f"one .dsi file at a time is turned into {asked.out}")
    source = dataset.open(asked.inputs[0])
    keywords: dict[str, Any] = {"where": [_term(source, text) for text in asked.where or ()]}
    if asked.sample is not None:
        keywords |= {"sample": [([], asked.sample)], "sample_seed": asked.seed or 0}
    kind = {"parquet": "parquet", "ipc": "feather", "orc": "orc"}[files.format_of(asked.out) or ""]
    try:
        scan = source.arrow(asked.columns, **keywords)
    except NotFound as error:  # Of a name, which is wrong on the command line; no file is missing.
        raise InvalidArgument(str(error)) from None
    rows = files.export(
        scan, asked.out, kind, len(source), asked.force, compression=asked.compression or "zstd"
    )
    return {
        "rows": rows,
        "bytes_in": sum(file.bytes for file in source.files),
        "bytes_out": os.path.getsize(asked.out),
    }


def _convert(asked: argparse.Namespace) -> dict[str, Any]:
    from_dsi = all(name.lower().endswith(".dsi") for name in asked.inputs)
    to_dsi = asked.out.lower().endswith(".dsi")
    from_arrow = all(name.lower().endswith(ARROW_ENDINGS) for name in asked.inputs)
    if from_arrow and to_dsi:
        return _to_dsi(asked)
    if from_dsi and asked.out.lower().endswith(ARROW_ENDINGS):
        return _from_dsi(asked)
    raise InvalidArgument(
        f"{' '.join(asked.inputs)} is not turned into {asked.out} in one step: go by way of a"
        " .dsi file"
    )


def _print(report: dict[str, Any], asked: argparse.Namespace) -> None:
    if asked.json:
        print(json.dumps(report, indent=2))
    elif not asked.quiet:
        print(f"rows     {report['rows']:,}")
        if "values_in" in report:
            print(f"values   {report['values_in']:,} in, {report['values_stored']:,} stored")
        print(f"bytes    {report['bytes_in']:,} in, {report['bytes_out']:,} out")
        print(f"time     {report['seconds']:.3f} s")


def _fail(message: str, code: int, hint: str = "") -> int:
    print(f"dsictl: {message}", file=sys.stderr)
    if hint:
        print(f"  hint: {hint}", file=sys.stderr)
    return code


def _warn(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any
) -> None:
    """As `warnings.showwarning`, in the words of the program."""
    print(f"dsictl: warning: {message}", file=sys.stderr)


def run(arguments: Sequence[str]) -> int:
    """Converts as the arguments say; the exit code is that of the program."""
    begin = time.perf_counter()
    try:
        _refuse_options_of_texts(arguments)
        asked = _parser().parse_args(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            report = {"output": asked.out, **_convert(asked)}
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "pyarrow":
            raise
        return _fail(
            "files of Parquet, Arrow, Feather and ORC are converted by pyarrow, which is not"
            " installed",
            2,
            'pip install "dsi[arrow]"',
        )
    except (KeyboardInterrupt, Cancelled):
        return _fail("stopped by a signal; no unfinished file was left", 128 + signal.SIGINT)
    except files.NoColumn as error:  # A name that is wrong on the command line; no file is missing.
        return _fail(str(error), _EXIT_CODES["invalid argument"])
    except Error as error:
        return _fail(str(error), _EXIT_CODES.get(error.code, 3))
    except OSError as error:
        return _fail(str(error), 3)
    except ValueError as error:  # What pyarrow says of a file that it cannot read.
        return _fail(str(error), _EXIT_CODES[BadInput.code])
    seconds = time.perf_counter() - begin
    report |= {"seconds": seconds, "rows_per_second": report["rows"] / seconds}
    _print(report, asked)
    return 0
