"""A file of text: that it is one, in which encoding, and how to read on in it."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.kernels.csv_quotes import CELL_START, LINE_ENDED_IN_QUOTES, QUOTED, follow_quotes, quote_automaton
from shoal.table.compressed import open_uncompressed as _open

LINE_LIMIT = 64 * 2**20
_PIECE = 2**19  # larger ones come as fresh pages each time, which costs more than the reading

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES = (
    (b"PK\x03\x04", "a zip archive such as an Excel workbook", "give it its own ending, .xlsx"),
    (b"PAR1", "a Parquet file", "give it its own ending, .parquet"),
    (b"ARROW1", "an Arrow file", "give it its own ending, .arrow"),
    (b"\x1f\x8b", "a gzip file", "add .gz to its name"),
    (b"BZh", "a bzip2 file", "add .bz2 to its name"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file", "add .zst to its name"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save it as .xlsx or .csv"),
    (b"%PDF", "a PDF document", "export the table as .csv"),
    (b"SQLite format 3", "a database", "export the table as .csv"),
)
_CONTROL_CHARACTERS = bytes(set(range(32)) - set(b"\t\n\x0b\x0c\r"))
_FALLBACK = "cp1252"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A readable text file."""

    path: Path
    encoding: str
    notices: tuple[str, ...] = ()

    def stream(self) -> pa.NativeFile:
        """The bytes from the beginning, decompressed."""
        return _open(self.path)

    def utf8(self) -> pa.NativeFile:
        """The text from the beginning as UTF-8 without a byte order mark."""
        if self.encoding == "utf-8":
            return self.stream()
        with self.text(newline="") as stream:
            return pa.BufferReader(stream.read().encode())

    def text(self, newline: str | None = None) -> TextIO:
        """The text from the beginning; `newline` as in `open`."""
        return io.TextIOWrapper(self.stream(), encoding=self.encoding, newline=newline)

    @property
    def arrow_encoding(self) -> str:
        """The encoding in the words of Arrow, which drops a byte order mark itself."""
        return "utf8" if self.encoding in ("utf-8", "utf-8-sig") else self.encoding

    def quotes(self, delimiter: str, quote: str) -> tuple[bool, bool]:
        """Whether a quote is open at the end, and whether some line ends inside quotes."""
        automaton = quote_automaton(ord(delimiter), ord(quote))
        state = CELL_START
        for piece in self._pieces_as_utf8():
            state = follow_quotes(np.frombuffer(piece, dtype=np.uint8), automaton, state)
        return state % LINE_ENDED_IN_QUOTES == QUOTED, state >= LINE_ENDED_IN_QUOTES

    def holds(self, character: str) -> bool:
        """Whether an ASCII character occurs anywhere."""
        with self.stream() as stream:
            return any(character.encode() in piece for piece in _pieces(stream))

    def _pieces_as_utf8(self) -> Iterator[bytes]:
        if self.arrow_encoding == "utf8":
            with self.stream() as stream:
                if self.encoding == "utf-8-sig":
                    stream.read(len(codecs.BOM_UTF8))
                yield from _pieces(stream)
        else:
            with self.text(newline="") as stream:
                while text := stream.read(_PIECE):
                    yield text.encode()


def open_text(path: Path, encoding: str | None = None) -> TextFile:
    """Check that a file is text without endless lines, and find its encoding.

    Without a given encoding it is what the byte order mark says, else UTF-8, else Windows-1252 with a notice.
    """
    start = _start_of(path)
    _refuse_signature(path, start)
    marked = next((name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)), None)
    known = marked if encoding is None or codecs.lookup(encoding).name == "utf-8" else encoding
    fault = _fault(path, known or "utf-8")
    if fault is None:
        return TextFile(path, known or "utf-8")
    guessing = known is None and encoding is None
    if not guessing or _has_control_characters(path) or _fault(path, _FALLBACK) is not None:
        raise BadInput(fault)
    notice = f"{path} is not UTF-8 and was read as Windows-1252; give its encoding if letters look wrong"
    return TextFile(path, _FALLBACK, (notice,))


def _fault(path: Path, encoding: str) -> Problem | None:
    """What keeps a file from being text in this encoding; raises BadInput for a line without end."""
    decoder = codecs.getincrementaldecoder(encoding)()
    ascii_compatible = "a\n".encode(encoding)[-2:] == b"a\n"
    offset, line_length = 0, 0
    with _open(path) as stream:
        for piece in _pieces(stream):
            first_end = piece.find(b"\n")
            line_length += len(piece) if first_end < 0 else first_end
            if line_length > LINE_LIMIT:
                raise BadInput(_endless_line(path, offset))
            if first_end >= 0:
                line_length = len(piece) - piece.rfind(b"\n") - 1
            pending = decoder.getstate()[0]
            if ascii_compatible and not pending and piece.isascii():
                nul = piece.find(b"\0")
            else:
                try:
                    nul = decoder.decode(piece).find("\0")
                except UnicodeError as error:
                    bad = offset + getattr(error, "start", 0) - len(pending)
                    return _not_text(path, f"is not text in the encoding {encoding}", bad)
            if nul >= 0:
                return _not_text(path, "holds NUL characters, so it is not text", offset + nul)
            offset += len(piece)
    try:
        decoder.decode(b"", final=True)
    except UnicodeError:
        return _not_text(path, f"ends in the middle of a character of the encoding {encoding}", offset)
    return None


def _not_text(path: Path, what: str, offset: int) -> Problem:
    return Problem(what, "give a text file, or its encoding", str(path), _line_of(path, offset))


def _endless_line(path: Path, offset: int) -> Problem:
    what = f"the line is longer than {LINE_LIMIT // 2**20} MB"
    return Problem(what, "give a text file with one record per line", str(path), _line_of(path, offset))


def _line_of(path: Path, offset: int) -> int:
    lines = 1
    with _open(path) as stream:
        for piece in _pieces(stream):
            lines += piece[: max(0, offset)].count(b"\n")
            offset -= len(piece)
            if offset <= 0:
                break
    return lines


def _has_control_characters(path: Path) -> bool:
    with _open(path) as stream:
        return any(len(piece.translate(None, _CONTROL_CHARACTERS)) < len(piece) for piece in _pieces(stream))


def _pieces(stream: pa.NativeFile) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        yield piece


def _start_of(path: Path) -> bytes:
    with _open(path) as stream:
        start: bytes = stream.read(16)
    if not start:
        raise BadInput(Problem("is empty", "give a file with records", file=str(path)))
    return start


def _refuse_signature(path: Path, start: bytes) -> None:
    for signature, what, remedy in _SIGNATURES:
        if start.startswith(signature):
            raise BadInput(Problem(f"is {what}, not text as its ending says", remedy, file=str(path)))
