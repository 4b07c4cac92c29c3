"""The parts that all pages are made of."""

from __future__ import annotations

import plotly.graph_objects as go

from shoal.report.html import Content, Html, raw_element, tag


def section(name: str, title: str, *content: Content, class_: str | None = None) -> Html:
    """A part of the page under a heading, which is also its name in the address."""
    heading = tag("h2", title, id=name)
    return tag("section", heading, *content, class_=class_, aria_labelledby=name)


def pair(name: str, figure: go.Figure, description: str, data: Html) -> Html:
    """A figure, and beside it the table of what it shows."""
    holder = tag("div", id=f"{name}-plot", data_figure=name, role="img", aria_label=description)
    without_script = tag(
        "noscript", tag("p", "The figure needs JavaScript; the table shows the same.", class_="quiet")
    )
    # In a script element only "<" could end the element early.
    content = raw_element(
        "script", str(figure.to_json()).replace("<", "\\u003c"), type="application/json", id=name
    )
    return tag("div", tag("div", holder, without_script, content, class_="figure"), data, class_="pair")
