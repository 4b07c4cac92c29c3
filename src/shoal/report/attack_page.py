"""What adversaries found, for the publisher: one HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version

from shoal.attack.attacked import Attacked
from shoal.attack.finding import Exposure, Finding
from shoal.report.document import document
from shoal.report.figures import attack_figure
from shoal.report.html import Content, Html, table, tag
from shoal.report.json_values import JsonValue
from shoal.report.parts import pair, section
from shoal.report.wording import capitalized, counted, share


def attack_page(found: Attacked) -> str:
    """The whole page."""
    header = tag(
        "header",
        tag("p", "Attack report", class_="overline"),
        tag("h1", f"{counted(found.published_records, 'published record')} under attack"),
        tag(
            "p",
            "For the publisher only. These figures compare with the original: they must not go out with the"
            " published file.",
            class_="private",
        ),
    )
    return document("Shoal attack", header, _sections(found), f"Made by Shoal {version('shoal')}.")


def attack_facts(found: Attacked) -> dict[str, JsonValue]:
    """The same for machines."""
    journalist = found.journalist
    return {
        "within_promise": not found.broken,
        "k": found.k,
        "m": found.m,
        "records": found.records,
        "published_records": found.published_records,
        "findings": [
            {
                "adversary": finding.adversary,
                "known": finding.known,
                "items": finding.items,
                "chosen": finding.chosen,
                "promised": finding.promised,
                "after": _exposure_facts(finding.after),
                "before": None if finding.before is None else _exposure_facts(finding.before),
            }
            for finding in found.findings
        ],
        "journalist": None
        if journalist is None
        else {"highest_risk": journalist.highest, "mean_risk": journalist.mean},
        "confidences": [
            {
                "known": best.known,
                "items": best.items,
                "because": list(best.because),
                "sensitive": best.sensitive,
                "holding": best.holding,
                "knowing": best.knowing,
                "share": best.share,
            }
            for best in found.confidences
        ],
    }


def finding_row(finding: Finding) -> tuple[str, ...]:
    """What is known, then the figures of the release and of the original itself."""
    before = finding.before
    return (
        finding.known,
        "yes" if finding.promised else "no",
        _share_in_words(finding.after),
        "" if before is None else _share_in_words(before),
        "" if finding.after.smallest is None else f"{finding.after.smallest:,}",
        "" if finding.after.highest_risk is None else share(finding.after.highest_risk),
        share(finding.after.mean_risk),
        f"{finding.after.expected:,.1f}",
    )


FINDING_HEADS = (
    "who knows",
    "promised",
    "below k",
    "below k in the original",
    "fewest candidates",
    "highest risk",
    "mean risk",
    "expected right guesses",
)


def _sections(found: Attacked) -> Iterable[Html]:
    yield _answer(found)
    for adversary, title in (
        ("items", "How much is known, and how many can be found"),
        ("values and items", "All single values and some items"),
    ):
        curve = [
            finding
            for finding in found.findings
            if finding.adversary == adversary and finding.chosen == "worst" and finding.before is not None
        ]
        if curve:
            yield _curve(found, curve, title)
    rows: list[tuple[Content, ...]] = [finding_row(finding) for finding in found.findings]
    yield section(
        "adversaries",
        "What every adversary finds",
        tag(
            "p",
            "Candidates are the published records that fit what is known of a person. Highest risk is that of"
            " the least protected record (prosecutor), mean risk the share of all records that a guess for"
            " each finds (marketer).",
        ),
        table("All adversaries", FINDING_HEADS, rows, numeric=(2, 3, 4, 5, 6, 7)),
        _journalist(found),
    )
    if found.confidences:
        yield _confidences(found)


def _answer(found: Attacked) -> Html:
    promised = [finding for finding in found.findings if finding.promised]
    holds = not found.broken
    words = (
        f"Against what was promised, every record that can be found has at least {found.k} candidates."
        if holds
        else f"Who knows {found.broken[0].known} finds records with fewer than {found.k} candidates."
    )
    return section(
        "verdict",
        "The answer",
        tag("p", "✓ Within the promise" if holds else "✗ The promise is broken", class_="answer"),
        tag("p", words, class_="claim"),
        tag("p", f"{counted(len(promised), 'attack')} of {len(found.findings)} are covered by the promise."),
        class_="verdict" if holds else "verdict broken",
    )


def _curve(found: Attacked, curve: Sequence[Finding], title: str) -> Html:
    name = curve[0].adversary.replace(" ", "-")
    known = [finding.items or 0 for finding in curve]
    before = [finding.before.below_k for finding in curve if finding.before is not None]
    after = [finding.after.below_k for finding in curve]
    covered = max((finding.items or 0 for finding in curve if finding.promised), default=None)
    rows: list[tuple[Content, ...]] = [
        (str(items), share(earlier), share(now))
        for items, earlier, now in zip(known, before, after, strict=True)
    ]
    heads = ("items known", "original", "published")
    return section(
        name,
        title,
        tag(
            "p",
            f"The share of records with fewer than {found.k} candidates, when the least favourable items of"
            " each record are known. The shaded part is what the promise covers.",
        ),
        pair(
            f"figure-{name}",
            attack_figure(known, before, after, covered),
            "Line chart of the share of records with too few candidates, as in the table.",
            table(f"Records with fewer than {found.k} candidates", heads, rows, numeric=(1, 2)),
        ),
    )


def _journalist(found: Attacked) -> Html | None:
    if found.journalist is None:
        return None
    return tag(
        "p",
        "Somebody who picks a published row and guesses who it is, without knowing who is in the file"
        f" (journalist), is right with a chance of {share(found.journalist.highest)} at most and"
        f" {share(found.journalist.mean)} on average, if the original is all there is.",
    )


def _confidences(found: Attacked) -> Html:
    rows: list[tuple[Content, ...]] = [
        (
            capitalized(best.known),
            best.sensitive,
            share(best.share),
            f"{best.holding:,} of {best.knowing:,}",
            ", ".join(best.because) or "–",
        )
        for best in found.confidences
    ]
    heads = ("who knows", "guesses", "and is right with", "records", "because of")
    return section(
        "homogeneity",
        "What can be learned without finding anybody",
        table("The most confident guesses of something sensitive", heads, rows, numeric=(2,)),
    )


def _share_in_words(exposure: Exposure) -> str:
    if exposure.interval is None:
        return share(exposure.below_k)
    low, high = exposure.interval
    return f"{share(exposure.below_k)} ({low:.1%} to {high:.1%})"


def _exposure_facts(exposure: Exposure) -> dict[str, JsonValue]:
    return {
        "below_k": exposure.below_k,
        "exact": exposure.exact,
        "interval": None if exposure.interval is None else list(exposure.interval),
        "unique": exposure.unique,
        "smallest": exposure.smallest,
        "expected": exposure.expected,
        "highest_risk": exposure.highest_risk,
        "mean_risk": exposure.mean_risk,
        "distribution": [
            {"least": band.least, "most": band.most, "records": band.records}
            for band in exposure.distribution
        ],
    }
