"""The report of one run for the publisher: one HTML file that needs nothing else.

The page compares with the original, so it is not for publication.
"""

from importlib.metadata import version

from shoal.report.document import document
from shoal.report.html import tag
from shoal.report.outcome import Outcome
from shoal.report.parts import private_header
from shoal.report.sections import sections, summary
from shoal.report.wording import counted, with_options


def page(outcome: Outcome) -> str:
    """The report of a run."""
    return document(
        f"Shoal report: {outcome.model}",
        private_header(
            "Release report",
            f"{counted(outcome.cost.records, 'record')} under {outcome.model}",
            "This page shows original rows and figures that compare with the original: it must not go out"
            " with the published file.",
        ),
        sections(outcome),
        f"Made by Shoal {version('shoal')} with the algorithm {_found_by(outcome)}.",
    )


def notebook_view(outcome: Outcome) -> str:
    """The verdict, the risk and the cost, as an element that notebooks show; it needs nothing else."""
    inner = document(
        f"Shoal: {outcome.model}",
        tag("header"),
        summary(outcome),
        f"Found by the algorithm {_found_by(outcome)}. For the publisher only.",
    )
    return tag("iframe", srcdoc=inner, style="width: 100%; height: 720px; border: 0", title="Shoal result")


def _found_by(outcome: Outcome) -> str:
    return with_options(outcome.provenance.algorithm, outcome.provenance.options)
