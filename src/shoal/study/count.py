"""Counting in a release: no fewer, as expected, no more; beside the original also what is true.

A label counts for certain where all that it covers does, perhaps where some of it does, and as expected by
the share of what it covers. In a table of several columns, a part of each class of records that are published
alike is shared out among the cells that fit it in proportion to how many records these seem to have, again
and again; the rest evenly. More than that part overrates frequent cells: what is frequent need not hide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Floats, Ints
from shoal.metrics.estimates import relative_error
from shoal.study.count_groups import Bands, Groups, groups_of_table, groups_of_values
from shoal.study.label_atoms import LIKELY
from shoal.study.label_bins import Bins, LabelledRecords
from shoal.study.label_filling import alike_in
from shoal.study.open_release import OpenedRelease
from shoal.study.true_counts import OriginalRecords

Where = Mapping[str, str | Sequence[str]]
MOST_GROUPED = 3
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Counts: a row of `groups` and three numbers for each cell, beside an original the true one."""

    by: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]
    lower: tuple[int, ...]
    expected: tuple[float, ...]
    upper: tuple[int, ...]
    true: tuple[int, ...] | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Each cell with the columns of `columns`."""
        rows: list[dict[str, Any]] = pa.table(self.columns()).to_pylist()
        return rows

    def columns(self) -> dict[str, pa.Array]:
        """Those that were grouped by, `lower`, `expected`, `upper`, and of an original `true` and `error`."""
        groups = {
            name: pa.array([group[place] for group in self.groups]) for place, name in enumerate(self.by)
        }
        counts: dict[str, Sequence[float]] = {
            "lower": self.lower,
            "expected": self.expected,
            "upper": self.upper,
        }
        if self.true is not None:
            errors = map(relative_error, self.expected, self.true)
            counts |= {"true": self.true, "error": tuple(errors)}
        return groups | {name: pa.array(numbers) for name, numbers in counts.items()}


def count(
    release: OpenedRelease,
    where: Where | None = None,
    by: Sequence[str] = (),
    bands: Bands | None = None,
    original: OriginalRecords | None = None,
) -> GroupCounts:
    """Count records that have certain values, or hold certain items, by the values of up to three columns.

    `where` names for a column a value, several of which one counts, or a range such as 30-39; for a set the
    items that are all held. Numbers and dates are grouped by `bands`, the ends of which begin the next one,
    or by the coarsest labels.
    """
    by, bands = (by,) if isinstance(by, str) else tuple(by), bands or {}
    if len(by) > MOST_GROUPED or len(set(by)) < len(by):
        raise InvalidParameter("count", "by", list(by), f"up to {MOST_GROUPED} different columns")
    for name in bands:
        if name not in by:
            raise InvalidParameter("count", "bands", name, "columns of `by`")
    conditions = {
        name: groups_of_values(release, name, [wanted] if isinstance(wanted, str) else [*wanted])
        for name, wanted in (where or {}).items()
    }
    table = {name: groups_of_table(release, name, bands.get(name)) for name in by}
    if original is not None:
        table = {name: original.with_values(name, groups) for name, groups in table.items()}
    lower, expected, upper = _counted(LabelledRecords(release), conditions, table)
    true = None if original is None else _whole(_truly(original, conditions, table))
    groups = tuple(product(*(each.names for each in table.values())))
    return GroupCounts(by, groups, _whole(lower), tuple(expected.ravel().tolist()), _whole(upper), true)


def _whole(cells: Floats) -> tuple[int, ...]:
    return tuple(map(int, np.rint(cells).ravel().tolist()))


def _counted(
    labels: LabelledRecords, conditions: Mapping[str, Groups], table: Mapping[str, Groups]
) -> tuple[Floats, Floats, Floats]:
    """What the labels say of each cell: no less, as expected, no more."""
    least, mean, most = np.ones((3, labels.row_count))
    for name, groups in conditions.items():
        fitting = labels.fitting(name, groups)
        least, mean, most = least * fitting[0], mean * fitting[1], most * fitting[2]
    bins = [labels.bins(name, groups) for name, groups in table.items()]
    classes, counts = _classes([each.codes for each in bins], (least, mean, most))
    places = list(zip(bins, classes, strict=True))
    return (
        _crossed(counts[0], [each.surely[codes] for each, codes in places]),
        _expected(counts[1], places),
        _crossed(counts[2], [each.maybe[codes] for each, codes in places]),
    )


def _truly(
    original: OriginalRecords, conditions: Mapping[str, Groups], table: Mapping[str, Groups]
) -> Floats:
    """What the values of the original say of each cell."""
    fits = np.ones(original.row_count)
    for name, groups in conditions.items():
        fits *= original.fitting(name, groups)
    bins = [original.belongs(name, groups) for name, groups in table.items()]
    classes, (counts,) = _classes([codes for _, codes in bins], (fits,))
    places = zip(bins, classes, strict=True)
    return _crossed(counts, [belongs[codes] for (belongs, _), codes in places])


def _classes(codes: Sequence[Ints], weights: Sequence[Floats]) -> tuple[list[Ints], list[Floats]]:
    """The different combinations of codes, column by column, and the sums of weights of their records."""
    if not codes:
        return [], [np.array([some.sum()]) for some in weights]
    _, rows, class_of = np.unique(alike_in(codes), return_index=True, return_inverse=True)
    sums = [np.bincount(class_of, some, len(rows)).astype(np.float64) for some in weights]
    return [each[rows] for each in codes], sums


_LETTERS = "ijk"


def _crossed(counts: Floats, of_classes: Sequence[Any]) -> Floats:
    """The sum over classes of their counts times the product of their weights in each column."""
    letters = _LETTERS[: len(of_classes)]
    terms = ",".join(["c", *(f"c{letter}" for letter in letters)])
    cells: Floats = np.einsum(
        f"{terms}->{letters}", counts, *(each.astype(np.float64) for each in of_classes), optimize=True
    )
    return cells


def _expected(counts: Floats, places: Sequence[tuple[Bins, Ints]]) -> Floats:
    by_columns = _crossed(counts, [each.shares[codes] for each, codes in places])
    if not places:
        return by_columns
    likely = [each.likely[codes] for each, codes in places]
    letters = _LETTERS[: len(likely)]
    terms = ",".join([letters, *(f"c{letter}" for letter in letters)])
    cells = by_columns
    for _ in range(_ROUNDS):
        of_classes = np.einsum(f"{terms}->c", cells, *likely, optimize=True)
        scaled = np.divide(counts, of_classes, out=np.zeros_like(counts), where=of_classes > 0)
        cells = cells * _crossed(scaled, likely)
    mixed: Floats = (1 - LIKELY) * by_columns + LIKELY * cells
    return mixed
