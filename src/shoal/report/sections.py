"""The parts of the report, in the order in which they are read."""

from collections.abc import Iterable

from shoal.explain.examples import Row
from shoal.explain.levels import shortened
from shoal.report.chunk_sections import chunks_section
from shoal.report.class_sizes import Risk, risk_of, size_bands
from shoal.report.column_sections import (
    both_parts,
    columns_section,
    frontier_in_words,
    frontier_of,
    frontier_table,
    setting_of,
    shows_both_parts,
)
from shoal.report.explanations import Scope
from shoal.report.figures import class_size_figure, frontier_figure, loss_figure, risk_figure
from shoal.report.html import Content, Html, scrolling, table, tag
from shoal.report.outcome import Outcome
from shoal.report.parts import pair, section
from shoal.report.promise_sections import (
    CLASSES_ONLY,
    parameter,
    promise_sections,
    remark,
    risk_within_promise,
    verdict_section,
)
from shoal.report.usefulness_section import usefulness_section
from shoal.report.wording import counted, in_words, measure, measure_in_words, share

_ITEMS_SHOWN = 25
_COLUMN_MEASURES = ("ncp", "ul", "lm", "tree")
_LONG = 28
_COARSER = (
    "Values became coarser: 0% means that every value of a column is as it was, 100% that nothing of it is"
    " left."
)
_TAKEN_APART = (
    "Every item is published as it is. What is lost is which items stand together: 0% means that frequent"
    " combinations are found as often as in the original."
)


def sections(outcome: Outcome) -> Iterable[Html]:
    """Every part that this outcome has something to say in."""
    yield _verdict(outcome)
    yield promise_sections(Scope.of(outcome), outcome.claim.verdicts, advise=True)
    yield from _risk_and_cost(outcome)
    if outcome.cost.usefulness is not None:
        yield usefulness_section(outcome.cost.usefulness)
    if outcome.changes.chunks:
        yield chunks_section(
            outcome.changes.chunks,
            outcome.changes.drawn,
            outcome.changes.cluster_sizes,
            outcome.claim.attacks.words,
            parameter(outcome.claim.promise, "k"),
        )
    if outcome.changes.affected:
        yield _affected(outcome)
    if outcome.changes.by_column:
        yield columns_section(outcome.changes.by_column, taken_apart=bool(outcome.changes.chunks))
    if shows_both_parts(outcome):
        yield section("parts", "Both parts side by side", *both_parts(outcome))
    if frontier_of(outcome):
        yield _frontier(outcome)
    if outcome.changes.generalized_items:
        yield _generalized_items(outcome)
    if outcome.changes.examples:
        yield _examples(outcome)
    yield _notices(outcome)
    yield _effort(outcome)
    if outcome.provenance.policy:
        yield section(
            "policy",
            "The policy",
            tag("pre", outcome.provenance.policy, tabindex="0", aria_label="Policy file"),
        )


def summary(outcome: Outcome) -> Iterable[Html]:
    """Is it safe, and what did it cost: the verdict, the risk and the loss."""
    yield _verdict(outcome)
    yield from _risk_and_cost(outcome)


def _verdict(outcome: Outcome) -> Html:
    return verdict_section(
        outcome.claim.verdicts, _key_figures(outcome), _people(outcome), publishable=outcome.claim.publishable
    )


def _risk_and_cost(outcome: Outcome) -> Iterable[Html]:
    before, after = risk_of(outcome.cost.class_sizes_before), risk_of(outcome.cost.class_sizes_after)
    if before is not None and after is not None:
        yield _risk(outcome, before, after)
        yield _class_sizes(outcome)
    elif before is not None and outcome.changes.chunks:
        yield _risk_of_chunks(outcome, before)
    yield _loss(outcome)


def _key_figures(outcome: Outcome) -> dict[str, str]:
    before, after = risk_of(outcome.cost.class_sizes_before), risk_of(outcome.cost.class_sizes_after)
    figures = {}
    if after is not None and parameter(outcome.claim.promise, "m") is None:
        figures["records in the smallest class"] = f"{after.smallest:,}"
        figures["classes of records that nobody can tell apart"] = f"{after.classes:,}"
    elif outcome.smallest is not None:
        figures["smallest number of records found"] = f"{outcome.smallest:,}"
    figures["records published"] = f"{outcome.cost.published_records:,}"
    if outcome.cost.suppressed_records:
        figures["records suppressed"] = f"{outcome.cost.suppressed_records:,}"
    if before is not None:
        figures["unique records before"] = f"{before.unique:,}"
    if shows_both_parts(outcome):
        figures["detail lost in values (NCP)"] = share(outcome.cost.losses["ncp"])
        figures["detail lost in items (UL)"] = share(outcome.cost.losses["ul"])
    elif "ncp" in outcome.cost.losses:
        figures["detail lost (NCP)"] = share(outcome.cost.losses["ncp"])
    return figures


