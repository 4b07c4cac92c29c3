"""How a delimited text file is written: its delimiter, its decimal mark, its encoding."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InvalidParameter
from shoal.table.number_style import DECIMAL_MARKS
from shoal.table.raw import HowRead

_UTF8 = "utf-8"
_WITH_MARK = "utf-8-sig"
_FRACTION = r"^([+-]?[0-9]+)\.([0-9]+(?:[eE][+-]?[0-9]+)?)$"
_FRACTION_WITH_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a delimited text file is written; None where its ending, or its input, decides.

    Args:
        delimiter: What stands between cells.
        decimal: What stands before the decimals of a number.
        encoding: How letters are written as bytes.
        bom: Whether the file begins with the byte order mark by which spreadsheets know UTF-8.

    Raises:
        InvalidParameter: One of them cannot be, or two are the same.

    Examples:
        >>> import shoal as sh
        >>> german = sh.Dialect(delimiter=";", decimal=",", bom=True)
        >>> german.delimiter, german.encoding
        (';', None)
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    bom: bool | None = None

    def __post_init__(self) -> None:
        one = self.delimiter is None or (
            len(self.delimiter) == 1 and self.delimiter.isascii() and self.delimiter not in '\r\n\0"'
        )
        if not one:
            raise InvalidParameter("output", "delimiter", self.delimiter, "one ASCII character, but no quote")
        if self.decimal is not None and self.decimal not in DECIMAL_MARKS:
            raise InvalidParameter("output", "decimal", self.decimal, "'.' or ','")
        if self.decimal is not None and self.decimal == self.delimiter:
            raise InvalidParameter("output", "decimal", self.decimal, "another mark than the delimiter")
        if self.encoding is not None and not _is_like_ascii(self.encoding):
            must_be = "an encoding such as 'utf-8' or 'cp1252'"
            raise InvalidParameter("output", "encoding", self.encoding, must_be)
        if self.bom and not self.is_utf8:
            raise InvalidParameter("output", "bom", self.bom, "left out where the encoding is not utf-8")

    @property
    def is_utf8(self) -> bool:
        """Whether texts are written in UTF-8."""
        return self.encoding is None or codecs.lookup(self.encoding).name == _UTF8

    @property
    def of_file(self) -> str:
        """The encoding of the bytes."""
        return _UTF8 if self.encoding is None else self.encoding

    def like(self, source: HowRead, decimal: str, ending: str) -> Self:
        """The same, with what it leaves open as the input has it, as far as that was delimited text.

        Tabs are for files whose `ending` says so, and only for these.
        """
        if source.delimiter is None:
            return self
        own = type(self)
        encoding = _UTF8 if source.encoding == _WITH_MARK else source.encoding
        encoding = encoding if encoding and _is_like_ascii(encoding) else _UTF8
        chosen = encoding if self.encoding is None else self.encoding
        taken_over = source.delimiter if source.delimiter != "\t" and ending == ".csv" else None
        delimiter = taken_over if self.delimiter is None else self.delimiter
        mark = decimal if self.decimal is None else self.decimal
        is_utf8 = codecs.lookup(chosen).name == _UTF8
        bom = (source.encoding == _WITH_MARK and is_utf8) if self.bom is None else self.bom
        return own(
            delimiter=delimiter, decimal="." if mark == (delimiter or ",") else mark, encoding=chosen, bom=bom
        )

    def stated(self, ending: str) -> dict[str, Any]:
        """What a reader has to know who would expect commas or tabs, points and UTF-8."""
        usual = {".csv": ",", ".tsv": "\t"}.get(ending)
        found: dict[str, Any] = {}
        if self.delimiter not in (None, usual):
            found["delimiter"] = self.delimiter
        if self.decimal not in (None, "."):
            found["decimal"] = self.decimal
        if not self.is_utf8:
            found["encoding"] = codecs.lookup(self.of_file).name
        return found

    @classmethod
    def of(cls, stated: object) -> Self:
        """What `stated` said; InvalidParameter if it is something else."""
        known = {"delimiter", "decimal", "encoding"}
        if not isinstance(stated, Mapping) or not set(stated) <= known:
            raise InvalidParameter("a file", "dialect", stated, f"an object with {', '.join(sorted(known))}")
        return cls(**{str(name): value for name, value in stated.items()})


PLAIN = Dialect()


def with_decimal(texts: pa.Array, decimal: str | None) -> pa.Array:
    """Texts of which the numbers have this decimal mark instead of a point; others stay."""
    if decimal in (None, "."):
        return texts
    return pc.replace_substring_regex(texts, _FRACTION, rf"\1{decimal}\2")


def with_point(text: str, decimal: str | None) -> str:
    """A number as it is written with a point; other texts stay."""
    is_number = decimal == "," and _FRACTION_WITH_COMMA.fullmatch(text) is not None
    return text.replace(",", ".") if is_number else text


def _is_like_ascii(encoding: object) -> bool:
    """Whether it is the name of an encoding whose line ends and delimiters are those of ASCII."""
    try:
        return isinstance(encoding, str) and "a;\n".encode(encoding) == b"a;\n"
    except (LookupError, ValueError):
        return False
