"""A page as a browser would take it apart: elements, attributes and the text that people see."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br"}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.misnested: list[str] = []
        self._open: list[str] = []
        self._seen: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.misnested.append(tag)

    def handle_data(self, data):
        if self._open and self._open[-1] == "script":
            attributes, text = self.scripts.pop()
            self.scripts.append((attributes, text + data))
        elif not self._open or self._open[-1] != "style":
            self._seen.append(data)

    @property
    def unclosed(self) -> list[str]:
        return self._open

    @property
    def text(self) -> str:
        """What people read."""
        return "\n".join(self._seen)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]
