"""The report of one run for the publisher: one HTML file that needs nothing else.

The page compares with the original, so it is not for publication. Nothing is loaded from anywhere: a content
security policy forbids it, and lets only the two scripts of this page run.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.metadata import version
from importlib.resources import files

from plotly.offline import get_plotlyjs

from shoal.report.html import Html, raw_element, tag
from shoal.report.outcome import Outcome
from shoal.report.sections import sections
from shoal.report.wording import counted


def page(outcome: Outcome) -> str:
    """The whole page."""
    own = files("shoal.report")
    plotly_script, own_script = get_plotlyjs(), (own / "page.js").read_text(encoding="utf-8")
    title = f"Shoal report: {outcome.model}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_content_policy(plotly_script, own_script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        raw_element("style", (own / "page.css").read_text(encoding="utf-8")),
    )
    body = tag(
        "body",
        _header(outcome),
        tag("main", *sections(outcome)),
        tag("footer", tag("p", f"Made by Shoal {version('shoal')} with the algorithm {outcome.algorithm}.")),
        raw_element("script", plotly_script),
        raw_element("script", own_script),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _content_policy(*scripts: str) -> str:
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:"


def _header(outcome: Outcome) -> Html:
    return tag(
        "header",
        tag("p", "Release report", class_="overline"),
        tag("h1", f"{counted(outcome.records, 'record')} under {outcome.model}"),
        tag(
            "p",
            "For the publisher only. This page shows original rows and figures that compare with the"
            " original: it must not go out with the published file.",
            class_="private",
        ),
    )
