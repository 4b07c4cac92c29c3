"""A table with sets: what became of its single values, beside what became of its items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shoal.report.html import Content, Html, table, tag
from shoal.report.outcome import Outcome
from shoal.report.wording import share


def shows_both_parts(outcome: Outcome) -> bool:
    """Whether single values and items were generalized together."""
    return "item_ncp" in outcome.cost.losses


def both_parts(outcome: Outcome) -> Iterable[Html]:
    """What is said of the two parts, in two columns."""
    sets = [name for name, losses in outcome.cost.column_losses.items() if "ul" in losses]
    values = [name for name in outcome.claim.quasi if name not in sets]
    figures = {name: value for verdict in outcome.claim.verdicts for name, value in verdict.figures.items()}
    rows: list[tuple[Content, ...]] = [
        ("columns", ", ".join(values), ", ".join(sets)),
        ("detail lost (NCP)", share(outcome.cost.losses["ncp"]), share(outcome.cost.losses["item_ncp"])),
        ("combinations added (UL)", "", share(outcome.cost.losses["ul"])),
        ("fewest records alike", *map(_number, _supports(figures))),
        ("recoded in", _number(figures.get("classes"), " classes"), _clusters(outcome)),
    ]
    yield tag(
        "p",
        "Single values and items hide together: inside every class of records with the same published values,"
        " each set of items that somebody may know occurs often enough.",
    )
    yield table("Single values and items", ("", "single values", "items"), rows, numeric=(1, 2))


def _supports(figures: Mapping[str, Any]) -> tuple[Any, Any]:
    return figures.get("smallest_class"), figures.get("smallest_itemset_in_a_class")


def _clusters(outcome: Outcome) -> str:
    return _number(outcome.provenance.figures.get("clusters"), " clusters")


def _number(value: object, unit: str = "") -> str:
    return f"{value:,}{unit}" if isinstance(value, int) else ""


def frontier_of(outcome: Outcome) -> Sequence[Mapping[str, Any]]:
    """The bounds that were tried and what each costs; nothing if one was given."""
    points: Sequence[Mapping[str, Any]] = outcome.provenance.figures.get("frontier", ())
    return points


def frontier_table(points: Sequence[Mapping[str, Any]], published: object) -> Html:
    """The points of the curve as a table; the one that was published is marked."""
    rows: list[tuple[Content, ...]] = [
        (
            f"{point['delta']:.4g}{', published' if point['delta'] == published else ''}",
            share(point["relational_loss"]),
            share(point["utility_loss"]),
            "holds" if point["holds"] else "broken",
        )
        for point in points
    ]
    heads = ("delta", "values (NCP)", "items (UL)", "promise")
    return table("Bounds that were tried, and what is lost with each", heads, rows, numeric=(1, 2))
