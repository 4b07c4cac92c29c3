"""The coarsest labels of a column: those that others lie in, so that records can be counted by them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from shoal.recoding.label_cover import Cover, CoverForm, is_within
from shoal.report.codebook import ColumnBook
from shoal.study.label_atoms import spans_of
from shoal.table.columns import Kind


def coarsest_labels(book: ColumnBook, labels: Sequence[str]) -> list[str]:
    """For each label the coarsest published one that it lies in; what covers everything stands for itself.

    Ranges that overlap without one of them holding the other are united under a new label.
    """
    if book.tree is not None:
        return [_topmost_published(book, label) for label in labels]
    covers = [book.covers[label] for label in labels]
    if book.kind is not Kind.CATEGORY:
        return _united_ranges(labels, covers)
    return _widest(labels, covers)


def _topmost_published(book: ColumnBook, label: str) -> str:
    tree = book.tree
    if tree is None or label not in book.node_of:
        return label
    above = [tree.labels[node] for node in tree.ancestors(book.node_of[label]) if node != tree.root]
    return next((each for each in reversed(above) if each in book.covers), label)


def _widest(labels: Sequence[str], covers: Sequence[Cover]) -> list[str]:
    inner = [
        place
        for place, cover in enumerate(covers)
        if cover.form not in (CoverForm.VALUE, CoverForm.EVERYTHING, CoverForm.NAME)
    ]
    tops = [
        place
        for place in inner
        if not any(other != place and is_within(covers[place], covers[other]) for other in inner)
    ]
    return [
        next((labels[top] for top in tops if is_within(cover, covers[top])), label)
        for label, cover in zip(labels, covers, strict=True)
    ]


def _united_ranges(labels: Sequence[str], covers: Sequence[Cover]) -> list[str]:
    lows, highs = spans_of(covers)
    places = [
        place
        for place, cover in enumerate(covers)
        if cover.form in (CoverForm.RANGE, CoverForm.VALUE)
        and (np.isfinite(lows[place]) or np.isfinite(highs[place]))
    ]
    places.sort(key=lambda place: (lows[place], -highs[place]))
    begins: list[float] = []
    members: list[list[int]] = []
    reach = -np.inf
    for place in places:
        touches = members and (
            lows[place] < reach or (lows[place] == reach and _holds_upper(covers, members[-1], reach, highs))
        )
        if not touches:
            begins.append(lows[place])
            members.append([])
        members[-1].append(place)
        reach = max(reach, highs[place])
    names = [_name(labels, lows, highs, united) for united in members]
    found = list(labels)
    for place in places:
        found[place] = names[bisect_right(begins, lows[place]) - 1]
    return found


def _holds_upper(covers: Sequence[Cover], members: Sequence[int], reach: float, highs: np.ndarray) -> bool:
    return any(highs[place] == reach and covers[place].includes_upper for place in members)


def _name(labels: Sequence[str], lows: np.ndarray, highs: np.ndarray, members: Sequence[int]) -> str:
    """The label that holds all others, or the first and the last one."""
    low, high = min(lows[place] for place in members), max(highs[place] for place in members)
    widest = next((place for place in members if lows[place] == low and highs[place] == high), None)
    if widest is not None:
        return labels[widest]
    first = min(members, key=lambda place: (lows[place], -highs[place]))
    last = max(members, key=lambda place: (highs[place], -lows[place]))
    return f"{labels[first]}..{labels[last]}"
