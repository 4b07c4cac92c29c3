"""A release beside its original: which published labels stand for which original values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.attack.finding import Finding, exposure_of
from shoal.engine.joined_sets import Numbering
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import (
    Bools,
    Ints,
    SetArrays,
    frozen_ints,
    frozen_sets,
    owners,
    starts_of,
    taken_rows,
)
from shoal.kernels.attack_sets import SetLinks
from shoal.kernels.attack_values import ValueLinks
from shoal.kernels.grouping import group_rows, group_sets, members
from shoal.recoding.label_meaning import items_of_labels, spans_of_labels


@dataclass(frozen=True, eq=False)
class Linked:
    """A release and the original that it was made from.

    The rows of the release are in an order that protects them, so nothing here relies on it. `k` is how many
    candidates everybody should have, `m` how many items may be known by the promise, None where it names no
    number; a promise may also cover facts of absence, or whole sets. Attacks sample with `seed` where there
    is too much to go through.
    """

    original: LocalData
    published: LocalData
    k: int
    m: int | None = None
    promises_absence: bool = False
    promises_whole_sets: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        lacking = [
            name
            for name in (*self.original.quasi, *self.original.quasi_sets)
            if name not in self.published.table.columns
        ]
        if lacking:
            raise BadInput(
                *(
                    Problem("is not in the published file", "attack the file that was made", column=name)
                    for name in lacking
                )
            )

    @property
    def has_values(self) -> bool:
        """Whether there are quasi-identifiers with single values."""
        return bool(self.original.quasi)

    @property
    def has_sets(self) -> bool:
        """Whether there are quasi-identifiers with sets."""
        return bool(self.original.quasi_sets)

    def against_itself(self) -> Linked:
        """The original as if it were published as it is: what would be found without protection."""
        return replace(self, published=self.original)

    @cached_property
    def values(self) -> LinkedValues:
        """What single values tell."""
        return _link_values(self.original, self.published)

    @cached_property
    def sets(self) -> LinkedSets:
        """What the items of sets tell."""
        return _link_sets(self.original, self.published)


def finding_of(
    adversary: str, known: str, candidates: Callable[[Linked], Ints], linked: Linked, *, promised: bool
) -> Finding:
    """What somebody finds who knows the same of every record."""
    return Finding(
        adversary=adversary,
        known=known,
        after=exposure_of(candidates(linked), linked.k),
        before=exposure_of(candidates(linked.against_itself()), linked.k),
        promised=promised,
    )


@dataclass(frozen=True, slots=True, eq=False)
class LinkedValues:
    """Records that agree on all single values are one kind of original, one class of the published rows."""

    links: ValueLinks
    original_of_row: Ints
    originals: Ints
    class_of_row: Ints
    class_sizes: Ints


@dataclass(frozen=True, slots=True, eq=False)
class LinkedSets:
    """The kinds of items in the original sets, the labels of the published ones, and how they are linked.

    `items[r]` is how many items of record r tell something: an item that is suppressed in the whole file
    tells nothing. `leaves_of_label` is how many items a label stands for, `kind_of_item` the kind of each
    item in the `originals`, -1 where no label stands for it.
    """

    links: SetLinks
    originals: SetArrays
    kind_of_item: Ints
    items: Ints
    leaves_of_label: Ints


def _link_values(original: LocalData, published: LocalData) -> LinkedValues:
    values, labels = _Numbers(), _Numbers()
    records, cells = [], []
    for name in original.quasi:
        first, last = _spans_of_values(original, name)
        records.append(values.add(original.table.coded(name).codes, first, last))
        column, domain = published.table.coded(name), original.table.coded(name).domain
        if column.domain is not domain:  # else the original itself is the release
            first, last = spans_of_labels(name, column.domain.texts(), domain, original.trees.get(name))
        cells.append(labels.add(column.codes, first, last))
    original_of_row, first_rows = group_rows(np.stack(records, axis=1))
    class_of_row, class_rows = group_rows(np.stack(cells, axis=1))
    class_labels = np.stack(cells, axis=1)[class_rows]
    links = ValueLinks(
        frozen_ints(class_labels),
        _labels_of_values(values, labels),
        _classes_of_labels(class_labels, labels.count),
        frozen_ints(values.first),
        frozen_ints(values.last),
        frozen_ints(labels.first),
        frozen_ints(labels.last),
    )
    return LinkedValues(
        links,
        original_of_row,
        frozen_ints(np.stack(records, axis=1)[first_rows]),
        class_of_row,
        np.bincount(class_of_row, minlength=len(class_rows)).astype(np.int64),
    )


class _Numbers:
    """Values or labels of several columns under one sequence of numbers, with what they span."""

    def __init__(self) -> None:
        self.first = np.empty(0, dtype=np.int64)
        self.last = np.empty(0, dtype=np.int64)
        self.ends: list[int] = []

    @property
    def count(self) -> int:
        return len(self.first)

    def add(self, codes: Ints, first: Ints, last: Ints) -> Ints:
        numbered: Ints = codes + self.count
        self.first, self.last = np.append(self.first, first), np.append(self.last, last)
        self.ends.append(self.count)
        return numbered


def _spans_of_values(data: LocalData, name: str) -> tuple[Ints, Ints]:
    if name in data.trees:
        arrays = data.trees[name].arrays
        return arrays.first_leaf, arrays.last_leaf
    codes = np.arange(data.table.coded(name).domain.missing + 1, dtype=np.int64)
    return codes, codes


def _labels_of_values(values: _Numbers, labels: _Numbers) -> SetArrays:
    """For each value the labels of its column that span it."""
    found: list[Ints] = []
    value_start = label_start = 0
    for value_end, label_end in zip(values.ends, labels.ends, strict=True):
        at, of = slice(value_start, value_end), slice(label_start, label_end)
        spanning = [
            label_start + np.flatnonzero((labels.first[of] <= first) & (labels.last[of] >= last))
            for first, last in zip(values.first[at].tolist(), values.last[at].tolist(), strict=True)
        ]
        found += spanning
        value_start, label_start = value_end, label_end
    return _as_sets(found)


def _classes_of_labels(class_labels: Ints, label_count: int) -> SetArrays:
    """For each label the classes that have it; labels of different columns have different numbers."""
    classes = np.repeat(np.arange(len(class_labels), dtype=np.int64), class_labels.shape[1])
    starts, places = members(class_labels.ravel(), label_count)
    return frozen_sets(starts, classes[places])


def _link_sets(original: LocalData, published: LocalData) -> LinkedSets:
    known, shown = original.joined_sets(), published.joined_sets()
    labels_of_item, leaves_of_label = _labels_of_items(original, known.quasi_items, shown.quasi_items)
    in_use = np.zeros(shown.quasi_items.count, dtype=np.bool_)
    in_use[shown.quasi.items] = True
    kind_of_item, kinds = _kinds(
        labels_of_item, in_use, np.bincount(shown.quasi.items, minlength=len(in_use))
    )
    held, copies, items = _held_kinds(known.quasi, kind_of_item)
    links = SetLinks(
        shown.quasi,
        frozen_ints(owners(shown.quasi.starts)),
        kinds,
        held,
        frozen_ints(owners(held.starts)),
        copies,
        shown.quasi_items.count,
    )
    return LinkedSets(links, known.quasi, kind_of_item, items, leaves_of_label)


def _labels_of_items(
    original: LocalData, items: Numbering, labels: Numbering
) -> tuple[list[list[int]], Ints]:
    labels_of_item: list[list[int]] = [[] for _ in range(items.count)]
    leaves_of_label = np.zeros(labels.count, dtype=np.int64)
    for name, item_domain, item_first, label_domain, label_first in zip(
        items.columns, items.domains, items.first.tolist(), labels.domains, labels.first.tolist(), strict=True
    ):
        if label_domain is item_domain:  # the original itself is the release
            meant: Sequence[range | list[int]] = [[code] for code in range(len(label_domain))]
        else:
            meant = items_of_labels(name, label_domain.texts(), item_domain, original.trees.get(name))
        for label, of_label in enumerate(meant, start=label_first):
            leaves_of_label[label] = len(of_label)
            for item in of_label:
                labels_of_item[item_first + item].append(label)
    return labels_of_item, leaves_of_label


def _kinds(labels_of_item: Sequence[Sequence[int]], in_use: Bools, supports: Ints) -> tuple[Ints, SetArrays]:
    """The kind of each item, -1 if no label in use stands for it; those with few candidates come first."""
    labels_in_use = [tuple(label for label in labels if in_use[label]) for labels in labels_of_item]
    distinct = sorted(
        {labels for labels in labels_in_use if labels},
        key=lambda labels: (sum(int(supports[label]) for label in labels), labels),
    )
    number_of = {labels: number for number, labels in enumerate(distinct)}
    kind_of_item = frozen_ints([number_of.get(labels, -1) for labels in labels_in_use])
    return kind_of_item, _as_sets([np.array(labels, dtype=np.int64) for labels in distinct])


def _held_kinds(sets: SetArrays, kind_of_item: Ints) -> tuple[SetArrays, Ints, Ints]:
    """The kinds of each record, how many of its items are of each, and how many are of any."""
    row_count = len(sets.starts) - 1
    rows, kinds = owners(sets.starts), kind_of_item[sets.items]
    rows, kinds = rows[kinds >= 0], kinds[kinds >= 0]
    kind_count = int(kind_of_item.max(initial=0)) + 1
    pairs, copies = np.unique(rows * kind_count + kinds, return_counts=True)
    starts = np.searchsorted(pairs // kind_count, np.arange(row_count + 1))
    items = np.bincount(rows, minlength=row_count).astype(np.int64)
    return frozen_sets(starts, pairs % kind_count), frozen_ints(copies), items


def _as_sets(parts: Sequence[Ints]) -> SetArrays:
    starts = starts_of([len(part) for part in parts])
    return frozen_sets(starts, np.concatenate(parts) if parts else [])


def distinct_published_sets(links: SetLinks) -> tuple[SetLinks, Ints]:
    """The same links with equal published sets once, and how many rows each stands for."""
    class_of_row, first_rows = group_sets(links.published)
    published = taken_rows(links.published, first_rows)
    weights = np.bincount(class_of_row, minlength=len(first_rows)).astype(np.int64)
    return links._replace(published=published, row_of_label=frozen_ints(owners(published.starts))), weights
