"""Two releases about the same people: who is in both must fit in both."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.attack.finding import Finding, exposure_of
from shoal.attack.links import Linked, LinkedSets
from shoal.kernels.arrays import Bools, Ints, frozen_ints, frozen_sets, wide
from shoal.kernels.attack_values import ReleaseSide, count_with_partner, fitting_classes
from shoal.kernels.grouping import group_rows, members
from shoal.progress import Progress
from shoal.table.columns import Carried, Coded, Column
from shoal.table.roles import Insensitive, Sensitive

MOST_PEOPLE = 1_000
KNOWN_ITEMS = 2


def intersect(one: Linked, other: Linked, progress: Progress, most_people: int = MOST_PEOPLE) -> Finding:
    """How many rows of the first release are left for each person who is in both.

    The adversary knows all single values and as many items as the promise names, drawn at random. A candidate
    is left when some candidate of the other release could be the same record: equal in all that both publish
    untouched, and with sets that could come from one. `before` is what the first release alone tells. A
    sample of `most_people` people is attacked when there are more.
    """
    progress.stage("intersecting the releases")
    known = one.m or KNOWN_ITEMS
    rng = np.random.default_rng(one.seed)
    count = one.original.row_count
    people = np.sort(rng.permutation(count)[:most_people])
    sides = _sides(one, other)
    overlap = _overlap(one.sets, other.sets) if one.has_sets else np.zeros((1, 1), dtype=np.bool_)
    alone, joint = np.zeros(len(people), dtype=np.int64), np.zeros(len(people), dtype=np.int64)
    of_one, of_other = _Candidates(one), _Candidates(other)
    for index, person in enumerate(people.tolist()):
        items = _known_items(one, person, known, rng)
        rows, partners = of_one.fitting(person, items), of_other.fitting(person, items)
        alone[index] = len(rows)
        joint[index] = count_with_partner(sides[0], rows, sides[1], partners, overlap)
    values = f"the values of {', '.join(one.original.quasi)}" if one.has_values else ""
    some = f"{known} {'item' if known == 1 else 'items'} drawn at random" if one.has_sets else ""
    return Finding(
        adversary="intersection",
        known=f"{' and '.join(filter(None, (values, some)))}, and that a person is in both releases",
        after=exposure_of(joint, one.k, count),
        before=exposure_of(alone, one.k, count),
        items=known if one.has_sets else None,
        chosen="random" if one.has_sets else "worst",
    )


class _Candidates:
    """The published rows that fit what is known of one person after another."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked
        self._everybody = np.arange(linked.published.row_count, dtype=np.int64)
        if linked.has_values:
            values = linked.values
            self._rows_of_class = members(values.class_of_row, len(values.class_sizes))
        if linked.has_sets:
            links = linked.sets.links
            self._places_of_label = members(links.published.items, links.label_count)

    def fitting(self, person: int, items: Ints) -> Ints:
        rows = self._by_values(person) if self._linked.has_values else self._everybody
        for item in items.tolist():
            rows = np.intersect1d(rows, self._showing(item))
        return frozen_ints(rows)

    def _by_values(self, person: int) -> Ints:
        values = self._linked.values
        record = values.originals[values.original_of_row[person]].reshape(1, -1)
        starts, rows = self._rows_of_class
        found = [
            rows[starts[c] : starts[c + 1]] for c in fitting_classes(values.links, record).items.tolist()
        ]
        return np.sort(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)

    def _showing(self, item: int) -> Ints:
        sets = self._linked.sets
        kind = int(sets.kind_of_item[item])
        if kind < 0:  # suppressed in the whole file
            return self._everybody
        labels = sets.links.kinds.items[sets.links.kinds.starts[kind] : sets.links.kinds.starts[kind + 1]]
        starts, places = self._places_of_label
        found = [places[starts[label] : starts[label + 1]] for label in labels.tolist()]
        return np.unique(sets.links.row_of_label[np.concatenate(found)])


def _known_items(linked: Linked, person: int, known: int, rng: np.random.Generator) -> Ints:
    if not linked.has_sets:
        return np.empty(0, dtype=np.int64)
    sets = linked.sets.originals
    items = sets.items[sets.starts[person] : sets.starts[person + 1]]
    return wide(items[rng.permutation(len(items))[:known]])


def _overlap(one: LinkedSets, other: LinkedSets) -> Bools:
    """Which labels of two releases stand for an item in common."""
    mine, others = _stands_for(one), _stands_for(other)
    return np.asarray(mine @ others.T > 0)


def _stands_for(linked: LinkedSets) -> NDArray[np.float32]:
    """By label and item whether the one stands for the other, as numbers that can be multiplied."""
    matrix = np.zeros((linked.links.label_count, len(linked.kind_of_item)), dtype=np.float32)
    for item, kind in enumerate(linked.kind_of_item.tolist()):
        if kind >= 0:
            kinds = linked.links.kinds
            matrix[kinds.items[kinds.starts[kind] : kinds.starts[kind + 1]], item] = 1
    return matrix


def _sides(one: Linked, other: Linked) -> tuple[ReleaseSide, ReleaseSide]:
    names = [
        name
        for name in one.published.with_role(Sensitive, Insensitive)
        if name in other.published.table.columns
    ]
    count = one.published.row_count
    shown = np.zeros(count + other.published.row_count, dtype=np.int64)
    for name in names:
        texts = pa.concat_arrays([_texts(linked.published.table.column(name)) for linked in (one, other)])
        codes = texts.dictionary_encode("encode").indices.to_numpy().astype(np.int64)
        shown, _ = group_rows(np.stack((shown, codes), axis=1))
    return _side(one, shown[:count]), _side(other, shown[count:])


def _side(linked: Linked, shown: Ints) -> ReleaseSide:
    if linked.has_sets:
        return ReleaseSide(linked.sets.links.published, frozen_ints(shown))
    return ReleaseSide(frozen_sets(np.zeros(len(shown) + 1), []), frozen_ints(shown))


def _texts(column: Column) -> pa.Array:
    if isinstance(column, Coded):
        labels = pa.array([*column.domain.texts(), None], type=pa.string())
        return labels.take(pa.array(column.codes))
    if isinstance(column, Carried):
        return column.values.combine_chunks().cast(pa.string())
    return pa.nulls(len(column), pa.string())  # sets beside the quasi-identifiers are not compared
