"""Hierarchies in files, in the forms of other tools: ARX matrices, Amnesia text and Amnesia JSON."""

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

from shoal.errors import UnknownName
from shoal.hierarchy.amnesia import (
    read_amnesia_json,
    read_amnesia_text,
    write_amnesia_json,
    write_amnesia_text,
)
from shoal.hierarchy.amnesia_tokens import Notation
from shoal.hierarchy.arx import read_arx, write_arx
from shoal.hierarchy.outline import Outline
from shoal.hierarchy.text_form import read_text
from shoal.hierarchy.tree import Hierarchy
from shoal.table.columns import Domain

FileForm = Literal["arx", "amnesia-text", "amnesia-json"]
_FORM_OF_ENDING: dict[str, FileForm] = {".json": "amnesia-json", ".txt": "amnesia-text"}


@dataclass(frozen=True, slots=True)
class HierarchyFile:
    """A hierarchy in a file; its form is recognized by what stands in it.

    Args:
        path: The file: levels as ARX or Amnesia write them, as text or JSON.

    Examples:
        >>> import shoal as sh
        >>> sh.HierarchyFile("hierarchies/country.csv").describe()
        'the file country.csv'
    """

    path: Path

    def __init__(self, path: str | PathLike[str]) -> None:
        object.__setattr__(self, "path", Path(path))

    def describe(self) -> str:
        """The recipe in a few words."""
        return f"the file {self.path.name}"

    def outline(self) -> Outline:
        """What the file says, with all its problems; BadInput if it is no text."""
        return read_outline(self.path)

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree for these values; BadInput lists all problems of the file."""
        return self.outline().tree_over(domain, separator)


def read_outline(path: Path) -> Outline:
    """What a hierarchy file says, with all its problems; BadInput if it is no text."""
    text, notices = read_text(path)
    content = text.lstrip()
    if content.startswith("{"):
        outline = read_amnesia_json(text, str(path))
    elif content.partition("\n")[0].strip() in ("distinct", "range"):
        outline = read_amnesia_text(text, str(path))
    else:
        outline = read_arx(text, str(path))
    return replace(outline, notices=(*notices, *outline.notices))


def write_hierarchy(
    tree: Hierarchy, path: Path, *, form: FileForm | None = None, notation: Notation | None = None
) -> None:
    """Write a tree; without a given form it is Amnesia's for .json and .txt, and ARX's for other endings."""
    form = form or _FORM_OF_ENDING.get(path.suffix.lower(), "arx")
    if form not in get_args(FileForm):
        raise UnknownName("A hierarchy file", "form", form, get_args(FileForm))
    if form == "arx":
        write_arx(tree, path)
    elif form == "amnesia-text":
        write_amnesia_text(tree, path, notation=notation)
    else:
        write_amnesia_json(tree, path, notation=notation)


def convert(source: Path, target: Path, *, form: FileForm | None = None) -> tuple[str, ...]:
    """Write the hierarchy of one file in another form; returns what was assumed or renamed on the way."""
    outline = read_outline(source)
    notation = Notation("range", outline.value_type) if outline.intervals else Notation()
    tree = outline.tree()
    write_hierarchy(tree, target, form=form, notation=notation)
    return tree.notices
