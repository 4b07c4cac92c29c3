"""ARX hierarchies: a text matrix without a header, one line per value, its generalizations to the right.

    Bachelors;Undergraduate;Higher education;*

A label that is repeated in neighbouring columns is unchanged on that level. A line with fewer columns than
others is a shorter way to the root: it is read, with a notice, if it ends in the root and refused otherwise.
"""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, islice, pairwise
from pathlib import Path
from typing import NamedTuple

from shoal.hierarchy.outline import Gathering, Outline
from shoal.hierarchy.text_form import refuse_without_values, write_text
from shoal.hierarchy.tree import Hierarchy
from shoal.table.canonical import canonical

DELIMITERS = (";", "\t", "|", ",")
_SAMPLE_ROWS = 1000


class Row(NamedTuple):
    """The cells of a line, without empty ones at its end."""

    line: int
    cells: Sequence[str]


def read_arx(text: str, file: str) -> Outline:
    """What the text of an ARX hierarchy says."""
    gathering = Gathering(file)
    rows = _rows(text, gathering)
    widest = max((len(row.cells) for row in rows), default=0)
    if widest < 2:
        if not gathering.problems:
            what = "has no label above its values" if rows else "holds no values"
            gathering.refuse(what, "give one line per value, up to the root: value;parent;*")
        return gathering.outline()
    root, _ = Counter(row.cells[-1] for row in rows).most_common(1)[0]
    for row in _ways_to(root, rows, widest, gathering):
        way = [label for label, _ in groupby(row.cells)]
        if len(way) == 1:
            gathering.notices.append(f"{file}:{row.line}: left out, because it is the root itself")
            continue
        gathering.value(way[0], row.line)
        for child, parent in pairwise(way):
            gathering.hang(child, parent, row.line)
    return gathering.outline()


def write_arx(tree: Hierarchy, path: Path, delimiter: str = ";") -> None:
    """Write a tree as an ARX matrix; the label of a leaf is repeated up to the level of its parent."""
    refuse_without_values(tree)
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    for leaf in range(tree.leaf_count):
        above = [tree.labels[node] for node in tree.ancestors(leaf)]
        writer.writerow([tree.labels[leaf]] * (1 + tree.height - len(above)) + above)
    write_text(buffer.getvalue(), path)


def _rows(text: str, gathering: Gathering) -> list[Row]:
    rows: list[Row] = []
    line = 1
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_likeliest_delimiter(text), strict=True)
    try:
        for cells in reader:
            labels = [canonical(cell) for cell in cells]
            while labels and not labels[-1]:
                labels.pop()
            if labels:
                rows.append(Row(line, labels))
            line = reader.line_num + 1
    except csv.Error as error:
        gathering.refuse(f"cannot be read: {error}", "close every quote and double those inside", line)
    return rows


def _likeliest_delimiter(text: str) -> str:
    def parted_rows(delimiter: str) -> int:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        parted = 0
        try:
            for cells in islice(reader, _SAMPLE_ROWS):
                parted += len(cells) > 1
        except csv.Error:  # quotes that this delimiter does not explain
            pass
        return parted

    return max(DELIMITERS, key=parted_rows)  # the first of several that do, so ARX's own before others


def _ways_to(root: str, rows: Sequence[Row], widest: int, gathering: Gathering) -> list[Row]:
    """The rows that lead from a value to the root; all others are refused or noted."""
    ways: list[Row] = []
    other_ends: dict[str, int] = {}
    for row in rows:
        if not all(row.cells[1:]):
            gathering.refuse("has an empty cell between others", "write a label into every column", row.line)
        elif not row.cells[0]:
            where = f"{gathering.file}:{row.line}"
            gathering.notices.append(f"{where}: left out, because missing values hang under the root")
        elif row.cells[-1] == root:
            ways.append(row)
        elif len(row.cells) < widest:
            what = f"has {len(row.cells)} columns where others have {widest}, and does not end in {root!r}"
            gathering.refuse(what, "fill it up to the root", row.line)
        else:
            other_ends.setdefault(row.cells[-1], row.line)
    for end, line in other_ends.items():
        what = f"ends in {end!r} where other lines end in {root!r}: the root is missing"
        gathering.refuse(what, "let every line end in the same root, such as '*'", line)
    short = [row.line for row in ways if len(row.cells) < widest]
    if short:
        gathering.notices.append(
            f"{gathering.file}: {len(short)} lines, first line {short[0]}, have fewer columns than others and"
            " were read as shorter ways to the root"
        )
    return ways
