from collections.abc import Sequence

import numpy as np

from shoal.attack.finding import Finding
from shoal.attack.links import Linked, distinct_published_sets, finding_of
from shoal.kernels.arrays import Ints, SetArrays, joined_rows, owners, taken_rows
from shoal.kernels.attack_sets import SetLinks, knowing_sets
from shoal.kernels.grouping import group_sets
from shoal.progress import Progress


def by_whole_set(linked: Linked, _: int, progress: Progress) -> Sequence[Finding]:
    """Somebody knows the whole set of a record, and that there is nothing else in it.

    Counts the published sets that each original set could have become.
    """
    if not linked.has_sets:
        return ()
    progress.stage("attacking with whole sets")
    promised = linked.promises_whole_sets
    return (finding_of("exact set", "the whole set", candidates_by_set, linked, promised=promised),)


def candidates_by_set(linked: Linked) -> Ints:
    """How many published rows fit the whole set of each original record."""
    links = linked.sets.links
    counts = np.zeros(linked.original.row_count, dtype=np.int64)
    only_image = _have_one_image(links)
    counts[only_image] = _equal_rows(links, only_image)
    several = np.setdiff1d(np.arange(len(counts)), only_image)
    if len(several):
        distinct, weights = distinct_published_sets(links)
        counts[several] = knowing_sets(distinct, weights, several)
    return counts


def _have_one_image(links: SetLinks) -> Ints:
    """The records of which every item is published as one label and no other, wherever it is."""
    labels_of_kind = np.diff(links.kinds.starts)
    ambiguous = np.zeros(len(links.known.starts) - 1, dtype=np.bool_)
    ambiguous[links.row_of_kind[labels_of_kind[links.known.items] > 1]] = True
    return np.flatnonzero(~ambiguous)


def _equal_rows(links: SetLinks, records: Ints) -> Ints:
    """How many published rows equal the one image of each of the records."""
    known = taken_rows(links.known, records)
    labels = links.kinds.items[links.kinds.starts[known.items]]
    images = SetArrays(known.starts, labels[np.lexsort((labels, owners(known.starts)))])
    class_of_row, first_rows = group_sets(joined_rows(images, links.published))
    rows = np.bincount(class_of_row[len(records) :], minlength=len(first_rows))
    return np.asarray(rows[class_of_row[: len(records)]], dtype=np.int64)
