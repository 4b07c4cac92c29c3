"""Counting in a release without the original: no fewer, as expected, no more.

A label counts for certain where all that it covers does, perhaps where some of it does, and as expected by
the share of what it covers. In a table of several columns, a part of each class of records that are published
alike is shared out among the cells that fit it in proportion to how many records these seem to have, again
and again; the rest evenly. More than that part overrates frequent cells: what is frequent need not hide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, InvalidParameter, Problem, UnknownName
from shoal.kernels.arrays import Bools, Floats, Ints, owners
from shoal.recoding.label_cover import Cover, Form, is_within, number_of, range_cover
from shoal.study.label_atoms import LIKELY, Atoms, on_a_line, spans_of
from shoal.study.open_release import OpenedRelease
from shoal.table.arrow_form import typed_column
from shoal.table.columns import Coded, Kind, Sets

Where = Mapping[str, str | Sequence[str]]
Bands = Mapping[str, Sequence[float | str]]
MOST_GROUPED = 3
_ROUNDS = 30
_UNTOLD = (Form.EVERYTHING, Form.NAME)


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Groups of values of a column, and how each code belongs to them: for certain, perhaps, by its share.

    `likely` is how likely somebody in a bin has a value that the code covers. The code behind the last is a
    missing value, which belongs to none.
    """

    names: tuple[Any, ...]
    surely: Bools
    maybe: Bools
    shares: Floats
    likely: Floats
    codes: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """How much each record counts: for certain, as expected, at most."""

    lower: Floats
    expected: Floats
    upper: Floats

    def and_(self, lower: Floats, expected: Floats, upper: Floats) -> Weights:
        """Those that also fit something else."""
        return Weights(self.lower * lower, self.expected * expected, self.upper * upper)


@dataclass(frozen=True, slots=True)
class Counted:
    """A table of counts: one row of `groups` and three numbers for each cell."""

    by: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]
    lower: tuple[int, ...]
    expected: tuple[float, ...]
    upper: tuple[int, ...]

    def columns(self) -> dict[str, pa.Array]:
        """The table by columns: those that were grouped by, `lower`, `expected` and `upper`."""
        groups = {
            name: pa.array([group[place] for group in self.groups]) for place, name in enumerate(self.by)
        }
        counts = {"lower": self.lower, "expected": self.expected, "upper": self.upper}
        return groups | {name: pa.array(numbers) for name, numbers in counts.items()}


def count(
    release: OpenedRelease, where: Where | None = None, by: Sequence[str] = (), bands: Bands | None = None
) -> Counted:
    """Count records that have certain values, or hold certain items, by the values of up to three columns.

    `where` names for a column a value, several of which one counts, or a range such as 30-39; for a set the
    items that are all held. Numbers and dates are grouped by `bands`, the ends of which begin the next one,
    or by the coarsest labels.
    """
    by, bands = (by,) if isinstance(by, str) else tuple(by), bands or {}
    if len(by) > MOST_GROUPED or len(set(by)) < len(by):
        raise InvalidParameter("count", "by", list(by), f"up to {MOST_GROUPED} different columns")
    for name in (*by, *(where or {})):
        _refuse_unknown(release, name)
    for name in bands:
        if name not in by:
            raise InvalidParameter("count", "bands", name, "columns of `by`")
    weights = Weights(*(np.ones(release.table.row_count) for _ in range(3)))
    for name, wanted in (where or {}).items():
        weights = weights.and_(*_fitting(release, name, [wanted] if isinstance(wanted, str) else [*wanted]))
    return _tabled(by, [_bins(release, name, bands.get(name)) for name in by], weights)


def ends_of(text: str) -> list[float | str]:
    """The ends of bands as people write them, such as 20, 40, 60: numbers, or days; BadInput for others."""
    parts = re.split(r"[,\s]+", text.strip())
    try:
        ends = [part if "-" in part.lstrip("-") else float(part) for part in parts]
        for end in ends:
            on_a_line(end)
    except ValueError as error:
        remedy = "write them as in 20, 40, 60 or 2020-01-01, 2021-01-01"
        raise BadInput(Problem(f"{text!r} are no ends of bands", remedy)) from error
    return ends


