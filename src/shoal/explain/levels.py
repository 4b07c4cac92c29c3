"""How the values of a column changed, in facts that figures are drawn from.

Three views of a column: how values are spread before and after, level by level of its tree; what each level
of the tree still tells; and the tree with the cut that publication made through it. A tree can have thousands
of leaves, so each view keeps what matters most and counts the rest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.metrics.flows import GONE, Flow
from shoal.recoding.cuts import Unions

MOST_BARS = 24
MOST_BRANCHES = 18
_FEW_LEAVES = 12
_RANGE_BINS = 12


_LONGEST_LABEL = 30


def shortened(label: str, longest: int = _LONGEST_LABEL) -> str:
    """The beginning of a label that names many items."""
    return label if len(label) <= longest else f"{label[: longest - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How the values of a column are spread over the groups of one level of its tree.

    Of group g, `before[g]` is how often it occurs in the original, `told[g]` how often the release names
    it or something finer, and `spread[g]` what it gets when coarser labels count evenly for all they cover.
    Where groups were left out, the last one stands for all of them.
    """

    name: str
    groups: tuple[str, ...]
    before: tuple[float, ...]
    told: tuple[float, ...]
    spread: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutNode:
    """A node of a drawn tree; `parent` is the place of the one above, -1 for the root.

    It stands for `values` original values that occur `occurrences` times, of which `published` are published
    under its label. A `folded` one stands for several siblings and all that is below them; those of its
    occurrences that are published as one of these are `published`.
    """

    label: str
    parent: int
    values: int
    occurrences: int
    published: int
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutTree:
    """The part of a column's tree that publication touched; nodes stand after the one above them.

    With `one_cut` every value is published as one label wherever it occurs, so a line through the tree tells
    all; otherwise the same value has different labels in different records. `gone` occurrences are not
    published at all.
    """

    nodes: tuple[CutNode, ...]
    one_cut: bool
    gone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChange:
    """What became of one column; `kept[i]` is the share of values that level i of its tree still tells."""

    column: str
    levels: tuple[Level, ...] = ()
    kept: Mapping[str, float] | None = None
    cut: CutTree | None = None


def levels_of_tree(tree: Hierarchy, before: Ints, after: Mapping[str, int]) -> tuple[Level, ...]:
    """The spread at every level, from the coarsest to the values themselves.

    before[leaf] counts the original values, after[label] the published labels; a label that is no node of the
    tree, such as that of a suppressed cell, counts for the root.
    """
    number_of = {label: node for node, label in enumerate(tree.labels)}
    published = np.zeros(tree.node_count, dtype=np.float64)
    for label, count in after.items():
        published[number_of.get(label, tree.root)] += count
    names = level_names(tree)
    found = []
    for depth, name in enumerate(names, start=1):
        heads = heads_at(tree, depth)
        fine = tree.arrays.first_leaf >= 0
        fine &= ~_above(tree, depth)
        starts = tree.arrays.first_leaf[heads]
        told = _per_head(tree, np.where(fine, published, 0.0), starts)
        spread = _spread(tree, np.where(fine, 0.0, published), heads)
        of_leaves = np.add.reduceat(before.astype(np.float64), starts)
        found.append(_largest(name, [tree.labels[node] for node in heads.tolist()], of_leaves, told, spread))
    return tuple(found)


def levels_of_unions(unions: Unions, before: Ints, after: Mapping[str, int]) -> tuple[Level, ...]:
    """The spread over the items, of which there is but one level without a tree."""
    told, spread = np.zeros(unions.leaf_count), np.zeros(unions.leaf_count)
    for number, label in enumerate(unions.labels):
        count = after.get(label, 0)
        if count == 0:
            continue
        if number < unions.leaf_count:
            told[number] += count
        else:
            members = unions.members.items[unions.members.starts[number] : unions.members.starts[number + 1]]
            spread[members] += count / len(members)
    labels = list(unions.labels[: unions.leaf_count])
    return (_largest(f"{len(labels):,} items", labels, before.astype(np.float64), told, spread),)


def level_without_tree(
    before: Mapping[str, int], told: Mapping[str, int], spread: Mapping[str, int]
) -> Level:
    """The spread over values that were published as they are, or only partly told."""
    labels = [*before, *(label for label in told if label not in before)]
    sides = ([float(side.get(label, 0)) for label in labels] for side in (before, told, spread))
    return _largest(f"{len(labels):,} values", labels, *map(np.array, sides))


