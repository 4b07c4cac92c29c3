"""HTML in which every text is escaped unless it was made here."""

from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Any, Self

_VOID = frozenset({"br", "meta"})


class Html(str):
    """Finished markup; any other text is escaped when it becomes content.

    `data` is what scripts of the page need for it, by name; what it becomes part of has it, too.
    """

    data: Mapping[str, Any]

    def __new__(cls, text: str, data: Mapping[str, Any] = MappingProxyType({})) -> Self:
        """Take a text as it is."""
        made = super().__new__(cls, text)
        made.data = data
        return made


Content = str | None


def tag(name: str, /, *content: Content, **attributes: str | None) -> Html:
    """An element: `tag("td", text, class_="number")`; content and attributes that are None vanish."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    opening = f"<{name}{written}>"
    if name in _VOID:
        return Html(opening)
    inner = join(*content)
    return Html(f"{opening}{inner}</{name}>", inner.data)


def join(*content: Content) -> Html:
    """Several pieces one after another."""
    given = (piece for piece in content if piece is not None)
    pieces = [piece if isinstance(piece, Html) else Html(escape(piece)) for piece in given]
    return Html("".join(pieces), {name: value for piece in pieces for name, value in piece.data.items()})


def raw_element(name: str, /, text: str, **attributes: str | None) -> Html:
    """A script or style element, whose text stays as it is; for our own text and escaped JSON only."""
    return tag(name, Html(text), **attributes)


def table(
    caption: str,
    header: tuple[str, ...],
    rows: list[tuple[Content, ...]],
    *,
    numeric: tuple[int, ...] = (),
    wordy: tuple[int, ...] = (),
    cards: bool = False,
) -> Html:
    """A data table that scrolls by itself on narrow screens; the first cell of a row names the row.

    Columns are `numeric`, or `wordy` if they hold sentences, which need room. In a wide section a row becomes
    one of `cards` on narrow screens, where every cell has to say what it is.
    """
    classes = {**dict.fromkeys(numeric, "number"), **dict.fromkeys(wordy, "words")}
    head = tag("tr", *(tag("th", text, scope="col", class_=classes.get(i)) for i, text in enumerate(header)))
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            *(
                tag("td", cell, class_=classes.get(i), data_label=header[i] if cards else None)
                for i, cell in enumerate(row[1:], start=1)
            ),
        )
        for row in rows
    ]
    return scrolling(
        tag("table", tag("caption", tag("span", caption)), tag("thead", head), tag("tbody", *body)), caption
    )


def scrolling(content: Html, label: str) -> Html:
    """A part that is scrolled sideways by itself, also with the keyboard."""
    return tag("div", content, class_="scroll", tabindex="0", role="region", aria_label=label)
