"""Original and published records as numbers that models can be trained on, side by side.

A number or date is one feature, and a label of it the middle of what it covers. Any other value is one
feature per value, and a label is shared out evenly among the values that it covers. Where a column has very
many values they go together by a level of its tree, or the rare ones do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.values import numbers_of
from shoal.kernels.arrays import Bools, Floats, Ints, owners
from shoal.recoding.label_meaning import items_of_labels, spans_of_labels
from shoal.table.canonical import as_text, is_text
from shoal.table.columns import Carried, Coded, Column, Domain, Kind, Sets, Table, code_counts
from shoal.table.roles import Quasi, QuasiSet, Sensitive

MOST_VALUES = 64  # of a column that become features of their own
MOST_ITEMS = 200
REST = "(others)"


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFeatures:
    """One column as features: a row for each record, a column for each name.

    `original` is NaN where a number is missing, `released` also where nothing is told. Features of a column
    that is no number are shares of its values.
    """

    column: str
    names: tuple[str, ...]
    original: Floats
    released: Floats
    is_number: bool
    is_quasi: bool


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The rows of the original and of the release that take part."""

    original: Ints
    released: Ints


def column_features(original: LocalData, released: Table, chosen: Chosen) -> Iterator[ColumnFeatures]:
    """The features of every published column, of some rows."""
    for name, column in released.columns.items():
        role = original.roles.get(name)
        if isinstance(role, Quasi):
            yield _of_quasi(name, original, column, chosen)
        elif isinstance(role, QuasiSet):
            yield _of_sets(name, original, column, chosen)
        elif name in original.table.columns:
            yield _of_untouched(name, original, column, chosen)


def _of_quasi(name: str, original: LocalData, released: Column, chosen: Chosen) -> ColumnFeatures:
    column, tree = original.table.coded(name), original.trees.get(name)
    if not isinstance(released, Coded):
        raise TypeError(f"column {name!r} is published in another form")
    first, last = spans_of_labels(name, released.domain.texts(), column.domain, tree)
    told = first < column.domain.missing
    last = np.where(told, np.minimum(last, column.domain.missing - 1), last)
    codes = np.minimum(column.codes, column.domain.missing)  # a value that its tree lacks is taken as missing
    numbers = _numbers(column.domain)
    if numbers is not None:
        of_codes = np.append(numbers, np.nan)
        of_labels = (of_codes[first] + of_codes[last]) / 2
        return ColumnFeatures(
            name,
            (name,),
            of_codes[codes][chosen.original, None],
            of_labels[released.codes][chosen.released, None],
            is_number=True,
            is_quasi=True,
        )
    counts = np.bincount(codes, minlength=column.domain.missing + 1)[: column.domain.missing]
    group, names = _groups(column.domain, tree, counts)
    of_codes = _one_hot(group, len(names))
    sums = np.vstack((np.zeros(len(names)), np.cumsum(of_codes, axis=0)))
    widths = np.maximum(last + 1 - first, 1)[:, None]
    of_labels = (sums[last + 1] - sums[first]) / widths
    return ColumnFeatures(
        name,
        tuple(f"{name}={value}" for value in names),
        of_codes[codes[chosen.original]],
        of_labels[released.codes[chosen.released]],
        is_number=False,
        is_quasi=True,
    )


def _of_sets(name: str, original: LocalData, released: Column, chosen: Chosen) -> ColumnFeatures:
    column, tree = original.table.sets(name), original.trees.get(name)
    if not isinstance(released, Sets):
        raise TypeError(f"column {name!r} is published in another form")
    counts = code_counts(column)
    kept = np.sort(np.argsort(-counts[: len(column.domain)], kind="stable")[:MOST_ITEMS])
    place = np.full(max(len(counts), len(column.domain)) + 1, -1)
    place[kept] = np.arange(len(kept))
    shares = np.zeros((len(released.domain), len(kept)))
    meanings = items_of_labels(name, released.domain.texts(), column.domain, tree)
    for label, items in enumerate(meanings):
        inside = place[np.array(items)]
        shares[label, inside[inside >= 0]] = 1 / len(items)
    texts = column.domain.texts()
    return ColumnFeatures(
        name,
        tuple(f"{name}={texts[item]}" for item in kept.tolist()),
        _held(column, chosen.original, _one_hot(place[: len(column.domain)], len(kept))),
        _held(released, chosen.released, shares),
        is_number=False,
        is_quasi=True,
    )