def _people(outcome: Outcome) -> Html | None:
    if outcome.claim.people is None:
        return None
    rows = counted(outcome.cost.published_records, "row")
    subjects = counted(outcome.claim.people.subjects, "person", "people")
    smallest = counted(outcome.claim.people.smallest, "person", "people")
    return remark(
        "People and rows.",
        f"One person can have several rows here: {rows} stand for {subjects}, and the smallest class holds"
        f" {smallest}. Anyone who checks the published file can count rows only, because the column that"
        " tells people apart is not in it.",
    )


def _risk(outcome: Outcome, before: Risk, after: Risk) -> Html:
    who, promised = risk_within_promise(outcome.claim.promise, outcome.claim.verdicts)
    return section(
        "risk",
        "Risk of being recognized, before and after",
        tag(
            "p",
            f"Someone knows {who} of a person and picks one of the rows that fit. The chance to pick the"
            f" right one goes from {share(before.highest)} to {share(after.highest)} for the least protected"
            f" record, and from {share(before.mean)} to {share(after.mean)} on average.{promised}"
            f" {CLASSES_ONLY}",
        ),
        pair(
            "figure-risk",
            risk_figure(before, after),
            f"Bar chart of the chance of a right guess: at most {share(before.highest)} before,"
            f" {share(after.highest)} after; on average {share(before.mean)} before,"
            f" {share(after.mean)} after.",
            table(
                "Chance of a right guess: 1 / size of the class",
                ("", "original", "published"),
                [
                    ("highest", share(before.highest), share(after.highest)),
                    ("average", share(before.mean), share(after.mean)),
                    ("expected right guesses", f"{before.classes:,}", f"{after.classes:,}"),
                    ("unique records", f"{before.unique:,}", f"{after.unique:,}"),
                    ("records", f"{before.records:,}", f"{after.records:,}"),
                ],
                numeric=(1, 2),
            ),
        ),
    )


def _class_sizes(outcome: Outcome) -> Html:
    bands = size_bands(
        outcome.cost.class_sizes_before, outcome.cost.class_sizes_after, parameter(outcome.claim.promise, "k")
    )
    sets_too = ", sets with all their items included" if outcome.sets else ""
    return section(
        "classes",
        "Class sizes before and after",
        tag(
            "p",
            f"A class is a group of records with the same values in all covered columns{sets_too}."
            " The larger the class, the better its records hide.",
        ),
        pair(
            "figure-classes",
            class_size_figure(bands),
            "Bar chart of the share of records in classes of each size, before and after, as in the table.",
            table(
                "Records by the size of their class",
                ("size of class", "original", "published"),
                [(band.label, f"{band.records_before:,}", f"{band.records_after:,}") for band in bands],
                numeric=(1, 2),
            ),
        ),
    )


def _risk_of_chunks(outcome: Outcome, before: Risk) -> Html:
    known, k = parameter(outcome.claim.promise, "m"), parameter(outcome.claim.promise, "k")
    return section(
        "risk",
        "Risk of being recognized, before and after",
        tag(
            "p",
            f"In the original, {before.unique:,} of {counted(before.records, 'record')} were the only ones"
            " with their set of items: whoever knew all of it found them. In the release no record is"
            f" whole. For any {known} items that could belong together an original is possible in which at"
            f" least {k} records hold them.",
        ),
        table(
            "Chance of a right guess",
            ("who knows", "original", "published"),
            [
                ("the whole set, least protected record", share(before.highest), "no whole record is told"),
                ("the whole set, average record", share(before.mean), "no whole record is told"),
                (f"up to {known} items", "", f"at most 1 in {k}"),
            ],
            numeric=(1, 2),
        ),
    )


