"""What the models about sensitive values share: every class of a release is measured and judged.

A missing sensitive value counts in the size of its class for k, but shares are shares of the values that
are there. A class without any value shows no diversity, so it fails. Several sensitive columns are judged
each on its own; they are not protected against each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from shoal.engine.answers import Histogram, Judgement, WeakestClass
from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port, Question
from shoal.errors import BadInput, Infeasible, Problem
from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.kernels.diversity import SensitiveCounts, class_figures, classes_hold
from shoal.privacy.model import Model
from shoal.privacy.verdict import Verdict, Witness, counted, verdict_without_records
from shoal.table.roles import Sensitive

# Kernels are exact but for entropies and sizes at the edge of what they can hold: there they answer no, and
# the model's own definition decides.
_CLEARLY_BROKEN = 1e-6


class Diversity(Model):
    """A promise about the sensitive values of each class."""

    __slots__ = ()

    questions: ClassVar[frozenset[Question]] = frozenset({Question.SENSITIVE_VALUES})

    @property
    def diverse(self) -> bool:
        """It is about sensitive values."""
        return True

    @property
    def threshold(self) -> Fraction:
        """What the figure of every class is compared with."""
        raise NotImplementedError

    @property
    def higher_is_better(self) -> bool:
        """Whether figures must not be below the threshold, or not above it."""
        raise NotImplementedError

    @property
    def figure_name(self) -> str:
        """What the worst class's figure is called in a verdict."""
        raise NotImplementedError

    def check_column(self, data: Port, column: str) -> None:
        """Refuse a sensitive column for which the promise has no meaning; most take any."""

    def class_constraint(self) -> Ints:
        """The promise as kernels take it: kind, numerator, denominator, rank."""
        raise NotImplementedError

    def holds_for(
        self, values: Sequence[int], counts: Sequence[int], totals: Sequence[int], size: int | None = None
    ) -> bool:
        """Whether a class keeps the promise: the one exact definition.

        `values` ascend, `counts` are theirs in the class and totals[v] in the whole table; shares are shares
        of `size`, by default the sum of the counts.
        """
        raise NotImplementedError

    def figure_in_words(self, figure: float) -> str:
        """A clause about a class that reaches this figure."""
        raise NotImplementedError

    def reported(self, figure: float) -> float:
        """The figure as it stands in a verdict."""
        return figure

    def infeasible_because(self, figure: float) -> str:
        """A clause about a table whose own figure is too bad."""
        raise NotImplementedError

    def table_holds(self, data: Port) -> bool:
        """Whether the whole table, as one class, would do: if not, nothing does."""
        return table_holds(self, data)

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        return infeasible(self, data)

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        return data.rows_of_broken_classes(self.judge, data.quasi)

    def verify(self, data: Port) -> Verdict:
        """Judge every class of the released table."""
        return verify_diversity(self, data)

    def judge(self, histogram: Histogram) -> Judgement:
        """What each class reaches, and which of them break the promise."""
        counts = SensitiveCounts(
            histogram.sizes, histogram.starts, histogram.values, histogram.counts, histogram.totals
        )
        figures = class_figures(self.class_constraint(), counts)
        slacks = self._slacks(figures)
        broken = ~classes_hold(self.class_constraint(), counts)
        for doubtful in np.flatnonzero(broken & (slacks > -_CLEARLY_BROKEN)):
            broken[doubtful] = not self._holds_exactly(histogram, int(doubtful))
        return Judgement(figures, slacks, broken)

    def _holds_exactly(self, histogram: Histogram, number: int) -> bool:
        values, counts = histogram.of_class(number)
        size = int(histogram.sizes[number])
        return self.holds_for(values.tolist(), counts.tolist(), histogram.totals.tolist(), size)

    def _slacks(self, figures: Floats) -> Floats:
        """How far each class is on the good side; a class without values is infinitely far on the other."""
        difference = figures - float(self.threshold)
        slacks = difference if self.higher_is_better else -difference
        return np.where(np.isnan(slacks), -np.inf, slacks)


def verify_diversity(model: Diversity, data: Port) -> Verdict:
    """Judge every class of the released table by its sensitive values."""
    check_columns(model, data)
    if data.row_count == 0:
        return verdict_without_records(model.claim(data))
    findings = data.weakest_classes(model.judge, data.quasi)
    worst = min(findings, key=lambda finding: (not finding.broken, finding.slack))
    detail = f"in class {worst.where.in_words()}: {_in_words(model, worst)}"
    return Verdict(
        holds=not worst.broken,
        claim=model.claim(data),
        evidence=f"worst of {counted(worst.classes, 'class')}: {detail}",
        witness=Witness.of(detail, worst.where) if worst.broken else None,
        figures=_figures(model, data, findings),
    )


def table_holds(model: Diversity, data: Port) -> bool:
    """Whether the whole table, as one class, keeps the promise: if not, no release of it does."""
    check_columns(model, data)
    return data.row_count > 0 and not any(each.broken for each in data.weakest_classes(model.judge, ()))


def infeasible(model: Diversity, data: Port) -> Infeasible | None:
    """Why no release of these data can keep the promise, with the table's own figure; None if one can."""
    check_columns(model, data)
    for finding in data.weakest_classes(model.judge, ()) if data.row_count else ():
        if finding.broken:
            reached = _json_number(model.reported(finding.figure))
            why = (
                f"the table itself has no value of {finding.column}"
                if math.isnan(finding.figure)
                else f"{model.infeasible_because(finding.figure)} (column {finding.column})"
            )
            return Infeasible(f"{model.name} cannot be met: {why}", column=finding.column, reached=reached)
    return None


def check_columns(model: Diversity, data: Port) -> None:
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


def columns_in_words(data: Described) -> str:
    """What is protected and where: 'of outcome within classes of age, zip'."""
    protected = f"of {' and of '.join(data.sensitive)}" + (
        ", each on its own," if len(data.sensitive) > 1 else ""
    )
    return (
        f"{protected} within classes of {', '.join(data.quasi)}"
        if data.quasi
        else f"{protected} as one class"
    )


def _in_words(model: Diversity, finding: WeakestClass) -> str:
    if finding.frequent is None:
        return f"every value of {finding.column} is missing, so nothing shows that the promise is kept"
    share = (
        f"{finding.column}={finding.frequent} in {finding.holding:,} of {counted(finding.size, finding.unit)}"
        " with a value"
    )
    return f"{share} ({finding.holding / finding.size:.1%}); {model.figure_in_words(finding.figure)}"


def _figures(model: Diversity, data: Port, findings: Sequence[WeakestClass]) -> dict[str, Any]:
    worst = min(findings, key=lambda finding: finding.slack)
    per_column: dict[str, dict[str, Any]] = {finding.column: {} for finding in findings}
    for finding in findings:
        suffix = "" if finding.unit == "record" else "_people"
        per_column[finding.column] |= {
            model.figure_name + suffix: _json_number(model.reported(finding.figure)),
            "classes_broken" + suffix: finding.broken,
        }
    return {
        "records": data.row_count,
        "classes": worst.classes,
        model.figure_name: _json_number(model.reported(worst.figure)),
        "sensitive": per_column,
    }


def _json_number(figure: float) -> float | None:
    return figure if math.isfinite(figure) else None
