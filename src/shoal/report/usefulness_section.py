"""What the release is good for: a task measured with models, and relations before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.metrics.tasks.usefulness import (
    ORIGINAL,
    RELEASE,
    SUPPRESSED,
    ComparedFigure,
    Contingency,
    MeanInterval,
    Score,
    Usefulness,
)
from shoal.report.html import Content, Html, table, tag
from shoal.report.parts import section
from shoal.report.wording import counted, share

MODEL_NAMES = {"logistic": "logistic regression", "boosting": "gradient boosting"}
_SOURCES = {ORIGINAL: "the original", RELEASE: "the release", SUPPRESSED: "all quasi-identifiers suppressed"}
_MOST_ROWS = 40


def usefulness_section(found: Usefulness) -> Html:
    """Everything that was measured for the task."""
    return section(
        "usefulness",
        f"What it is good for: predicting {found.task.target}",
        tag("p", _how(found)),
        _scores(found),
        *_relations(found),
    )


def _how(found: Usefulness) -> str:
    drawn = "" if found.records == found.of_records else f", drawn from {found.of_records:,}"
    return (
        f"Models were trained to predict {found.task.target} from all other columns, in"
        f" {found.task.splits} random splits of {counted(found.records, 'record')}{drawn}: on two thirds of"
        " them as they are in the original, as they are in the release, and without their"
        " quasi-identifiers. All were tested on the original of the other third. Which labels the release"
        " has was decided with all records. Ranges hold the true mean in 95 of 100 cases."
    )


def _scores(found: Usefulness) -> Html:
    rows: list[tuple[Content, ...]] = [
        (
            f"{MODEL_NAMES.get(score.model, score.model)}, trained on {_SOURCES[score.trained_on]}",
            _interval(score.accuracy),
            _interval(score.auc),
            _auc_shift(score),
        )
        for score in found.scores
    ]
    rows.append(("always the most frequent value", share(found.majority), "50.0%", ""))
    heads = ("model", "accuracy", "AUC", "AUC, shift from the original")
    return table("Predictions of untouched original records", heads, rows, numeric=(1, 2, 3))


def _auc_shift(score: Score) -> str:
    if score.trained_on == ORIGINAL:
        return ""
    shift = score.shift["auc"]
    return f"{shift.mean:+.3f} ({shift.low:+.3f} to {shift.high:+.3f})"


def _interval(interval: MeanInterval) -> str:
    return f"{interval.mean:.1%} ({max(0, interval.low):.1%} to {min(1, interval.high):.1%})"


def _relations(found: Usefulness) -> Iterable[Html]:
    if found.means:
        heads: tuple[str, ...] = ("column", "original", "release", "shift", "standard error")
        yield table("Means", heads, _figures(found.means), numeric=(1, 2, 3, 4))
    if found.correlations:
        heads = ("columns", "original", "release", "shift")
        rows = [row[: len(heads)] for row in _figures(found.correlations)]
        yield table("Correlations", heads, rows, numeric=(1, 2, 3))
    if found.coefficients:
        heads = ("feature", "original", "release", "shift", "standard error")
        caption = f"Linear regression of {found.explained}: the clearest coefficients"
        yield table(caption, heads, _figures(found.coefficients), numeric=(1, 2, 3, 4))
    if found.contingencies:
        yield _associations(found)
    for each in found.contingencies:
        if len(each.values) * len(each.classes) <= _MOST_ROWS:
            yield tag("details", tag("summary", f"{each.column} by {found.task.target}"), _cells(each))


def _figures(figures: Sequence[ComparedFigure]) -> list[tuple[Content, ...]]:
    return [
        (
            each.name,
            f"{each.before:,.4g}",
            f"{each.after:,.4g}",
            f"{each.shift:+,.3g}",
            "" if each.error is None else f"{each.error:,.2g}",
        )
        for each in figures
    ]


def _associations(found: Usefulness) -> Html:
    rows: list[tuple[Content, ...]] = [
        (
            each.column,
            f"{each.association.before:.3f}",
            f"{each.association.after:.3f}",
            share(each.moved),
        )
        for each in found.contingencies
    ]
    heads = ("column", "original", "release", "records in another cell")
    return table(f"Association with {found.task.target} (Cramér's V)", heads, rows, numeric=(1, 2, 3))


def _cells(each: Contingency) -> Html:
    rows: list[tuple[Content, ...]] = [
        (f"{value}, {name}", share(before), share(after))
        for value, befores, afters in zip(each.values, each.before, each.after, strict=True)
        for name, before, after in zip(each.classes, befores, afters, strict=True)
    ]
    return table("Share of records", ("values", "original", "release"), rows, numeric=(1, 2))
