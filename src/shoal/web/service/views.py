"""What pages show of a finished run beside its figures: records before and after, trees with their cuts."""

from typing import Any

import numpy as np

from shoal.explain.examples import texts_of
from shoal.explain.levels import MOST_BARS, ColumnChange
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import wide
from shoal.metrics.tasks.usefulness import MeanInterval, Usefulness
from shoal.recoding.chunk_recoding import ChunkRecoding
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.synthetic import Synthetic
from shoal.report.chart import Figure
from shoal.report.class_sizes import risk_of, size_bands
from shoal.report.explanations import limits, promises_in_words
from shoal.report.figures import (
    class_size_figure,
    distribution_figure,
    frontier_figure,
    loss_figure,
    risk_figure,
)
from shoal.report.outcome import Outcome
from shoal.report.promise_sections import parameter
from shoal.report.usefulness_section import usefulness_section
from shoal.run.result import Result
from shoal.table.columns import Coded, Sets, Table
from shoal.web.service.explaining import clusters_of
from shoal.web.service.questions import published_labels

SHOWN_ROWS = 500
_MOST_NODES = 5_000


def view_of(result: Result) -> dict[str, Any]:
    """Plain values for JSON; everything here compares with the original, so it is for the publisher alone."""
    outcome = result.outcome
    return {
        "promises": promises_in_words(outcome),
        "limits": [{"title": limit.title, "text": limit.in_full} for limit in limits(outcome)],
        "notices": list(outcome.provenance.notices),
        "attacks": list(outcome.claim.attacks.words),
        "chunks": dict(outcome.changes.chunks),
        "generalized_items": [
            {
                "label": item.label,
                "items": item.items,
                "occurrences": item.occurrences,
                "because": item.because(),
            }
            for item in outcome.changes.generalized_items[:SHOWN_ROWS]
        ],
        "figures": {
            name: {"svg": str(figure.drawing), **figure.table()} for name, figure in _figures(outcome).items()
        },
        "distributions": [
            {"column": change.column, "levels": levels}
            for change in outcome.changes.by_column
            if (levels := _levels(change))
        ],
        "usefulness": None
        if outcome.cost.usefulness is None
        else str(usefulness_section(outcome.cost.usefulness)),
        "measured": [] if outcome.cost.usefulness is None else _measured(outcome.cost.usefulness),
        **_records(result),
        "trees": _trees(result),
    }


def _levels(change: ColumnChange) -> list[dict[str, Any]]:
    """How the values of a column are spread, the finest groups that fit a figure first."""
    fitting = [level for level in change.levels if len(level.groups) < MOST_BARS] or change.levels[:1]
    figures = {level.name: distribution_figure(level) for level in reversed(fitting)}
    return [{"name": name, "svg": str(each.drawing), **each.table()} for name, each in figures.items()]


def _measured(found: Usefulness) -> list[dict[str, Any]]:
    """What was measured for a task, as tables of plain numbers."""
    heads = ["model", "trained on", "accuracy", "lower", "upper", "AUC", "lower", "upper"]
    scores = [[each.model, each.trained_on, *_ends(each.accuracy), *_ends(each.auc)] for each in found.scores]
    figures = [
        [kind, each.name, each.before, each.after, each.shift]
        for kind, several in (
            ("mean", found.means),
            ("correlation", found.correlations),
            ("coefficient", found.coefficients),
        )
        for each in several
    ]
    cells = [
        [each.column, value, name, before, after]
        for each in found.contingencies
        for value, befores, afters in zip(each.values, each.before, each.after, strict=True)
        for name, before, after in zip(each.classes, befores, afters, strict=True)
    ]
    relation = ["figure", "of", "original", "release", "shift"]
    cell = ["column", "value", found.task.target, "original", "release"]
    return [
        {"name": name, "title": title, "columns": columns, "rows": rows, "svg": ""}
        for name, title, columns, rows in (
            ("predictions", "Predictions", heads, scores),
            ("relations", "Means, correlations and coefficients", relation, figures),
            ("contingency", f"Shares of records by {found.task.target}", cell, cells),
        )
        if rows
    ]


