"""The smallest sets of values that the labels of a release tell apart, and how likely a label means each.

The atoms of texts are values: those that are published or listed in the codebook. A label that covers none of
them, such as `53***` where no code is published whole, is an atom of its own. The atoms of numbers and days
are the pieces between all bounds that labels name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays, frozen_sets, starts_of
from shoal.metrics.item_shares import likely_shares, uniform_shares
from shoal.recoding.label_cover import Bound, Cover, CoverForm, number_of
from shoal.report.codebook import ColumnBook
from shoal.table.columns import Kind

# The part that goes by how frequent values seem to be: the best of a few on five columns of Adult, by whose
# original it was chosen. On FARS nothing of it (0) is a little better, and all of it (1) much worse on both.
LIKELY = 0.25
_POINT = 1e-9  # the width of a single number among ranges
_EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The atoms of a column; label c covers those in row c of `covered`, each with a share.

    Named atoms have `values`. Of numbers and days, `lows` are inside and `highs` begin what follows; where
    the column is not `whole`, single numbers are atoms without a width.
    """

    values: tuple[str, ...]
    lows: Floats
    highs: Floats
    whole: bool
    covered: SetArrays

    @property
    def are_named(self) -> bool:
        """Whether atoms are values, not pieces of a line."""
        return bool(self.values)

    def even_shares(self) -> Floats:
        """Every value that a label covers as likely as the others."""
        return uniform_shares(self.covered, self._widths)

    def shares(self, counts: Ints) -> Floats:
        """How likely a label that occurs counts[c] times stands for each of its atoms."""
        likely = likely_shares(self.covered, counts, self._widths)
        shares: Floats = (1 - LIKELY) * self.even_shares() + LIKELY * likely
        return shares

    @property
    def _widths(self) -> Floats | None:
        return None if self.are_named else np.maximum(self.highs - self.lows, _POINT)


def atoms_of(book: ColumnBook, labels: Sequence[str]) -> Atoms:
    """The atoms of a column whose labels have these codes."""
    covers = [book.covers[label] for label in labels]
    spans = {CoverForm.VALUE, CoverForm.RANGE, CoverForm.EVERYTHING}
    are_numbers = all(cover.form is not CoverForm.VALUE or cover.lower is not None for cover in covers)
    if book.kind is not Kind.CATEGORY and are_numbers and {cover.form for cover in covers} <= spans:
        return _pieces(covers)
    return _named_atoms(book, dict(zip(labels, covers, strict=True)))


def on_a_line(bound: Bound) -> float:
    """A number, or the days from 1970-01-01 to a day."""
    return float(date.fromisoformat(bound).toordinal() - _EPOCH) if isinstance(bound, str) else float(bound)


def spans_of(covers: Sequence[Cover]) -> tuple[Floats, Floats]:
    """Lower and upper bounds as numbers; infinite where there is none."""
    lows = [-np.inf if cover.lower is None else on_a_line(cover.lower) for cover in covers]
    highs = [np.inf if cover.upper is None else on_a_line(cover.upper) for cover in covers]
    return np.array(lows), np.array(highs)


def is_whole(covers: Sequence[Cover]) -> bool:
    """Whether labels stand for integers or days only."""
    return all(
        cover.form is CoverForm.EVERYTHING
        or isinstance(cover.lower, str)
        or (cover.form is CoverForm.VALUE and isinstance(cover.lower, int))
        or cover.whole
        for cover in covers
    )


def _pieces(covers: Sequence[Cover]) -> Atoms:
    whole = is_whole(covers)
    lows, highs = spans_of(covers)
    highs = highs + 1 if whole else highs
    finite = np.concatenate((lows[np.isfinite(lows)], highs[np.isfinite(highs)]))
    if not len(finite):  # nothing but cells that say nothing: one piece without bounds
        finite = np.array([0.0, 0.0])
    lows, highs = np.maximum(lows, finite.min()), np.minimum(highs, finite.max())
    if not whole:  # pieces of a line of fractions would be too many, and points would lie in them
        starts = np.arange(len(covers) + 1)
        return Atoms((), lows, highs, whole, frozen_sets(starts, np.arange(len(covers))))
    edges = np.unique(finite)
    first, behind = np.searchsorted(edges, lows), np.searchsorted(edges, highs)
    is_value = np.array([cover.form is CoverForm.VALUE for cover in covers])
    return Atoms((), edges[:-1], edges[1:], whole, _sets(_occupied(first, behind, is_value, len(edges) - 1)))


def _occupied(first: Ints, behind: Ints, is_value: Bools, count: int) -> list[Ints]:
    """The pieces that each range stands for: those that narrower ranges within it do, else all its own.

    Where 15-19 is published and nothing else below 20, nobody seems to be younger than 15.
    """
    stands_for = np.zeros((len(first), count), dtype=np.bool_)
    for label in np.argsort(behind - first, kind="stable").tolist():
        narrower = (first >= first[label]) & (behind <= behind[label]) & ~is_value
        narrower &= behind - first < behind[label] - first[label]
        stands_for[label] = stands_for[narrower].any(axis=0)
        if not stands_for[label].any():
            stands_for[label, first[label] : behind[label]] = True
    return [np.flatnonzero(pieces) for pieces in stands_for]


def _named_atoms(book: ColumnBook, covers: Mapping[str, Cover]) -> Atoms:
    listed = [() if book.tree is None else book.tree.leaf_labels]
    listed += [(label,) for label, cover in covers.items() if cover.form is CoverForm.VALUE]
    listed += [cover.values for cover in covers.values() if cover.form is CoverForm.VALUES]
    values = list(dict.fromkeys(value for some in listed for value in some))
    place_of = {value: place for place, value in enumerate(values)}
    numbers = [number_of(value, book.kind) for value in values]
    everything: list[int] = []
    pieces = []
    for label, cover in covers.items():
        match cover.form:
            case CoverForm.VALUE:
                held = [place_of[label]]
            case CoverForm.VALUES:
                held = [place_of[value] for value in cover.values]
            case CoverForm.EVERYTHING:
                held = everything
            case CoverForm.NAME:
                held = []
            case _:
                known = zip(values, numbers, strict=True)
                held = [place for place, each in enumerate(known) if cover.holds(*each)]
        if not held and held is not everything:
            held = [place_of.setdefault(label, len(place_of))]
        pieces.append(held)
    everything += range(len(place_of)) if place_of else [place_of.setdefault(label, 0) for label in covers]
    names = tuple(place_of)
    on_line = [number_of(name, book.kind) for name in names]
    lows = np.array([np.nan if number is None else on_a_line(number) for number in on_line])
    return Atoms(names, lows, lows, whole=False, covered=_sets([np.array(held) for held in pieces]))


def _sets(pieces: Sequence[Ints]) -> SetArrays:
    empty: Ints = np.empty(0, dtype=np.int64)
    return frozen_sets(starts_of([len(each) for each in pieces]), np.concatenate((empty, *pieces)))