def _held(sets: Sets, rows: Ints, shares: Floats) -> Floats:
    """How likely each record holds each item."""
    starts, items = sets.starts, sets.narrow
    sizes = (starts[1:] - starts[:-1])[rows]
    ends = np.concatenate(([0], np.cumsum(sizes)))
    places = np.arange(ends[-1]) + np.repeat(starts[rows] - ends[:-1], sizes)
    absent = np.ones((len(rows), shares.shape[1]))
    of_items = items[places]
    inside = of_items < len(shares)
    np.multiply.at(absent, owners(ends)[inside], 1 - shares[of_items[inside]])
    held: Floats = 1 - absent
    return held


def _of_untouched(name: str, original: LocalData, released: Column, chosen: Chosen) -> ColumnFeatures:
    before = _values(original.table.column(name), chosen.original)
    after = _values(released, chosen.released)
    role = original.roles.get(name)
    kind = Kind(role.kind) if isinstance(role, Sensitive) else Kind.CATEGORY
    numbers = _as_numbers(before, kind), _as_numbers(after, kind)
    if numbers[0] is not None and numbers[1] is not None:
        return ColumnFeatures(
            name, (name,), numbers[0][:, None], numbers[1][:, None], is_number=True, is_quasi=False
        )
    distinct = pc.unique(as_text(before)).drop_null().cast(pa.string())
    domain = Domain(Kind.CATEGORY, distinct.take(pc.array_sort_indices(distinct)))
    codes = _codes(as_text(before), domain), _codes(as_text(after), domain)
    counts = np.bincount(codes[0], minlength=len(domain) + 1)[: len(domain)]
    group, names = _groups(domain, None, counts)
    of_codes = _one_hot(group, len(names))
    return ColumnFeatures(
        name,
        tuple(f"{name}={value}" for value in names),
        of_codes[codes[0]],
        of_codes[codes[1]],
        is_number=False,
        is_quasi=False,
    )


def _values(column: Column, rows: Ints) -> pa.Array:
    if isinstance(column, Carried):
        values = column.values.take(pa.array(rows)).combine_chunks()
        values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        return as_text(values) if pa.types.is_nested(values.type) else values
    if not isinstance(column, Coded):
        raise TypeError("sets are quasi-identifiers or carried through")
    codes = column.codes[rows]
    return column.domain.labels.take(pa.array(codes, mask=codes >= column.domain.missing))


def _as_numbers(values: pa.Array, kind: Kind) -> Floats | None:
    """A column of numbers or days; None if it is none."""
    if is_text(values.type) or pa.types.is_null(values.type):
        if kind is Kind.CATEGORY:
            return None
        return numbers_of(values.fill_null("").to_pylist(), kind)
    if pa.types.is_boolean(values.type):
        return None
    if pa.types.is_temporal(values.type):
        values = values.cast(pa.timestamp("s")).cast(pa.int64())
    found: Floats = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return found


def _numbers(domain: Domain) -> Floats | None:
    """The numbers or days of a domain; None if it has others."""
    numbers = domain.numbers
    if numbers is None or not len(domain):
        return None
    return numbers if bool(np.isfinite(numbers).all()) else None


def _codes(texts: pa.StringArray, domain: Domain) -> Ints:
    """The code of each text; that of the missing value for what the domain lacks."""
    found = pc.index_in(texts, value_set=domain.labels).fill_null(domain.missing)
    codes: Ints = found.to_numpy().astype(np.int64)
    return codes


def _groups(domain: Domain, tree: Hierarchy | None, counts: Ints) -> tuple[Ints, list[str]]:
    """Which feature each value belongs to, and what features are called."""
    texts = domain.texts()
    if len(texts) <= MOST_VALUES:
        return np.arange(len(texts)), texts
    if tree is not None and (found := _nodes_of_a_level(tree)) is not None:
        nodes, group = np.unique(found, return_inverse=True)
        return group, [tree.labels[node] for node in nodes.tolist()]
    kept = np.argsort(-counts, kind="stable")[: MOST_VALUES - 1]
    group = np.full(len(texts), len(kept))
    group[kept] = np.arange(len(kept))
    return group, [*(texts[code] for code in kept.tolist()), REST]


def _nodes_of_a_level(tree: Hierarchy) -> Ints | None:
    """For each leaf the node above it at the deepest level with few enough nodes; None if it is the root."""
    nodes: Ints = np.arange(tree.leaf_count)
    while len(np.unique(nodes)) > MOST_VALUES:
        is_deepest: Bools = tree.depths[nodes] == tree.depths[nodes].max()
        nodes = np.where(is_deepest, tree.arrays.parent[nodes], nodes)
    return None if (nodes == tree.root).all() else nodes


def _one_hot(group: Ints, count: int) -> Floats:
    """A row for each value and one for the missing value, which is none of them; so is a group below 0."""
    found = np.zeros((len(group) + 1, count))
    inside = np.flatnonzero(group >= 0)
    found[inside, group[inside]] = 1
    return found
