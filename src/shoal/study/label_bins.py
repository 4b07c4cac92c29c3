"""How the labels of a release stand to groups of values: for certain, perhaps, by their share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints, owners
from shoal.metrics.item_shares import best_shares
from shoal.recoding.label_cover import Cover, CoverForm, is_within
from shoal.study.count_groups import (
    CoverGroups,
    Groups,
    PlainTexts,
    RangeGroups,
    all_values,
    numbers_of,
    written,
)
from shoal.study.label_atoms import Atoms, spans_of
from shoal.study.open_release import OpenedRelease
from shoal.table.columns import Column, Sets

_UNTOLD = (CoverForm.EVERYTHING, CoverForm.NAME)


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """How each code of a column belongs to groups of its values: for certain, perhaps, by its share.

    `likely` is how likely somebody in a group has a value that the code covers.
    """

    surely: Bools
    maybe: Bools
    shares: Floats
    likely: Floats
    codes: Ints


@dataclass(frozen=True, slots=True, eq=False)
class ItemLabels:
    """How each label of a column of sets stands to each of its items, and the records that tell nothing."""

    surely: Bools
    maybe: Bools
    shares: Floats
    untold: Bools


Chances = tuple[Floats, Floats, Floats]  # of each record: for certain, as expected, at most


@dataclass(frozen=True, eq=False)
class LabelledRecords:
    """The records of a release, seen by what their labels say."""

    release: OpenedRelease

    @property
    def row_count(self) -> int:
        """How many records there are."""
        return self.release.table.row_count

    def bins(self, name: str, groups: Groups) -> Bins:
        """How the records belong to groups of single values."""
        if name not in self.release.quasi:
            column = self.release.table.column(name)
            belongs, codes = exact_bins(column, groups)
            values, value_of = written(column)
            is_missing = np.array([value == "" for value in values], dtype=np.bool_)[value_of]
            return _with_untold(belongs, codes, self._tell_nothing & is_missing)
        if isinstance(groups, RangeGroups):
            return self._bins_on_a_line(name, groups)
        wanted, column = _covers(groups), self.release.table.coded(name)
        surely, maybe, in_group = self._by_covers(name, wanted)
        shares = _summed(self.release.atoms[name], self.release.atoms[name].even_shares(), in_group)
        none = np.zeros((1, len(wanted.covers)))
        surely, maybe = np.vstack((surely, none > 0)), np.vstack((maybe, none > 0))
        return Bins(surely, maybe, shares, maybe.astype(np.float64), column.codes)

    def fitting(self, name: str, groups: Groups) -> Chances:
        """How each record has a value of one of the groups, or holds an item of each of them."""
        if isinstance(self.release.table.column(name), Sets):
            return self._holding(name, _covers(groups))
        bins = self.bins(name, groups)
        tables = bins.surely.any(axis=1), np.minimum(bins.shares.sum(axis=1), 1), bins.maybe.any(axis=1)
        least, mean, most = (np.asarray(each, dtype=np.float64)[bins.codes] for each in tables)
        return least, mean, most

    def of_items(self, name: str, wanted: CoverGroups | None = None) -> ItemLabels:
        """What labels of sets say of some items, or of all; what one covers is shared out as is best."""
        atoms = self.release.atoms[name]
        surely, maybe, in_group = self._by_covers(name, wanted or all_values(self.release, name))
        shares = best_shares(atoms.covered, self.release.label_counts(name))
        return ItemLabels(surely, maybe, _summed(atoms, shares, in_group), self._tell_nothing)

    def _holding(self, name: str, wanted: CoverGroups) -> Chances:
        """Whether sets hold all of some items."""
        sets, labels = self.release.table.sets(name), self.of_items(name, wanted)
        surely, maybe, shares = labels.surely, labels.maybe, labels.shares
        rows, items = owners(sets.starts), sets.narrow
        least, mean, most = np.ones((3, len(sets)))
        for place in range(len(wanted.covers)):
            lacking = np.ones(len(sets))
            np.multiply.at(lacking, rows, 1 - shares[items, place])
            least *= np.bincount(rows, surely[items, place], len(sets)) > 0
            most *= (np.bincount(rows, maybe[items, place], len(sets)) > 0) | labels.untold
            mean *= 1 - lacking
        return least, mean, most

    def _by_covers(self, name: str, wanted: CoverGroups) -> tuple[Bools, Bools, Bools]:
        """How each label stands to what is wanted, and which atoms this has."""
        book, labels = self.release.codebook.columns[name], self.release.label_texts(name)
        shape = (len(labels), len(wanted.covers))
        asked = list(zip(wanted.names, wanted.covers, strict=True))
        told = [(label, book.covers[label]) for label in labels]
        surely = np.array([[_is_sure(*each, *other) for other in asked] for each in told], dtype=np.bool_)
        maybe = np.array(
            [[_may_be(cover, each) for each in wanted.covers] for _, cover in told], dtype=np.bool_
        )
        return surely.reshape(shape), maybe.reshape(shape), _atoms_in(self.release.atoms[name], wanted)

    def _bins_on_a_line(self, name: str, groups: RangeGroups) -> Bins:
        atoms, book = self.release.atoms[name], self.release.codebook.columns[name]
        covers = [book.covers[label] for label in self.release.label_texts(name)]
        lows, behind = groups.lows, groups.behind
        low, high = (ends[:, None] for ends in spans_of(covers))
        points = (low == high) & (low >= lows) & (low < behind)
        closed = np.array([cover.includes_upper for cover in covers])[:, None]
        ends = high + 1 if atoms.whole else np.where(closed, np.nextafter(high, np.inf), high)
        surely = (low >= lows) & (ends <= behind) & (low < ends)
        maybe = (low < behind) & (ends > lows)
        shares = _summed(atoms, atoms.even_shares(), _inside(atoms, groups))
        ends = high + 1 if atoms.whole else high
        reach = np.clip(np.minimum(ends, behind) - np.maximum(low, lows), 0, None) / (behind - lows)
        likely = np.where(np.isfinite(reach), np.where(points, 1.0, reach), maybe)
        none = np.zeros((1, len(lows)))
        return Bins(
            np.vstack((surely, none > 0)),
            np.vstack((maybe, none > 0)),
            shares,
            np.vstack((likely, none)),
            self.release.table.coded(name).codes,
        )

    @cached_property
    def _tell_nothing(self) -> Bools:
        """The records of which no label says anything, as those that were suppressed."""
        table, books = self.release.table, self.release.codebook.columns
        single = [name for name in self.release.quasi if not books[name].is_set]
        nothing = np.full(table.row_count, bool(single))
        for name in self.release.quasi:
            column = table.column(name)
            if isinstance(column, Sets):
                nothing &= column.sizes == 0
            else:
                covers = [books[name].covers[label] for label in self.release.label_texts(name)]
                untold = np.array([*(cover.form is CoverForm.EVERYTHING for cover in covers), False])
                nothing &= untold[table.coded(name).codes]
        return nothing


def exact_bins(column: Column, groups: Groups) -> tuple[Bools, Ints]:
    """How the values of a column that is as it was belong to groups, and which of them each record has."""
    if isinstance(groups, PlainTexts):
        values, codes = written(column)
        return np.array([[value == name for name in groups.names] for value in values]), codes
    numbers = numbers_of(column)
    if not isinstance(groups, RangeGroups) or numbers is None:
        raise TypeError("only columns of labels have covers")
    on_line, places = np.unique(numbers, return_inverse=True)
    return on_pieces(on_line, groups), places.astype(np.int64)


def on_pieces(numbers: Floats, pieces: RangeGroups) -> Bools:
    """Which numbers lie in which pieces."""
    return (numbers[:, None] >= pieces.lows) & (numbers[:, None] < pieces.behind)


def _with_untold(belongs: Bools, codes: Ints, untold: Bools) -> Bins:
    """A column that is published as it is; records that were suppressed may have any value of it."""
    told = belongs.astype(np.float64)
    known = np.bincount(codes[~untold], minlength=len(belongs)).astype(np.float64)
    share = known @ told / max(1.0, known.sum())
    return Bins(
        np.vstack((belongs, np.zeros(share.shape, dtype=np.bool_))),
        np.vstack((belongs, np.ones(share.shape, dtype=np.bool_))),
        np.vstack((told, share)),
        np.vstack((told, np.ones(share.shape))),
        np.where(untold, len(belongs), codes),
    )


def _covers(groups: Groups) -> CoverGroups:
    if not isinstance(groups, CoverGroups):
        raise TypeError("groups of labels have covers")
    return groups


def _inside(atoms: Atoms, groups: RangeGroups) -> Floats:
    """How much of each piece of a column lies in each group."""
    overlap = np.minimum(atoms.highs[:, None], groups.behind) - np.maximum(atoms.lows[:, None], groups.lows)
    widths = (atoms.highs - atoms.lows)[:, None]
    at_point = (atoms.lows[:, None] >= groups.lows) & (atoms.lows[:, None] < groups.behind)
    inside: Floats = np.where(
        widths > 0, np.clip(overlap, 0, None) / np.where(widths > 0, widths, 1), at_point
    )
    return inside


def _is_sure(label: str, cover: Cover, name: str, wanted: Cover) -> bool:
    if wanted.form is CoverForm.NAME:
        return cover.form is CoverForm.NAME and label == name
    return cover.form not in _UNTOLD and is_within(cover, wanted)


def _may_be(cover: Cover, wanted: Cover) -> bool:
    if (
        cover.form in _UNTOLD
        or wanted.form in _UNTOLD
        or is_within(wanted, cover)
        or is_within(cover, wanted)
    ):
        return True
    if wanted.form is CoverForm.VALUES:
        return any(cover.holds(value, None) for value in wanted.values)
    return cover.form is CoverForm.VALUES and any(wanted.holds(value, None) for value in cover.values)


def _atoms_in(atoms: Atoms, wanted: CoverGroups) -> Bools:
    """Which atoms belong to what is wanted; what nobody explains is an atom of its own."""
    found = np.zeros((len(atoms.values), len(wanted.covers)), dtype=np.bool_)
    for place, (name, cover) in enumerate(zip(wanted.names, wanted.covers, strict=True)):
        if cover.form in (CoverForm.VALUE, CoverForm.NAME):
            found[:, place] = [value == name for value in atoms.values]
        else:
            found[:, place] = [cover.holds(value, None) for value in atoms.values]
    return found


def _summed(atoms: Atoms, shares: Floats, in_bin: Bools | Floats) -> Floats:
    """For each label the shares of its atoms in each bin, and a row for the missing value."""
    owner, count = owners(atoms.covered.starts), len(atoms.covered.starts)
    columns = [np.bincount(owner, shares * inside[atoms.covered.items], count) for inside in in_bin.T]
    return np.stack(columns, axis=1)
