"""A release for people who count in SQL: a script for DuckDB with bounds and expectations as columns."""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import owners
from shoal.recoding.label_cover import Cover, CoverForm
from shoal.report.codebook import ColumnBook
from shoal.study.label_atoms import Atoms
from shoal.study.label_bins import LabelledRecords
from shoal.study.open_release import OpenedRelease
from shoal.study.sql_text import quoted, table, text
from shoal.table.columns import Kind
from shoal.table.set_lines import ITEMS

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_READERS = {
    ".jsonl": "read_json({file}, format = 'newline_delimited')",
    ".parquet": "read_parquet({file})",
}
_WITH_LISTS = tuple(_READERS)
_LINES = (".txt", ".dat")
_LATIN_1, _CP1252 = "iso8859-1", "cp1252"
_ONLY_IN_CP1252 = re.compile(rb"[\x80-\x9f]")
_SHARE = """\
-- How much of a range lies in another that begins with `low` and ends before `high`.
CREATE OR REPLACE MACRO share_between(lower, behind, low, high) AS
    CASE WHEN lower IS NULL OR behind IS NULL THEN NULL
         WHEN behind = lower THEN CAST(lower >= low AND lower < high AS DOUBLE)
         ELSE greatest(0, least(behind, high) - greatest(lower, low)) / CAST(behind - lower AS DOUBLE) END;
"""
_ITEMS_VIEW = """\
CREATE OR REPLACE VIEW {view} AS SELECT release.*, held.*
FROM release, LATERAL (
    SELECT value AS item, CAST(bool_or(sure) AS INTEGER) AS lower,
        1 - product(1 - share) AS expected, 1 AS upper
    FROM ({held}) AS labels
    JOIN {values} ON {values}.label = labels.label GROUP BY value
) AS held;"""


def sql_view(release: OpenedRelease) -> str:
    """The script; it names the published file, which must lie where it is run.

    For each column of labels, table `<column>_labels` says what they cover; where they stand for texts,
    `<column>_values` lists the values of each label with their shares. View `release` has every record with
    the bounds of its labels, and `<column>_expected`, their middle. For each column of sets, view
    `<column>_items` has every record once for each item that it may hold, with the bounds of how often it
    does and what is expected; `record` numbers the records.
    """
    source = _reader(release)
    lines = [f"-- Made from {release.file.name} and its codebook.", "", _SHARE]
    sets = [name for name in release.quasi if release.codebook.columns[name].is_set]
    joins, shown = [], [f"row_number() OVER () AS {quoted(_free_name(release))}"] if sets else []
    for name in release.table.columns:
        shown.append(f"file.{quoted(name)}")
        book = release.codebook.columns[name]
        if name not in release.quasi or book.is_set:
            continue
        lines += [*_label_table(release, name, book), ""]
        if release.atoms[name].are_named:
            lines += [*_value_table(release, name, release.atoms[name]), ""]
        alias = quoted(f"{name}_labels")
        joins.append(f"LEFT JOIN {alias} ON {alias}.label = file.{quoted(name)}")
        shown += [f"{alias}.{field} AS {quoted(f'{name}_{field}')}" for field in _fields(book)]
    listed = ",\n    ".join(shown)
    view = f"CREATE OR REPLACE VIEW release AS SELECT\n    {listed}\nFROM {source} AS file"
    lines += ["\n".join([view, *joins]) + ";", ""]
    for name in sets:
        lines += [*_items(release, name), ""]
    return "\n".join(lines)


def _free_name(release: OpenedRelease) -> str:
    """What the number of a record is called."""
    name = "record"
    while name in release.table.columns:
        name += "_"
    return name


def _items(release: OpenedRelease, name: str) -> Iterator[str]:
    """A table of what each label of a column of sets may stand for, and the view of records by items."""
    labels, tables = release.label_texts(name), LabelledRecords(release).of_items(name)
    items = release.atoms[name].values
    values = quoted(f"{name}_values")
    rows = [
        (text(labels[code]), text(items[item]), repr(float(tables.shares[code, item])), sure)
        for code, item in zip(*(places.tolist() for places in np.nonzero(tables.maybe)), strict=True)
        for sure in [str(bool(tables.surely[code, item])).upper()]
    ]
    held = f"SELECT unnest({_list(release, name)}) AS label"
    if tables.untold.any():
        rows += [("''", text(item), "0.0", "FALSE") for item in items]
        held += f" UNION ALL SELECT '' WHERE {_tells_nothing(release)}"
    yield from table(values, "label VARCHAR, value VARCHAR, share DOUBLE, sure BOOLEAN", rows)
    yield _ITEMS_VIEW.format(view=quoted(f"{name}_items"), held=held, values=values)


def _list(release: OpenedRelease, name: str) -> str:
    """The labels of a set as a list."""
    column = f"release.{quoted(name)}"
    if release.file.is_dir() or release.file.name.endswith(_WITH_LISTS):
        return f"CAST({column} AS VARCHAR[])"
    return f"string_split(nullif({column}, ''), {text(release.table.sets(name).separator)})"


