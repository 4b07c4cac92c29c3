"""What adversaries found, for the publisher: one HTML file."""

from collections.abc import Iterable, Sequence
from importlib.metadata import version

from shoal.attack.attacked import Attacked
from shoal.attack.finding import Exposure, Finding
from shoal.json_values import JsonValue, json_value
from shoal.report.document import document
from shoal.report.figures import attack_figure
from shoal.report.html import Content, Html, table, tag
from shoal.report.parts import pair, private_header, section, tiles
from shoal.report.wording import capitalized, counted, sentence, share


def attack_page(found: Attacked) -> str:
    """The whole page."""
    header = private_header(
        "Attack report",
        f"{counted(found.published_records, 'published record')} under attack",
        "These figures compare with the original: they must not go out with the published file.",
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
                **_told(finding, "adversary", "known", "items", "chosen", "promised"),
                "after": _exposure_facts(finding.after),
                "before": None if finding.before is None else _exposure_facts(finding.before),
            }
            for finding in found.findings
        ],
        "journalist": None
        if journalist is None
        else {
            "highest_risk": journalist.highest,
            "mean_risk": journalist.mean,
            "unique": journalist.unique,
            "people": journalist.people,
            "unique_people": journalist.unique_people,
            "population_given": journalist.sampled,
        },
        "weaknesses": list(found.weaknesses),
        "confidences": [
            _told(best, "known", "items", "because", "sensitive", "holding", "knowing", "share")
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


MEAN_RISK = (
    "Every row that fits is a candidate, whatever class it is in; the report of a run counts only rows that"
    " are published alike, so its average risk can be higher."
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
        ("chunks", "How much is known, and how many can be found through the chunks"),
        ("values and items", "All single values and some items"),
    ):
        curve = [
            finding
            for finding in found.findings
            if finding.adversary == adversary and finding.chosen == "worst" and finding.before is not None
        ]
        if curve:
            yield _curve(found, curve, title)
    yield _adversaries(found)
    yield _candidates(found)
    if found.confidences:
        yield _confidences(found)
    if found.weaknesses or found.notices:
        remarks = (*found.weaknesses, *map(sentence, found.notices))
        yield section(
            "remarks",
            "What else there is to know",
            tag("ul", *(tag("li", text) for text in remarks), class_="notices"),
        )


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
        tiles(dict(_key_figures(found, promised))),
        class_="verdict" if holds else "verdict broken",
    )


def _key_figures(found: Attacked, promised: Sequence[Finding]) -> Iterable[tuple[str, str]]:
    yield "attacks are covered by the promise", f"{len(promised)} of {len(found.findings)}"
    fewest = [finding.after.smallest for finding in promised if finding.after.smallest is not None]
    if fewest:
        yield "fewest candidates within the promise", f"{min(fewest):,}"
    beyond = [
        finding.after.smallest
        for finding in found.findings
        if not finding.promised and finding.after.smallest is not None
    ]
    if beyond:
        yield "fewest candidates beyond the promise", f"{min(beyond):,}"
    expected = max((finding.after.expected for finding in found.findings), default=0.0)
    yield f"of {found.records:,} records, most that guesses find", f"{expected:,.0f}"


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
    shaded = "" if covered is None else " The shaded part is what the promise covers."
    return section(
        name,
        title,
        tag(
            "p",
            f"The share of records with fewer than {found.k} candidates, when the least favourable items of"
            f" each record are known.{shaded}",
        ),
        pair(
            f"figure-{name}",
            attack_figure(known, before, after, covered),
            "Line chart of the share of records with too few candidates, as in the table.",
            table(f"Records with fewer than {found.k} candidates", heads, rows, numeric=(1, 2)),
        ),
    )


def _adversaries(found: Attacked) -> Html:
    rows: list[tuple[Content, ...]] = [_page_row(finding) for finding in found.findings]
    return section(
        "adversaries",
        "What every adversary finds",
        tag(
            "p",
            "Candidates are the published records that fit what is known of a person. Highest risk is that of"
            " the least protected record (prosecutor), mean risk the share of all records that a guess for"
            f" each finds (marketer). {MEAN_RISK} A record is unique when it is its only candidate.",
        ),
        table("All adversaries", _PAGE_HEADS, rows, numeric=tuple(range(2, len(_PAGE_HEADS))), cards=True),
        _journalist(found),
        class_="wide",
    )


_PAGE_HEADS = (
    "who knows",
    "promised",
    "below k, original",
    "below k, published",
    "unique, original",
    "unique, published",
    "fewest candidates",
    "highest risk",
    "mean risk",
    "right guesses",
)


def _page_row(finding: Finding) -> tuple[str, ...]:
    before, after = finding.before, finding.after
    return (
        capitalized(finding.known),
        "yes" if finding.promised else "no",
        "–" if before is None else _share_in_words(before),
        _share_in_words(after),
        "–" if before is None or before.unique is None else share(before.unique),
        "–" if after.unique is None else share(after.unique),
        "–" if after.smallest is None else f"{after.smallest:,}",
        "–" if after.highest_risk is None else share(after.highest_risk),
        share(after.mean_risk),
        f"{after.expected:,.1f}",
    )


def _candidates(found: Attacked) -> Html:
    """How many records have how many candidates."""
    counted_ones = [finding for finding in found.findings if finding.after.distribution]
    bands = sorted(
        {(band.least, band.most) for finding in counted_ones for band in finding.after.distribution}
    )
    rows: list[tuple[Content, ...]] = []
    for finding in counted_ones:
        records = {(band.least, band.most): band.records for band in finding.after.distribution}
        rows.append((capitalized(finding.known), *(f"{records.get(band, 0):,}" for band in bands)))
    return section(
        "candidates",
        "How many candidates records have",
        tag(
            "p",
            "The number of records by the number of published records that fit what is known of them. Nobody"
            " is found where there is no candidate, because something was suppressed; one candidate is the"
            " person.",
        ),
        table(
            "Records by number of candidates",
            ("who knows", *(_band_in_words(*band) for band in bands)),
            rows,
            numeric=tuple(range(1, len(bands) + 1)),
            cards=True,
        ),
        class_="wide",
    )


def _band_in_words(least: int, most: int | None) -> str:
    if most is None:
        return f"{least:,} or more"
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _journalist(found: Attacked) -> Html | None:
    risk = found.journalist
    if risk is None:
        return None
    among = (
        f"among the {counted(risk.people, 'person', 'people')} of the population"
        if risk.sampled
        else "if the original is all there is"
    )
    alone = (
        f" Of the population {share(risk.unique_people)} are the only ones with their values, and"
        f" {share(risk.unique)} of the published rows can be about one of them only."
        if risk.sampled
        else ""
    )
    return tag(
        "p",
        "Somebody who picks a published row and guesses who it is, without knowing who is in the file"
        f" (journalist), is right with a chance of {share(risk.highest)} at most and {share(risk.mean)} on"
        f" average, {among}.{alone}",
        class_="remark",
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
    return f"{share(exposure.below_k)} ({low:.1%}–{high:.1%})"


def _exposure_facts(exposure: Exposure) -> dict[str, JsonValue]:
    return {
        **_told(exposure, "below_k", "exact", "interval", "unique", "smallest", "expected"),
        **_told(exposure, "highest_risk", "mean_risk"),
        "distribution": [_told(band, "least", "most", "records") for band in exposure.distribution],
    }


def _told(thing: object, *names: str) -> dict[str, JsonValue]:
    return {name: json_value(getattr(thing, name)) for name in names}
