"""The parts that every edition of a report begins with: the verdict, the promise, and where it ends."""

from collections.abc import Mapping, Sequence

from shoal.privacy.model import Model
from shoal.privacy.verdict import Verdict
from shoal.report.explanations import Scope, limits_of, scope_in_words
from shoal.report.html import Html, join, tag
from shoal.report.parts import section, tiles
from shoal.report.wording import counted, sentence, share

CLASSES_ONLY = (
    "Only rows that are published alike count here; “shoal attack” also counts rows of other classes whose"
    " coarser values fit, so the average that it finds can be lower."
)


def verdict_section(
    verdicts: Sequence[Verdict], figures: Mapping[str, str], *remarks: Html | None, publishable: bool
) -> Html:
    """Whether the promises hold, with the figures that this rests on."""
    holds = bool(verdicts) and all(verdict.holds for verdict in verdicts)
    return section(
        "verdict",
        "The verdict",
        tag("p", _answer(verdicts, holds=holds), class_="answer"),
        *(_claim(verdict) for verdict in verdicts),
        tiles(figures),
        *remarks,
        *(_wildcard(verdict) for verdict in verdicts),
        None if publishable else _not_publishable(),
        class_="verdict" if holds else "verdict broken",
    )


def promise_sections(scope: Scope, verdicts: Sequence[Verdict], *, advise: bool) -> Html:
    """What was promised in plain words, and what it does not protect against."""
    in_words = scope_in_words(scope) or [verdict.claim for verdict in verdicts]
    items = [
        tag("li", tag("h3", limit.title), tag("p", limit.in_full if advise else limit.text))
        for limit in limits_of(scope)
    ]
    return join(
        section(
            "promise", "What was promised", *(tag("p", paragraph, class_="promise") for paragraph in in_words)
        ),
        section(
            "limits",
            "What this does not protect against",
            tag(
                "p",
                "Every promise has an edge. Beyond it, the published file gives no guarantee:",
                class_="quiet",
            ),
            tag("ul", *items, class_="limits"),
        ),
    )


def remark(title: str, text: str) -> Html:
    """A sentence that qualifies what stands above it."""
    return tag("p", tag("strong", title), " ", text, class_="remark")


def parameter(promises: Sequence[Model], name: str) -> int | None:
    """A whole number that a promise names, such as k or m."""
    given = (promise.parameters.get(name) for promise in promises)
    return next((value for value in given if isinstance(value, int)), None)


def risk_within_promise(promises: Sequence[Model], verdicts: Sequence[Verdict]) -> tuple[str, str]:
    """Whom the figures of risk are about, and what is promised where that is somebody who knows less."""
    items = parameter(promises, "m")
    if items is None:
        return "the covered columns", ""
    found = [verdict.smallest for verdict in verdicts if verdict.smallest]
    promised = (
        f" Whoever knows up to {items} items, as the promise has it, finds at least"
        f" {counted(min(found), 'row')}: a chance of {share(1 / min(found))} at most."
        if found
        else ""
    )
    beyond = " The figures below go beyond the promise."
    return "the covered columns and every single item", f"{promised}{beyond}"


def _answer(verdicts: Sequence[Verdict], *, holds: bool) -> str:
    if not holds:
        return "✗ The promise does not hold"
    if any(verdict.by_construction for verdict in verdicts):
        return "The promise rests on how the file was made; it was not checked"
    return "✓ The promise holds"


def _claim(verdict: Verdict) -> Html:
    return join(
        tag("p", sentence(verdict.claim), class_="claim"),
        tag("p", sentence(verdict.evidence), class_="evidence"),
    )


def _wildcard(verdict: Verdict) -> Html | None:
    if verdict.wildcard is None:
        return None
    smallest, reason = verdict.wildcard.get("smallest"), verdict.wildcard.get("not_computed")
    found = (
        f"not computed here: {reason}"
        if smallest is None
        else f"every record could be one of at least {counted(smallest, 'record')}"
    )
    return remark(
        "Missing values.",
        "A missing value is taken as a value of its own. The weaker reading, in which it matches every"
        f" value, would find: {found}. It never decides.",
    )


def _not_publishable() -> Html:
    return remark(
        "Not for publication.",
        "The order of the rows was kept or made reproducible, so it could be traced back. Run without these"
        " settings before you publish.",
    )
