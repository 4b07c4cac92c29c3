"""What published cells cover of a column's original values: everything that a cost per cell rests on."""

from dataclasses import dataclass

import numpy as np

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class NodeCover:
    """Parallel arrays over cells: the nodes of a tree in their order, or a list of ranges.

    `leaves` counts the values of the domain that a cell stands for; a missing value published as missing is
    one value. `span` is the cell's width over the width of the domain, None where widths mean nothing: there
    leaves are counted instead. `climb` is the height of the subtree under the cell over that of the tree.
    `share` is the part of the original records whose value the cell covers, and `bits` the uncertainty in
    bits of such a record's value, H(X | cell). Both count missing values as a value of their own, and a cell
    that hides everything also hides whether there was a value.
    """

    leaves: Ints
    domain_size: int
    span: Floats | None
    climb: Floats
    share: Floats
    bits: Floats


def node_cover(tree: Hierarchy, numbers: Floats | None, counts: Ints) -> NodeCover:
    """What each node of a tree covers.

    `numbers` are the values of the leaves, if they have any; `counts` says how many original records have
    each leaf and, last, how many have no value. O(nodes * height).
    """
    records = _gathered(tree, counts, np.add, 0)
    weighted = _gathered(tree, _times_log(counts), np.add, 0.0)
    return NodeCover(
        leaves=np.maximum(tree.sizes, 1),  # a column without any value has a root without leaves
        domain_size=max(tree.leaf_count, 1),
        span=_node_spans(tree, numbers),
        climb=tree.heights / tree.height,
        share=_share(records, int(counts.sum())),
        bits=_entropy(records, weighted),
    )


def range_cover(
    ranges: Floats, numbers: Floats, counts: Ints, bounds: tuple[float, float] | None
) -> NodeCover:
    """What ranges without a tree cover of a domain of ascending `numbers`.

    The domain is as wide as `bounds` or the numbers themselves, whichever reach further; what a range covers
    beyond it, because its end was rounded, costs nothing. A range of two NaNs is a missing value, one with
    infinite ends a suppressed cell; a proper range stands one step above its values, as the root of a flat
    tree does.
    """
    missing, suppressed = np.isnan(ranges[:, 0]), np.isinf(ranges[:, 0])
    first = np.where(suppressed, 0, np.searchsorted(numbers, ranges[:, 0], side="left"))
    behind = np.where(suppressed, len(numbers), np.searchsorted(numbers, ranges[:, 1], side="right"))
    behind[missing] = first[missing]
    valued, without_value = counts[:-1], int(counts[-1])
    hidden_missing = np.where(missing | suppressed, without_value, 0)
    records = _between(valued, first, behind) + hidden_missing
    weighted = _between(_times_log(valued), first, behind) + _times_log(hidden_missing)
    leaves = np.maximum(behind - first, 1)
    bits = _entropy(records, weighted)
    bits[(leaves == 1) & ~suppressed] = 0.0  # prefix sums leave a rounding error behind
    return NodeCover(
        leaves=leaves,
        domain_size=max(len(numbers), 1),
        span=_range_spans(ranges, missing, suppressed, _domain_ends(numbers, bounds)),
        climb=(suppressed | (ranges[:, 0] < ranges[:, 1])).astype(np.float64),
        share=_share(records, int(counts.sum())),
        bits=bits,
    )


def _gathered(tree: Hierarchy, of_leaves: Ints | Floats, combine: np.ufunc, neutral: float) -> Floats:
    """Combine what the leaves hold in every node above them; the missing value counts in the root."""
    gathered = np.full(tree.node_count, neutral, dtype=np.float64)
    gathered[: len(of_leaves)] = of_leaves
    for height in range(tree.height):  # all below a node of this height has been gathered in it
        nodes = np.flatnonzero(tree.heights == height)
        combine.at(gathered, tree.arrays.parent[nodes], gathered[nodes])
    return gathered


def _node_spans(tree: Hierarchy, numbers: Floats | None) -> Floats | None:
    if numbers is None or not np.isfinite(numbers).all():
        return None
    # Halves, because the distance between two huge numbers of different sign is no number any more.
    lowest = _gathered(tree, numbers / 2, np.minimum, np.inf)
    highest = _gathered(tree, numbers / 2, np.maximum, -np.inf)
    lowest[tree.missing] = highest[tree.missing] = 0.0
    widths = highest - lowest
    return widths / widths[tree.root] if widths[tree.root] > 0 else None


def _domain_ends(numbers: Floats, bounds: tuple[float, float] | None) -> tuple[float, float]:
    ends = [*numbers[:1].tolist(), *numbers[-1:].tolist(), *(bounds or ())]
    return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _range_spans(ranges: Floats, missing: Bools, suppressed: Bools, ends: tuple[float, float]) -> Floats:
    domain_width = ends[1] / 2 - ends[0] / 2
    if domain_width <= 0:
        return np.zeros(len(ranges), dtype=np.float64)
    plain = np.where((missing | suppressed)[:, np.newaxis], 0.0, np.clip(ranges, *ends))
    spans = (plain[:, 1] / 2 - plain[:, 0] / 2) / domain_width
    spans[suppressed] = 1.0
    return spans


def _between(values: Ints | Floats, first: Ints, behind: Ints) -> Floats:
    """Sums of values[first:behind]."""
    sums = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(sums[behind] - sums[first], dtype=np.float64)


def _times_log(counts: Ints) -> Floats:
    return np.asarray(counts * np.log2(np.maximum(counts, 1)), dtype=np.float64)


def _entropy(records: Floats, weighted: Floats) -> Floats:
    """The entropy in bits of counts whose sum is `records` and whose sum of c * log2(c) is `weighted`."""
    total = np.maximum(records, 1)
    return np.maximum(np.log2(total) - weighted / total, 0.0)


def _share(records: Floats, total: int) -> Floats:
    return records / max(total, 1)
