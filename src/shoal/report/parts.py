"""The parts that all pages are made of."""

from collections.abc import Mapping

from shoal.report.chart import Figure
from shoal.report.html import Content, Html, tag


def private_header(kind: str, title: str, why: str) -> Html:
    """The head of a page that is for the publisher alone, and why it must not go out."""
    note = tag("p", f"For the publisher only. {why}", class_="private")
    return tag("header", tag("p", kind, class_="overline"), tag("h1", title), note)


def tiles(figures: Mapping[str, str]) -> Html:
    """The figures that matter most, large and with their names."""
    shown = (tag("div", tag("dt", name), tag("dd", text), class_="tile") for name, text in figures.items())
    return tag("dl", *shown, class_="tiles")


def section(name: str, title: str, *content: Content, class_: str | None = None) -> Html:
    """A part of the page under a heading, which is also its name in the address."""
    heading = tag("h2", title, id=name)
    return tag("section", heading, *content, class_=class_, aria_labelledby=name)


def pair(name: str, figure: Figure, description: str, data: Html | None = None) -> Html:
    """A figure with a button for its data as CSV, and beside it the table of what it shows."""
    drawn = figure_alone(name, figure, description)
    return drawn if data is None else tag("div", drawn, data, class_="pair")


def figure_alone(name: str, figure: Figure, description: str) -> Html:
    """A figure with a button for its data as CSV."""
    holder = tag(
        "div", figure.drawing, id=f"{name}-plot", data_figure=name, role="img", aria_label=description
    )
    button = tag("button", "CSV", type="button", data_csv=name, title="Save what this figure shows as CSV")
    drawn = tag("div", holder, tag("p", button, class_="save"), class_="figure")
    return Html(drawn, {name: figure.table()})


def one_of(name: str, question: str, choices: Mapping[str, Html], chosen: str) -> Html:
    """Several parts of which a reader chooses the one to see; without choice there is nothing to ask."""
    if len(choices) == 1:
        return next(iter(choices.values()))
    options = [
        tag("option", text, value=f"{name}-{index}", selected="" if text == chosen else None)
        for index, text in enumerate(choices)
    ]
    parts = [
        tag("div", part, id=f"{name}-{index}", hidden=None if text == chosen else "")
        for index, (text, part) in enumerate(choices.items())
    ]
    asked = tag("label", f"{question} ", tag("select", *options, data_choose=name))
    return tag("div", tag("p", asked, class_="choice"), *parts)
