"""What happened to each column: the spread of its values, what its levels still tell, the cut in its tree.

And of a table with sets, what became of its single values beside what became of its items.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shoal.explain.levels import MOST_BARS, ColumnChange, CutTree, Level, shortened
from shoal.report.figures import cut_figure, distribution_figure, loss_figure
from shoal.report.html import Content, Html, join, table, tag
from shoal.report.outcome import Outcome
from shoal.report.parts import one_of, pair, section
from shoal.report.wording import share

_SHOWN_AT_ONCE = 4


def columns_section(changes: Iterable[ColumnChange], *, taken_apart: bool) -> Html:
    """Every column, the first ones unfolded."""
    parts = [
        tag(
            "details",
            tag("summary", change.column),
            *_of_column(f"column-{index}", change, taken_apart=taken_apart),
            open="" if index < _SHOWN_AT_ONCE else None,
        )
        for index, change in enumerate(changes)
    ]
    return section("columns", "What happened to each column", *parts)


def _of_column(name: str, change: ColumnChange, *, taken_apart: bool) -> Iterable[Html]:
    if change.levels:
        yield _distribution(name, change.levels, taken_apart=taken_apart)
    if change.kept and len(change.kept) > 1:
        yield _levels(name, change)
    if change.cut is not None:
        yield _cut(name, change.cut)


def _distribution(name: str, levels: tuple[Level, ...], *, taken_apart: bool) -> Html:
    fitting = [level.name for level in levels if len(level.groups) < MOST_BARS]
    coarser = (
        "An item that stands in a term chunk is in one record of its cluster or in several: it is counted"
        " once, in the pale part."
        if taken_apart
        else "Labels that are coarser than the groups count evenly for all that they cover: the pale part."
    )
    return join(
        tag("h3", "Distribution before and after"),
        tag("p", coarser, class_="quiet"),
        one_of(
            f"{name}-level",
            "Groups:",
            {level.name: _level(f"{name}-distribution-{index}", level) for index, level in enumerate(levels)},
            chosen=fitting[-1] if fitting else levels[0].name,
        ),
    )


def _level(name: str, level: Level) -> Html:
    rows: list[tuple[Content, ...]] = [
        (shortened(group), f"{before:,.6g}", f"{told:,.6g}", f"{spread:,.1f}" if spread else "0")
        for group, before, told, spread in zip(
            level.groups, level.before, level.told, level.spread, strict=True
        )
    ]
    heads = ("group", "original", "published", "coarser")
    return pair(
        name,
        distribution_figure(level),
        "Bar chart of how often each group occurs, before and after, as in the table.",
        table(f"Occurrences, by {level.name}", heads, rows, numeric=(1, 2, 3)),
    )


def _levels(name: str, change: ColumnChange) -> Html:
    lost = {level: 1 - kept for level, kept in (change.kept or {}).items()}
    return join(
        tag("h3", "Lost at each level"),
        tag(
            "p",
            "Of how many values can no longer be told to which group of a level they belong, from the"
            " coarsest level to the values themselves.",
            class_="quiet",
        ),
        pair(
            f"{name}-levels",
            loss_figure(lost, "share that can no longer be told"),
            "Bar chart of what is lost at each level of the tree, as in the table.",
            table(
                "No longer told",
                ("level", "lost"),
                [(level, share(loss)) for level, loss in lost.items()],
                numeric=(1,),
            ),
        ),
    )


def _cut(name: str, cut: CutTree) -> Html:
    rows: list[tuple[Content, ...]] = [
        (shortened(node.label), f"{node.values:,}", f"{node.occurrences:,}", f"{node.published:,}")
        for node in cut.nodes
    ]
    heads = ("label", "values", "occurrences", "published so")
    line = (
        "The line is the cut: what lies right of it is published under the label on the line."
        if cut.one_cut
        else "The same value can have different labels in different records: the larger a mark, the more of"
        " what lies below it is published under its label."
    )
    gone = f" {cut.gone:,} occurrences are not published at all." if cut.gone else ""
    return join(
        tag("h3", "The cut through the tree"),
        tag("p", f"{line} Branches without a mark of their own are folded.{gone}", class_="quiet"),
        pair(
            f"{name}-cut",
            cut_figure(cut),
            "The tree of the column, one label per row, with the published ones marked; as in the table.",
            table("Labels of the tree", heads, rows, numeric=(1, 2, 3)),
        ),
    )


def shows_both_parts(outcome: Outcome) -> bool:
    """Whether single values and items were generalized together."""
    return "item_ncp" in outcome.cost.losses


def both_parts(outcome: Outcome) -> Iterable[Html]:
    """What is said of the two parts, in two columns."""
    sets = [name for name, losses in outcome.cost.column_losses.items() if "ul" in losses]
    values = [name for name in outcome.claim.quasi if name not in sets]
    figures = {name: value for verdict in outcome.claim.verdicts for name, value in verdict.figures.items()}
    clusters = outcome.provenance.figures.get("clusters")
    rows: list[tuple[Content, ...]] = [
        ("columns", ", ".join(values), ", ".join(sets)),
        ("detail lost (NCP)", share(outcome.cost.losses["ncp"]), share(outcome.cost.losses["item_ncp"])),
        ("combinations added (UL)", "", share(outcome.cost.losses["ul"])),
        (
            "fewest records of a class",
            _number(figures.get("smallest_class")),
            _number(figures.get("smallest_itemset_in_a_class")),
        ),
        ("recoded in", _number(figures.get("classes"), " classes"), _number(clusters, " clusters")),
    ]
    yield tag(
        "p",
        "Single values and items hide together: inside every class of records with the same published values,"
        " each set of items that somebody may know occurs often enough.",
    )
    yield table("Single values and items", ("", "single values", "items"), rows, numeric=(1, 2))


def _number(value: object, unit: str = "") -> str:
    return f"{value:,}{unit}" if isinstance(value, int) else ""


def frontier_of(outcome: Outcome) -> Sequence[Mapping[str, Any]]:
    """The bounds that were tried and what each costs; nothing if one was given."""
    points: Sequence[Mapping[str, Any]] = outcome.provenance.figures.get("frontier", ())
    return points


def setting_of(point: Mapping[str, Any]) -> tuple[str, float]:
    """The option by which the points of a curve differ, and its value."""
    name = next(name for name in ("class_size", "delta") if name in point)
    return name, point[name]


def frontier_in_words(points: Sequence[Mapping[str, Any]], figures: Mapping[str, Any]) -> list[str]:
    """What the ends of the curve mean, and what was published."""
    option = setting_of(points[0])[0]
    finest_values = min(points, key=lambda point: (point["relational_loss"], point["utility_loss"]))
    finest_items = min(points, key=lambda point: (point["utility_loss"], point["relational_loss"]))
    published = [point for point in points if point[option] == figures.get(option)]
    told = [
        ("keeps single values as fine as can be", finest_values),
        ("keeps items as fine as can be", finest_items),
        *(
            ("was published, where the sum of both losses, each between its extremes, is least", each)
            for each in published[:1]
        ),
    ]
    return [
        f"{option} = {point[option]:.4g} {what}: single values lose {share(point['relational_loss'])},"
        f" items {share(point['utility_loss'])}."
        for what, point in told
    ]


def frontier_table(points: Sequence[Mapping[str, Any]], figures: Mapping[str, Any]) -> Html:
    """The points of the curve as a table; the one that was published is marked."""
    option = setting_of(points[0])[0]
    published = figures.get(option)
    rows: list[tuple[Content, ...]] = [
        (
            f"{point[option]:.4g}{', published' if point[option] == published else ''}",
            share(point["relational_loss"]),
            share(point["utility_loss"]),
            "holds" if point["holds"] else "broken",
        )
        for point in points
    ]
    heads = (option, "values (NCP)", "items (UL)", "promise")
    return table("What was tried, and what is lost with each", heads, rows, numeric=(1, 2))
