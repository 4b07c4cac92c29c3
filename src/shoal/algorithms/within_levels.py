"""Any algorithm, made to publish columns at certain levels of their trees only.

The search sees trees from which the other levels were cut; what it decided is told in the whole trees, by
which the release is applied, verified and measured like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa

from shoal.algorithms.auto.trial import CHOSEN
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.algorithms.interface import Algorithm
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible, LimitReached, Problem
from shoal.hierarchy.levels import TrimmedTree, is_limited, levels_of, trimmed
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints, frozen_floats, frozen_items
from shoal.metrics.catalogue import measured
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, ItemNodes
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.table.columns import Coded, Domain, Sets
from shoal.table.pairs import sets_of_pairs
from shoal.table.roles import Quasi, QuasiSet, Role

Trimmed = Mapping[str, TrimmedTree]
KEEPS_TO_NO_LEVELS = Problem(
    "this search does not publish nodes of a hierarchy, so it cannot keep to its levels",
    "name another algorithm, or leave the levels out",
)


@dataclass(frozen=True, slots=True, eq=False)
class AsAsked(Algorithm):
    """A search whose output shall have a certain form, beside the one that is free to choose.

    Columns keep to the levels that their roles allow. Records for which only the root is left, where it is
    not allowed, are suppressed, and such items vanish. `free` is what would have been run otherwise: what it
    would have lost is told if it is given.
    """

    name: ClassVar[str] = "as asked"
    serves: ClassVar[tuple[type[Model], ...]] = (Model,)
    paper: ClassVar[str] = ""
    guarantee: ClassVar[str] = "that of the search itself"

    inner: Algorithm
    free: Algorithm | None = None

    def __post_init__(self) -> None:
        """It has no parameters to check."""

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Recoding:
        """Decide within the levels, and say what that costs."""
        trees = trimmed_trees(data.roles, data.trees)
        found = self.inner.find(seen(data, trees), models, rng, progress)
        if trees:
            found = _told_in_whole_trees(found, data, trees)
        notices = (*found.notices, *self._beside_the_free_choice(found, data, models, rng, progress))
        figures = {CHOSEN: self.inner.name, **found.figures}
        return replace(found, notices=notices, figures=figures)

    def _beside_the_free_choice(
        self,
        found: Recoding,
        data: LocalData,
        models: Sequence[Model],
        rng: np.random.Generator,
        progress: Progress,
    ) -> tuple[str, ...]:
        if self.free is None:
            return ()
        k = Promise.of(models).k
        try:
            free = self.free.find(data, models, rng, progress)
        except LimitReached:
            return ("what the form of the output costs is not known: time was up before a free choice",)
        asked, chosen = (measured(data, each, k).losses.get("ncp") for each in (found, free))
        if asked is None or chosen is None:
            return ()
        return (f"as it was asked for, NCP is {asked:.2%}; a free choice of labels would lose {chosen:.2%}",)


def trimmed_trees(roles: Mapping[str, Role], trees: Mapping[str, Hierarchy]) -> dict[str, TrimmedTree]:
    """The trees of columns of which not every level may be published."""
    found, problems = {}, []
    for name, role in roles.items():
        if not isinstance(role, Quasi | QuasiSet) or not is_limited(role):
            continue
        if name not in trees:
            what = "has levels, and no hierarchy whose levels they could be"
            problems.append(Problem(what, "give it a hierarchy", column=name))
            continue
        try:
            found[name] = trimmed(trees[name], levels_of(name, role, trees[name]))
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(*problems)
    return found


def asks_for_levels(roles: Mapping[str, Role]) -> bool:
    """Whether a column may be published at certain levels only."""
    return any(is_limited(role) for role in roles.values())


def keeping_to_levels(names: Sequence[str], roles: Mapping[str, Role]) -> list[str]:
    """Those algorithms that publish nodes of trees where sets have levels to keep to; all without any."""
    if not any(isinstance(role, QuasiSet) and is_limited(role) for role in roles.values()):
        return list(names)
    return [name for name in names if ALGORITHMS[name].needs_trees]


def seen(data: LocalData, trees: Trimmed) -> LocalData:
    """The data as a search sees them that shall not know other levels."""
    if not trees:
        return data
    columns = {name: _on_leaves(data.table.column(name), of_column) for name, of_column in trees.items()}
    smaller = {name: of_column.tree for name, of_column in trees.items()}
    return replace(data, table=data.table.replacing(columns), trees={**data.trees, **smaller})


def _on_leaves(column: object, trimmed_tree: TrimmedTree) -> Coded | Sets:
    tree, leaf_of = trimmed_tree.tree, trimmed_tree.leaf_of
    if isinstance(column, Sets):
        rows = np.repeat(np.arange(len(column), dtype=np.int64), column.sizes)
        domain = Domain(column.domain.kind, pa.array(tree.leaf_labels, type=pa.string()))
        items = leaf_of[column.narrow]
        sets, _ = sets_of_pairs(rows, items, len(column), domain, column.separator)
        return sets
    if not isinstance(column, Coded):
        raise TypeError("a column with levels has a tree")
    numbers = column.domain.numbers
    if numbers is not None:
        _, first = np.unique(leaf_of, return_index=True)
        numbers = frozen_floats(numbers[first])
    domain = Domain(column.domain.kind, pa.array(tree.leaf_labels, type=pa.string()), numbers)
    code_of = np.append(leaf_of, tree.missing)
    suppressed = column.codes > column.domain.missing
    codes = np.where(suppressed, tree.root, code_of[np.minimum(column.codes, column.domain.missing)])
    return Coded.of(codes, domain)


def _told_in_whole_trees(found: Recoding, data: LocalData, trees: Trimmed) -> RowRecoding:
    if not isinstance(found, RowRecoding) or any(
        isinstance(each, Cuts) and each.unions is not None and each.column in trees for each in found.items
    ):
        raise BadInput(KEEPS_TO_NO_LEVELS)
    clusters = None if found.clusters is None else _clusters(found.clusters, trees)
    items = tuple(
        _items(each, data.table.sets(each.column), trees[each.column]) if each.column in trees else each
        for each in found.items
    )
    if (clusters is not None and clusters.cluster_count == 0) or any(
        each.column in trees and _all_vanish(each, data.table.sets(each.column)) for each in items
    ):
        raise _nothing_left(data.row_count)
    return _retold(found, clusters, items)


def one_cut_in_whole_tree(
    found: RowRecoding, of_column: TrimmedTree, occurs: Bools, records: int
) -> RowRecoding:
    """The same for one cut of all records, which were only counted: `occurs` says which leaves it saw."""
    (cuts,) = found.all_cuts
    whole = _cuts(cuts, of_column)
    if occurs.any() and (whole.node_of_leaf[0][occurs[of_column.leaf_of]] == SUPPRESSED_ITEM).all():
        raise _nothing_left(records)
    return _retold(found, None, (whole,))


def _nothing_left(records: int) -> Infeasible:
    return Infeasible(
        "at the levels that may be published nothing would be left: raise max_level, or choose an"
        " algorithm that generalizes records or occurrences one by one, such as kanon-cf or itemwise",
        records=records,
    )


def _retold(
    found: RowRecoding, clusters: GeneralizedClusters | None, items: tuple[ItemRecoding, ...]
) -> RowRecoding:
    return replace(
        found,
        clusters=clusters,
        items=items,
        # What a search says about its loss is about the trees that it saw.
        notices=tuple(f"within the levels that may be published: {notice}" for notice in found.notices),
        figures={
            "within_levels": found.figures,
            **{name: found.figures[name] for name in (CHOSEN,) if name in found.figures},
        },
    )


def _clusters(clusters: GeneralizedClusters, trees: Trimmed) -> GeneralizedClusters:
    """The same clusters in the whole trees; those at a root that is not allowed are suppressed."""
    nodes = dict(clusters.nodes)
    out: Bools = np.zeros(clusters.cluster_count, dtype=np.bool_)
    for name, of_column in trees.items():
        if name in nodes:
            if not of_column.root_is_allowed:
                out |= nodes[name] == of_column.tree.root
            nodes[name] = of_column.node_of[nodes[name]]
    if not out.any():
        return replace(clusters, nodes=nodes)
    number_of = np.append(np.where(out, SUPPRESSED, np.cumsum(~out) - 1), SUPPRESSED)
    return GeneralizedClusters(
        number_of[clusters.cluster_of_row],
        {name: of_column[~out] for name, of_column in nodes.items()},
        {name: ranges[~out] for name, ranges in clusters.ranges.items()},
    )


def _items(items: ItemRecoding, sets: Sets, of_column: TrimmedTree) -> ItemRecoding:
    """The same recoding of items in the whole tree; those at a root that is not allowed vanish."""
    if isinstance(items, Cuts):
        return _cuts(items, of_column)
    nodes = _nodes_in_whole_tree(of_column)
    found = nodes[items.node_of_occurrence[_occurrences(sets, of_column)]]
    return ItemNodes(items.column, frozen_items(found), items.withheld)


def _cuts(cuts: Cuts, of_column: TrimmedTree) -> Cuts:
    nodes = _nodes_in_whole_tree(of_column)
    # Reasons name nodes of the trimmed tree, and would be wrong in the whole one.
    return replace(cuts, node_of_leaf=nodes[cuts.node_of_leaf[:, of_column.leaf_of]], reasons=())


def _nodes_in_whole_tree(of_column: TrimmedTree) -> Ints:
    node_of = of_column.node_of.copy()
    if not of_column.root_is_allowed:
        node_of[-1] = SUPPRESSED_ITEM
    return np.append(node_of, SUPPRESSED_ITEM)  # which is -1, so it finds the last


def _all_vanish(items: ItemRecoding, sets: Sets) -> bool:
    if isinstance(items, ItemNodes):
        vanish = items.node_of_occurrence == SUPPRESSED_ITEM
    else:
        parts = np.repeat(items.part_of_row, sets.sizes)
        vanish = items.node_of_leaf[parts, sets.narrow] == SUPPRESSED_ITEM
    return len(vanish) > 0 and bool(vanish.all())


def _occurrences(sets: Sets, of_column: TrimmedTree) -> Ints:
    """For each item of each record the place of what stood for it where the search looked."""
    rows = np.repeat(np.arange(len(sets), dtype=np.int64), sets.sizes)
    keys = rows * of_column.tree.leaf_count + of_column.leaf_of[sets.narrow]
    places: Ints = np.unique(keys, return_inverse=True)[1]
    return places
