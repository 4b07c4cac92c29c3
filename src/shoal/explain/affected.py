"""What happened to the values that lost most, each with its reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.engine.local import LocalData
from shoal.explain.items import reasons_of_items
from shoal.kernels.arrays import Codes, Floats, Ints
from shoal.metrics.flows import GONE, Flow
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.table.columns import Coded, Table, code_counts

PER_COLUMN = 5
_ROWS_AT_ONCE = 2**18

_SUPPRESSED_RECORD = "its record was suppressed as a whole: nothing coarser could hide it at less cost"
_NO_REASON = "nothing in more detail was found that would hide it among enough records"
_ONLY_TERM_CHUNKS = (
    "fewer than k records of a cluster hold it, or its cluster needs a term chunk: which records hold it is"
    " not told"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedValue:
    """A value that lost much: what it was published as where it cost most, how often, and why.

    An empty `published_as` means that it was not published there.
    """

    column: str
    value: str
    occurrences: int
    published_as: str
    times: int
    reason: str


def affected_values(
    data: LocalData,
    models: Sequence[Model],
    recoding: RowRecoding,
    of_columns: Mapping[str, Flow],
    released: Table,
    *,
    original_rows: Codes,
) -> tuple[AffectedValue, ...]:
    """The dearest values of every column; `original_rows` are those that the released rows came from."""
    clusters = recoding.clusters
    found: list[AffectedValue] = []
    if clusters is not None:
        k = Promise(models).k
        classes = _Classes.of(clusters, LocalData(released, data.roles), original_rows, k)
        for column in clusters.nodes:
            found += _values_of_tree(data, clusters, column, of_columns[column], classes)
        for column in clusters.ranges:
            found += _values_of_ranges(data.table.coded(column), column, released, classes)
    for of_items in recoding.items:
        found += _items(data, models, recoding, of_items, of_columns[of_items.column])
    return tuple(found)


def affected_terms(data: LocalData, column: str, released: Disassociated) -> tuple[AffectedValue, ...]:
    """The most frequent terms that are told in term chunks only."""
    sets = data.table.sets(column)
    labels = data.trees[column].leaf_labels if column in data.trees else sets.domain.texts()
    before = code_counts(sets, len(labels))[: len(labels)]
    terms = released.terms.texts()
    in_chunks = np.bincount(released.subrecords.items, minlength=len(terms))
    in_term_chunks = np.bincount(released.term_chunks.items, minlength=len(terms))
    number_of = {label: number for number, label in enumerate(labels)}
    hidden = [term for term, chunks in enumerate(in_chunks.tolist()) if chunks == 0]
    hidden.sort(key=lambda term: (-int(before[number_of[terms[term]]]), terms[term]))
    return tuple(
        AffectedValue(
            column=column,
            value=terms[term],
            occurrences=int(before[number_of[terms[term]]]),
            published_as=terms[term],
            times=int(in_term_chunks[term]),
            reason=_ONLY_TERM_CHUNKS,
        )
        for term in hidden[:PER_COLUMN]
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Classes:
    """The class of each cluster among the published ones, and a published row of it; and k.

    Rows of one cluster are published alike. A cluster without a published row has class -1.
    """

    clusters: GeneralizedClusters
    of_cluster: Ints
    shown_in: Ints
    k: int

    @classmethod
    def of(cls, clusters: GeneralizedClusters, released: LocalData, original_rows: Codes, k: int) -> Self:
        """The classes of the released rows, which came from these of the original."""
        shown_in = np.full(clusters.cluster_count + 1, -1, dtype=np.int64)  # the last is of suppressed rows
        for first in range(0, len(original_rows), _ROWS_AT_ONCE):
            of_rows = clusters.cluster_of_row[original_rows[first : first + _ROWS_AT_ONCE]]
            shown_in[of_rows] = np.arange(first, first + len(of_rows))
        shown = np.flatnonzero(shown_in[:-1] >= 0)
        of_cluster = np.full(len(shown_in), -1, dtype=np.int64)
        if len(shown):
            few = LocalData(released.table.take(shown_in[shown]), released.roles)
            of_cluster[shown] = few.classes(released.quasi).class_of_row
        return cls(clusters, of_cluster, shown_in, k)

    def in_slices(self) -> Iterator[tuple[slice, Ints]]:
        """Rows of the original, some at a time, and their clusters."""
        for first in range(0, len(self.clusters.cluster_of_row), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            yield rows, self.clusters.cluster_of_row[rows]


def _dearest(flow: Flow, sizes: Ints, leaf_count: int) -> Iterator[tuple[int, int]]:
    """The values that lost most, each with the row of the flow that says what it mostly became."""
    real = flow.values < leaf_count
    share = np.where(
        flow.published == GONE, 1.0, np.where(sizes[flow.published] > 1, sizes[flow.published], 0)
    )
    cost: Floats = np.where(
        real, flow.counts * share / np.where(flow.published == GONE, 1, max(leaf_count, 1)), 0.0
    )
    of_values = np.bincount(flow.values, cost)
    for value in np.argsort(-of_values, kind="stable")[:PER_COLUMN].tolist():
        if of_values[value] > 0:
            rows = np.flatnonzero(flow.values == value)
            yield value, int(rows[np.argmax(np.where(cost[rows] > 0, flow.counts[rows], 0))])


def _values_of_tree(
    data: LocalData, clusters: GeneralizedClusters, column: str, flow: Flow, classes: _Classes
) -> Iterator[AffectedValue]:
    tree = data.trees[column]
    for leaf, row in _dearest(flow, tree.sizes, tree.leaf_count):
        node = int(flow.published[row])
        yield AffectedValue(
            column=column,
            value=tree.labels[leaf],
            occurrences=int(flow.counts[flow.values == leaf].sum()),
            published_as="" if node == GONE else tree.labels[node],
            times=int(flow.counts[row]),
            reason=_SUPPRESSED_RECORD
            if node == GONE
            else _alike_if_finer(data, clusters, column, classes, leaf=leaf, node=node),
        )


def _alike_if_finer(
    data: LocalData, clusters: GeneralizedClusters, column: str, classes: _Classes, *, leaf: int, node: int
) -> str:
    """How few records would be alike if a value were published one level finer."""
    tree, codes = data.trees[column], data.table.coded(column).narrow
    finer = next(child for child in tree.children(node).tolist() if tree.covers(child, leaf))
    first, last = tree.arrays.first_leaf[finer], tree.arrays.last_leaf[finer]
    at_node = np.append(clusters.nodes[column] == node, np.False_)  # suppressed rows are nowhere
    times = np.zeros(len(at_node), dtype=np.int64)
    with_leaf = np.zeros(len(at_node), dtype=np.bool_)
    for rows, of_rows in classes.in_slices():
        some = codes[rows]
        inside = at_node[of_rows] & (some >= first) & (some <= last)
        np.add.at(times, of_rows[inside], 1)
        with_leaf[of_rows[inside & (some == leaf)]] = True
    occupied = np.flatnonzero(times)
    alike = np.bincount(classes.of_cluster[occupied], times[occupied])
    fewest = int(alike[classes.of_cluster[np.flatnonzero(with_leaf)]].min())
    return _left(tree.labels[finer], fewest, classes.k)


def _left(finer: str, records: int, k: int) -> str:
    if records >= k:
        return (
            f"as {finer} instead, all its classes would keep {records:,} records or more alike, but another"
            " promise or the way the search goes stands against it"
        )
    counted = "1 record" if records == 1 else f"{records:,} records"
    return f"as {finer} instead, one of its classes would be left with {counted} alike"


def _values_of_ranges(
    coded: Coded, column: str, released: Table, classes: _Classes
) -> Iterator[AffectedValue]:
    ranges = classes.clusters.ranges[column]
    widths = ranges[:, 1] - ranges[:, 0]
    lost_in = np.append(np.where(np.isfinite(widths), widths, 0.0), 0.0)
    lost = np.zeros(len(coded.domain) + 1, dtype=np.float64)
    for rows, of_rows in classes.in_slices():
        np.add.at(lost, coded.narrow[rows], lost_in[of_rows])
    for code in np.argsort(-lost[:-1], kind="stable")[:PER_COLUMN].tolist():
        if lost[code] > 0:
            yield _value_of_ranges(coded, column, code, released, classes)


def _value_of_ranges(
    coded: Coded, column: str, code: int, released: Table, classes: _Classes
) -> AffectedValue:
    with_value = [of_rows[coded.narrow[rows] == code] for rows, of_rows in classes.in_slices()]
    occurrences = sum(map(len, with_value))
    clusters, times = np.unique(np.concatenate(with_value), return_counts=True)
    clusters, times = clusters[clusters != SUPPRESSED], times[clusters != SUPPRESSED]
    labels = released.coded(column)
    shown, places = np.unique(labels.narrow[classes.shown_in[clusters]], return_inverse=True)
    of_label = np.bincount(places, times)
    texts = {
        labels.domain.label(int(each)) or "": int(count) for each, count in zip(shown, of_label, strict=True)
    }
    published_as = max(sorted(texts), key=texts.__getitem__)
    alike = np.bincount(classes.of_cluster[clusters], times)
    value = str(coded.domain.label(code))
    return AffectedValue(
        column=column,
        value=value,
        occurrences=occurrences,
        published_as=published_as,
        times=texts[published_as],
        reason=_left(value, int(alike[alike > 0].min()), classes.k),
    )


def _items(
    data: LocalData, models: Sequence[Model], recoding: RowRecoding, of_items: ItemRecoding, flow: Flow
) -> Iterator[AffectedValue]:
    column = of_items.column
    words = of_items.vocabulary(data.trees)
    dearest = dict(_dearest(flow, words.sizes, words.leaf_count))
    published = {leaf: int(flow.published[row]) for leaf, row in dearest.items()}
    coarser = {leaf: node for leaf, node in published.items() if node != GONE}
    reasons = reasons_of_items(data, models, recoding, column, coarser)
    for leaf, row in dearest.items():
        reason = reasons.get(leaf)
        yield AffectedValue(
            column=column,
            value=words.labels[leaf],
            occurrences=int(flow.counts[flow.values == leaf].sum()),
            published_as="" if published[leaf] == GONE else words.labels[published[leaf]],
            times=int(flow.counts[row]),
            reason=_NO_REASON if reason is None else reason.because(),
        )
