"""What the models about sensitive values share: every class of a release is measured and judged.

A missing sensitive value counts in the size of its class for k, but shares are shares of the values that
are there. A class without any value shows no diversity, so it fails. Several sensitive columns are judged
each on its own; they are not protected against each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from shoal.engine.local import Classes, Histogram, LocalData
from shoal.errors import BadInput, Infeasible, Problem
from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.kernels.diversity import ClassCounts, class_figures, classes_hold
from shoal.privacy.verdict import Verdict, Witness, class_in_words, counted, verdict_without_records
from shoal.table.roles import Sensitive

# Kernels are exact but for entropies and sizes at the edge of what they can hold: there they answer no, and
# the model's own definition decides.
_CLEARLY_BROKEN = 1e-6


@runtime_checkable
class Diversity(Protocol):
    """A promise about the sensitive values of each class."""

    name: ClassVar[str]

    @property
    def threshold(self) -> Fraction:
        """What the figure of every class is compared with."""

    @property
    def higher_is_better(self) -> bool:
        """Whether figures must not be below the threshold, or not above it."""

    @property
    def figure_name(self) -> str:
        """What the worst class's figure is called in a verdict."""

    def claim(self, data: LocalData) -> str:
        """The promise in words, for these columns."""

    def check_column(self, data: LocalData, column: str) -> None:
        """Refuse a sensitive column for which the promise has no meaning."""

    def requirement(self) -> Ints:
        """The promise as kernels take it: kind, numerator, denominator, l."""

    def holds_for(
        self, values: Sequence[int], counts: Sequence[int], totals: Sequence[int], size: int | None = None
    ) -> bool:
        """Whether a class keeps the promise: the one exact definition.

        `values` ascend, `counts` are theirs in the class and totals[v] in the whole table; shares are shares
        of `size`, by default the sum of the counts.
        """

    def figure_in_words(self, figure: float) -> str:
        """A clause about a class that reaches this figure."""

    def reported(self, figure: float) -> float:
        """The figure as it stands in a verdict."""

    def infeasible_because(self, figure: float) -> str:
        """A clause about a table whose own figure is too bad."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one sensitive column shows, counted in records or in people."""

    column: str
    unit: str
    worst_class: int
    figure: float
    broken_classes: int
    histogram: Histogram


def verify_diversity(model: Diversity, data: LocalData) -> Verdict:
    """Judge every class of the released table by its sensitive values."""
    check_columns(model, data)
    if data.row_count == 0:
        return verdict_without_records(model.claim(data))
    classes = data.classes(data.quasi)
    findings = find(model, data, classes)
    worst = min(findings, key=lambda finding: (not finding.broken_classes, _slack(model, finding.figure)))
    holds = not worst.broken_classes
    place = class_in_words(data, data.quasi, int(classes.first_rows[worst.worst_class]))
    detail = f"in class {place}: {_in_words(model, data, worst)}"
    return Verdict(
        holds=holds,
        claim=model.claim(data),
        evidence=f"worst of {counted(len(classes), 'class')}: {detail}",
        witness=None if holds else Witness.at(detail, classes.rows(worst.worst_class)),
        figures=_figures(model, data, classes, findings),
    )


def table_holds(model: Diversity, data: LocalData) -> bool:
    """Whether the whole table, as one class, keeps the promise: if not, no release of it does."""
    check_columns(model, data)
    return data.row_count > 0 and not any(
        finding.broken_classes for finding in find(model, data, data.classes(()))
    )


def infeasible(model: Diversity, data: LocalData) -> Infeasible | None:
    """Why no release of these data can keep the promise, with the table's own figure; None if one can."""
    check_columns(model, data)
    for finding in find(model, data, data.classes(())) if data.row_count else ():
        if finding.broken_classes:
            reached = _json_number(model.reported(finding.figure))
            why = (
                f"the table itself has no value of {finding.column}"
                if math.isnan(finding.figure)
                else f"{model.infeasible_because(finding.figure)} (column {finding.column})"
            )
            return Infeasible(f"{model.name} cannot be met: {why}", column=finding.column, reached=reached)
    return None