def _tabled(by: Sequence[str], bins: Sequence[Bins], weights: Weights) -> Counted:
    stacked = np.stack([np.zeros(len(weights.lower), dtype=np.int64), *(each.codes for each in bins)])
    classes, class_of = np.unique(stacked, axis=1, return_inverse=True)
    size = classes.shape[1]
    lower, expected, upper = (
        np.bincount(class_of.ravel(), some, size).astype(np.float64)
        for some in (weights.lower, weights.expected, weights.upper)
    )
    places = list(zip(bins, classes[1:], strict=True))
    counted = (
        _crossed(lower, [each.surely[codes] for each, codes in places]),
        _expected(expected, places),
        _crossed(upper, [each.maybe[codes] for each, codes in places]),
    )
    groups = tuple(product(*(each.names for each in bins)))
    least, mean, most = (cells.ravel() for cells in counted)
    whole = [tuple(map(int, np.rint(cells).tolist())) for cells in (least, most)]
    return Counted(tuple(by), groups, whole[0], tuple(mean.tolist()), whole[1])


_LETTERS = "ijk"


def _crossed(counts: Floats, of_classes: Sequence[Any]) -> Floats:
    """The sum over classes of their counts times the product of their weights in each column."""
    letters = _LETTERS[: len(of_classes)]
    terms = ",".join(["c", *(f"c{letter}" for letter in letters)])
    cells: Floats = np.einsum(
        f"{terms}->{letters}", counts, *(each.astype(np.float64) for each in of_classes), optimize=True
    )
    return cells


def _expected(counts: Floats, places: Sequence[tuple[Bins, Ints]]) -> Floats:
    by_columns = _crossed(counts, [each.shares[codes] for each, codes in places])
    if not places:
        return by_columns
    likely = [each.likely[codes] for each, codes in places]
    letters = _LETTERS[: len(likely)]
    terms = ",".join([letters, *(f"c{letter}" for letter in letters)])
    cells = by_columns
    for _ in range(_ROUNDS):
        of_classes = np.einsum(f"{terms}->c", cells, *likely, optimize=True)
        scaled = np.divide(counts, of_classes, out=np.zeros_like(counts), where=of_classes > 0)
        cells = cells * _crossed(scaled, likely)
    mixed: Floats = (1 - LIKELY) * by_columns + LIKELY * cells
    return mixed


