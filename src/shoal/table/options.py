"""How a source is to be read, as a frozen value that checks itself."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from shoal.errors import InvalidParameter
from shoal.table.dates import check_date_format
from shoal.table.number_style import check_style

Others = Literal["error", "insensitive", "drop"]

_OTHERS = ("error", "insensitive", "drop")


@dataclass(frozen=True, slots=True)
class LongForm:
    """A table with one item per row: which column names the subject, and which the item."""

    id: str
    item: str

    def __post_init__(self) -> None:
        if self.id == self.item:
            raise InvalidParameter("LongForm", "item", self.item, "another column than id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What the reader cannot see from the file itself.

    `missing` are the texts that stand for a missing value beside the empty cell, which always does.
    `delimiter`, `quote` and `encoding` of text files are found out unless given; `quote=""` means that quotes
    are ordinary characters. `others` says what becomes of columns without a role. `sheet` is the sheet of an
    Excel file, the first one unless given. `decimal`, `thousands` and `date_format` say how all columns of
    numbers and dates are written whose roles do not say otherwise: see `table.number_style`, `table.dates`.
    """

    missing: tuple[str, ...] = ("",)
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    others: Others = "error"
    sheet: str | None = None
    long: LongForm | None = None
    decimal: str = "."
    thousands: str = ""
    date_format: str | None = None

    def __post_init__(self) -> None:
        missing: object = self.missing  # a lone text is a sequence of texts, but never meant as one
        if isinstance(missing, str) or not all(isinstance(token, str) for token in self.missing):
            raise InvalidParameter("ReadOptions", "missing", self.missing, "a tuple of texts")
        if self.others not in _OTHERS:
            raise InvalidParameter("ReadOptions", "others", self.others, " or ".join(map(repr, _OTHERS)))
        if self.delimiter is not None and not _is_one_ascii_character(self.delimiter):
            raise InvalidParameter("ReadOptions", "delimiter", self.delimiter, "one ASCII character")
        if self.quote not in (None, "") and not _is_one_ascii_character(self.quote):
            raise InvalidParameter("ReadOptions", "quote", self.quote, "one ASCII character, or '' for none")
        if self.delimiter is not None and self.delimiter == self.quote:
            raise InvalidParameter("ReadOptions", "quote", self.quote, "another character than the delimiter")
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise InvalidParameter(
                "ReadOptions", "encoding", self.encoding, "a text encoding such as 'utf-8' or 'cp1252'"
            )
        check_style("ReadOptions", self.decimal, self.thousands)
        check_date_format("ReadOptions", "date_format", self.date_format)


def _is_one_ascii_character(text: str | None) -> bool:
    return text is not None and len(text) == 1 and text.isascii() and text not in "\r\n\0"


def _is_encoding(name: str) -> bool:
    try:
        return "a\n".encode(name).decode(name) == "a\n" and bool(codecs.lookup(name).name)
    except (LookupError, ValueError):
        return False
