"""What a release is good for: how well a column is predicted from it, and which relations it keeps.

All of it compares with the original, so it is for the publisher alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import InvalidParameter

ORIGINAL, RELEASE, SUPPRESSED = "original", "release", "suppressed"
MEASURES = ("accuracy", "auc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Predict the column `target` from all others.

    Models are trained and tested on so many `splits` of at most `records` records, which are drawn.
    """

    target: str
    splits: int = 5
    records: int = 20_000

    def __post_init__(self) -> None:
        if type(self.splits) is not int or self.splits < 2:
            raise InvalidParameter("a task", "splits", self.splits, "an integer of 2 or more")
        if type(self.records) is not int or self.records < 100:
            raise InvalidParameter("a task", "records", self.records, "an integer of 100 or more")


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean over the splits, and the range that holds the true one in 95 of 100 cases."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well a model predicts untouched original records that had no part in its training.

    `trained_on` is the original, the release, or the original without its quasi-identifiers, which is what
    is left when all of them are suppressed. `shift` is how far each measure is from that of the original, by
    pairs of the same split.
    """

    model: str
    trained_on: str
    accuracy: MeanInterval
    auc: MeanInterval
    shift: Mapping[str, MeanInterval]


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """One figure of the original and of the release; `error` is the standard error of the first, if known."""

    name: str
    before: float
    after: float
    error: float | None = None

    @property
    def shift(self) -> float:
        """How far it moved."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """How a column and the target go together: the share of records in each cell, before and after.

    `association` is Cramér's V; `moved` is the share of records that would have to change their cell.
    """

    column: str
    values: tuple[str, ...]
    classes: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    association: ComparedFigure
    moved: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Usefulness:
    """Everything that was measured for a task.

    `records` took part out of `of_records`. `explained` says in words what the regression is of.
    """

    task: Task
    classes: tuple[str, ...]
    records: int
    of_records: int
    published: int
    majority: float
    scores: tuple[Score, ...]
    means: tuple[ComparedFigure, ...]
    correlations: tuple[ComparedFigure, ...]
    explained: str
    coefficients: tuple[ComparedFigure, ...]
    contingencies: tuple[Contingency, ...]
    seconds: float

    def score(self, model: str, trained_on: str = RELEASE) -> Score:
        """The score of one model."""
        return next(each for each in self.scores if (each.model, each.trained_on) == (model, trained_on))

    @property
    def models(self) -> tuple[str, ...]:
        """The models by their names."""
        return tuple(dict.fromkeys(each.model for each in self.scores))

    def figures(self) -> dict[str, Any]:
        """Plain values without any value of the data."""
        return {
            "target": self.task.target,
            "splits": self.task.splits,
            "records": self.records,
            "of_records": self.of_records,
            "published": self.published,
            "classes": len(self.classes),
            "majority": {"accuracy": self.majority, "auc": 0.5},
            "scores": [_plain_score(each) for each in self.scores],
            "means": [_plain(each) for each in self.means],
            "correlations": [_plain(each) for each in self.correlations],
            "associations": [
                {**_plain(each.association), "moved": each.moved} for each in self.contingencies
            ],
            "seconds": self.seconds,
        }

    def details(self) -> dict[str, Any]:
        """Everything, with values of the original."""
        return {
            **self.figures(),
            "class_names": list(self.classes),
            "regression": {
                "of": self.explained,
                "coefficients": [_plain(each) for each in self.coefficients],
            },
            "contingencies": [
                {
                    "column": each.column,
                    "values": list(each.values),
                    "classes": list(each.classes),
                    "before": [list(row) for row in each.before],
                    "after": [list(row) for row in each.after],
                    "moved": each.moved,
                }
                for each in self.contingencies
            ],
        }

    def row(self) -> dict[str, Any]:
        """A few columns of a table of runs."""
        return {"target": self.task.target, "majority_accuracy": self.majority, **dict(self._cells())}

    def _cells(self) -> Iterator[tuple[str, float]]:
        for score in self.scores:
            of = {ORIGINAL: "original_", SUPPRESSED: "suppressed_", RELEASE: ""}[score.trained_on]
            for measure in MEASURES:
                found: MeanInterval = getattr(score, measure)
                yield f"{of}{score.model}_{measure}", found.mean
                if score.trained_on == RELEASE:
                    yield f"{score.model}_{measure}_low", found.low
                    yield f"{score.model}_{measure}_high", found.high


def _plain(figure: ComparedFigure) -> dict[str, Any]:
    return {"name": figure.name, "before": figure.before, "after": figure.after, "error": figure.error}


def _plain_score(score: Score) -> dict[str, Any]:
    return {
        "model": score.model,
        "trained_on": score.trained_on,
        **{measure: _plain_interval(getattr(score, measure)) for measure in MEASURES},
        "shift": {measure: _plain_interval(interval) for measure, interval in score.shift.items()},
    }


def _plain_interval(interval: MeanInterval) -> dict[str, float]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}
