"""Multisets as sets: an item that somebody holds several times stands for itself and how often it is held.

Where `milk` is repeated in some row, `milk(1)`, `milk(2)` and so on take its place in all rows, and each row
has one of them at most. An item that is nowhere repeated stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints

_COUNTED = re.compile(r"(.+)\(\d+\)", re.DOTALL)


class CountedItems(NamedTuple):
    """Items with their counts: row and label of each, the labels in order, and how many rows had repeats."""

    rows: Ints
    codes: Ints
    labels: list[str]
    repeating_rows: int


def is_counted(label: str) -> bool:
    """Whether a label reads like that of an item with its count."""
    return _COUNTED.fullmatch(label) is not None


def item_of(label: str) -> str:
    """The item of a label, with or without a count."""
    counted = _COUNTED.fullmatch(label)
    return counted[1] if counted else label


def with_counts(rows: Ints, codes: Ints, labels: Sequence[str], never_counted: Bools) -> CountedItems:
    """Exchange items for items with their counts; codes[j] stands in row rows[j], as often as it is held.

    Items that are never counted are held once however often they are repeated.
    """
    keys, counts = np.unique(rows * max(1, len(labels)) + codes, return_counts=True)
    rows, codes = np.divmod(keys, max(1, len(labels)))
    counts[never_counted[codes]] = 1
    is_repeated = np.zeros(len(labels), dtype=np.bool_)
    is_repeated[codes[counts > 1]] = True
    times = np.where(is_repeated[codes], counts, 0)
    distinct, place = np.unique(np.stack((codes, times), axis=1), axis=0, return_inverse=True)
    written = [f"{labels[code]}({count})" if count else labels[code] for code, count in distinct.tolist()]
    order = sorted(range(len(written)), key=written.__getitem__)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return CountedItems(
        rows, rank[place.ravel()], [written[each] for each in order], len(np.unique(rows[counts > 1]))
    )
