"""What became of each column, for the report: how values were spread, and the cut through its tree."""

from collections.abc import Iterator, Mapping
from datetime import date

import numpy as np

from shoal.engine.local import LocalData
from shoal.explain.levels import (
    ColumnChange,
    Level,
    cut_of_unions,
    cut_tree,
    kept_by_level,
    level_of_ranges,
    level_without_tree,
    levels_of_tree,
    levels_of_unions,
)
from shoal.kernels.arrays import Ints, counts_of
from shoal.metrics.flows import Flow
from shoal.recoding.cuts import Unions
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import RowRecoding
from shoal.table.columns import Coded, Kind, Sets, Table, code_counts

_EPOCH = date(1970, 1, 1).toordinal()


def column_changes(
    data: LocalData, recoding: RowRecoding, of_columns: Mapping[str, Flow], released: Table
) -> tuple[ColumnChange, ...]:
    """What became of every quasi-identifier, in the order of the table; `of_columns` are its flows."""
    unions = {cuts.column: cuts.unions for cuts in recoding.all_cuts if cuts.unions is not None}
    changes = [*_changes_without_tree(data, recoding)]
    for column, flow in of_columns.items():
        after = label_counts(released, column)
        if column in unions:
            changes.append(_change_of_unions(column, flow, unions[column], after))
        else:
            changes.append(_change_of_tree(data, column, flow, after))
    places = {name: index for index, name in enumerate(data.table.columns)}
    return tuple(sorted(changes, key=lambda change: places[change.column]))


def change_of_new_records(data: LocalData, column: str, released: Table) -> ColumnChange:
    """How items are spread in records that stand for nobody: nothing became of single values."""
    tree, sets = data.trees[column], data.table.sets(column)
    before = code_counts(sets, tree.leaf_count)[: tree.leaf_count]
    levels = levels_of_tree(tree, before, label_counts(released, column))
    return ColumnChange(column=column, levels=levels)


def change_of_chunks(data: LocalData, column: str, released: Disassociated) -> ColumnChange:
    """How often terms occur, and how often the chunks tell; a term of a term chunk counts once."""
    sets = data.table.sets(column)
    labels = data.trees[column].leaf_labels if column in data.trees else sets.domain.texts()
    terms = released.terms.texts()
    before = code_counts(sets, len(labels))[: len(labels)]
    told = np.bincount(released.subrecords.items, minlength=len(terms))
    at_least = np.bincount(released.term_chunks.items, minlength=len(terms))
    level = level_without_tree(
        dict(zip(labels, before.tolist(), strict=True)),
        dict(zip(terms, told.tolist(), strict=True)),
        dict(zip(terms, at_least.tolist(), strict=True)),
    )
    return ColumnChange(column=column, levels=(level,))


def label_counts(released: Table, column: str) -> dict[str, int]:
    """How often each label occurs in a column of a release; missing values are left out."""
    content = released.column(column)
    if isinstance(content, Sets):
        counts = counts_of(content.narrow, len(content.domain))
    elif isinstance(content, Coded):
        counts = code_counts(content)[: len(content.domain)]
    else:
        return {}
    return {
        label: count for label, count in zip(content.domain.texts(), counts.tolist(), strict=True) if count
    }


def term_counts(released: Disassociated) -> dict[str, int]:
    """How often each term stands in a release; in a term chunk it stands once for one record or more."""
    terms = released.terms.texts()
    counts = counts_of(released.subrecords.items, len(terms))
    counts += counts_of(released.term_chunks.items, len(terms))
    return dict(zip(terms, counts.tolist(), strict=True))


def _change_of_tree(data: LocalData, column: str, flow: Flow, after: dict[str, int]) -> ColumnChange:
    tree = data.trees[column]
    return ColumnChange(
        column=column,
        levels=levels_of_tree(tree, _value_counts(flow, tree.leaf_count), after),
        kept=kept_by_level(tree, flow),
        cut=cut_tree(tree, flow),
    )


def _change_of_unions(column: str, flow: Flow, unions: Unions, after: dict[str, int]) -> ColumnChange:
    untouched = flow.counts[flow.values == flow.published].sum() / max(flow.counts.sum(), 1)
    return ColumnChange(
        column=column,
        levels=levels_of_unions(unions, _value_counts(flow, unions.leaf_count), after),
        kept={f"{unions.leaf_count:,} items": float(untouched)},
        cut=cut_of_unions(unions, flow),
    )


def _changes_without_tree(data: LocalData, recoding: RowRecoding) -> Iterator[ColumnChange]:
    clusters = recoding.clusters
    if clusters is not None:
        sizes = clusters.sizes
        for column in clusters.ranges:
            level = _level_of_ranges(data.table.coded(column), clusters, column, sizes)
            if level is not None:
                yield ColumnChange(column=column, levels=(level,))


def _level_of_ranges(coded: Coded, clusters: GeneralizedClusters, column: str, sizes: Ints) -> Level | None:
    numbers = coded.domain.numbers
    if numbers is None:
        return None
    before = code_counts(coded)[: len(numbers)]
    as_text = _day if coded.domain.kind is Kind.DATE else _number
    return level_of_ranges(numbers, before, clusters.ranges[column], sizes, as_text)


def _day(days: float) -> str:
    return date.fromordinal(round(days) + _EPOCH).isoformat()


def _number(value: float) -> str:
    return f"{value:.6g}"


def _value_counts(flow: Flow, leaf_count: int) -> Ints:
    counts = np.bincount(flow.values, flow.counts, leaf_count)[:leaf_count]
    return counts.astype(np.int64)
