"""Features made of others on the way to a model, once per unique row (spec/transforms.md).

pipeline = (
    dsi.Pipeline()
    .lastx("recent", "user.clicks", n=50)
    .sigrid_hash("recent_hashed", "recent", max=1_000_000, salt=7)
    .log1p("price_log", "item.price")
)
for batch in ds.scan(["recent_hashed", "price_log", "label"], transforms=pipeline):
    model(batch.dense, batch.kjt())
"""

from __future__ import annotations

import json
import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from . import _dsi
from ._checks import wrong
from .errors import Error, InvalidArgument

Names = str | Sequence[str]

_MOST_BYTES = 1 << 26  # Of the JSON of a pipeline (T-004).


class Pipeline:
    """Steps, each of which makes one feature of features of the files or of earlier steps.

    A method per operation adds a step: its output, what it takes, its parameters; all return the
    pipeline. Names and parameters are looked at by the library when the pipeline is used, saved or
    `check`ed; types of features when a scan is made. What an operation gives, to the last bit, is
    in spec/transforms.md.

    A mutable value: pickled and compared by its steps. Thread safety: const use from many threads.
    """

    def __init__(self, steps: Iterable[Mapping[str, Any]] = (), outputs: Iterable[str] = ()):
        self.steps: list[dict[str, Any]] = [dict(step) for step in steps]
        self.outputs: list[str] = list(outputs)

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pipeline):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"dsi.Pipeline({len(self.steps)} steps: {', '.join(s['output'] for s in self.steps)})"
        )

    # -- As JSON, which C++, `dsictl transform` and servers read as well.

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of spec/transforms.md; not checked."""
        made: dict[str, Any] = {"version": 1, "steps": self.steps}
        if self.outputs:
            made["outputs"] = self.outputs
        return made

    def native(self) -> _dsi.Pipeline:
        """What scans of the library take. BadInput names the step and what was expected."""
        return _dsi.Pipeline.from_json(json.dumps(self.to_dict()))

    def check(self) -> Self:
        """Itself. BadInput: a step that cannot be, by its names and parameters."""
        self.native()
        return self

    def to_json(self) -> str:
        """Checked, and the same text for the same steps."""
        return self.native().to_json()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """BadInput names the step, the member and what was expected."""
        return cls._of_native(_dsi.Pipeline.from_json(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `to_json` to a file, so that it travels with a job or a model."""
        text = self.to_json()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """From a file. BadInput as `from_json`; NotFound, IoError."""
        return cls._of_native(_dsi.Pipeline.from_file(os.fspath(path)))

    @classmethod
    def _of_native(cls, native: _dsi.Pipeline) -> Self:
        made = json.loads(native.to_json())
        return cls(made["steps"], made.get("outputs", ()))

    @property
    def features(self) -> list[str]:
        """Names that steps take and none makes: what is read of the files."""
        return self.native().features

    def keep(self, *outputs: str) -> Self:
        """Which results can be asked for; by default those that no other step takes."""
        self.outputs.extend(outputs)
        return self

    def _add(self, output: str, op: str, inputs: Names, **parameters: Any) -> Self:
        taken = [inputs] if isinstance(inputs, str) else list(inputs)
        for name, value in parameters.items():
            for number in value if isinstance(value, list) else [value]:
                if isinstance(number, float) and not math.isfinite(number):
                    raise InvalidArgument(
                        f'steps[{len(self.steps)}] "{output}" ({op}): "{name}" is {number},'
                        " expected a finite number"
                    )
        self.steps.append({"output": output, "op": op, "inputs": taken, **parameters})
        return self

    # -- Number by number: of numbers, of lists, of the ids of scored lists.

    def sigrid_hash(self, output: str, input: str, *, max: int, salt: int = 0) -> Self:
        """Whole numbers hashed to [0, max), as TorchArrow does (T-020)."""
        return self._add(output, "sigrid_hash", input, salt=_whole(salt), max=_whole(max))

    def modulus(self, output: str, input: str, *, max: int) -> Self:
        """x - max * floor(x / max), of whole numbers (T-021)."""
        return self._add(output, "modulus", input, max=_whole(max))

    def clamp(self, output: str, input: str, *, low: float, high: float) -> Self:
        """At least low and at most high, which are whole for whole numbers; NaN stays (T-022)."""
        return self._add(output, "clamp", input, low=_number(low), high=_number(high))

    def bucketize(self, output: str, input: str, *, borders: Iterable[float], side: str) -> Self:
        """The number of borders below x, int32 (T-023).

        side: into which bucket a value equal to a border falls: 'left' (buckets (b, b'], as
        torch.bucketize does with right=False) or 'right' ([b, b'), as NVTabular does).
        """
        numbers = [_border(border) for border in borders]
        return self._add(output, "bucketize", input, borders=numbers, side=side)

    def map_id(
        self, output: str, input: str, *, table: Mapping[int, int], default: int = 0
    ) -> Self:
        """table[x], or default where it is not there, int64 (T-024)."""
        keys = [_whole(key) for key in table]
        values = [_whole(value) for value in table.values()]
        return self._add(output, "map_id", input, keys=keys, values=values, default=_whole(default))

    def log1p(self, output: str, input: str) -> Self:
        """ln(x + 1), float32 (T-026)."""
        return self._add(output, "log1p", input)

    def logit(self, output: str, input: str, *, epsilon: float = 1e-6) -> Self:
        """ln(x / (1 - x)) of x clamped to [epsilon, 1 - epsilon], float32 (T-027)."""
        return self._add(output, "logit", input, epsilon=float(epsilon))

    def boxcox(self, output: str, input: str, *, lambda1: float, lambda2: float = 0.0) -> Self:
        """((x + lambda2) ** lambda1 - 1) / lambda1, or its logarithm, float32 (T-028)."""
        return self._add(output, "boxcox", input, lambda1=float(lambda1), lambda2=float(lambda2))

    def cast(self, output: str, input: str, *, dtype: str) -> Self:
        """'int32', 'int64', 'float32' or 'float64'; whole numbers saturate, NaN is 0 (T-029)."""
        return self._add(output, "cast", input, type=dtype)

    def local_hour(self, output: str, input: str, *, unit: str, offset_s: int = 0) -> Self:
        """The hour, 0 to 23, of a time in 's', 'ms', 'us' or 'ns', offset_s east of UTC (T-030)."""
        return self._add(output, "local_hour", input, unit=unit, offset_s=_whole(offset_s))

    # -- Score by score of scored lists; ids stay.

    def score_add(self, output: str, input: str, *, value: float) -> Self:
        """score + value (T-031)."""
        return self._add(output, "score_add", input, value=_number(value))

    def score_multiply(self, output: str, input: str, *, value: float) -> Self:
        """score * value (T-031)."""
        return self._add(output, "score_multiply", input, value=_number(value))

    def score_clamp(self, output: str, input: str, *, low: float, high: float) -> Self:
        """Scores of at least low and at most high (T-031)."""
        return self._add(output, "score_clamp", input, low=_number(low), high=_number(high))

    # -- Row by row.

    def firstx(self, output: str, input: str, *, n: int) -> Self:
        """The first n entries of lists, with their scores (T-040)."""
        return self._add(output, "firstx", input, n=_whole(n))

    def lastx(self, output: str, input: str, *, n: int) -> Self:
        """The last n entries of lists, with their scores (T-040)."""
        return self._add(output, "lastx", input, n=_whole(n))

    def fill(self, output: str, input: str, *, value: float) -> Self:
        """value where a number is missing, a list of it where a list is (T-041)."""
        return self._add(output, "fill", input, value=_number(value))

    def onehot(self, output: str, input: str, *, n: int) -> Self:
        """n numbers, 1 at position x and 0 elsewhere, a list of float32 (T-042)."""
        return self._add(output, "onehot", input, n=_whole(n))

    def enumerate(self, output: str, input: str) -> Self:
        """A scored list of the ids with their positions 0, 1, ... as scores (T-043)."""
        return self._add(output, "enumerate", input)

    def ngram(self, output: str, inputs: Names, *, n: int, max: int, salt: int = 0) -> Self:
        """Hashes to [0, max) of n ids in a row, of up to 64 features together (T-044)."""
        return self._add(output, "ngram", inputs, n=_whole(n), salt=_whole(salt), max=_whole(max))

    def cartesian(
        self, output: str, first: str, second: str, *, max: int, limit: int, salt: int = 0
    ) -> Self:
        """Hashes to [0, max) of pairs of ids of two features, the first `limit` of them (T-045)."""
        return self._add(
            output,
            "cartesian",
            (first, second),
            salt=_whole(salt),
            max=_whole(max),
            limit=_whole(limit),
        )

    def intersection(self, output: str, first: str, second: str) -> Self:
        """The entries of the first whose id is in the second (T-046)."""
        return self._add(output, "intersection", (first, second))

    def difference(self, output: str, first: str, second: str) -> Self:
        """The entries of the first whose id is not in the second (T-051)."""
        return self._add(output, "difference", (first, second))

    def has_overlap(self, output: str, first: str, second: str) -> Self:
        """1 where an id is in both, else 0, float32 (T-047)."""
        return self._add(output, "has_overlap", (first, second))

    def overlap_count(self, output: str, first: str, second: str) -> Self:
        """How many ids are in both, as multisets, float32 (T-047)."""
        return self._add(output, "overlap_count", (first, second))

    def max_count(self, output: str, first: str, second: str) -> Self:
        """Of ids in both, how often the list that has more of it has each, added up (T-052)."""
        return self._add(output, "max_count", (first, second))

    def jaccard(self, output: str, first: str, second: str) -> Self:
        """Ids in both over ids in either, as multisets, float32 (T-047)."""
        return self._add(output, "jaccard", (first, second))

    def score_sum(self, output: str, first: str, second: str) -> Self:
        """The scores of the first, a scored list, whose ids are in the second, added up (T-053)."""
        return self._add(output, "score_sum", (first, second))

    def score_min(self, output: str, first: str, second: str) -> Self:
        """The least of the scores that score_sum adds up, 0 where there is none (T-053)."""
        return self._add(output, "score_min", (first, second))

    def score_max(self, output: str, first: str, second: str) -> Self:
        """The greatest of the scores that score_sum adds up, 0 where there is none (T-053)."""
        return self._add(output, "score_max", (first, second))

    def cosine(self, output: str, first: str, second: str) -> Self:
        """Of two scored lists the cosine of the angle between them, 0 where one is 0 (T-054)."""
        return self._add(output, "cosine", (first, second))

    def id_of_text(self, output: str, input: str) -> Self:
        """Of a string its id, int64, as hashed columns and `dsi.id_of_text` have it (T-049)."""
        return self._add(output, "id_of_text", input)