def _fitting(release: OpenedRelease, name: str, wanted: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """For each record how it has one of some values, or holds all of some items."""
    column = release.table.column(name)
    if isinstance(column, Sets):
        of_items = [_holding(release, name, column, item) for item in wanted]
        least, mean, most = (np.prod([each[side] for each in of_items], axis=0) for side in range(3))
        return least, mean, most
    if name not in release.quasi:
        held = np.isin(_texts(release, name), wanted).astype(np.float64)
        return held, held, held
    covers = [_wanted_cover(release, name, text) for text in wanted]
    bins = _bins_of_covers(release, name, covers, tuple(wanted))
    least, mean, most = (
        table.any(axis=1) if table.dtype == np.bool_ else np.minimum(table.sum(axis=1), 1)
        for table in (bins.surely, bins.shares, bins.maybe)
    )
    return tuple(np.asarray(of_codes, dtype=np.float64)[bins.codes] for of_codes in (least, mean, most))  # type: ignore[return-value]


def _holding(release: OpenedRelease, name: str, sets: Sets, item: str) -> tuple[Floats, Floats, Floats]:
    bins = _bins_of_covers(release, name, [_wanted_cover(release, name, item)], (item,))
    rows, items = owners(sets.arrays.starts), sets.arrays.items
    surely = np.bincount(rows, bins.surely[items, 0], len(sets)) > 0
    maybe = np.bincount(rows, bins.maybe[items, 0], len(sets)) > 0
    lacking = np.ones(len(sets))
    np.multiply.at(lacking, rows, 1 - bins.shares[items, 0])
    return surely.astype(np.float64), 1 - lacking, maybe.astype(np.float64)


def _refuse_unknown(release: OpenedRelease, name: str) -> None:
    """Refuse a column that the release does not have."""
    if name not in release.table.columns:
        raise UnknownName("the release", "column", name, release.table.columns)


def _wanted_cover(release: OpenedRelease, name: str, text: str) -> Cover:
    """What somebody asks for: a label of the file, a range, or a value."""
    book = release.codebook.columns[name]
    if text in book.covers:
        return book.covers[text]
    number = number_of(text, book.kind)
    if number is not None or book.kind is Kind.CATEGORY:
        return Cover(Form.VALUE, number, number, text=text)
    whole = release.atoms[name].whole
    if (found := range_cover(text, book.kind, whole=whole)) is not None:
        return found
    what = f"{text!r} is no label, {book.kind} or range of the column"
    raise BadInput(Problem(what, "write a value, or a range such as 30-39", column=name))


def _texts(release: OpenedRelease, name: str) -> Any:
    column = typed_column(release.table.column(name), 0, release.table.row_count)
    return np.array(["" if value is None else str(value) for value in column.to_pylist()], dtype=object)


def _bins(release: OpenedRelease, name: str, ends: Sequence[float | str] | None) -> Bins:
    """The bins that a table has for a column."""
    column = release.table.column(name)
    if isinstance(column, Sets):
        what = "holds sets, which tables are not grouped by"
        raise BadInput(Problem(what, "ask for items with where", column=name))
    if name not in release.quasi:
        if ends is not None:
            what = "is published as it is, and counted value by value"
            raise BadInput(Problem(what, "leave its bands out", column=name))
        return _exact_bins(release, name)
    atoms = release.atoms[name]
    if atoms.are_named:
        if ends is not None:
            raise BadInput(Problem("has no numbers or dates to make bands of", "leave them out", column=name))
        covers = [_atom_cover(release, name, value) for value in atoms.values]
        return _bins_of_covers(release, name, covers, atoms.values)
    edges = _edges(release, name, ends)
    names = [_band_name(release, name, *pair) for pair in pairwise(edges)]
    return _line_bins(release, name, np.array(edges[:-1]), np.array(edges[1:]), tuple(names))


def _atom_cover(release: OpenedRelease, name: str, value: str) -> Cover:
    book = release.codebook.columns[name]
    number = number_of(value, book.kind)
    return book.covers.get(value) or Cover(Form.VALUE, number, number, text=value)


def _exact_bins(release: OpenedRelease, name: str) -> Bins:
    texts, codes = np.unique(_texts(release, name).astype(str), return_inverse=True)
    one = np.eye(len(texts))
    return Bins(tuple(texts.tolist()), one > 0, one > 0, one, one, codes.astype(np.int64))


def _edges(release: OpenedRelease, name: str, ends: Sequence[float | str] | None) -> list[float]:
    atoms = release.atoms[name]
    if ends is not None:
        if len(ends) < 2:
            raise InvalidParameter("count", "bands", list(ends), "two ends or more")
        found = [on_a_line(end) for end in ends]
        if found != sorted(set(found)):
            raise InvalidParameter("count", "bands", list(ends), "ends that ascend")
        return found
    lows, highs = atoms.lows, atoms.highs
    if not atoms.whole:  # labels may overlap as they like
        return sorted({float(lows.min()), float(highs.max())})
    spans = [release.codebook.columns[name].covers[label] for label in release.label_texts(name)]
    low, high = spans_of([cover for cover in spans if cover.form is not Form.EVERYTHING])
    inside = [edge for edge in lows.tolist() if not ((low < edge) & (edge < high + 1)).any()]
    return sorted({*inside, float(lows.min()), float(highs.max())})


def _band_name(release: OpenedRelease, name: str, low: float, high: float) -> str:
    book, whole = release.codebook.columns[name], release.atoms[name].whole
    if book.kind is Kind.DATE:
        first, last = (str(np.datetime64(int(day), "D")) for day in (low, high - 1))
        return f"[{first}, {last}]"
    return f"{low:.15g}-{high - 1:.15g}" if whole else f"[{low:.15g}, {high:.15g})"


def _bins_of_covers(
    release: OpenedRelease, name: str, wanted: Sequence[Cover], names: tuple[Any, ...]
) -> Bins:
    atoms = release.atoms[name]
    column = release.table.column(name)
    if not atoms.are_named:
        lows, highs = spans_of(wanted)
        half_open = np.array([not cover.includes_upper for cover in wanted])
        behind = highs + 1 if atoms.whole else np.where(half_open, highs, np.nextafter(highs, np.inf))
        return _line_bins(release, name, lows, behind, names)
    labels = release.label_texts(name)
    covers = [release.codebook.columns[name].covers[label] for label in labels]
    surely = np.array(
        [[_is_sure(cover, each) for each in wanted] for cover in covers] + [[False] * len(wanted)]
    )
    maybe = np.array(
        [[_may_be(cover, each) for each in wanted] for cover in covers] + [[False] * len(wanted)]
    )
    in_bin = _atoms_in(atoms, wanted)
    shares = _summed(atoms, atoms.even_shares(), in_bin)
    codes = column.codes if isinstance(column, Coded) else np.empty(0, dtype=np.int64)
    return Bins(names, surely, maybe, shares, maybe.astype(np.float64), codes)


def _is_sure(cover: Cover, wanted: Cover) -> bool:
    return (
        cover.form not in _UNTOLD and is_within(cover, wanted)
        if wanted.form is not Form.NAME
        else cover is wanted
    )


def _may_be(cover: Cover, wanted: Cover) -> bool:
    if (
        cover.form in _UNTOLD
        or wanted.form in _UNTOLD
        or is_within(wanted, cover)
        or is_within(cover, wanted)
    ):
        return True
    if wanted.form is Form.VALUES:
        return any(cover.holds(value, None) for value in wanted.values)
    return cover.form is Form.VALUES and any(wanted.holds(value, None) for value in cover.values)


def _atoms_in(atoms: Atoms, wanted: Sequence[Cover]) -> Bools:
    """Which atoms belong to what is wanted; what is wanted whole by a label is that label's atom."""
    found = np.zeros((len(atoms.values), len(wanted)), dtype=np.bool_)
    for place, cover in enumerate(wanted):
        if cover.form is Form.VALUE:
            found[:, place] = [value == cover.text for value in atoms.values]
        elif cover.form is not Form.NAME:
            found[:, place] = [cover.holds(value, None) for value in atoms.values]
    return found


def _summed(atoms: Atoms, shares: Floats, in_bin: Bools) -> Floats:
    """For each label the shares of its atoms in each bin, and a row for the missing value."""
    owner, count = owners(atoms.covered.starts), len(atoms.covered.starts)
    columns = [np.bincount(owner, shares * inside[atoms.covered.items], count) for inside in in_bin.T]
    return np.stack(columns, axis=1)


def _line_bins(
    release: OpenedRelease, name: str, lows: Floats, highs: Floats, names: tuple[Any, ...]
) -> Bins:
    """Bins of numbers or days: from `lows` on, and before `highs`."""
    atoms = release.atoms[name]
    covers = [release.codebook.columns[name].covers[label] for label in release.label_texts(name)]
    label_lows, label_highs = spans_of(covers)
    ends = label_highs + 1 if atoms.whole else label_highs
    low, high = label_lows[:, None], ends[:, None]
    points = (low == high) & (low >= lows) & (low < highs)
    surely = points | ((low >= lows) & (high <= highs) & (low < high))
    maybe = points | ((low < highs) & (high > lows))
    overlap = np.clip(
        np.minimum(atoms.highs[:, None], highs) - np.maximum(atoms.lows[:, None], lows), 0, None
    )
    widths = (atoms.highs - atoms.lows)[:, None]
    at_point = (atoms.lows[:, None] >= lows) & (atoms.lows[:, None] < highs)
    inside = np.where(widths > 0, overlap / np.where(widths > 0, widths, 1), at_point)
    shares = _summed(atoms, atoms.even_shares(), inside)
    reach = np.clip(np.minimum(high, highs) - np.maximum(low, lows), 0, None) / (highs - lows)
    likely = np.where(np.isfinite(reach), np.where(points, 1.0, reach), maybe)
    none = np.zeros((1, len(lows)))
    codes = release.table.coded(name).codes
    return Bins(
        names,
        np.vstack((surely, none > 0)),
        np.vstack((maybe, none > 0)),
        shares,
        np.vstack((likely, none)),
        codes,
    )
