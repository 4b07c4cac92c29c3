"""Which rows hold an itemset that too few rows hold."""

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays


def rows_with_rare_itemsets(sets: SetArrays, class_of_row: Ints, m: int, k: int) -> Bools:
    """Rows with a set of at most m items that fewer than k rows of their class hold.

    Itemsets grow by one item at a time; a row that is marked does not count for longer ones, because it will
    be left out. Memory is that of all itemset occurrences of one size.
    """
    rare = np.zeros(len(class_of_row), dtype=np.bool_)
    ends = sets.starts[1:]
    rows = np.repeat(np.arange(len(class_of_row)), np.diff(sets.starts))
    places = np.arange(len(sets.items))
    itemsets = class_of_row[rows]
    item_count = int(sets.items.max(initial=0)) + 1
    for _ in range(m):
        if not len(rows):
            break
        # Numbers of itemsets stay below that of their occurrences, so that the product fits.
        _, itemsets, supports = np.unique(
            itemsets * item_count + sets.items[places], return_inverse=True, return_counts=True
        )
        rare[rows[supports[itemsets] < k]] = True
        kept = ~rare[rows]
        rows, places, itemsets = rows[kept], places[kept], itemsets[kept]
        longer = ends[rows] - places - 1
        first = np.repeat(places + 1 - np.cumsum(longer) + longer, longer)
        rows, itemsets = np.repeat(rows, longer), np.repeat(itemsets, longer)
        places = first + np.arange(len(rows))
    return rare