def _loss(outcome: Outcome) -> Html:
    columns = _loss_by_column(outcome)
    return section(
        "loss",
        "What it cost",
        tag("p", _TAKEN_APART if outcome.changes.chunks else _COARSER),
        pair(
            "figure-loss",
            loss_figure(columns),
            "Bar chart of the detail lost per column, as in the table.",
            table(
                "Detail lost per column",
                ("column", "lost"),
                [(name, share(loss)) for name, loss in columns.items()],
                numeric=(1,),
            ),
        )
        if columns
        else None,
        table(
            "All measures; lower is better",
            ("measure", "value", "what it says"),
            [
                (name, measure(name, loss), measure_in_words(name))
                for name, loss in outcome.cost.losses.items()
            ],
            numeric=(1,),
        ),
    )


def _frontier(outcome: Outcome) -> Html:
    points = frontier_of(outcome)
    return section(
        "frontier",
        "What else could be published",
        tag(
            "p",
            "Each point is a release that was made and checked: the less single values lose, the more is"
            f" lost in items. Set {setting_of(points[0])[0]} to that of the point you prefer.",
        ),
        tag("ul", *(tag("li", each) for each in frontier_in_words(points, outcome.provenance.figures))),
        pair(
            "figure-frontier",
            frontier_figure(points),
            "Curve of the loss in items over the loss in single values, as in the table.",
            frontier_table(points, outcome.provenance.figures),
        ),
    )


def _loss_by_column(outcome: Outcome) -> dict[str, float]:
    losses = {
        column: float(next(by_measure[name] for name in _COLUMN_MEASURES if name in by_measure))
        for column, by_measure in outcome.cost.column_losses.items()
        if any(name in by_measure for name in _COLUMN_MEASURES)
    }
    return dict(sorted(losses.items(), key=lambda pair: -pair[1]))


def _examples(outcome: Outcome) -> Html:
    head = tag(
        "tr",
        tag("th", "row", scope="col"),
        *(tag("th", name, scope="col") for name in outcome.changes.columns),
    )
    caption = "A few original rows, each above the same row as published; changed values are marked"
    pairs = [
        tag("tbody", _example_row("original", before, before), _example_row("published", after, before))
        for before, after in outcome.changes.examples
    ]
    grid = tag("table", tag("caption", tag("span", caption)), tag("thead", head), *pairs, class_="rows")
    return section("rows", "Rows before and after", scrolling(grid, caption))


def _affected(outcome: Outcome) -> Html:
    rows: list[tuple[Content, ...]] = [
        (
            entry.value,
            entry.column,
            f"{entry.occurrences:,}",
            shortened(entry.published_as) or "not published",
            f"{entry.times:,}",
            entry.reason,
        )
        for entry in outcome.changes.affected
    ]
    heads = ("value", "column", "occurs", "became", "times", "why not in more detail")
    return section(
        "affected",
        "What happened to the values that lost most",
        table("The dearest values of each column", heads, rows, numeric=(2, 4), wordy=(5,)),
    )


def _generalized_items(outcome: Outcome) -> Html:
    shown = outcome.changes.generalized_items[:_ITEMS_SHOWN]
    rows: list[tuple[Content, ...]] = [
        (shortened(entry.label), f"{entry.items:,}", f"{entry.occurrences:,}", entry.because())
        for entry in shown
    ]
    caption = f"The {len(rows)} generalized items that cost most"
    heads = ("published as", "stands for items", "occurrences", "why not in more detail")
    return section(
        "items", "Why items were generalized", table(caption, heads, rows, numeric=(1, 2), wordy=(3,))
    )


def _example_row(name: str, row: Row, original: Row) -> Html:
    cells = (_example_cell(value, changed=value != old) for value, old in zip(row, original, strict=True))
    return tag("tr", tag("th", name, scope="row"), *cells)


def _example_cell(value: str, *, changed: bool) -> Html:
    marks = (("changed", changed), ("empty", not value), ("long", len(value) > _LONG))
    classes = " ".join(name for name, applies in marks if applies)
    return tag("td", value or "empty", class_=classes or None)


def _notices(outcome: Outcome) -> Html:
    if not outcome.provenance.notices:
        return section("notices", "Notices", tag("p", "Nothing else to report."))
    return section(
        "notices",
        "Notices",
        tag("ul", *(tag("li", notice) for notice in outcome.provenance.notices), class_="notices"),
    )


def _effort(outcome: Outcome) -> Html:
    rows: list[tuple[Content, ...]] = [
        (in_words(name), f"{seconds:,.2f} s") for name, seconds in outcome.provenance.seconds.items()
    ]
    rows.append(("peak memory", f"{outcome.provenance.peak_memory_mb:,.0f} MB"))
    return section("effort", "Time and memory", table("What the run used", ("", "used"), rows, numeric=(1,)))
