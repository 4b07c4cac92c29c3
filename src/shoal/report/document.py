"""One HTML file that needs nothing else, whatever it tells.

Nothing is loaded from anywhere: a content security policy forbids it, and lets only the two scripts of the
page run.
"""

import base64
import hashlib
from collections.abc import Iterable
from importlib.resources import files
from json import dumps

from plotly.offline import get_plotlyjs

from shoal.report.html import Html, join, raw_element, tag


def document(title: str, header: Html, sections: Iterable[Html], footer: str) -> str:
    """The whole page; what its figures are drawn from stands in one block of JSON."""
    main = join(*sections)
    own = files("shoal.report")
    plotly_script, own_script = get_plotlyjs(), (own / "page.js").read_text(encoding="utf-8")
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
        header,
        tag("main", main),
        tag("footer", tag("p", footer)),
        # In a script element only "<" could end the element early.
        raw_element(
            "script", dumps(main.data).replace("<", "\\u003c"), type="application/json", id="figures"
        ),
        raw_element("script", plotly_script),
        raw_element("script", own_script),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _content_policy(*scripts: str) -> str:
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:"
