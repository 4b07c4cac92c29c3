"""Means, correlations, contingency tables and regression coefficients, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.metrics.tasks.features import ColumnFeatures
from shoal.metrics.tasks.usefulness import ComparedFigure, Contingency

MOST_COEFFICIENTS = 30
_NEVER = 1e-9


def means(columns: Sequence[ColumnFeatures]) -> tuple[ComparedFigure, ...]:
    """The mean of every column of numbers, with the standard error of the original's."""
    return tuple(
        ComparedFigure(column.column, _mean(column.original), _mean(column.released), _error(column.original))
        for column in columns
        if column.is_number
    )


def correlations(columns: Sequence[ColumnFeatures]) -> tuple[ComparedFigure, ...]:
    """The correlation of every two columns of numbers."""
    numbers = [column for column in columns if column.is_number]
    return tuple(
        ComparedFigure(
            f"{one.column} and {other.column}",
            _correlation(one.original[:, 0], other.original[:, 0]),
            _correlation(one.released[:, 0], other.released[:, 0]),
        )
        for one, other in combinations(numbers, 2)
    )


def contingency(
    column: ColumnFeatures, original: Ints, released: Ints, classes: tuple[str, ...]
) -> Contingency:
    """The column against the target, whose class is below 0 where it is not told."""
    before = _table(column.original, original, len(classes))
    after = _table(column.released, released, len(classes))
    of_column = len(column.column) + 1
    return Contingency(
        column.column,
        tuple(name[of_column:] for name in column.names),
        classes,
        tuple(map(tuple, before.tolist())),
        tuple(map(tuple, after.tolist())),
        ComparedFigure(column.column, _cramers_v(before), _cramers_v(after)),
        float(np.abs(before - after).sum() / 2),
    )


def regression(
    columns: Sequence[ColumnFeatures], original: Floats, released: Floats
) -> tuple[ComparedFigure, ...]:
    """Coefficients of a linear regression of a number on all columns, with the original's standard errors.

    The most frequent value of a column that is no number is what its others are compared with. Only the
    coefficients that are clearest in the original are given.
    """
    before, names = _design([(column, column.original) for column in columns])
    after, _ = _design([(column, column.released) for column in columns])
    varies: Bools = np.append(before[:, :-1].std(axis=0) > _NEVER, True)
    first, errors = _least_squares(before[:, varies], original)
    second, _ = _least_squares(after[:, varies], released)
    kept = [name for name, each in zip(names, varies, strict=True) if each]
    found = [
        ComparedFigure(name, float(one), float(other), float(error))
        for name, one, other, error in zip(kept, first, second, errors, strict=True)
    ]
    clearest = sorted(found, key=lambda each: -abs(each.before) / max(each.error or 0.0, _NEVER))
    return tuple(clearest[:MOST_COEFFICIENTS])


def _design(parts: Sequence[tuple[ColumnFeatures, Floats]]) -> tuple[Floats, list[str]]:
    """All features but one of each group of shares, unknown ones as their mean, and a constant."""
    features, names = [], list[str]()
    for column, values in parts:
        kept = np.ones(len(column.names), dtype=np.bool_)
        if not column.is_number and len(column.names):
            kept[np.argmax(column.original.sum(axis=0))] = False
        known = np.isfinite(values)
        mean = np.where(known, values, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        features.append(np.where(known, values, mean)[:, kept])
        names += [name for name, each in zip(column.names, kept, strict=True) if each]
    count = len(parts[0][1]) if parts else 0
    return np.hstack((*features, np.ones((count, 1)))), [*names, "constant"]


def _least_squares(features: Floats, values: Floats) -> tuple[Floats, Floats]:
    known = np.isfinite(values)
    features, values = features[known], values[known]
    if not len(values):
        nothing = np.full(features.shape[1], np.nan)
        return nothing, nothing
    inverse = np.linalg.pinv(features.T @ features)
    coefficients = inverse @ (features.T @ values)
    rest = values - features @ coefficients
    freedom = max(1, len(values) - features.shape[1])
    errors = np.sqrt(np.maximum(np.diag(inverse), 0) * float(rest @ rest) / freedom)
    return coefficients, errors


def _table(shares: Floats, classes: Ints, class_count: int) -> Floats:
    """The share of records in each cell, of those whose class is told."""
    told = classes >= 0
    one_hot = np.zeros((int(told.sum()), class_count))
    one_hot[np.arange(len(one_hot)), classes[told]] = 1
    cells: Floats = shares[told].T @ one_hot
    total = cells.sum()
    return cells / total if total else cells


def _cramers_v(table: Floats) -> float:
    table = table[table.sum(axis=1) > _NEVER][:, table.sum(axis=0) > _NEVER]
    smaller = min(table.shape) - 1
    if smaller < 1:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / smaller))


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _error(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan")


def _correlation(one: Floats, other: Floats) -> float:
    known = np.isfinite(one) & np.isfinite(other)
    if known.sum() < 2 or one[known].std() < _NEVER or other[known].std() < _NEVER:
        return float("nan")
    return float(np.corrcoef(one[known], other[known])[0, 1])