def _ends(interval: MeanInterval) -> tuple[float, float, float]:
    return interval.mean, interval.low, interval.high


def _figures(outcome: Outcome) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    before, after = risk_of(outcome.cost.class_sizes_before), risk_of(outcome.cost.class_sizes_after)
    if before is not None and after is not None:
        k = parameter(outcome.claim.promise, "k")
        figures["risk"] = risk_figure(before, after)
        bands = size_bands(outcome.cost.class_sizes_before, outcome.cost.class_sizes_after, k)
        figures["class_sizes"] = class_size_figure(bands)
    by_column = {
        name: losses["ncp"] for name, losses in outcome.cost.column_losses.items() if "ncp" in losses
    }
    if by_column:
        figures["loss"] = loss_figure(dict(sorted(by_column.items(), key=lambda entry: -entry[1])))
    if "frontier" in outcome.provenance.figures:
        figures["frontier"] = frontier_figure(outcome.provenance.figures["frontier"])
    return figures


def _records(result: Result) -> dict[str, Any]:
    """Original records above what is published of them; of new records only what is published."""
    original = result.data.original
    if isinstance(result.recoding, ChunkRecoding) or not isinstance(result.released, Table):
        return {"columns": list(original.columns), "rows": []}
    if isinstance(result.recoding, Synthetic):
        released = result.released
        rows = np.arange(min(SHOWN_ROWS, released.row_count))
        texts = [texts_of(column, rows) for column in released.columns.values()]
        new = [
            {"row": None, "class_size": None, "before": None, "after": list(after)}
            for after in zip(*texts, strict=True)
        ]
        return {"columns": list(released.columns), "rows": new}
    local = result.data.local
    applied = apply_recoding(
        local.table, local.trees, local.roles, result.recoding, smallest=1, people=local.subjects
    )
    count = min(SHOWN_ROWS, len(applied.rows))
    after = np.linspace(0, len(applied.rows) - 1, count).astype(np.int64)
    before = wide(applied.rows[after])
    sizes = _class_sizes(result)
    old = zip(*(texts_of(column, before) for column in original.columns.values()), strict=True)
    new_texts = zip(*(texts_of(applied.table.columns[name], after) for name in original.columns), strict=True)
    return {
        "columns": list(original.columns),
        "rows": [
            {
                "row": int(row),
                "class_size": None if sizes is None else int(sizes[row]),
                "before": list(was),
                "after": list(now),
            }
            for row, was, now in zip(before.tolist(), old, new_texts, strict=True)
        ],
    }


def _class_sizes(result: Result) -> Any:
    clusters = clusters_of(result.recoding)
    if clusters is None:
        return None
    counts = np.bincount(clusters.cluster_of_row + 1)
    counts[0] = 0
    return counts[clusters.cluster_of_row + 1]


def _trees(result: Result) -> dict[str, Any]:
    if not isinstance(result.released, Table):
        return {}
    columns = {
        name: column
        for name in result.data.local.trees
        if isinstance(column := result.released.columns.get(name), Coded | Sets)
    }
    labels = published_labels(columns)
    return {
        name: {**_tree(result.data.local.trees[name]), "published": labels[name]}
        for name in columns
        if result.data.local.trees[name].node_count <= _MOST_NODES
    }


def _tree(tree: Hierarchy) -> dict[str, Any]:
    nodes = [node for node in range(tree.node_count) if node != tree.missing]
    index = {node: number for number, node in enumerate(nodes)}
    return {
        "labels": [tree.labels[node] for node in nodes],
        "parents": [index[tree.parent(node)] for node in nodes],
        "leaf_count": tree.leaf_count,
    }
