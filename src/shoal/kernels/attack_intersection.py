"""Rows of one release that could be about the same person as a row of another."""

from __future__ import annotations

from typing import NamedTuple

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.compile import kernel


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


@kernel
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
