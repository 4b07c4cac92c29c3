"""Reading and writing the text of hierarchy files."""

from pathlib import Path

from shoal.errors import BadInput, OutputFailed, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.table.text_file import open_text

_JAVA_OBJECT = b"\xac\xed\x00\x05"


def read_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """The text of a file in UTF-8, or else Windows-1252 with a notice."""
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_JAVA_OBJECT))
        if start == _JAVA_OBJECT:
            what = "is a functional hierarchy of ARX, a Java object that only ARX can read"
            raise BadInput(Problem(what, "export the hierarchy as CSV in ARX", file=str(path)))
        file = open_text(path)
        with file.text(newline="") as text:
            return text.read(), file.notices
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(Problem(f"cannot be read: {reason}", "check the path", file=str(path))) from error


def write_text(text: str, path: Path) -> None:
    """Write a file of UTF-8 whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OutputFailed(f"{path}: cannot be written: {error.strerror or error}") from error


def refuse_without_values(tree: Hierarchy) -> None:
    """Raise BadInput for a tree that no file form can hold."""
    if tree.leaf_count == 0:
        raise BadInput(Problem("a hierarchy without values cannot be written", "build it over some values"))
