"""A release for people who count in SQL: a script for DuckDB with bounds and expectations as columns."""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import owners
from shoal.report.codebook import ColumnBook
from shoal.study.label_atoms import Atoms
from shoal.study.open_release import OpenedRelease
from shoal.table.columns import Kind

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_READERS = {
    ".jsonl": "read_json({file}, format = 'newline_delimited')",
    ".parquet": "read_parquet({file})",
}
_LATIN_1, _CP1252 = "iso8859-1", "cp1252"
_ONLY_IN_CP1252 = re.compile(rb"[\x80-\x9f]")
_SHARE = """\
-- How much of a range lies in another that begins with `low` and ends before `high`.
CREATE OR REPLACE MACRO share_between(lower, behind, low, high) AS
    CASE WHEN lower IS NULL OR behind IS NULL THEN NULL
         WHEN behind = lower THEN CAST(lower >= low AND lower < high AS DOUBLE)
         ELSE greatest(0, least(behind, high) - greatest(lower, low)) / CAST(behind - lower AS DOUBLE) END;
"""


def sql_view(release: OpenedRelease) -> str:
    """The script; it names the published file, which must lie where it is run.

    For each column of labels, table `<column>_labels` says what they cover; where they stand for texts,
    `<column>_values` lists the values of each label with their shares. View `release` has every record with
    the bounds of its labels, and `<column>_expected`, their middle.
    """
    source = _reader(release)
    lines = [f"-- Made from {release.file.name} and its codebook.", "", _SHARE]
    joins, shown = [], []
    for name in release.table.columns:
        shown.append(f"file.{_quoted(name)}")
        book = release.codebook.columns[name]
        if name not in release.quasi or book.is_set:
            continue
        lines += [*_label_table(release, name, book), ""]
        if release.atoms[name].are_named:
            lines += [*_value_table(release, name, release.atoms[name]), ""]
        alias = _quoted(f"{name}_labels")
        joins.append(f"LEFT JOIN {alias} ON {alias}.label = file.{_quoted(name)}")
        shown += [f"{alias}.{field} AS {_quoted(f'{name}_{field}')}" for field in _fields(book)]
    listed = ",\n    ".join(shown)
    view = f"CREATE OR REPLACE VIEW release AS SELECT\n    {listed}\nFROM {source} AS file"
    return "\n".join([*lines, "\n".join([view, *joins]) + ";", ""])


def _reader(release: OpenedRelease) -> str:
    name = release.file.name
    if release.file.is_dir():  # parts of Parquet; what folders are called are labels, too
        return f"read_parquet({_text(f'{name}/**/*.parquet')}, hive_types_autocast = false)"
    for ending, usual in _DELIMITERS.items():
        if name.removesuffix(".gz").endswith(ending):
            how = [
                "all_varchar = true",
                "header = true",
                f"delim = {_text(release.dialect.delimiter or usual)}",
            ]
            return f"read_csv({', '.join([_text(name), *how, *_encoding(release)])})"
    for ending, reader in _READERS.items():
        if name.endswith(ending):
            return reader.format(file=_text(name))
    what = f"DuckDB does not read files such as {name}"
    raise BadInput(Problem(what, f"publish as one of {', '.join((*_DELIMITERS, *_READERS))}"))


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
        (_text(label), str(book.levels[label]), *(_bounds(release, name, label) if bounds else ()))
        for label in release.label_texts(name)
    ]
    yield from _table(_quoted(f"{name}_labels"), columns, rows)


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
    behind = upper + 1 if whole and upper is not None else upper
    middle = None if lower is None or upper is None else (lower + upper) / 2
    return tuple("NULL" if bound is None else repr(bound) for bound in (lower, upper, behind, middle))


def _value_table(release: OpenedRelease, name: str, atoms: Atoms) -> Iterator[str]:
    labels, owner = release.label_texts(name), owners(atoms.covered.starts)
    shares = atoms.shares(release.label_counts(name))
    rows = [
        (_text(labels[code]), _text(atoms.values[atom]), repr(share))
        for code, atom, share in zip(
            owner.tolist(), atoms.covered.items.tolist(), shares.tolist(), strict=True
        )
    ]
    yield from _table(_quoted(f"{name}_values"), "label VARCHAR, value VARCHAR, share DOUBLE", rows)


def _table(name: str, columns: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"CREATE OR REPLACE TABLE {name} ({columns});"
    yield f"INSERT INTO {name} VALUES"
    yield ",\n".join(f"    ({', '.join(row)})" for row in rows) + ";"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
