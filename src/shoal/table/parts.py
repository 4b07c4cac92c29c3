"""Data in many files: a folder, or a pattern such as `data/*.parquet`.

All parts have one format and the same columns. Folders called `year=2020` on the way to a part are columns of
its records. Files and folders whose names begin with `.` or `_` are not data.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.table.canonical import canonical
from shoal.table.occurrences import Batches
from shoal.table.raw import LISTED, NO_LISTS, HowRead, Opened, Raw, TakesLists

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


def is_in_parts(path: Path) -> bool:
    """Whether a path names many files."""
    return path.is_dir() or (not path.exists() and glob.has_magic(str(path)))


def parts_of(path: Path) -> tuple[Path, ...]:
    """The files of a folder or a pattern, in order; a file is its own only part."""
    if not is_in_parts(path):
        return (path,)
    found = path.rglob("*") if path.is_dir() else map(Path, glob.glob(str(path), recursive=True))  # noqa: PTH207
    base = _base(path)
    parts = tuple(sorted(part for part in found if part.is_file() and _is_data(part.relative_to(base))))
    if not parts:
        what = "holds no files" if path.is_dir() else "matches no files"
        raise BadInput(Problem(what, "check the path", file=str(path)))
    return parts


def is_release_in_parts(path: Path) -> bool:
    """Whether a published table is a folder of Parquet files, as Spark writes it, and not one file."""
    return path.is_dir() and path.suffix.lower() == ".parquet"


def added_by_spark(path: Path) -> list[str]:
    """Checksums that lie beside the parts of a published folder."""
    checksums = {f".{part.name}.crc" for part in parts_of(path)}
    return sorted(each.name for each in path.iterdir() if each.name in checksums)


def strange_files(path: Path) -> list[str]:
    """What lies in a published folder beside its parts and was not added by Spark."""
    expected = {*parts_of(path), *(path / name for name in added_by_spark(path))}
    others = (each for each in path.rglob("*") if each.is_file() and each not in expected)
    return sorted(str(each.relative_to(path)) for each in others if not _says_done(each))


def strange_folders(path: Path) -> list[str]:
    """What lies in a published folder and is no partition: a name of another form, or one without a part."""
    parts = [part.relative_to(path) for part in parts_of(path)]
    plain = [part for part in parts if len(_partition_of(part)) == len(part.parent.parts)]
    expected = {above for part in plain for above in part.parents}
    found = (each.relative_to(path) for each in path.rglob("*") if each.is_dir())
    return sorted(each.as_posix() for each in found if each not in expected)


def _says_done(file: Path) -> bool:
    return file.name == "_SUCCESS" and file.stat().st_size == 0


@dataclass(frozen=True, slots=True)
class _Part:
    opened: Opened
    values: Mapping[str, str | None]


class Parts:
    """Many files as one source."""

    def __init__(
        self, path: Path, format_of: Callable[[Path], str], opener: Callable[[Path], Opened]
    ) -> None:
        paths = parts_of(path)
        formats = sorted({format_of(part) for part in paths})
        if len(formats) > 1:
            remedy = f"name those of one with a pattern such as {path}/**/*{formats[0]}"
            raise BadInput(Problem(f"holds files of several formats: {' '.join(formats)}", remedy, str(path)))
        base = _base(path)
        self._path = path
        self._parts = [_Part(opener(part), _partition_of(part.relative_to(base))) for part in paths]
        self._keys = tuple(self._parts[0].values)
        _refuse_different(self._parts)

    @property
    def where(self) -> str:
        """The folder or pattern."""
        return str(self._path)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the files, and those that folders are called by."""
        return (*self._parts[0].opened.names, *self._keys)

    @property
    def how_read(self) -> HowRead:
        """As the first part was, in folders called by these columns."""
        return replace(self._parts[0].opened.how_read, partitions=self._keys)

    def load(
        self,
        columns: Sequence[str],
        numbers: Collection[str] = (),
        missing: Sequence[str] = (),
        single: Collection[str] = (),
        lists: Mapping[str, TakesLists] = NO_LISTS,  # noqa: ARG002 - the parts are joined first
    ) -> Raw:
        """Read all parts, one after the other."""
        measures = [name for name in numbers if name not in self._keys]
        raws = [self._load(part, columns, measures, missing, single) for part in self._parts]
        if any(_types(raw, measures) != _types(raws[0], measures) for raw in raws):
            # a part has other texts than numbers
            raws = [self._load(part, columns, (), (), single) for part in self._parts]
        if differing := _in_some_batches(raws):
            kept = set(single) - differing
            raws = [self._load(part, columns, (), (), kept) for part in self._parts]
        tables, batches = self._joined(raws)
        notices = tuple(notice for raw in raws for notice in raw.notices)
        more = (f"{len(notices) - LISTED} more such notices of other files",) if len(notices) > LISTED else ()
        return Raw(
            self.where,
            tables,
            notices=(*notices[:LISTED], *more),
            typed=raws[0].typed,
            mixed=frozenset().union(*(raw.mixed for raw in raws)),
            parts=tuple(replace(raw, batches={}) for raw in raws),  # what is joined is not kept twice
            batches=batches,
            length=sum(raw.row_count for raw in raws),
        )

    def _load(
        self,
        part: _Part,
        columns: Sequence[str],
        numbers: Collection[str],
        missing: Sequence[str],
        single: Collection[str],
    ) -> Raw:
        own = [name for name in columns if name not in self._keys]
        raw = part.opened.load(own, numbers, missing, single).in_batches(single)
        for key, value in part.values.items():
            if key in columns:
                cells = pa.chunked_array([pa.repeat(pa.scalar(value, pa.string()), raw.row_count)])
                raw = raw.with_column(key, cells)
        return raw.in_batches(single)

    def _joined(self, raws: Sequence[Raw]) -> tuple[pa.Table, dict[str, Batches]]:
        kinds = [pa.schema([(name, raw.type_of(name)) for name in raw.names]) for raw in raws]
        try:
            kind = pa.unify_schemas(kinds, promote_options="permissive")
            table = pa.concat_tables([raw.table for raw in raws], promote_options="permissive")
            taken = [name for name in kind.names if any(name in raw.batches for raw in raws)]
            return table, {
                name: Batches.joined([raw.batches[name] for raw in raws], kind.field(name).type)
                for name in taken
            }
        except pa.ArrowException as error:
            what = f"its files have columns of different types: {error}"
            raise BadInput(Problem(what, "write them with the same types", file=self.where)) from error


