"""The labels of a column at each level of its tree, as far as its codebook tells them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.hierarchy.levels import nodes_at_levels
from shoal.hierarchy.tree import Hierarchy
from shoal.recoding.label_cover import Cover, CoverForm, is_within
from shoal.report.codebook import ColumnBook
from shoal.study.label_atoms import spans_of

_SHOWN = (CoverForm.BEGINNING, CoverForm.ENDING)
_UNTOLD = (CoverForm.EVERYTHING, CoverForm.NAME)
_AtLevel = list[str | None]


def labels_at_levels(book: ColumnBook, labels: Sequence[str]) -> list[_AtLevel]:
    """For each level below the root what each label lies in there, None where the label is coarser.

    The levels are those of the hierarchy if the codebook shows it. Otherwise they are those of the labels
    that are nested in each other, and a label stands for itself where no wider one is published. Ranges
    without a hierarchy have no levels.
    """
    if book.tree is not None:
        return _in_tree(book, book.tree, labels)
    if not book.nested:
        return []
    covers = [book.covers[label] for label in labels]
    levels = np.array([book.levels[label] for label in labels], dtype=np.int64)
    told = [place for place, cover in enumerate(covers) if cover.form is not CoverForm.EVERYTHING]
    wider = _wider(covers)
    return [
        [
            _at(level, place, wider[place], labels, levels) if place in told else None
            for place in range(len(labels))
        ]
        for level in range(int(levels[told].max(initial=0)) + 1)
    ]


def _at(
    level: int, place: int, wider: Sequence[int], labels: Sequence[str], levels: np.ndarray
) -> str | None:
    if levels[place] > level:
        return None
    return labels[
        max(
            (other for other in wider if levels[other] <= level),
            key=lambda other: levels[other],
            default=place,
        )
    ]


def _in_tree(book: ColumnBook, tree: Hierarchy, labels: Sequence[str]) -> list[_AtLevel]:
    nodes, heights = nodes_at_levels(tree), tree.heights
    found: list[_AtLevel] = []
    for level in range(tree.height):
        at_level: _AtLevel = []
        for label in labels:
            node = book.node_of.get(label)
            if node is not None and heights[node] <= level:
                at_level.append(tree.labels[nodes[level, node]])
            else:
                is_told = node is None and book.covers[label].form is not CoverForm.EVERYTHING
                at_level.append(label if is_told and book.levels[label] <= level else None)
        found.append(at_level)
    return found


def _wider(covers: Sequence[Cover]) -> list[list[int]]:
    """For each cover the places of those that it lies in."""
    found: list[list[int]] = [[] for _ in covers]
    for inner, outer in (*_wider_ranges(covers), *_wider_ends(covers), *_wider_others(covers)):
        if inner != outer:
            found[inner].append(outer)
    return found


def _wider_ranges(covers: Sequence[Cover]) -> Iterator[tuple[int, int]]:
    lows, highs = spans_of(covers)
    ends = np.array([not cover.includes_upper for cover in covers])
    on_line = np.isfinite(lows) | np.isfinite(highs)
    for place, cover in enumerate(covers):
        if cover.form is CoverForm.RANGE:
            below = (highs < highs[place]) | ((highs == highs[place]) & (ends | ~ends[place]))
            yield from (
                (inner, place) for inner in np.flatnonzero(on_line & (lows >= lows[place]) & below).tolist()
            )


def _wider_ends(covers: Sequence[Cover]) -> Iterator[tuple[int, int]]:
    """What begins or ends with less of the same letters."""
    place_of = {
        (cover.form, cover.text, cover.length): place
        for place, cover in enumerate(covers)
        if cover.form in _SHOWN
    }
    forms = {form for form, _, _ in place_of}
    for place, cover in enumerate(covers):
        if cover.form not in (CoverForm.VALUE, *_SHOWN):
            continue
        length = len(cover.text) if cover.form is CoverForm.VALUE else cover.length
        for form in forms if cover.form is CoverForm.VALUE else {cover.form}:
            for shown in range(len(cover.text) + 1):
                text = (
                    cover.text[:shown]
                    if form is CoverForm.BEGINNING
                    else cover.text[len(cover.text) - shown :]
                )
                for known in {length, None}:
                    if (outer := place_of.get((form, text, known))) is not None:
                        yield place, outer


def _wider_others(covers: Sequence[Cover]) -> Iterator[tuple[int, int]]:
    known = (CoverForm.VALUE, CoverForm.RANGE, *_SHOWN, *_UNTOLD)
    others = [place for place, cover in enumerate(covers) if cover.form not in known]
    for outer in others:
        yield from ((place, outer) for place, cover in enumerate(covers) if is_within(cover, covers[outer]))
