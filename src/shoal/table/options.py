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
    """A table with one item per row.

    Args:
        id: The column that names the person.
        item: The column that names the item.

    Raises:
        InvalidParameter: Both are the same column.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> table = pa.table({"patient": ["a", "a", "b"], "code": ["401", "250", "401"]})
        >>> options = sh.ReadOptions(long=sh.LongForm(id="patient", item="code"))
        >>> sh.read(table, {"items": sh.QuasiSet()}, options=options)
        <Data: 2 records; quasi items>
    """

    id: str
    item: str

    def __post_init__(self) -> None:
        if self.id == self.item:
            raise InvalidParameter("LongForm", "item", self.item, "another column than id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What the reader cannot see from the file itself.

    Args:
        missing: The texts that stand for a missing value beside the empty cell, which always does.
        delimiter: What stands between cells of a text file; found out unless given.
        quote: What stands around cells; found out unless given. With "" quotes are ordinary characters.
        encoding: How letters are written as bytes; found out unless given.
        others: What becomes of columns without a role: an error, published as insensitive, or dropped.
        sheet: The sheet of an Excel file, the first one unless given.
        long: Which columns name person and item, where a table has one item per row.
        decimal: What stands before the decimals of numbers, in columns whose role does not say it.
        thousands: What groups their digits.
        date_format: How dates are written.

    Raises:
        InvalidParameter: One of them cannot be.

    Examples:
        >>> import shoal as sh
        >>> sh.ReadOptions(missing=("", "NA"), decimal=",", thousands=".").missing
        ('', 'NA')
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
