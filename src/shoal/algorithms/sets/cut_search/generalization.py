"""Moving a cut up until no itemset breaks the promise: what AA does, for whoever needs it on a part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.repair import Repairs
from shoal.algorithms.sets.cut_search.violations import Pause, Questions, Violation
from shoal.kernels.arrays import Bools
from shoal.progress import Progress


@dataclass(slots=True)
class Tally:
    """What a search did: itemsets that broke the promise, those mended, and those left as they are.

    `in_time` is False when time was up and everything was moved up to the root.
    """

    found: int = 0
    mended: int = 0
    left: int = 0
    in_time: bool = True


def generalize(violations: Questions, cut: Cut, progress: Progress, *, allowed: Bools | None = None) -> Tally:
    """Move the cut up until the sets of at most m nodes keep the promise.

    For sizes 1..m in turn, the sets of nodes of the cut that break the promise are listed in lexicographic
    order, and each one that is still on the cut is mended; a size is listed until nothing is left. With
    diversity the sizes start again, because what was fine may break when items are united. The cut may start
    anywhere. Violations that no allowed node mends are left.
    """
    tally = Tally()
    largest = violations.constraint.largest
    repairs = Repairs(violations, cut, allowed)
    # Sets of nodes that were all listed before, at this size, need not be counted again.
    listed = np.zeros((largest + 1, violations.transactions.tree.node_count), dtype=np.bool_)
    moved = True
    while moved:
        mended = tally.mended
        for size in range(1, largest + 1):
            while tally.in_time and not listed[size, cut.nodes].all():
                nodes = cut.nodes
                mend(violations.at_cut(cut, size, ~listed[size]), repairs, cut, tally, progress)
                listed[size, nodes] = True
        moved = tally.in_time and tally.mended > mended and violations.constraint.diverse_m > 0
    return tally


def mend(
    listing: Iterator[Violation | Pause], repairs: Repairs, cut: Cut, tally: Tally, progress: Progress
) -> None:
    """Move the cut up for each of the listed sets, or up to the root if time is up before the last."""
    found_before = tally.found
    for each in listing:
        if isinstance(each, Pause):
            tally.found = found_before + each.found
            note = f"{tally.mended:,} itemsets resolved, {tally.found:,} found so far"
            progress.update(each.share_done, 1, note)
            if progress.expired():
                cut.raise_to([cut.tree.root])
                tally.in_time = False
                return
        elif (nodes := repairs.cheapest(each)) is not None:
            cut.raise_to(nodes)
            tally.mended += 1
        else:
            tally.left += 1