def level_of_ranges(
    numbers: Floats, before: Ints, ranges: Floats, counts: Ints, as_text: Callable[[float], str]
) -> Level | None:
    """The spread of numbers without a tree over some equal parts of their range.

    before[i] counts numbers[i], which ascend; counts[i] counts the published range ranges[i], of which only
    finite ones are shown. A range counts evenly for all parts that it overlaps.
    """
    if len(numbers) == 0:
        return None
    edges = np.linspace(numbers[0], numbers[-1], min(_RANGE_BINS, len(numbers)) + 1)
    if numbers[0] == numbers[-1]:
        edges = np.array([numbers[0], numbers[0]])
    finite = np.isfinite(ranges).all(axis=1)
    lower, upper, counts = ranges[finite, 0], ranges[finite, 1], counts[finite]
    first, last = _bin(edges, lower), _bin(edges, upper)
    within = first == last
    told = np.bincount(first[within], counts[within], len(edges) - 1)
    spread = np.zeros(len(edges) - 1)
    for low, high, count in zip(lower[~within], upper[~within], counts[~within], strict=True):
        overlap = np.clip(np.minimum(edges[1:], high) - np.maximum(edges[:-1], low), 0, None)
        spread += count * overlap / overlap.sum()
    texts = [as_text(edge) for edge in edges.tolist()]
    return Level(
        name=f"{len(edges) - 1} equal parts",
        groups=tuple(f"{low} to {high}" for low, high in pairwise(texts)),
        before=tuple(np.bincount(_bin(edges, numbers), before, len(edges) - 1).tolist()),
        told=tuple(told.tolist()),
        spread=tuple(spread.tolist()),
    )


def _bin(edges: Floats, numbers: Floats) -> Ints:
    return np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, max(len(edges) - 2, 0))


def kept_by_level(tree: Hierarchy, flow: Flow) -> dict[str, float]:
    """The share of occurrences that each level still tells, from the coarsest to the values themselves.

    A level tells a value if it was published there or finer; a value that stands higher in the tree is told
    where it is published as itself. Missing values are left out.
    """
    real = flow.values < tree.leaf_count
    values, published, counts = flow.values[real], flow.published[real], flow.counts[real]
    depth_of_value = tree.depths[values]
    depth = np.where(published == GONE, 0, tree.depths[published])
    total = max(int(counts.sum()), 1)
    return {
        name: float(counts[depth >= np.minimum(level, depth_of_value)].sum() / total)
        for level, name in enumerate(level_names(tree), start=1)
    }


def level_names(tree: Hierarchy) -> list[str]:
    """The levels below the root by what they hold, the values themselves last."""
    counts = [len(heads_at(tree, depth)) for depth in range(1, tree.height + 1)]
    names = [f"level {depth} ({count:,} groups)" for depth, count in enumerate(counts, start=1)]
    return [*names[:-1], f"{tree.leaf_count:,} values"] if tree.leaf_count else []


def heads_at(tree: Hierarchy, depth: int) -> Ints:
    """The nodes of a level in tree order: those of this depth, and leaves that stand higher."""
    nodes = np.arange(tree.node_count)
    is_leaf = nodes < tree.leaf_count
    chosen = (tree.depths == depth) | (is_leaf & (tree.depths < depth))
    chosen[tree.missing] = False
    heads = np.flatnonzero(chosen)
    order: Ints = heads[np.argsort(tree.arrays.first_leaf[heads], kind="stable")]
    return order


def cut_tree(tree: Hierarchy, flow: Flow) -> CutTree:
    """What publication cut out of a tree: the dearest generalized nodes, the way to them, the rest folded.

    What is only published coarser is not shown at all: it is part of the node it is published as.
    """
    published = _published_counts(flow, tree.node_count)
    below = _summed_upwards(tree, published)
    of_values = np.bincount(flow.values, flow.counts, tree.node_count)[: tree.leaf_count + 1]
    before = np.concatenate(([0.0], np.cumsum(of_values)))
    occurrences = before[tree.arrays.last_leaf + 1] - before[tree.arrays.first_leaf]

    shown = _shown_nodes(tree, published)
    nodes: list[CutNode] = []
    waiting = [(tree.root, -1)]
    while waiting:
        node, parent = waiting.pop()
        index = len(nodes)
        nodes.append(
            CutNode(
                label=tree.labels[node],
                parent=parent,
                values=int(tree.sizes[node]),
                occurrences=int(occurrences[node]),
                published=int(published[node]),
            )
        )
        children = tree.children(node)
        folded = children[~shown[children]]
        if below[folded].sum() > 0:
            nodes.append(
                _folded(
                    index,
                    tree.sizes[folded],
                    occurrences[folded],
                    below[folded],
                    shown=len(children) - len(folded),
                )
            )
        waiting += [(int(child), index) for child in children[shown[children]][::-1]]
    real = flow.values < tree.leaf_count
    return CutTree(nodes=tuple(nodes), one_cut=_one_label_each(flow, real), gone=_gone(flow))


