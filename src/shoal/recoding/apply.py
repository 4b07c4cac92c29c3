"""From a recoding to what the world sees: values and items are exchanged for published labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import (
    Bools,
    Codes,
    Floats,
    Ints,
    Items,
    freeze,
    frozen_codes,
    in_pieces,
    looked_up,
    starts_of,
)
from shoal.kernels.set_recoding import recoded_sets, renumbered_sets
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, Vocabulary
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.rows import ItemRecoding
from shoal.table.canonical import number_texts
from shoal.table.columns import Carried, Coded, Column, Domain, Kind, Sets, Table, category_domain
from shoal.table.roles import Quasi, QuasiSet, Role

STAR = "*"

Order = Callable[[int], Codes]  # the numbers below a count, in an order

_ROWS_AT_ONCE = 2**18
_EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """A released table; published row i stands for row rows[i] of the original.

    Suppressed records are published as rows of `*`, marked in `stars`, or left out.
    """

    table: Table
    rows: Codes
    stars: Bools

    @classmethod
    def unchanged(cls, table: Table) -> Applied:
        """Every row stands for itself."""
        return cls(
            table, np.arange(table.row_count, dtype=np.int64), np.zeros(table.row_count, dtype=np.bool_)
        )

    def taking(self, places: Codes) -> Applied:
        """Some of the published rows, ascending."""
        if len(places) == self.table.row_count:
            return self
        return self.in_order(places)

    def in_order(self, places: Codes) -> Applied:
        """The published rows in another order."""
        return Applied(self.table.take(places), self.rows[places], self.stars[places])


def apply_clusters(
    table: Table,
    trees: Mapping[str, Hierarchy],
    roles: Mapping[str, Role],
    clusters: GeneralizedClusters,
    *,
    smallest: int,
    people: Ints | None = None,
    order: Order | None = None,
) -> Applied:
    """The table as it is published, in the order of the original, which must be shuffled before it leaves.

    It is shuffled already where an `order` is given.

    A node is published as its label, a range as `[lo, hi]` or as the one value it holds, a missing value as
    missing, a suppressed cell as `*`. Suppressed records become rows of `*`, if they are of at least
    `smallest` people, so that they hide among themselves; their sets are empty, and cells that cannot hold
    text missing. `people` numbers the person behind each row; without it each row is a person.
    """
    undecided = [
        name
        for name in table.columns
        if isinstance(roles.get(name), Quasi) and name not in (*clusters.nodes, *clusters.ranges)
    ]
    if undecided:
        raise ValueError(f"nothing was decided for the quasi-identifiers {', '.join(undecided)}")
    suppressed = clusters.cluster_of_row == SUPPRESSED
    suppressed_count = int(np.count_nonzero(suppressed))
    suppressed_people = suppressed_count if people is None else len(np.unique(people[suppressed]))
    starred = suppressed_count > 0 and suppressed_people >= smallest
    rows: Codes
    if starred or not suppressed_count:
        rows = np.arange(table.row_count) if order is None else order(table.row_count)
    else:
        rows = np.flatnonzero(~suppressed)
        rows = rows if order is None else rows[order(len(rows))]
    stars = looked_up(suppressed, rows) if starred else np.zeros(len(rows), dtype=np.bool_)

    labels = {name: _node_labels(trees[name], nodes) for name, nodes in clusters.nodes.items()}
    labels |= {
        name: _range_labels(table.coded(name).domain, ranges) for name, ranges in clusters.ranges.items()
    }
    published = {
        name: _published_labels(of_clusters, starred=starred) for name, of_clusters in labels.items()
    }
    changed = _columns_of_clusters(published, clusters.cluster_of_row, rows)
    rest = table.without(list(changed))
    if order is not None or len(rows) < table.row_count:
        rest = rest.take(rows)
    kept = {
        name: _starred_column(column, stars) if starred else column for name, column in rest.columns.items()
    }
    columns = {name: changed[name] if name in changed else kept[name] for name in table.columns}
    return Applied(Table.of(columns, len(rows)), rows, stars)


class _Labels(NamedTuple):
    """Labels, None for a missing value, and which of them each cluster has."""

    labels: Sequence[str | None]
    of_cluster: Ints


class _Published(NamedTuple):
    """The codes of clusters, and behind them the one of rows without a cluster."""

    codes: Codes
    domain: Domain


def _published_labels(found: _Labels, *, starred: bool) -> _Published:
    """The labels of clusters in their order; rows without a cluster have `*`."""
    occurring = [found.labels[place] for place in np.unique(found.of_cluster).tolist()]
    used = sorted({label for label in occurring if label is not None} | ({STAR} if starred else set()))
    code_of: dict[str | None, int] = {label: code for code, label in enumerate(used)}
    code_of[None] = len(used)
    codes = np.array([code_of.get(label, 0) for label in found.labels], dtype=np.int64)
    without = code_of.get(STAR, 0)
    return _Published(frozen_codes(np.append(codes[found.of_cluster], without)), category_domain(used))


def _columns_of_clusters(
    published: Mapping[str, _Published], cluster_of_row: Ints, rows: Codes
) -> dict[str, Coded]:
    """What some rows are published as, whose clusters are looked up once and not all at the same time."""
    codes = {name: np.empty_like(each.codes, shape=len(rows)) for name, each in published.items()}
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        places = slice(first, first + _ROWS_AT_ONCE)
        clusters = cluster_of_row[rows[places]]  # SUPPRESSED, -1, finds the last code
        for name, each in published.items():
            codes[name][places] = each.codes[clusters]
    return {name: Coded(freeze(codes[name]), each.domain) for name, each in published.items()}


def _node_labels(tree: Hierarchy, nodes: Ints) -> _Labels:
    labels: list[str | None] = list(tree.labels)
    labels[tree.missing] = None
    return _Labels(labels, nodes)


def _range_labels(domain: Domain, ranges: Floats) -> _Labels:
    distinct, index = np.unique(ranges, axis=0, return_inverse=True)
    ends = np.where(np.isfinite(distinct), distinct, 0.0)
    lower_texts, upper_texts = (_number_labels(domain.kind, ends[:, side].copy()) for side in (0, 1))
    labels = [
        _range_label(lower, lower_text, upper_text)
        for lower, lower_text, upper_text in zip(
            distinct[:, 0].tolist(), lower_texts, upper_texts, strict=True
        )
    ]
    return _Labels(labels, index)


def _range_label(lower: float, lower_text: str, upper_text: str) -> str | None:
    if math.isnan(lower):
        return None
    if math.isinf(lower):
        return STAR
    return lower_text if lower_text == upper_text else f"[{lower_text}, {upper_text}]"


def _number_labels(kind: Kind, numbers: Floats) -> list[str]:
    if kind is Kind.DATE:
        return [date.fromordinal(int(day) + _EPOCH).isoformat() for day in numbers.tolist()]
    return list(number_texts(numbers).to_pylist())


def _starred_column(column: Column, stars: Bools) -> Column:
    """A column that is otherwise published as it is, without what it says of suppressed records."""
    if isinstance(column, Sets):
        kept = np.where(stars, 0, column.sizes)
        starts = starts_of(kept)
        items = column.narrow[np.repeat(~stars, column.sizes)]
        return Sets.of(starts, items, column.domain, column.separator)
    if isinstance(column, Carried):
        kind = column.values.type
        star = pa.scalar(STAR if pa.types.is_string(kind) or pa.types.is_large_string(kind) else None, kind)
        shown = pc.if_else(pa.array(stars), star, column.values.combine_chunks())
        return replace(column, values=pa.chunked_array([shown]))
    labels = column.domain.texts()
    labels += [] if STAR in labels else [STAR]
    before = column.codes
    codes = np.where(before == column.domain.missing, len(labels), before)
    return Coded.of(np.where(stars, labels.index(STAR), codes), category_domain(labels))


def published_sets(
    table: Table, trees: Mapping[str, Hierarchy], roles: Mapping[str, Role], recoding: ItemRecoding
) -> Sets:
    """The sets of a column as they are published, in the order of the original.

    Each item is published as the label of its node, items that meet in one node once. Suppressed items
    vanish; where cuts decide, sensitive ones stay as they are.
    """
    sets, words = table.sets(recoding.column), recoding.vocabulary(trees)
    if isinstance(recoding, Cuts):
        nodes = np.where(
            _sensitive_leaves(words, roles[recoding.column]),
            np.arange(words.leaf_count),
            recoding.node_of_leaf,
        )
        in_use = _leaves_in_use(sets, recoding.part_of_row, nodes.shape)
        labels, codes = _coded(words, nodes, nodes[in_use])
        published = recoded_sets(sets.arrays, recoding.part_of_row, codes)
    else:
        labels, codes = _coded(words, recoding.node_of_occurrence, recoding.node_of_occurrence)
        published = renumbered_sets(sets.starts, codes)
    domain = Domain(Kind.SET, pa.array(labels, type=pa.string()))
    return Sets(freeze(published.starts), frozen_codes(published.items), domain, sets.separator)


def _coded(words: Vocabulary, nodes: Ints | Items, in_use: Ints | Items) -> tuple[list[str], Items]:
    """The labels of the nodes in use, sorted, and the place of each node's label among them, -1 without."""
    used = np.setdiff1d(in_use, [SUPPRESSED_ITEM])
    labels = sorted({words.labels[node] for node in used.tolist()})
    code_of_label = {label: code for code, label in enumerate(labels)}
    code_of_node = np.full(len(words.labels), -1, dtype=np.int32)
    code_of_node[used] = [code_of_label[words.labels[node]] for node in used.tolist()]
    return labels, np.where(nodes == SUPPRESSED_ITEM, -1, code_of_node[nodes])


def _sensitive_leaves(words: Vocabulary, role: Role) -> Bools:
    sensitive = set(role.sensitive) if isinstance(role, QuasiSet) else set()
    return np.array([label in sensitive for label in words.labels[: words.leaf_count]], dtype=np.bool_)


def _leaves_in_use(sets: Sets, part_of_row: Ints, shape: tuple[int, ...]) -> Bools:
    in_use = np.zeros(shape, dtype=np.bool_)
    for first, behind in in_pieces(sets.starts):
        places = sets.starts[first : behind + 1]
        parts = np.repeat(part_of_row[first:behind], np.diff(places))
        in_use[parts, sets.narrow[places[0] : places[-1]]] = True
    return in_use
