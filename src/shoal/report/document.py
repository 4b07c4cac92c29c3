"""One HTML file that needs nothing else, whatever it tells.

Nothing is loaded from anywhere: a content security policy forbids it, and lets only the script of the page
run, which needs it for choices and CSV files alone.
"""

import base64
import hashlib
from collections.abc import Iterable
from importlib.resources import files
from json import dumps

from shoal.report.html import Html, join, raw_element, tag


def document(title: str, header: Html, sections: Iterable[Html], footer: str) -> str:
    """The whole page; what its figures show stands in one block of JSON, too."""
    main = join(*sections)
    own = files("shoal.report")
    script = (own / "page.js").read_text(encoding="utf-8")
    style = "".join((own / name).read_text(encoding="utf-8") for name in ("page.css", "chart.css"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_content_policy(script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        raw_element("style", style),
    )
    body = tag(
        "body",
        header,
        tag("main", main),
        tag("footer", tag("p", footer)),
        # In a script element only "<" could end the element early.
        raw_element(
            "script", dumps(main.data).replace("<", "\\u003c"), type="application/json", id="figures"
        ),
        raw_element("script", script),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _content_policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