Transforms = Pipeline | Mapping[str, Any] | str | os.PathLike[str]


def native_pipeline(transforms: Transforms | None) -> _dsi.Pipeline | None:
    """What scans take, of a `Pipeline`, its JSON as text or dict, or the path of a file of it.

    BadInput as `Pipeline.from_json`; NotFound: no such file.
    """
    if transforms is None:
        return None
    if isinstance(transforms, Pipeline):
        return transforms.native()
    if isinstance(transforms, Mapping):
        return _dsi.Pipeline.from_json(json.dumps(transforms))
    if not isinstance(transforms, str | os.PathLike):
        expected = "a dsi.Pipeline, its JSON as text or dict, or the path of a file of it"
        raise wrong("transforms", transforms, expected)
    if _is_path(transforms):
        return _dsi.Pipeline.from_file(os.fspath(transforms))
    return _dsi.Pipeline.from_json(os.fspath(transforms))


def kept_transforms(transforms: Transforms | None) -> Transforms | None:
    """With what a file holds now in the place of its path, for who uses it more than once."""
    if isinstance(transforms, str | os.PathLike) and _is_path(transforms):
        return _checked_text(os.fspath(transforms))
    return transforms


def _checked_text(path: str) -> str:
    """As it stands there: written anew it may be longer than is allowed (T-004)."""
    try:
        with open(path, "rb") as file:
            text = file.read(_MOST_BYTES + 1).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return _dsi.Pipeline.from_file(path).to_json()  # Tells what is wrong.
    try:
        _dsi.Pipeline.from_json(text)
    except Error as error:
        raise type(error)(f"{path}: {error}") from None
    return text


def _is_path(transforms: str | os.PathLike[str]) -> bool:
    return not os.fspath(transforms).lstrip().startswith("{")


def _whole(value: Any) -> int:
    return operator.index(value)


def _number(value: Any) -> int | float:
    """As it was meant: whole numbers stay whole, those of numpy and torch too."""
    try:
        return operator.index(value)
    except TypeError:
        return float(value)


def _border(value: Any) -> int | float:
    """A whole number that float64 does not hold stays whole, so that the library refuses it."""
    number = _number(value)
    try:
        return float(number) if float(number) == number else number
    except OverflowError:
        return number
