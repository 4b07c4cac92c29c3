"""The report that may go out with a published file: it tells nothing that the file does not.

It is made from the published file, read again, and the promise about it. What compares with the original
(losses, distributions before, risk before, examples, reasons, notices), what steered the run (algorithm,
policy, seed) and how many people or records there were have no place here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version

from shoal.engine.answers import SizeCounts
from shoal.explain.levels import MOST_BARS, shortened
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.report.certificate import Statement
from shoal.report.chunk_sections import chunks_section
from shoal.report.class_sizes import Risk, risk_of, size_bands
from shoal.report.clusters import DrawnCluster
from shoal.report.document import document
from shoal.report.explanations import Scope
from shoal.report.figures import class_size_figure, published_figure, risk_figure
from shoal.report.html import Content, Html, table, tag
from shoal.report.parts import pair, section
from shoal.report.promise_sections import (
    CLASSES_ONLY,
    parameter,
    promise_sections,
    risk_within_promise,
    verdict_section,
)
from shoal.report.wording import counted, share

_LONGEST_MEANING = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicFacts:
    """What anybody can compute from a published file; labels[column][label] is how often it occurs there.

    meanings[column][label] is what it stands for, as the codebook says.
    """

    statement: Statement
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    sets: tuple[str, ...]
    labels: Mapping[str, Mapping[str, int]]
    publishable: bool = True
    meanings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    chunks: Mapping[str, int] = field(default_factory=dict)
    clusters: tuple[DrawnCluster, ...] = ()
    cluster_sizes: Ints = field(default_factory=lambda: frozen_ints([]))


def public_page(published: PublicFacts, digest: str) -> str:
    """The whole page; it quotes the digest of the certificate beside it."""
    model, records = published.statement.promise.main.name, published.statement.records
    header = tag(
        "header",
        tag("p", "About this release", class_="overline"),
        tag("h1", f"{counted(records, 'record')} under {model}"),
        tag(
            "p",
            "Everything here was computed from the published file alone. certificate.json beside it says how"
            " to check the promise, and codebook.json what every label stands for.",
            class_="quiet",
        ),
        tag("p", f"Digest of the certificate: {digest}", class_="quiet"),
    )
    return document(
        f"Shoal: {model}",
        header,
        _sections(published),
        f"Made by Shoal {version('shoal')}.",
    )


def _sections(published: PublicFacts) -> Iterable[Html]:
    risk = risk_of(published.statement.class_sizes)
    yield verdict_section(
        published.statement.verdicts, _key_figures(published, risk), publishable=published.publishable
    )
    yield promise_sections(_scope(published), published.statement.verdicts, advise=False)
    if risk is not None:
        yield _risk(published, risk)
        yield _class_sizes(published)
    if published.chunks:
        yield chunks_section(
            published.chunks,
            published.clusters,
            published.cluster_sizes,
            published.statement.attacks.words,
            parameter(published.statement.promise, "k"),
        )
    yield section(
        "columns",
        "What is in the columns",
        *(
            _column(f"column-{place}", name, counts, published.meanings.get(name, {}))
            for place, (name, counts) in enumerate(published.labels.items())
            if counts
        ),
    )


def _scope(published: PublicFacts) -> Scope:
    return Scope(
        promises=published.statement.promise,
        quasi=published.quasi,
        sensitive=published.sensitive,
        columns=tuple(published.statement.columns),
        sets=published.sets,
    )


def _key_figures(published: PublicFacts, risk: Risk | None) -> dict[str, str]:
    figures = {"records": f"{published.statement.records:,}"}
    found = [verdict.smallest for verdict in published.statement.verdicts if verdict.smallest is not None]
    if found:
        figures["smallest number of records found"] = f"{min(found):,}"
    if risk is not None:
        figures["classes of records that nobody can tell apart"] = f"{risk.classes:,}"
    return figures


def _risk(published: PublicFacts, risk: Risk) -> Html:
    who, promised = risk_within_promise(published.statement.promise, published.statement.verdicts)
    return section(
        "risk",
        "Risk of being recognized",
        tag(
            "p",
            f"Someone knows {who} of a person and picks one of the rows that fit. The chance to pick the"
            f" right one is {share(risk.highest)} for the least protected record, and {share(risk.mean)} on"
            f" average.{promised} {CLASSES_ONLY}",
        ),
        pair(
            "figure-risk",
            risk_figure(None, risk),
            f"Bar chart of the chance of a right guess: at most {share(risk.highest)}, on average"
            f" {share(risk.mean)}.",
            table(
                "Chance of a right guess: 1 / size of the class",
                ("", "published"),
                [
                    ("highest", share(risk.highest)),
                    ("average", share(risk.mean)),
                    ("unique records", f"{risk.unique:,}"),
                    ("records", f"{risk.records:,}"),
                ],
                numeric=(1,),
            ),
        ),
    )


def _class_sizes(published: PublicFacts) -> Html:
    bands = size_bands(
        SizeCounts.none(), published.statement.class_sizes, parameter(published.statement.promise, "k")
    )
    sets_too = ", sets with all their items included" if published.sets else ""
    return section(
        "classes",
        "Class sizes",
        tag("p", f"A class is a group of records with the same values in all covered columns{sets_too}."),
        pair(
            "figure-classes",
            class_size_figure(bands, published_only=True),
            "Bar chart of the share of records in classes of each size, as in the table.",
            table(
                "Records by the size of their class",
                ("size of class", "records"),
                [(band.label, f"{band.records_after:,}") for band in bands],
                numeric=(1,),
            ),
        ),
    )


def _column(name: str, column: str, counts: Mapping[str, int], meanings: Mapping[str, str]) -> Html:
    ordered = dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_BARS])
    left_out = len(counts) - len(ordered)
    most = f"The {len(ordered)} most frequent of {len(counts):,} labels" if left_out else "All labels"
    rows: list[tuple[Content, ...]] = [
        (
            shortened(text),
            f"{count:,}",
            *([shortened(meanings.get(text, ""), _LONGEST_MEANING)] if meanings else []),
        )
        for text, count in ordered.items()
    ]
    header = ("label", "occurrences", *(["stands for"] if meanings else []))
    return tag(
        "details",
        tag("summary", column),
        pair(
            name,
            published_figure(ordered),
            "Bar chart of how often each label occurs, as in the table.",
            table(most, header, rows, numeric=(1,)),
        ),
        open="",
    )
