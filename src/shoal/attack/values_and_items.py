from collections.abc import Sequence

import numpy as np

from shoal.attack.finding import Finding
from shoal.attack.items import MOST_SETS, Exposures, by_number, exposures, sampled_rows
from shoal.attack.links import Linked
from shoal.kernels.arrays import Ints, SetArrays, frozen_ints, frozen_sets, owners, starts_of
from shoal.kernels.attack_sets import knowing_items
from shoal.kernels.attack_values import fitting_classes
from shoal.kernels.grouping import group_sets, members
from shoal.kernels.itemset_supports import GroupedRows
from shoal.progress import Progress


def by_values_and_items(linked: Linked, most: int, progress: Progress) -> Sequence[Finding]:
    """Somebody knows all single values of a record and some items of its set."""
    if not (linked.has_sets and linked.has_values):
        return ()
    known = f"the values of {', '.join(linked.original.quasi)} and {{items}}"
    return by_number(linked, attack_with_both, most, progress, adversary="values and items", known=known)


def attack_with_both(linked: Linked, known: int, most_sets: int = MOST_SETS) -> Exposures:
    """The exposure to the least favourable items beside all values, and to items drawn at random."""
    values = linked.values
    rows = sampled_rows(linked, known, most_sets)
    fitting = fitting_classes(values.links, values.originals)
    # Originals that fit the same classes are attacked in the same pool.
    ordered = _ascending(fitting)
    pool_of_original, first_originals = group_sets(ordered)
    starts, places = members(pool_of_original[values.original_of_row[rows]], len(first_originals))
    attacked = GroupedRows(frozen_ints(starts), frozen_ints(rows[places]))
    pools = _rows_of_classes(ordered, first_originals, values.class_of_row, len(values.class_sizes))
    tally = knowing_items(linked.sets.links, attacked, pools, known, linked.k)
    return exposures(linked, tally, rows, known)


def _ascending(sets: SetArrays) -> SetArrays:
    rows = owners(sets.starts)
    return frozen_sets(sets.starts, sets.items[np.lexsort((sets.items, rows))])


def _rows_of_classes(classes: SetArrays, chosen: Ints, class_of_row: Ints, class_count: int) -> GroupedRows:
    """The published rows of each chosen list of classes."""
    starts, rows = members(class_of_row, class_count)
    sizes = np.diff(starts)
    lists = [classes.items[classes.starts[index] : classes.starts[index + 1]] for index in chosen.tolist()]
    flat = np.concatenate(lists) if lists else np.empty(0, dtype=np.int64)
    per_class = sizes[flat]
    ends = starts_of(per_class)
    offsets = np.repeat(starts[flat] - ends[:-1], per_class)
    list_ends = starts_of([len(part) for part in lists])
    return GroupedRows(frozen_ints(ends[list_ends]), frozen_ints(rows[np.arange(ends[-1]) + offsets]))
