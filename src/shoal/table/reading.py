"""From a file or a frame to a table of codes.

The ending of a file tells its format. Text files may be compressed (`.gz`, `.bz2`, `.zst`, `.zip`). A folder
or a pattern such as `data/*.parquet` is one source with many parts.

    .csv .tsv               delimited text with a header line
    .txt .dat               one set per line, without a header: the only column of sets, or `items`
    .jsonl .ndjson .json    one JSON object per line
    .parquet                Parquet
    .arrow .feather .ipc    Arrow
    .xlsx                   an Excel sheet with a header row
    .sav .zsav .por         SPSS
    .dta                    Stata
    .sas7bdat .xpt          SAS

A cell of a set column is split at the separator of its role; pieces that are empty or stand for a missing
value are no items. A list column of a typed format is a set as it stands. No item may contain the separator,
because the published text could not be read back.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import BadInput, Problem, did_you_mean
from shoal.posix import give_back_memory
from shoal.table.arrow_form import to_arrow
from shoal.table.canonical import MissingTokens, as_text, canonical, canonical_text
from shoal.table.columnar import open_arrow, open_json_lines, open_json_lines_as_written, open_parquet
from shoal.table.columns import Column, Kind, Table
from shoal.table.compressed import content_name
from shoal.table.database import DatabaseTable, is_relation, open_database, open_relation
from shoal.table.delimited import Delimited
from shoal.table.dialect import PLAIN, Dialect
from shoal.table.encoding import Encoded, encode, holds_single_values, takes_lists
from shoal.table.excel import open_excel, open_excel_as_written
from shoal.table.frames import in_kind, open_frame
from shoal.table.long_form import as_one_item_sets, gathered, one_record_per_id, roles_of_long_form
from shoal.table.number_style import NumberStyle
from shoal.table.options import LongForm, ReadOptions
from shoal.table.parts import Parts, is_in_parts, is_release_in_parts
from shoal.table.raw import HowRead, Opened, Raw
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive
from shoal.table.set_lines import SetLines
from shoal.table.statistics_files import STATISTICS_ENDINGS, open_statistics, refuse_published_statistics
from shoal.table.written import as_options_say, as_published, how_written
from shoal.threads import processors

__all__ = [
    "HowRead",
    "Loaded",
    "LongForm",
    "Origin",
    "ReadOptions",
    "inspect",
    "inspect_described",
    "read_published",
    "read_table",
    "to_frame",
    "usable_roles",
]

SUPPRESSED_CELL = "*"

_MANY_ROWS = 2**20

_DEFAULTS = ReadOptions()
_Formats = Mapping[str, Callable[[Path, ReadOptions], Opened]]
FORMATS: _Formats = {
    ".csv": Delimited,
    ".tsv": Delimited,
    ".txt": SetLines,
    ".dat": SetLines,
    ".jsonl": open_json_lines,
    ".ndjson": open_json_lines,
    ".json": open_json_lines,
    ".parquet": open_parquet,
    ".arrow": open_arrow,
    ".feather": open_arrow,
    ".ipc": open_arrow,
    ".xlsx": open_excel,
    **dict.fromkeys(STATISTICS_ENDINGS, open_statistics),
}
_PUBLISHED_FORMATS = {
    **FORMATS,
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), open_json_lines_as_written),
    ".xlsx": open_excel_as_written,
    **dict.fromkeys(STATISTICS_ENDINGS, refuse_published_statistics),
}
COMPRESSIBLE = (".csv", ".tsv", ".txt", ".dat", ".jsonl", ".ndjson", ".json")
OTHER_COMPRESSIONS = (".bz2", ".zst", ".zip")  # read, but never published


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table came from: enough to give it back in kind.

    `types` are the types of its columns in Arrow, `own_types` those of the library of a frame; `orders` are
    the categories of categorical columns, canonical. `how_read` tells how a file was written.
    """

    where: str
    library: str | None = None
    types: Mapping[str, pa.DataType] = field(default_factory=dict)
    own_types: Mapping[str, Any] = field(default_factory=dict)
    orders: Mapping[str, pa.StringArray] = field(default_factory=dict)
    how_read: HowRead = field(default_factory=HowRead)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table, the roles of all its columns, and what its reader should know."""

    table: Table
    roles: Mapping[str, Role]
    source: Origin
    notices: tuple[str, ...] = ()


def read_table(source: Any, roles: Mapping[str, Role], options: ReadOptions = _DEFAULTS) -> Loaded:
    """Read a path or a pandas, polars or pyarrow frame; raises BadInput with every problem found."""
    missing = MissingTokens.of(options.missing)
    opened = _open(source, options)
    if options.long is not None:
        return _read_long_form(opened, roles, options, _canonical_long(options.long), missing)
    opened = _named_by_role(opened, roles)
    used = as_options_say(_roles_of_columns(opened, roles, options), options)
    loaded = _encoded(opened, used, lambda _: missing, options)
    _give_back_memory(loaded.table.row_count)
    return loaded


def usable_roles(
    empty: pa.Table, roles: Mapping[str, Role], options: ReadOptions = _DEFAULTS
) -> dict[str, Role]:
    """The role of every column that is kept, from the columns of a source alone.

    Raises BadInput for roles and columns that do not match, and for types that cannot be read.
    """
    opened = open_frame(empty)
    used = as_options_say(_roles_of_columns(opened, roles, options), options)
    raw = opened.load(tuple(used))
    missing = MissingTokens.of(options.missing)
    problems = [
        problem for name, role in used.items() for problem in encode(raw, name, role, missing).problems
    ]
    if problems:
        raise BadInput(*problems)
    return used


def read_published(
    path: str | Path,
    roles: Mapping[str, Role],
    options: ReadOptions = _DEFAULTS,
    dialect: Dialect = PLAIN,
) -> Loaded:
    """Read what a release shows, under the roles of its original; delimited text is in the given dialect.

    Quasi-identifiers are the labels they were published as, whatever their kind was, letter by letter, so
    that nothing counts as one value that a reader of the file can tell apart; identifiers may be absent. Of
    the options only `others` and `missing` count, the rest describe the original file. Only an empty cell of
    a quasi-identifier is missing, because any other text may be a label and reading it as missing could merge
    classes. A sensitive cell is also missing when it holds a missing token or is suppressed, because counting
    that as a value could overstate diversity.
    """
    opened = _named_by_role(_open_published(path, roles, options, dialect), roles)
    shown = {
        name: _as_published(role, dialect)
        for name, role in roles.items()
        if canonical(name) in opened.names or not isinstance(role, Identifier)
    }
    only_empty = MissingTokens.of(())
    or_suppressed = MissingTokens.of((*options.missing, SUPPRESSED_CELL))

    def missing(role: Role) -> MissingTokens:
        return or_suppressed if isinstance(role, Sensitive) else only_empty

    used = _roles_of_columns(opened, shown, options)
    loaded = _encoded(opened, used, missing, options, published=True)
    _give_back_memory(loaded.table.row_count)
    return loaded


def _give_back_memory(row_count: int) -> None:
    """Arrow and the C library keep what the texts took."""
    pa.default_memory_pool().release_unused()
    if row_count > _MANY_ROWS:
        give_back_memory()


def _open_published(path: Any, roles: Mapping[str, Role], options: ReadOptions, dialect: Dialect) -> Opened:
    """A published file in UTF-8, with the delimiter that Shoal writes if it has the columns then."""
    named = str(path).lower().removesuffix(".gz")
    delimiter = {".csv": ",", ".tsv": "\t"}.get(Path(named).suffix)
    encoding = "utf-8" if delimiter is None else dialect.of_file
    guessing = ReadOptions(others=options.others, encoding=encoding)
    if delimiter is not None:
        delimiter = dialect.delimiter or delimiter
    if delimiter is None or not isinstance(path, str | os.PathLike):
        return _open(path, guessing, _PUBLISHED_FORMATS)
    opened = _open(path, replace(guessing, delimiter=delimiter), _PUBLISHED_FORMATS)
    wanted = {canonical(name) for name, role in roles.items() if not isinstance(role, Identifier)}
    return opened if wanted <= set(opened.names) else _open(path, guessing, _PUBLISHED_FORMATS)


def _as_published(role: Role, dialect: Dialect) -> Role:
    """Labels have no kind, and published numbers and dates are written in one way only."""
    if isinstance(role, Quasi):
        return replace(role, kind=Kind.CATEGORY, missing="own", unit=None)
    if not isinstance(role, Sensitive):
        return role
    published = as_published(role)
    return replace(published, decimal=dialect.decimal) if role.kind == Kind.NUMBER else published


def to_frame(table: Table, like: Origin) -> Any:
    """A table as the kind of frame that its source was; an Arrow table if it was a file.

    A column has the type of its source if all its values still have it, as generalized ones have not.
    """
    arrow = to_arrow(table, like.types if like.library else {}, like.orders)
    return in_kind(arrow, like.library, like.types, like.own_types)


def inspect(source: Any, options: ReadOptions = _DEFAULTS) -> pa.Table:
    """All columns of a source as they stand, before roles are known.

    Columns of delimited text and of lines are texts, not yet canonical, with missing tokens still in them;
    columns of other formats have the types of their source. A table with one item per row is shown as the
    sets that it becomes.
    """
    return inspect_described(source, options)[0]


def inspect_described(source: Any, options: ReadOptions = _DEFAULTS) -> tuple[pa.Table, HowRead]:
    """The same, and what was given or found out about the source: encoding, delimiter, quote, sheet."""
    opened = _open(source, options)
    _refuse_same_names(opened)
    with _foreign_errors(opened.where):
        raw = opened.load(opened.names)
    _refuse_no_records(raw)
    if options.long is None:
        return raw.table, opened.how_read
    long = _canonical_long(options.long)
    _roles_of_columns(opened, {long.id: Identifier(), long.item: QuasiSet()}, replace(options, others="drop"))
    return gathered(raw.table, long, MissingTokens.of(options.missing)), opened.how_read


def _canonical_long(long: LongForm) -> LongForm:
    return LongForm(canonical(long.id), canonical(long.item))


def _read_long_form(
    opened: Opened,
    roles: Mapping[str, Role],
    options: ReadOptions,
    long: LongForm,
    missing: MissingTokens,
) -> Loaded:
    used = as_options_say(_roles_of_columns(opened, roles_of_long_form(roles, long), options), options)
    loaded = _encoded(opened, used, lambda _: missing, options, as_one_item_sets(long))
    table, roles_left = one_record_per_id(loaded.table, loaded.roles, long)
    return replace(loaded, table=table, roles=roles_left)


def _encoded(
    opened: Opened,
    roles: Mapping[str, Role],
    missing: Callable[[Role], MissingTokens],
    options: ReadOptions,
    prepare: Callable[[Raw], Raw] | None = None,
    *,
    published: bool = False,
) -> Loaded:
    measures = [
        name
        for name, role in roles.items()
        if getattr(role, "kind", None) == Kind.NUMBER and how_written(role).style == NumberStyle()
    ]
    single = () if prepare else [name for name, role in roles.items() if holds_single_values(role)]
    taking = {name: takes_lists(role, missing(role)) for name, role in roles.items() if not prepare}
    lists = {name: takes for name, takes in taking.items() if takes is not None}
    with _foreign_errors(opened.where):
        raw = opened.load(tuple(roles), measures, options.missing, single, lists)
        raw = raw if prepare is None else prepare(raw)
    _refuse_no_records(raw)

    def encoded_alone(name: str, role: Role) -> Encoded:
        try:
            return encode(raw, name, role, missing(role), published=published)
        finally:
            raw.forget_batches(name)
            if raw.row_count > _MANY_ROWS:
                give_back_memory()  # batches of all columns lie between each other

    with ThreadPoolExecutor(processors()) as pool:
        jobs = [
            pool.submit(copy_context().run, partial(encoded_alone, name, role))
            for name, role in roles.items()
        ]
        encoded = [job.result() for job in jobs]
    problems = [problem for part in encoded for problem in part.problems]
    if problems:
        raise BadInput(*problems)
    columns: dict[str, Column] = {
        name: part.column for name, part in zip(roles, encoded, strict=True) if part.column is not None
    }
    notices = (*raw.notices, *(notice for part in encoded for notice in part.notices))
    types = {name: raw.type_of(name) for name in roles}
    orders = _orders(raw) if raw.library else {}
    origin = Origin(opened.where, raw.library, types, raw.own_types, orders, opened.how_read)
    return Loaded(Table.of(columns, raw.row_count), roles, origin, notices)


def _orders(raw: Raw) -> dict[str, pa.StringArray]:
    return {
        name: canonical_text(as_text(values.unify_dictionaries().chunk(0).dictionary)).unique()
        for name, values in zip(raw.table.column_names, raw.table.columns, strict=True)
        if pa.types.is_dictionary(values.type) and values.num_chunks
    }


def _named_by_role(opened: Opened, roles: Mapping[str, Role]) -> Opened:
    """A file of lines has no header: its column is called as the only column of sets, if there is one."""
    sets = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
    if isinstance(opened, SetLines) and len(sets) == 1:
        return opened.named(canonical(sets[0]))
    return opened


def _roles_of_columns(opened: Opened, roles: Mapping[str, Role], options: ReadOptions) -> dict[str, Role]:
    """The role of every column that is kept, in the order of the source."""
    _refuse_same_names(opened)
    given = {canonical(name): role for name, role in roles.items()}
    problems = [
        Problem(f"has {count} roles, written with different white space or accents", "keep one", column=name)
        for name, count in Counter(map(canonical, roles)).items()
        if count > 1
    ]
    problems += [
        Problem(f"has no such column{did_you_mean(name, opened.names)}", file=opened.where, column=name)
        for name in given
        if name not in opened.names
    ]
    without = [name for name in opened.names if name not in given]
    if without and options.others == "error":
        listed = ", ".join(map(repr, without))
        problems.append(
            Problem(
                f"columns without a role: {listed}",
                'give each a role, or set others = "insensitive" or "drop"',
                file=opened.where,
            )
        )
    if problems:
        raise BadInput(*problems)
    if options.others == "insensitive":
        given.update((name, Insensitive()) for name in without)
    if not given:
        raise BadInput(Problem("no column has a role", "give at least one column a role", file=opened.where))
    return {name: given[name] for name in opened.names if name in given}


def _refuse_same_names(opened: Opened) -> None:
    repeated = sorted(name for name, count in Counter(opened.names).items() if count > 1)
    if repeated:
        listed = ", ".join(map(repr, repeated))
        raise BadInput(Problem(f"has several columns named {listed}", "rename them", file=opened.where))


def _refuse_no_records(raw: Raw) -> None:
    if raw.row_count == 0:
        raise BadInput(Problem("holds no records", "give a file with at least one record", file=raw.where))


def _open(source: Any, options: ReadOptions, formats: _Formats = FORMATS) -> Opened:
    if isinstance(source, DatabaseTable):
        return open_database(source)
    if is_relation(source):
        return open_relation(source)
    if not isinstance(source, str | os.PathLike):
        return open_frame(source)
    path = Path(source)
    if is_in_parts(path) if formats is FORMATS else is_release_in_parts(path):
        return Parts(path, _format_of, lambda part: _open_file(part, options, formats))
    return _open_file(path, options, formats)


def _open_file(path: Path, options: ReadOptions, formats: _Formats) -> Opened:
    _refuse_unreadable(path)
    compressions = OTHER_COMPRESSIONS if formats is FORMATS else ()
    opener = formats[_format_of(path, (".gz", *compressions))]
    with _foreign_errors(str(path)):
        return opener(path, options)


def _format_of(path: Path, compressions: Sequence[str] = (".gz", *OTHER_COMPRESSIONS)) -> str:
    """The ending that tells the format of a file, or of what is compressed in it."""
    ending = path.suffix.lower()
    if ending in compressions:
        inner = Path(content_name(path)).suffix.lower()
        if inner in COMPRESSIBLE:
            return inner
    elif ending in FORMATS:
        return ending
    shown = "".join(path.suffixes[-2:]).lower() or "no ending"
    remedy = f"it takes {' '.join(FORMATS)}, and {' '.join(compressions)} after {' '.join(COMPRESSIBLE)}"
    raise BadInput(Problem(f"cannot tell the format from its ending ({shown})", remedy, file=str(path)))


def _refuse_unreadable(path: Path) -> None:
    if path.is_dir():
        problem = Problem("is a folder", "give a file", file=str(path))
    elif not path.exists():
        problem = Problem("does not exist", "check the path", file=str(path))
    elif not path.is_file():
        problem = Problem("is not a regular file", "save the data to a file first", file=str(path))
    elif path.stat().st_size == 0:
        problem = Problem("is empty", "give a file with records", file=str(path))
    else:
        return
    raise BadInput(problem)


@contextmanager
def _foreign_errors(where: str) -> Iterator[None]:
    """What Arrow and the operating system refuse to read is bad input."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise BadInput(
            Problem(
                f"cannot be read: {reason}", "check that the file is complete and what its ending says", where
            )
        ) from error
