"""Sets from (row, item) pairs in any order, or row by row."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from shoal.kernels.arrays import Codes, Ints, freeze, frozen_codes, narrowest, starts_of
from shoal.table.columns import Domain, Sets
from shoal.threads import mapped


def sets_of_pairs(
    rows: Ints, items: Codes, row_count: int, domain: Domain, separator: str
) -> tuple[Sets, Ints]:
    """The set of each row, and the rows in which some item occurred more than once."""
    found, sizes, repeating_rows = _sets_of_some_rows(rows, items, row_count, len(domain))
    return Sets(freeze(starts_of(sizes)), frozen_codes(found), domain, separator), repeating_rows


def sets_of_pieces(
    pieces: Iterable[tuple[Codes, Codes]],
    row_count: int,
    occurrences: int,
    domain: Domain,
    separator: str,
) -> tuple[Sets, Ints]:
    """The same from pieces of rows, of which one after the other is held in memory.

    A piece is how many items each of its rows has, and these items, of which codes outside the domain are no
    items; `occurrences` are at least as many as there are items in all.
    """
    items = np.empty(occurrences, dtype=narrowest(len(domain)))
    starts = np.zeros(row_count + 1, dtype=np.int64)
    repeating: list[Ints] = [np.empty(0, dtype=np.int64)]
    filled, first = 0, 0
    for found, sizes, repeats in mapped(partial(_sets_of_piece, item_count=len(domain)), pieces):
        items[filled : filled + len(found)] = found
        np.cumsum(sizes, out=starts[first + 1 : first + 1 + len(sizes)])
        starts[first + 1 : first + 1 + len(sizes)] += filled
        repeating.append(repeats + first)
        filled, first = filled + len(found), first + len(sizes)
    items.resize(filled, refcheck=False)  # in its place
    return Sets(freeze(starts), freeze(items), domain, separator), np.concatenate(repeating)


def _sets_of_piece(piece: tuple[Codes, Codes], item_count: int) -> tuple[Ints, Ints, Ints]:
    lengths, codes = piece
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    present = (codes >= 0) & (codes < item_count)
    if not present.all():
        rows, codes = rows[present], codes[present]
    return _sets_of_some_rows(rows, codes, len(lengths), item_count)


def _sets_of_some_rows(rows: Ints, items: Codes, row_count: int, item_count: int) -> tuple[Ints, Ints, Ints]:
    """Items in order without repeats, how many each row has, and the rows in which some were repeated."""
    width = max(1, item_count)
    keys = rows * width + items
    keys.sort()
    is_repeat = keys[1:] == keys[:-1]
    repeating_rows = np.empty(0, dtype=np.int64)
    if is_repeat.any():
        repeating_rows = np.unique(keys[1:][is_repeat] // width)
        keys = keys[np.concatenate(([True], ~is_repeat))]
    sizes = np.bincount(keys // width, minlength=row_count)
    keys %= width
    return keys, sizes, repeating_rows