def _types(raw: Raw, names: Sequence[str]) -> list[pa.DataType]:
    return [raw.type_of(name) for name in names]


def _in_some_batches(raws: Sequence[Raw]) -> set[str]:
    """Columns that some parts hold as values of a type that cannot be taken batch by batch."""
    return set().union(*(raw.batches for raw in raws)) - set(raws[0].batches).intersection(
        *(raw.batches for raw in raws)
    )


def _base(path: Path) -> Path:
    """The deepest folder that is no pattern."""
    while glob.has_magic(str(path)) and not path.is_dir():
        path = path.parent
    return path


def _is_data(relative: Path) -> bool:
    return not any(name.startswith((".", "_")) for name in relative.parts)


def _partition_of(relative: Path) -> dict[str, str | None]:
    pairs = (name.split("=", 1) for name in relative.parts[:-1] if "=" in name)
    return {canonical(unquote(key)): None if value == HIVE_NULL else unquote(value) for key, value in pairs}


def _refuse_different(parts: Sequence[_Part]) -> None:
    first = parts[0]
    for part in parts:
        lacking = sorted(set(first.opened.names) ^ set(part.opened.names))
        if lacking:
            listed = ", ".join(map(repr, lacking))
            what = f"has other columns than {first.opened.where}: {listed}"
            raise BadInput(Problem(what, "give all parts the same columns", file=part.opened.where))
        if tuple(part.values) != tuple(first.values):
            what = f"lies in other partitions ({', '.join(part.values) or 'none'}) than {first.opened.where}"
            raise BadInput(Problem(what, "give all parts the same partitions", file=part.opened.where))
    if both := sorted(set(first.opened.names) & set(first.values)):
        what = f"has columns that its folders are called by: {', '.join(map(repr, both))}"
        raise BadInput(Problem(what, "rename the folders or the columns", file=first.opened.where))
