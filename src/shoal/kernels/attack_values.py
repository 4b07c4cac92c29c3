"""Published records that fit the known single values of an original one, or a row of another release."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.growable import with_room


class ValueLinks(NamedTuple):
    """Classes of published rows with equal labels, and which labels stand for which original values.

    The values and labels of all columns are numbered one after the other. Class c has class_labels[c, j] in
    column j. A label stands for a value of its column when it spans it: first and last of both are places in
    the column's order. `labels_of_value` lists these labels, `classes_of_label` the classes with a label.
    """

    class_labels: Ints
    labels_of_value: SetArrays
    classes_of_label: SetArrays
    value_first: Ints
    value_last: Ints
    label_first: Ints
    label_last: Ints


@kernel
def fitting_classes(links: ValueLinks, records: Ints) -> SetArrays:
    """The classes that fit each record; record r has the values records[r].

    Tries the classes that fit the record's most telling value. Reads only.
    """
    labels, classes = links.labels_of_value, links.classes_of_label
    starts = np.zeros(len(records) + 1, dtype=np.int64)
    found = np.empty(1024, dtype=np.int32)
    count = 0
    for r in range(len(records)):
        value = _most_telling(links, records, r)
        for label in labels.items[labels.starts[value] : labels.starts[value + 1]]:
            first, last = classes.starts[label], classes.starts[label + 1]
            found = with_room(found, count, count + last - first)
            for c in classes.items[first:last]:
                if _fits(links, records, r, c):
                    found[count] = c
                    count += 1
        starts[r + 1] = count
    return SetArrays(starts, found[:count].copy())


@kernel(part=True)
def _most_telling(links: ValueLinks, records: Ints, r: int) -> int:
    """The value of the record that fits the fewest classes."""
    labels, classes = links.labels_of_value, links.classes_of_label
    best, fewest = 0, 2**62
    for j in range(records.shape[1]):
        value, count = records[r, j], 0
        for label in labels.items[labels.starts[value] : labels.starts[value + 1]]:
            count += classes.starts[label + 1] - classes.starts[label]
        if count < fewest:
            best, fewest = value, count
    return best


@kernel(part=True)
def _fits(links: ValueLinks, records: Ints, r: int, number: int) -> bool:
    for j in range(records.shape[1]):
        label, value = links.class_labels[number, j], records[r, j]
        if (
            links.label_first[label] > links.value_first[value]
            or links.label_last[label] < links.value_last[value]
        ):
            return False
    return True


class ReleaseSide(NamedTuple):
    """A release: the labels of its sets, and a number for what each row shows beside quasi-identifiers."""

    published: SetArrays
    shown: Ints


@kernel
def count_with_partner(
    one: ReleaseSide, rows: Ints, other: ReleaseSide, partners: Ints, overlap: Bools
) -> int:
    """How many of the rows have a partner: equal in what they show, and with sets that could be one.

    Sets could be one when each label of either overlaps one of the other; overlap[a, b] tells of which labels
    that is true. Reads only.
    """
    count = 0
    for row in rows:
        for partner in partners:
            if one.shown[row] == other.shown[partner] and _could_be_one(
                one.published, row, other.published, partner, overlap
            ):
                count += 1
                break
    return count


@kernel(part=True)
def _could_be_one(sets: SetArrays, row: int, others: SetArrays, other: int, overlap: Bools) -> bool:
    labels = sets.items[sets.starts[row] : sets.starts[row + 1]]
    other_labels = others.items[others.starts[other] : others.starts[other + 1]]
    for label in labels:
        met = False
        for other_label in other_labels:
            met = met or overlap[label, other_label]
        if not met:
            return False
    for other_label in other_labels:
        met = False
        for label in labels:
            met = met or overlap[label, other_label]
        if not met:
            return False
    return True
