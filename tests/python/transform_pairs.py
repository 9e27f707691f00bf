"""Pipelines that compare two features, what they take, and what that becomes, by numpy."""

from collections import Counter

import dsi
import numpy as np
from transform_rows import f32


def shared(a, b):
    return sum((Counter(a) & Counter(b)).values())


def of_shared(reduce):
    """Of the scores of topics, ids modulo 5, whose id is among those of clicks; 0 of none."""

    def expected(topics, clicks):
        ids, scores = np.array(topics["ids"]) % 5, np.array(topics["weights"])
        kept = scores[np.isin(ids, np.array(clicks) % 5)] if len(ids) else scores
        return [f32(reduce(kept)) if len(kept) else 0.0]

    return expected


def cosine(topics, clicks):
    """Of topics and of clicks with their positions, ids modulo 5, as vectors of 5 numbers."""
    a = np.bincount(np.array(topics["ids"], int) % 5, topics["weights"], 5)
    b = np.bincount(np.array(clicks, int) % 5, np.arange(len(clicks)), 5)
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return [f32(a @ b / size) if size else 0.0]


def max_count(a, b):
    ids = np.intersect1d(a, b)
    counts = [np.array([list(row).count(i) for i in ids]) for row in (a, b)]
    return [float(np.maximum(*counts).sum())]


P = dsi.Pipeline


def few():
    """Scored lists and lists of 5 ids, so that many are shared and stand twice."""
    made = P().modulus("topic", "topics", max=5).modulus("click", "clicks", max=5)
    return made.enumerate("place", "click")


PAIRS = {
    "intersection": (
        P().intersection("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [i for i in a if i in b],
    ),
    "difference": (
        P().difference("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [i for i in a if i not in b],
    ),
    "difference of a scored list": (
        few().difference("x", "topic", "click"),
        ["topics", "clicks"],
        lambda a, b: [i % 5 for i in a["ids"] if i % 5 not in {k % 5 for k in b}],
    ),
    "max_count": (
        P().max_count("x", "clicks", "views"),
        ["clicks", "views"],
        max_count,
    ),
    "max_count of few ids": (
        few().modulus("view", "views", max=5).max_count("x", "click", "view"),
        ["clicks", "views"],
        lambda a, b: max_count(np.array(a, int) % 5, np.array(b, int) % 5),
    ),
    "score_sum": (
        few().score_sum("x", "topic", "click"),
        ["topics", "clicks"],
        of_shared(np.sum),
    ),
    "score_min": (
        few().score_min("x", "topic", "click"),
        ["topics", "clicks"],
        of_shared(np.min),
    ),
    "score_max": (
        few().score_max("x", "topic", "click"),
        ["topics", "clicks"],
        of_shared(np.max),
    ),
    "score_sum of one id": (
        few().score_sum("x", "topic", "label"),
        ["topics", "label"],
        lambda a, label: of_shared(np.sum)(a, [label]),
    ),
    "cosine": (
        few().cosine("x", "topic", "place"),
        ["topics", "clicks"],
        cosine,
    ),
    "has_overlap": (
        P().has_overlap("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [float(shared(a, b) > 0)],
    ),
    "overlap_count": (
        P().overlap_count("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [float(shared(a, b))],
    ),
    "jaccard": (
        P().jaccard("x", "clicks", "views"),
        ["clicks", "views"],
        lambda a, b: [shared(a, b) / max(len(a) + len(b) - shared(a, b), 1)],
    ),
}
