"""What happened to the values that lost most, each with its reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.engine.local import LocalData
from shoal.explain.items import reasons_of_items
from shoal.kernels.arrays import Floats, Ints
from shoal.metrics.flows import GONE, Flow
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.table.columns import Coded, Table

PER_COLUMN = 5

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
    original_rows: Ints,
) -> tuple[AffectedValue, ...]:
    """The dearest values of every column; `original_rows` are those that the released rows came from."""
    clusters = recoding.clusters
    found: list[AffectedValue] = []
    if clusters is not None:
        k = Promise(models).k
        classes = _Classes(_class_of_row(data, released, original_rows), k)
        for column in clusters.nodes:
            found += _values_of_tree(data, clusters, column, of_columns[column], classes)
        label_of_row = np.empty(data.row_count, dtype=object)
        for column in clusters.ranges:
            label_of_row[original_rows] = _labels(released.coded(column))
            found += _values_of_ranges(data.table.coded(column), clusters, column, label_of_row, classes)
    for of_items in recoding.items:
        found += _items(data, models, recoding, of_items, of_columns[of_items.column])
    return tuple(found)


def affected_terms(data: LocalData, column: str, released: Disassociated) -> tuple[AffectedValue, ...]:
    """The most frequent terms that are told in term chunks only."""
    sets = data.table.sets(column)
    labels = data.trees[column].leaf_labels if column in data.trees else sets.domain.texts()
    before = np.bincount(sets.arrays.items, minlength=len(labels))
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
    """The class of each original row among the published ones, -1 where it is not published; and k."""

    of_row: Ints
    k: int


def _class_of_row(data: LocalData, released: Table, original_rows: Ints) -> Ints:
    class_of_row = np.full(data.row_count, -1, dtype=np.int64)
    class_of_row[original_rows] = LocalData(released, data.roles).classes(data.quasi).class_of_row
    return class_of_row


def _labels(column: Coded) -> list[str]:
    texts = [*column.domain.texts(), ""]
    return [texts[code] for code in column.codes.tolist()]


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
    tree, codes = data.trees[column], data.table.coded(column).codes
    finer = next(child for child in tree.children(node).tolist() if tree.covers(child, leaf))
    kept = clusters.cluster_of_row != SUPPRESSED
    at_node = kept & (np.where(kept, clusters.nodes[column][clusters.cluster_of_row], GONE) == node)
    first, last = tree.arrays.first_leaf[finer], tree.arrays.last_leaf[finer]
    inside = at_node & (codes >= first) & (codes <= last)
    alike = np.bincount(classes.of_row[inside])
    fewest = int(alike[classes.of_row[inside & (codes == leaf)]].min())
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
    coded: Coded, clusters: GeneralizedClusters, column: str, label_of_row: object, classes: _Classes
) -> Iterator[AffectedValue]:
    kept = np.flatnonzero(clusters.cluster_of_row != SUPPRESSED)
    ranges = clusters.ranges[column][clusters.cluster_of_row[kept]]
    widths = ranges[:, 1] - ranges[:, 0]
    codes = coded.codes[kept]
    lost = np.bincount(codes, np.where(np.isfinite(widths), widths, 0.0), len(coded.domain) + 1)[:-1]
    labels = np.asarray(label_of_row, dtype=object)
    for code in np.argsort(-lost, kind="stable")[:PER_COLUMN].tolist():
        if lost[code] <= 0:
            continue
        rows = kept[codes == code]
        published, times = np.unique(labels[rows].astype(str), return_counts=True)
        _, alike = np.unique(classes.of_row[rows], return_counts=True)
        value = str(coded.domain.label(code))
        yield AffectedValue(
            column=column,
            value=value,
            occurrences=int(np.count_nonzero(coded.codes == code)),
            published_as=str(published[times.argmax()]),
            times=int(times.max()),
            reason=_left(value, int(alike.min()), classes.k),
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