def cut_of_unions(unions: Unions, flow: Flow) -> CutTree:
    """The dearest unions under one root, the other ones and the items that stayed as they are folded."""
    published = _published_counts(flow, len(unions.labels))
    is_union = np.arange(len(published)) >= unions.leaf_count
    used = np.flatnonzero(is_union & (published > 0))
    order = used[np.argsort(-published[used] * unions.sizes[used], kind="stable")]
    total = int(flow.counts.sum())
    nodes = [CutNode(label="all items", parent=-1, values=unions.leaf_count, occurrences=total, published=0)]
    nodes += [
        CutNode(
            label=unions.labels[number],
            parent=0,
            values=int(unions.sizes[number]),
            occurrences=int(published[number]),
            published=int(published[number]),
        )
        for number in order[:MOST_BRANCHES].tolist()
    ]
    rest, single = order[MOST_BRANCHES:], np.flatnonzero(~is_union & (published > 0))
    for numbers, label in ((rest, "{:,} more unions"), (single, "{:,} items as they are")):
        if len(numbers):
            count = int(published[numbers].sum())
            nodes.append(
                CutNode(
                    label=label.format(len(numbers)),
                    parent=0,
                    values=len(numbers),
                    occurrences=count,
                    published=count,
                    folded=True,
                )
            )
    everything = np.ones(len(flow.values), dtype=np.bool_)
    return CutTree(nodes=tuple(nodes), one_cut=_one_label_each(flow, everything), gone=_gone(flow))


def _published_counts(flow: Flow, length: int) -> Floats:
    kept = flow.published != GONE
    return np.bincount(flow.published[kept], flow.counts[kept], length).astype(np.float64)


def _gone(flow: Flow) -> int:
    return int(flow.counts[flow.published == GONE].sum())


def _one_label_each(flow: Flow, real: Bools) -> bool:
    values = flow.values[real]
    return len(values) == len(np.unique(values))


def _shown_nodes(tree: Hierarchy, published: Floats) -> Bools:
    inner = np.arange(tree.leaf_count + 1, tree.node_count)
    inner = inner[published[inner] > 0]
    dearest = inner[np.argsort(-published[inner] * tree.sizes[inner], kind="stable")][:MOST_BRANCHES]
    shown = np.zeros(tree.node_count, dtype=np.bool_)
    shown[tree.root] = True
    if tree.leaf_count <= _FEW_LEAVES:
        dearest = np.concatenate((dearest, np.flatnonzero(published[: tree.leaf_count])))
    for node in dearest.tolist():
        shown[[node, *tree.ancestors(node)]] = True
    return shown


def _folded(parent: int, sizes: Ints, occurrences: Floats, below: Floats, *, shown: int) -> CutNode:
    values, published = int(sizes.sum()), int(below.sum())
    others = "more " if shown else ""
    return CutNode(
        label=f"{values:,} {others}{'value' if values == 1 else 'values'}",
        parent=parent,
        values=values,
        occurrences=int(occurrences.sum()),
        published=published,
        folded=True,
    )


def _summed_upwards(tree: Hierarchy, counts: Floats) -> Floats:
    """What each node and all nodes below it have together."""
    sums = counts.copy()
    for depth in range(int(tree.depths.max(initial=0)), 0, -1):
        nodes = np.flatnonzero(tree.depths == depth)
        np.add.at(sums, tree.arrays.parent[nodes], sums[nodes])
    return sums


def _above(tree: Hierarchy, depth: int) -> Bools:
    """Nodes that are coarser than a level: inner ones of a smaller depth; missing values are outside all."""
    above = tree.depths < depth
    above[: tree.leaf_count] = False
    above[tree.missing] = False
    return above


def _per_head(tree: Hierarchy, counts: Floats, starts: Ints) -> Floats:
    """Counts of nodes summed into the heads of a level that cover them; missing values are left out."""
    counts = counts.copy()
    counts[tree.missing] = 0
    head = np.searchsorted(starts, tree.arrays.first_leaf, side="right") - 1
    return np.bincount(np.clip(head, 0, None), counts, len(starts)).astype(np.float64)


def _spread(tree: Hierarchy, counts: Floats, heads: Ints) -> Floats:
    """Counts of coarse nodes, each divided among the heads below it by their leaves."""
    per_leaf = np.zeros(tree.leaf_count + 1)
    for node in np.flatnonzero(counts).tolist():
        first, size = int(tree.arrays.first_leaf[node]), int(tree.sizes[node])
        per_leaf[first] += counts[node] / size
        per_leaf[first + size] -= counts[node] / size
    of_leaves = np.cumsum(per_leaf)[: tree.leaf_count]
    shares: Floats = np.maximum(np.add.reduceat(of_leaves, tree.arrays.first_leaf[heads]), 0.0)
    return shares


def _largest(name: str, labels: Sequence[str], before: Floats, told: Floats, spread: Floats) -> Level:
    """A level with its largest groups, in the order they have, and one group for all others."""
    if len(labels) <= MOST_BARS:
        return Level(
            name=name,
            groups=tuple(labels),
            before=tuple(before.tolist()),
            told=tuple(told.tolist()),
            spread=tuple(spread.tolist()),
        )
    order = np.argsort(-before, kind="stable")
    chosen, rest = order[: MOST_BARS - 1], order[MOST_BARS - 1 :]
    return Level(
        name=name,
        groups=(*(labels[index] for index in chosen.tolist()), f"{len(rest):,} others"),
        before=(*before[chosen].tolist(), float(before[rest].sum())),
        told=(*told[chosen].tolist(), float(told[rest].sum())),
        spread=(*spread[chosen].tolist(), float(spread[rest].sum())),
    )