def _tells_nothing(release: OpenedRelease) -> str:
    """Whether a record is one that was suppressed: no label of it says anything."""
    terms = []
    for name in release.quasi:
        book = release.codebook.columns[name]
        if book.is_set:
            terms.append(f"coalesce(len({_list(release, name)}), 0) = 0")
        else:
            untold = [
                text(label)
                for label in release.label_texts(name)
                if book.covers[label].form is CoverForm.EVERYTHING
            ]
            terms.append(f"release.{quoted(name)} IN ({', '.join(untold)})")
    return " AND ".join(terms)


def _reader(release: OpenedRelease) -> str:
    name = release.file.name
    if release.file.is_dir():  # parts of Parquet; what folders are called are labels, too
        return f"read_parquet({text(f'{name}/**/*.parquet')}, hive_types_autocast = false)"
    for ending, usual in _DELIMITERS.items():
        if name.removesuffix(".gz").endswith(ending):
            how = [
                "all_varchar = true",
                "header = true",
                f"delim = {text(release.dialect.delimiter or usual)}",
            ]
            return f"read_csv({', '.join([text(name), *how, *_encoding(release)])})"
    if name.endswith(_LINES):  # one set a line, none of which is quoted
        lines = "string_split(left(content, length(content) - 1), chr(10))"
        return f"(SELECT unnest({lines}) AS {quoted(ITEMS)} FROM read_text({text(name)}))"  # noqa: S608
    for ending, reader in _READERS.items():
        if name.endswith(ending):
            return reader.format(file=text(name))
    what = f"DuckDB does not read files such as {name}"
    raise BadInput(Problem(what, f"publish as one of {', '.join((*_DELIMITERS, *_READERS, *_LINES))}"))


def _encoding(release: OpenedRelease) -> tuple[str, ...]:
    """The encoding for DuckDB, which knows UTF-8 and Latin-1 without an extension from the network."""
    name = codecs.lookup(release.dialect.of_file).name
    if name == "utf-8":
        return ()
    if name == _LATIN_1 or (name == _CP1252 and not _ONLY_IN_CP1252.search(_content(release.file))):
        return ("encoding = 'latin-1'",)
    what = f"DuckDB does not read files in the encoding {name} such as {release.file.name}"
    raise BadInput(Problem(what, 'publish with encoding = "utf-8" under [output]'))


def _content(file: Path) -> bytes:
    content = file.read_bytes()
    return gzip.decompress(content) if file.suffix == ".gz" else content


def _fields(book: ColumnBook) -> tuple[str, ...]:
    return ("level",) if book.kind is Kind.CATEGORY else ("level", "lower", "upper", "behind", "expected")


def _label_table(release: OpenedRelease, name: str, book: ColumnBook) -> Iterator[str]:
    kind = "DATE" if book.kind is Kind.DATE else "DOUBLE"
    bounds = [f"{field} {kind}" for field in _fields(book)[1:]]
    columns = ", ".join(["label VARCHAR", "level INTEGER", *bounds])
    rows = [
        (text(label), str(book.levels[label]), *(_bounds(release, name, label) if bounds else ()))
        for label in release.label_texts(name)
    ]
    yield from table(quoted(f"{name}_labels"), columns, rows)


def _bounds(release: OpenedRelease, name: str, label: str) -> tuple[str, ...]:
    """Lower and upper bound, what begins behind the upper one, and the middle."""
    cover, whole = release.codebook.columns[name].covers[label], release.atoms[name].whole
    if isinstance(cover.lower, str) and isinstance(cover.upper, str):
        first, last = np.datetime64(cover.lower), np.datetime64(cover.upper)
        days = (first, last, last + 1, first + (last - first) // 2)
        return tuple(f"DATE '{day}'" for day in days)
    lower, upper = (
        None if isinstance(bound, str) or bound is None else bound for bound in (cover.lower, cover.upper)
    )
    behind = _behind(cover, upper, whole=whole)
    middle = None if lower is None or upper is None else (lower + upper) / 2
    return tuple("NULL" if bound is None else repr(bound) for bound in (lower, upper, behind, middle))


def _behind(cover: Cover, upper: float | None, *, whole: bool) -> float | None:
    """Where what follows a range begins: a single number has no width."""
    if upper is None or cover.form is CoverForm.VALUE:
        return upper + 1 if whole and upper is not None else upper
    if whole:
        return upper + 1
    return float(np.nextafter(upper, np.inf)) if cover.includes_upper else upper


def _value_table(release: OpenedRelease, name: str, atoms: Atoms) -> Iterator[str]:
    labels, owner = release.label_texts(name), owners(atoms.covered.starts)
    shares = atoms.shares(release.label_counts(name))
    rows = [
        (text(labels[code]), text(atoms.values[atom]), repr(share))
        for code, atom, share in zip(
            owner.tolist(), atoms.covered.items.tolist(), shares.tolist(), strict=True
        )
    ]
    yield from table(quoted(f"{name}_values"), "label VARCHAR, value VARCHAR, share DOUBLE", rows)
