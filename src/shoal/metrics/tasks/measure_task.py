"""Measure a task: train on the release, test on untouched original records, and compare relations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem, did_you_mean
from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.metrics.tasks.features import Chosen, ColumnFeatures, column_features
from shoal.metrics.tasks.models import (
    MODELS,
    Examples,
    interval_over_splits,
    judged,
    refuse_without_models,
)
from shoal.metrics.tasks.relations import contingency, correlations, means, regression
from shoal.metrics.tasks.usefulness import (
    MEASURES,
    ORIGINAL,
    RELEASE,
    SUPPRESSED,
    Score,
    Task,
    Usefulness,
)
from shoal.progress import Progress
from shoal.table.canonical import as_text
from shoal.table.columns import Carried, Coded, Kind, Sets, Table
from shoal.table.roles import Identifier, Quasi, Sensitive

MOST_CLASSES = 20
TEST_SHARE = 1 / 3
SEED = 0  # what is drawn here protects nothing
_FEWEST = 30


def task_problems(task: Task, original: LocalData) -> list[Problem]:
    """Why a task cannot be measured on these data; MissingExtra if its models are not installed."""
    refuse_without_models()
    name, remedy = task.target, "name another target"
    if isinstance(original.roles.get(name), Identifier):
        return [Problem("is an identifier, which nobody predicts", remedy, column=name)]
    if name not in original.table.columns:
        hint = did_you_mean(name, tuple(original.table.columns))
        return [Problem(f"there is no column {name!r} to predict{hint}")]
    if original.row_count < _FEWEST:
        return [Problem(f"a task needs at least {_FEWEST} records, and there are {original.row_count}")]
    what = _unpredictable(original, name)
    return [] if what is None else [Problem(what, remedy, column=name)]


def _unpredictable(original: LocalData, name: str) -> str | None:
    column = original.table.column(name)
    if isinstance(column, Sets) or (isinstance(column, Carried) and pa.types.is_nested(column.values.type)):
        return "holds sets, which models do not predict"
    count = _distinct(column)
    if count < 2:
        return "has one value only: nothing to predict"
    if count > MOST_CLASSES and not _is_number(original, name):
        return f"has {count} values, and models tell at most {MOST_CLASSES} apart"
    return None


def measure_task(
    task: Task, original: LocalData, released: Table, original_rows: Ints, progress: Progress
) -> Usefulness:
    """How useful a release is for a task; row r of it came from row original_rows[r] of the original.

    BadInput if the target is not in the release.
    """
    started = time.perf_counter()
    if task.target not in released.columns:
        raise BadInput(Problem("is not in the release", "name another target", column=task.target))
    rng = np.random.default_rng(SEED)
    rows = _drawn(original.row_count, task.records, rng)
    published = np.flatnonzero(np.isin(original_rows, rows))
    features = list(column_features(original, released, Chosen(rows, published)))
    at = np.searchsorted(rows, original_rows[published])
    target = _target(next(each for each in features if each.column == task.target), at)
    others = [each for each in features if each.column != task.target]
    scores = _scores(task, others, target, rng, progress)
    known = target.original[target.original >= 0]
    return Usefulness(
        task=task,
        classes=target.names,
        records=len(rows),
        of_records=original.row_count,
        published=int(np.count_nonzero(target.released >= 0)),
        majority=float(np.bincount(known).max() / len(known)) if len(known) else 0.0,
        scores=scores,
        means=means(features),
        correlations=correlations([*others, target.as_number]),
        explained=target.explained,
        coefficients=regression(others, target.as_number.original[:, 0], target.as_number.released[:, 0]),
        contingencies=tuple(
            contingency(each, target.original, target.released, target.names)
            for each in others
            if not each.is_number
        ),
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """The class of each record, below 0 where it is not told, and the target as a number.

    Record r of the release is record at[r] of the original.
    """

    names: tuple[str, ...]
    original: Ints
    released: Ints
    at: Ints
    as_number: ColumnFeatures
    explained: str


def _target(column: ColumnFeatures, at: Ints) -> _Target:
    if column.is_number:
        return _target_of_numbers(column, at)
    names = tuple(name[len(column.column) + 1 :] for name in column.names)
    original, released = _likeliest(column.original), _likeliest(column.released)
    common = int(np.bincount(original[original >= 0]).argmax())
    number = ColumnFeatures(
        column.names[common],
        (column.names[common],),
        _indicator(original, common),
        _indicator(released, common),
        is_number=True,
        is_quasi=column.is_quasi,
    )
    return _Target(names, original, released, at, number, f"whether {column.names[common]}")


def _target_of_numbers(column: ColumnFeatures, at: Ints) -> _Target:
    before, after = column.original[:, 0], column.released[:, 0]
    values = np.unique(before[np.isfinite(before)])
    if len(values) <= MOST_CLASSES // 2:
        names = tuple(f"{value:g}" for value in values.tolist())
        return _Target(names, _place(before, values), _place(after, values), at, column, column.column)
    middle = float(np.median(before[np.isfinite(before)]))
    if middle == values[-1]:  # most records have the highest value, so nothing is above it
        middle = float(values[-2])
    names = (f"at most {middle:g}", f"above {middle:g}")
    return _Target(names, _above(before, middle), _above(after, middle), at, column, column.column)


def _place(numbers: Floats, values: Floats) -> Ints:
    places = np.clip(np.searchsorted(values, numbers), 0, len(values) - 1)
    return np.where(values[places] == numbers, places, -1).astype(np.int64)


def _above(numbers: Floats, middle: float) -> Ints:
    return np.where(np.isfinite(numbers), numbers > middle, -1).astype(np.int64)


def _likeliest(shares: Floats) -> Ints:
    """The class that a label stands for with more than half of its values."""
    places = shares.argmax(axis=1)
    return np.where(shares[np.arange(len(shares)), places] > 0.5, places, -1).astype(np.int64)


def _indicator(classes: Ints, one: int) -> Floats:
    return np.where(classes >= 0, (classes == one).astype(np.float64), np.nan)[:, None]


def _scores(
    task: Task,
    columns: Sequence[ColumnFeatures],
    target: _Target,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[Score, ...]:
    """Every model trained on every source and judged on the same records, over repeated splits."""
    is_number = _of_features(columns, [each.is_number for each in columns])
    is_quasi = _of_features(columns, [each.is_quasi for each in columns])
    original = Examples(_stacked([each.original for each in columns], len(target.original)), target.original)
    released = Examples(_stacked([each.released for each in columns], len(target.released)), target.released)
    told, told_released = original.classes >= 0, released.classes >= 0
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    progress.stage(f"training models to predict {task.target}")
    for split in range(task.splits):
        is_test = _test_records(len(original), rng)
        train, test = original.only(~is_test & told), original.only(is_test & told)
        sources = {
            ORIGINAL: (train, test, is_number),
            RELEASE: (released.only(~is_test[target.at] & told_released), test, is_number),
            SUPPRESSED: (train.without(is_quasi), test.without(is_quasi), is_number[~is_quasi]),
        }
        for place, model in enumerate(MODELS):
            done = split * len(MODELS) + place
            progress.update(done, task.splits * len(MODELS), f"split {split + 1}, {model}")
            for source, (learned, asked, numbers) in sources.items():
                result = judged(model, learned, asked, numbers, len(target.names))
                found.setdefault((model, source), []).append(result)
    return tuple(_score(model, source, found) for model, source in sorted(found, key=_in_order))


def _in_order(found: tuple[str, str]) -> tuple[int, int]:
    return MODELS.index(found[0]), (ORIGINAL, RELEASE, SUPPRESSED).index(found[1])


def _score(model: str, source: str, found: dict[tuple[str, str], list[tuple[float, float]]]) -> Score:
    own, best = np.array(found[model, source]), np.array(found[model, ORIGINAL])
    accuracy, auc = (interval_over_splits(own[:, place], TEST_SHARE) for place in (0, 1))
    shift = {
        measure: interval_over_splits(own[:, place] - best[:, place], TEST_SHARE)
        for place, measure in enumerate(MEASURES)
    }
    return Score(model=model, trained_on=source, accuracy=accuracy, auc=auc, shift=shift)


def _test_records(count: int, rng: np.random.Generator) -> Bools:
    is_test: Bools = np.zeros(count, dtype=np.bool_)
    is_test[rng.permutation(count)[: int(count * TEST_SHARE)]] = True
    return is_test


def _of_features(columns: Sequence[ColumnFeatures], flags: Sequence[bool]) -> Bools:
    return np.repeat(np.array(flags, dtype=np.bool_), [len(each.names) for each in columns])


def _stacked(parts: Sequence[Floats], count: int) -> Floats:
    return np.hstack(parts) if parts else np.zeros((count, 0))


def _drawn(count: int, most: int, rng: np.random.Generator) -> Ints:
    rows: Ints = np.arange(count, dtype=np.int64) if count <= most else rng.choice(count, most, replace=False)
    return np.sort(rows)


def _distinct(column: Coded | Carried) -> int:
    if isinstance(column, Carried):
        return int(pc.count_distinct(as_text(column.values.combine_chunks())).as_py())
    return len(np.unique(column.codes[column.codes < column.domain.missing]))


def _is_number(original: LocalData, name: str) -> bool:
    role, column = original.roles.get(name), original.table.column(name)
    if isinstance(column, Carried):
        of_values = column.values.type
        kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_temporal)
        return any(is_kind(of_values) for is_kind in kinds)
    return isinstance(role, Quasi | Sensitive) and role.kind in (Kind.NUMBER, Kind.DATE)
