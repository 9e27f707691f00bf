"""Schemas as dicts, JSON text or files; the form is that of `dsictl schema` (docs/schema.md)."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _dsi
from ._columns import MISSING
from ._time import iso_text, times_of_array
from .errors import BadInput, NotFound

SchemaLike = Mapping[str, Any] | str | os.PathLike[str]

# Where tables of Arrow and their files carry the schema of the rows.
METADATA_KEY = b"dsi.schema"


def schema_json(schema: SchemaLike) -> str:
    """JSON text of a dict, of JSON, of a file of JSON or of the schema of a .dsi file."""
    if isinstance(schema, Mapping):
        return json.dumps(schema)
    text = os.fspath(schema)
    if text.lstrip().startswith("{"):
        return text
    if text.endswith(".dsi"):
        return _dsi.schema_of_file(text)
    try:
        return Path(text).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(f"{text}: no such file, expected a schema as JSON, or a .dsi file") from None


def feature_columns(feature: Mapping[str, Any]) -> list[str]:
    """Names of the columns of a feature of a schema."""
    name, kind = feature["name"], feature["kind"]
    if kind == "weighted":
        return [f"{name}.ids", f"{name}.weights"]
    if kind == "sequence":
        return [f"{name}.{column['name']}" for column in feature["columns"]]
    return [name]


def float32_columns(schema: str) -> set[str]:
    """Names of the columns that a schema, as JSON, stores as float32."""
    made = set()
    for feature in json.loads(schema)["features"]:
        if feature["kind"] == "weighted":
            made.add(f"{feature['name']}.weights")
        for column in feature.get("columns", ()):
            if column.get("type") == "float32":
                made.add(f"{feature['name']}.{column['name']}")
        if feature.get("type") == "float32":
            made.add(feature["name"])
    return made


def restrict(schema: dict[str, Any], columns: Collection[str]) -> dict[str, Any]:
    """The schema without features of which a column is not among these."""
    known = set(columns)
    features = [f for f in schema["features"] if known.issuperset(feature_columns(f))]
    names = {feature["name"] for feature in features}
    made = {**schema, "features": features}
    made["cluster_by"] = [name for name in schema.get("cluster_by", ()) if name in names]
    groups = []
    for group in schema.get("groups", ()):
        kept = {**group, "features": [name for name in group["features"] if name in names]}
        if kept.get("owner") not in names:
            kept.pop("owner", None)
        if kept["features"]:
            groups.append(kept)
    made["groups"] = groups
    return {key: value for key, value in made.items() if value}


def stored_schema(metadata: Mapping[bytes, bytes] | None, columns: Sequence[str]) -> str | None:
    """The schema that a table of Arrow carries, of the columns that it has; None: it carries none.

    It is a note by whoever made the table: one that is no schema, or not of this table, is none.
    """
    text = (metadata or {}).get(METADATA_KEY)
    if text is None:
        return None
    try:
        made = restrict(json.loads(_dsi.check_schema(text.decode())), columns)
        covered = {name for feature in made["features"] for name in feature_columns(feature)}
        return json.dumps(made) if covered.issuperset(columns) else None
    except (BadInput, ValueError, KeyError):
        return None


def completed(stored: Mapping[str, Any], found: str) -> str:
    """The schema that was found for all columns, with what is stored of those that have more said.

    So keys stay keys beside features that a pipeline made."""
    made = json.loads(found)
    known = {name: f for f in stored.get("features", ()) for name in feature_columns(f)}
    features: dict[str, Any] = {}
    for feature in made["features"]:
        # Whole features alone are stored, so that the first column of one stands for all.
        feature = known.get(feature_columns(feature)[0], feature)
        features.setdefault(feature["name"], feature)
    return json.dumps({**made, **stored, "features": list(features.values())})


def infer_from_stream(stream: _dsi.ArrowStream, keys: Sequence[str] = ()) -> str:
    """The schema that is found for the first rows of a table of Arrow, with these keys."""
    schema, _, rounded, times = stream.infer_schema()
    _warn_of_doubts([name for name in rounded if name not in keys], times)
    return _told(_with_keys(schema, keys))


def _with_keys(schema: str, keys: Sequence[str]) -> str:
    """A schema that was found, in which whole numbers and strings of these names are keys."""
    made = json.loads(schema)
    for feature in made["features"]:
        is_whole = feature["kind"] == "dense" and "int" in feature.get("type", "")
        if feature["name"] in keys and (is_whole or feature["kind"] == "string"):
            feature |= {"kind": "key", "type": feature["type"] if is_whole else "bytes"}
    return json.dumps(made)


def _told(schema: str) -> str:
    """A schema that was found; warns of strings of which nothing but ids is kept."""
    hashed = [feature["name"] for feature in json.loads(schema)["features"] if _is_hashed(feature)]
    if hashed:
        _warn(
            f"{', '.join(hashed)}: lists of strings are stored as ids (dsi.id_of_text), the strings"
            ' are not kept; a schema that says "hashed" is taken without a warning',
        )
    return schema


def _is_hashed(feature: Mapping[str, Any]) -> bool:
    return any("hashed" in column for column in (feature, *feature.get("columns", ())))


def infer_from_rows(
    rows: Iterable[Mapping[str, Any]], null_entries: str = "fail", keys: Sequence[str] = ()
) -> str:
    """The schema that `dsictl convert` finds for the same rows as JSON Lines, with these keys."""
    with tempfile.TemporaryDirectory(prefix="dsi-") as folder:
        path = os.path.join(folder, "rows.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                file.write(_line(row) + "\n")
        options = _dsi.TextOptions(format="jsonl", null_entries=null_entries)
        try:
            return schema_of_text_files([path], options, keys=keys)
        except BadInput as error:
            raise BadInput(str(error).replace(path, "rows")) from None


def schema_of_text_files(
    files: Sequence[str],
    options: _dsi.TextOptions,
    rows: int = 0,
    lists: Sequence[str] = (),
    keys: Sequence[str] = (),
    skip_bad_rows: bool = False,
    progress: Callable[[str, int, int], object] | None = None,
) -> str:
    """The schema that is found for the first rows of texts, or for all (0), with these keys."""
    schema, maps, rounded, times = _dsi.schema_of_text(
        files, options, rows, lists, skip_bad_rows, progress
    )
    for name, names in maps:
        _warn(
            f"the {names} names in {name} are features of their own; names that are data take a "
            f'schema with {{"name": "{name}", "kind": "weighted", "hashed": True}}',
        )
    _warn_of_doubts([name for name in rounded if name not in keys], times)
    return _told(_with_keys(schema, keys))


def _warn(text: str) -> None:
    """Warns whoever called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def _warn_of_doubts(rounded: Sequence[str], times: Sequence[tuple[str, str]]) -> None:
    if rounded:
        _warn(
            f"{', '.join(rounded)}: dense whole numbers of many digits, which batches of float32"
            ' round; ids stay whole as "kind": "key" of a schema, or read as dsi.Kjt',
        )
    if times:
        _warn(
            f"{', '.join(name for name, _ in times)}: named as times, and stored as strings such as"
            f' "{times[0][1]}"; datetime objects are times, and in rows texts of ISO 8601',
        )


def _line(row: Mapping[str, Any]) -> str:
    try:
        return json.dumps(row, default=_plain, ensure_ascii=False, allow_nan=False)
    except ValueError:
        # NaN and infinities, which JSON lacks: any fraction tells the same type.
        text = json.dumps(row, default=_plain)
        return json.dumps(json.loads(text, parse_constant=lambda _: 0.5), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if type(value).__name__ in MISSING:
        return None
    times = times_of_array(value) if getattr(value, "shape", ()) else None
    if times is not None:
        return times
    text = iso_text(value)
    if text is not None:
        return None if text == "NaT" else text
    for name in ("tolist", "item"):
        if hasattr(value, name):
            return getattr(value, name)()
    if hasattr(value, "__index__"):
        return int(value)
    raise BadInput(
        f"{value!r} is of type {type(value).__name__}, expected numbers, bool, str, bytes, times,"
        " lists and dicts of these, or None: convert it first, with float() or str()"
    )
