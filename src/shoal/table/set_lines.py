"""Text files with one set per line: baskets, FIMI data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.occurrences import ListBatches
from shoal.table.options import ReadOptions
from shoal.table.raw import NO_LISTS, HowRead, Raw, TakesLists
from shoal.table.text_file import open_text
from shoal.threads import mapped

ITEMS = "items"
_PIECE = 2**20


class SetLines:
    """A text file with one set per line.

    It has one column, `items` unless it is called otherwise, and no header. An empty line is an empty set;
    the end of the last line begins no further record.
    """

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._file = open_text(path, options.encoding)
        self.names: tuple[str, ...] = (ITEMS,)

    def named(self, name: str) -> SetLines:
        """The same file with another name for its column."""
        same = copy(self)
        same.names = (name,)
        return same

    @property
    def where(self) -> str:
        """The path."""
        return str(self._file.path)

    @property
    def how_read(self) -> HowRead:
        """Its encoding."""
        return HowRead(encoding=self._file.encoding)

    def load(
        self,
        columns: Sequence[str],  # noqa: ARG002 - there is only one
        numbers: Collection[str] = (),  # noqa: ARG002
        missing: Sequence[str] = (),  # noqa: ARG002
        single: Collection[str] = (),  # noqa: ARG002
        lists: Mapping[str, TakesLists] = NO_LISTS,
    ) -> Raw:
        """Read all lines, which are never all in memory if they are taken as lists."""
        (name,) = self.names
        if name in lists:
            taken = ListBatches(pa.string(), tuple(mapped(lists[name], self._lines())))
            return Raw(
                self.where,
                pa.table({}),
                _lines_of,
                self._file.notices,
                typed=False,
                lists={name: taken},
                length=taken.row_count,
            )
        lines = pa.chunked_array(list(self._lines()), type=pa.string())
        return Raw(self.where, pa.table({name: lines}), _lines_of, self._file.notices, typed=False)

    def _lines(self) -> Iterator[pa.StringArray]:
        rest = ""
        with self._file.text() as stream:
            while piece := stream.read(_PIECE):
                ended, newline, rest = (rest + piece).rpartition("\n")
                if newline:
                    yield pc.split_pattern(pa.array([ended]), pattern="\n").flatten()
        if rest:
            yield pa.array([rest])


def _lines_of(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]
