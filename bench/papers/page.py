"""The page of a paper: every figure with our numbers, and for which form its claims hold."""

from __future__ import annotations

import math
from collections.abc import Iterator

from papers.figures import TIME, Figure, Form, Known, Line, Panel, Paper
from papers.printed_rows import kept_markdown
from papers.release import Measured

ABOUT_TIME = (
    "Times are processor seconds of the search alone, those of all its threads together: other programs used"
    " the machine at the same time, so the clock would say little."
)
STANDINGS = (
    "`reproduced`: whatever the text of the paper says of the figure, as far as it can be judged, holds for"
    " the form as printed; of worked examples, tests hold their results in place. `differs`: something of it"
    " does not, and why is said below. `not possible`: data of the paper are missing, which is then judged on"
    " others, or the numbers of a chart of which the text says nothing. `ours`: not in the paper."
)
NOT_MEASURED, REPRODUCED, DIFFERS = "not measured yet", "reproduced", "differs"
NOTHING_SAID = "not possible (the text says nothing of it, and the chart has no numbers)"


def page(paper: Paper, known: Known, command: str) -> str:
    """The whole page in Markdown."""
    lines = [f"# {paper.title}", "", paper.setting, ""]
    if any(panel.figure == TIME for each in paper.figures for panel in each.panels):
        lines += [ABOUT_TIME, ""]
    lines += [f"    {command}", ""]
    lines += [STANDINGS, ""]
    lines += ["| figure | shows | |", "| --- | --- | --- |"]
    lines += [f"| {each.name} | {each.shows} | {standing(each, known)} |" for each in paper.figures]
    for each in paper.figures:
        lines += ["", f"## {each.name}: {each.shows}", "", *_of_figure(each, known)]
    return "\n".join(lines) + "\n"


def standing(figure: Figure, known: Known) -> str:
    """Whether a figure was reproduced, as far as that is possible on the data that are here."""
    found = _judged(figure, known) if figure.kind == "judged" else figure.kind
    if not figure.missing:
        return found
    here = "" if found == figure.kind == "not possible" else f"; on {figure.on}: {found}"
    return f"not possible on the paper's data ({figure.missing}){here}"


def _judged(figure: Figure, known: Known) -> str:
    """By its claims, as far as they hold for the form that was printed."""
    if not all(_is_measured(panel, known) for panel in figure.panels):
        return NOT_MEASURED
    judged = [by_form[0] for panel in figure.panels for _, by_form in verdicts(panel, known)]
    if not judged:
        return NOTHING_SAID
    return REPRODUCED if all(holds for _, holds in judged) else DIFFERS


def _is_measured(panel: Panel, known: Known) -> bool:
    """Whether every release was made, and the figure was among those that were taken then."""
    if any(known(release) is None for release in panel.releases()):
        return False
    made = _made(panel, known)
    return not made or any(panel.figure in each.figures for each in made)


def _made(panel: Panel, known: Known) -> list[Measured]:
    """What is known of releases that came to be."""
    found = (known(release) for release in panel.releases())
    return [each for each in found if each is not None and not each.problem]


def verdicts(panel: Panel, known: Known) -> Iterator[tuple[str, list[tuple[Form, bool]]]]:
    """Every claim, and for each form whether it holds; none before all is measured, or if nothing came."""
    if not _is_measured(panel, known) or not _made(panel, known):
        return

    def value(line: Line, point: str) -> float:
        measured = known(panel.release(line, point))
        return math.nan if measured is None else measured.figure(panel.figure)

    for claim in panel.claims:
        yield claim.text, [(form, claim.holds(panel.seen_as(form, value))) for form in panel.forms()]


def _of_figure(figure: Figure, known: Known) -> Iterator[str]:
    if figure.said:
        yield f"The paper: {figure.said}"
        yield ""
    for panel in figure.panels:
        yield from _table(panel, known)
        for text, by_form in verdicts(panel, known):
            told = ", ".join(f"{form}: {'yes' if holds else 'no'}" for form, holds in by_form)
            yield f'- "{text}" {told}.'
        yield ""
    for name in figure.tables:
        yield from (kept_markdown(name), "")
    state = standing(figure, known)
    yield f"**{state[0].upper()}{state[1:]}.** {figure.why}".rstrip()


def _table(panel: Panel, known: Known) -> Iterator[str]:
    yield f"{panel.title}:"
    yield ""
    yield f"| {panel.over} | " + " | ".join(line.title for line in panel.lines) + " |"
    yield "| ---: " * (1 + len(panel.lines)) + "|"
    problems: dict[str, None] = {}
    limits: set[float] = set()
    for point in panel.points:
        cells = []
        for line in panel.lines:
            measured = known(panel.release(line, point))
            if measured is not None and measured.problem:
                problems[f"{line.title}: {measured.problem.partition(';')[0]}"] = None
            cells.append("" if measured is None else _number(measured.figure(panel.figure), panel))
            if measured is not None and not measured.in_time:
                cells[-1] += "*"
                limits.add(measured.limit or math.nan)
        yield f"| {point} | " + " | ".join(cells) + " |"
    yield ""
    if limits:
        yield f"\\* time was up after {' or '.join(f'{limit:g}' for limit in sorted(limits))} s on the clock."
        yield ""
    yield from (f"- {problem}" for problem in problems)


def _number(value: float, panel: Panel) -> str:
    if math.isnan(value):
        return "-"
    if panel.percent:
        return f"{100 * value:.2f}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
