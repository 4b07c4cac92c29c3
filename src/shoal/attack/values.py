from collections.abc import Iterator, Sequence

import numpy as np

from shoal.attack.finding import Finding
from shoal.attack.links import Linked, finding_of
from shoal.kernels.arrays import Ints, owners, wide
from shoal.kernels.attack_values import fitting_classes
from shoal.progress import Progress

_AT_ONCE = 1 << 14


def by_values(linked: Linked, _: int, progress: Progress) -> Sequence[Finding]:
    """Somebody knows all single values of a record: count the published ones whose labels stand for them."""
    if not linked.has_values:
        return ()
    progress.stage("attacking with all single values")
    known = f"the values of {', '.join(linked.original.quasi)}"
    return (finding_of("values", known, candidates_by_values, linked, promised=True),)


def candidates_by_values(linked: Linked) -> Ints:
    """How many published rows fit the single values of each original record."""
    values = linked.values
    of_kind = np.zeros(len(values.originals), dtype=np.int64)
    for kinds, classes in _fits(linked):
        np.add.at(of_kind, kinds, values.class_sizes[classes])
    return of_kind[values.original_of_row]


def originals_behind_rows(linked: Linked) -> Ints:
    """How many original records fit each published row: the people it could be about."""
    values = linked.values
    records = np.bincount(values.original_of_row, minlength=len(values.originals))
    of_class = np.zeros(len(values.class_sizes), dtype=np.int64)
    for kinds, classes in _fits(linked):
        np.add.at(of_class, classes, records[kinds])
    return of_class[values.class_of_row]


def _fits(linked: Linked) -> Iterator[tuple[Ints, Ints]]:
    """Kinds of originals and classes that fit them, pair by pair, some kinds at a time."""
    originals = linked.values.originals
    for first in range(0, len(originals), _AT_ONCE):
        fitting = fitting_classes(linked.values.links, originals[first : first + _AT_ONCE])
        kinds = owners(fitting.starts)
        yield first + kinds, wide(fitting.items)