def check_columns(model: Diversity, data: LocalData) -> None:
    """Refuse data without a sensitive column, or with one that does not suit the model."""
    if not data.sensitive:
        raise BadInput(
            Problem(
                f"{model.name} protects sensitive values, and no column is sensitive",
                "give the column that must not be learnt the role sensitive",
            )
        )
    if sets := [name for name in data.with_role(Sensitive) if name not in data.sensitive]:
        raise BadInput(
            *(
                Problem(
                    f"{model.name} protects single values, and this sensitive column holds sets",
                    "give it the role quasi and name its sensitive items, or drop it",
                    column=name,
                )
                for name in sets
            )
        )
    for column in data.sensitive:
        model.check_column(data, column)


def columns_in_words(data: LocalData) -> str:
    """What is protected and where: 'of outcome within classes of age, zip'."""
    protected = f"of {' and of '.join(data.sensitive)}" + (
        ", each on its own," if len(data.sensitive) > 1 else ""
    )
    return (
        f"{protected} within classes of {', '.join(data.quasi)}"
        if data.quasi
        else f"{protected} as one class"
    )


def find(model: Diversity, data: LocalData, classes: Classes) -> list[Finding]:
    """One finding per sensitive column, and another one in people where rows are not people."""
    findings = []
    for column in data.sensitive:
        histograms = {"record": data.histogram(classes, column)}
        if data.subjects is not None:
            histograms["person"] = data.subject_histogram(classes, column)
        findings += [_judge(model, column, unit, histogram) for unit, histogram in histograms.items()]
    return findings


def _judge(model: Diversity, column: str, unit: str, histogram: Histogram) -> Finding:
    counts = ClassCounts(
        histogram.sizes, histogram.starts, histogram.values, histogram.counts, histogram.totals
    )
    figures = class_figures(model.requirement(), counts)
    slacks = _slacks(model, figures)
    broken = ~classes_hold(model.requirement(), counts)
    for doubtful in np.flatnonzero(broken & (slacks > -_CLEARLY_BROKEN)):
        broken[doubtful] = not _holds_exactly(model, histogram, int(doubtful))
    worst = _worst(slacks, broken)
    return Finding(column, unit, worst, float(figures[worst]), int(np.count_nonzero(broken)), histogram)


def _holds_exactly(model: Diversity, histogram: Histogram, number: int) -> bool:
    values, counts = histogram.of_class(number)
    size = int(histogram.sizes[number])
    return model.holds_for(values.tolist(), counts.tolist(), histogram.totals.tolist(), size)


def _worst(slacks: Floats, broken: Bools) -> int:
    candidates = np.flatnonzero(broken) if broken.any() else np.arange(len(slacks))
    return int(candidates[slacks[candidates].argmin()])


def _slacks(model: Diversity, figures: Floats) -> Floats:
    """How far each class is on the good side; a class without values is infinitely far on the other."""
    difference = figures - float(model.threshold)
    slacks = difference if model.higher_is_better else -difference
    return np.where(np.isnan(slacks), -np.inf, slacks)


def _slack(model: Diversity, figure: float) -> float:
    return float(_slacks(model, np.array([figure]))[0])


def _in_words(model: Diversity, data: LocalData, finding: Finding) -> str:
    values, counts = finding.histogram.of_class(finding.worst_class)
    if len(values) == 0:
        return f"every value of {finding.column} is missing, so nothing shows that the promise is kept"
    most = int(counts.argmax())
    size = int(finding.histogram.sizes[finding.worst_class])
    label = data.table.coded(finding.column).domain.label(int(values[most]))
    share = f"{finding.column}={label} in {counts[most]:,} of {counted(size, finding.unit)} with a value"
    return f"{share} ({counts[most] / size:.1%}); {model.figure_in_words(finding.figure)}"


def _figures(
    model: Diversity, data: LocalData, classes: Classes, findings: Sequence[Finding]
) -> dict[str, Any]:
    worst = min(findings, key=lambda finding: _slack(model, finding.figure))
    per_column: dict[str, dict[str, Any]] = {finding.column: {} for finding in findings}
    for finding in findings:
        suffix = "" if finding.unit == "record" else "_people"
        per_column[finding.column] |= {
            model.figure_name + suffix: _json_number(model.reported(finding.figure)),
            "classes_broken" + suffix: finding.broken_classes,
        }
    return {
        "records": data.row_count,
        "classes": len(classes),
        model.figure_name: _json_number(model.reported(worst.figure)),
        "sensitive": per_column,
    }


def _json_number(figure: float) -> float | None:
    return figure if math.isfinite(figure) else None
