"""Tables of SQLite, PostgreSQL, DuckDB, MariaDB and MySQL, read and written as Arrow.

    sqlite:///people.sqlite        beside the policy; sqlite:////data/people.sqlite from the root
    duckdb:///people.duckdb        the same
    postgresql://host/hospital     what libpq takes: services, environment variables and password files too
    mysql://host/hospital          see `mysql`

Names are quoted wherever they stand in SQL, and values never stand in it. Data are read in a transaction that
cannot write. Passwords are taken from wherever the driver looks for them, and told to nobody.
"""

from __future__ import annotations

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, MissingExtra, OutputFailed, Problem, ShoalError
from shoal.table.canonical import as_text
from shoal.table.columnar import Typed

SCHEMES = ("duckdb", "mysql", "postgresql", "sqlite")
FILES = ("duckdb", "sqlite")
RELEASE = "a release of Shoal"
_SECRET_KEYS = ("password", "passwd", "pwd", "sslpassword", "token", "motherduck_token", "secret")
_LONGEST_NAME = 63  # bytes, in PostgreSQL
UNIT_SEPARATOR = "\x1f"
_PART = r'"(?:[^"]|"")+"|[^".]+'
_QUOTED_OR_PLAIN = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')


@dataclass(frozen=True, slots=True)
class ChildTable:
    """A table with one row per item: `key` names the record, which has it in its column `parent`."""

    table: str
    key: str
    parent: str
    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseTable:
    """A table or the answer to a query; `sets` are columns of sets that other tables hold.

    `connection` is one that somebody else has opened and closes.
    """

    url: str = field(default="", repr=False)
    table: str | None = None
    query: str | None = field(default=None, repr=False)
    sets: Mapping[str, ChildTable] = field(default_factory=dict)
    connection: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.table is None) == (self.query is None):
            raise BadInput(Problem("give either a table or a query of a database"))
        if self.connection is None:
            scheme_of(self.url)
        if self.table is not None:
            name_parts(self.table)

    @property
    def where(self) -> str:
        """What it is called in messages, without anything by which somebody could log in."""
        what = "a query" if self.table is None else f"table {self.table}"
        if self.connection is not None:
            return what
        split = urlsplit(self.url)
        if split.scheme in FILES:
            return f"{_file_of(self.url)}, {what}"
        host = f"//{split.hostname or ''}" if split.hostname else ""
        return f"{split.scheme}:{host}{split.path}, {what}"

    def __str__(self) -> str:
        return self.where

    def beside(self, folder: Path) -> DatabaseTable:
        """The same with the file of a database relative to a folder."""
        scheme = urlsplit(self.url).scheme
        if scheme not in FILES:
            return self
        return replace(self, url=f"{scheme}:///{quote(str(folder.absolute() / _file_of(self.url)))}")


def scheme_of(url: str) -> str:
    """The kind of database that a URL names; BadInput for others."""
    scheme = url.partition(":")[0].lower()
    scheme = {"postgres": "postgresql", "mariadb": "mysql"}.get(scheme, scheme)
    if "://" not in url or scheme not in SCHEMES:
        what = "the url names no database that Shoal reads"
        raise BadInput(Problem(what, f"it begins with {', '.join(f'{each}://' for each in SCHEMES)}"))
    return scheme


def secrets_in(url: str) -> tuple[str, ...]:
    """The passwords that a URL holds, as they stand there."""
    split = urlsplit(url)
    _, separator, user = split.netloc.rpartition("@")[0].partition(":")
    found = [user] if separator else []
    found += [value for name, value in parse_qsl(split.query) if name.lower() in _SECRET_KEYS]
    return tuple(value for value in found if value)


def name_parts(table: str) -> tuple[str, ...]:
    """The parts of a name such as people, hospital.people or "odd name"; BadInput for anything else."""
    parts = [
        match[1].replace('""', '"') if match[1] is not None else match[2].strip()
        for match in _QUOTED_OR_PLAIN.finditer(table)
    ]
    whole = re.fullmatch(rf"(?:{_PART})(?:\.(?:{_PART}))*", table)
    if not whole or not all(parts) or "\0" in table or len(parts) > 3:
        remedy = 'such as people or hospital.people, and "odd.name" in quotes'
        raise BadInput(Problem(f"{table!r} is no name of a table", remedy))
    return tuple(parts)


def quoted(*parts: str) -> str:
    """A name as SQL writes it, whatever characters it has."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def open_database(source: DatabaseTable) -> Typed:
    """The columns of a table, with sets joined to them by the database."""
    with opened(source, reading=True) as database:
        return read_from(database, source)


def read_from(database: Database, source: DatabaseTable) -> Typed:
    """The same from a database that is open."""
    with _told(source, BadInput):
        for child in source.sets.values():
            database.refuse_unreadable_items(child)
        table = database.read(_selection(database, source))
        for name in source.sets:
            place = table.column_names.index(name)
            table = table.set_column(place, name, database.as_lists(table.column(place)))
        plain = [_plain(column) for column in table.columns]
    return Typed(source.where, pa.table(plain, names=table.column_names))


def open_in(database: Database, source: DatabaseTable) -> DatabaseTable:
    """The same table, seen from within a transaction."""
    return replace(source, connection=database)


def is_connection(source: Any) -> bool:
    """Whether something is a connection to a database that Shoal can ask."""
    kind = type(source)
    return hasattr(source, "cursor") and kind.__module__.startswith(("adbc_driver", "_duckdb", "duckdb"))


def is_relation(source: Any) -> bool:
    """Whether something is a relation of DuckDB."""
    return type(source).__name__ == "DuckDBPyRelation"


def open_relation(source: Any) -> Typed:
    """The columns of a relation of DuckDB."""
    table = source.to_arrow_table()
    return Typed(
        "the relation", pa.table([_plain(column) for column in table.columns], names=table.column_names)
    )


def _selection(database: Database, source: DatabaseTable) -> str:
    base = f"({source.query}\n)" if source.query is not None else quoted(*name_parts(source.table or ""))
    columns, joins = ["p.*"], []
    for place, (name, child) in enumerate(source.sets.items()):
        joined = f"c{place}"
        columns.append(f"{database.or_empty(f'{joined}.items')} AS {quoted(name)}")
        key, item = quoted(child.key), quoted(child.item)
        joins.append(
            f"LEFT JOIN (SELECT {key} AS id, {database.collected(item)} AS items"  # noqa: S608 - names are quoted
            f" FROM {quoted(*name_parts(child.table))} WHERE {item} IS NOT NULL GROUP BY {key}) AS {joined}"
            f" ON {joined}.id = p.{quoted(child.parent)}"
        )
    return f"SELECT {', '.join(columns)} FROM {base} AS p {' '.join(joins)}"  # noqa: S608


class Database(ABC):
    """An open database, in a transaction."""

    can_hold_lists = True

    @abstractmethod
    def read(self, sql: str) -> pa.Table:
        """The answer to a query."""

    @abstractmethod
    def execute(self, sql: str) -> None:
        """Do something that has no answer."""

    @abstractmethod
    def create(self, parts: tuple[str, ...], table: pa.Table) -> None:
        """Make a table with these rows, marked as a release."""

    @abstractmethod
    def remark_of(self, parts: tuple[str, ...]) -> str | None:
        """What is remarked on a table or view, perhaps nothing; None if there is no such table."""

    @abstractmethod
    def commit(self) -> None:
        """Let everybody see what was done."""

    @abstractmethod
    def close(self) -> None:
        """Undo what was not committed, and let go."""

    def collected(self, item: str) -> str:
        """SQL for all items of a group."""
        return f"array_agg(CAST({item} AS text))"

    def or_empty(self, items: str) -> str:
        """SQL for items, of which there may be none."""
        return f"COALESCE({items}, ARRAY[]::text[])"

    def refuse_unreadable_items(self, child: ChildTable) -> None:  # noqa: B027 - most can collect all items
        """Raise BadInput for items that cannot be collected."""

    def as_lists(self, values: pa.ChunkedArray) -> pa.ChunkedArray:
        """What was collected, as lists."""
        return values

    def put(self, parts: tuple[str, ...], wanted: tuple[str, ...]) -> None:
        """Give a new table its name, in the place of one that has it, for everybody to see."""
        if self.remark_of(wanted) is not None:
            self.execute(f"DROP TABLE {quoted(*wanted)}")
        self.execute(f"ALTER TABLE {quoted(*parts)} RENAME TO {quoted(wanted[-1])}")
        self.commit()


class JoinedItems(Database):
    """A database without lists: items come as one text, with a character between that they must not hold."""

    can_hold_lists = False
    text_type = "TEXT"

    def or_empty(self, items: str) -> str:
        """SQL for items, of which there may be none."""
        return items

    def refuse_unreadable_items(self, child: ChildTable) -> None:
        """Raise BadInput for items that cannot be collected."""
        item = f"CAST({quoted(child.item)} AS {self.text_type})"
        sql = (
            f"SELECT 1 AS found FROM {quoted(*name_parts(child.table))}"  # noqa: S608
            f" WHERE {item} = '' OR instr({item}, char({ord(UNIT_SEPARATOR)})) LIMIT 1"
        )
        if self.read(sql).num_rows:
            what = f"an item of table {child.table} is empty or holds the character U+001F"
            raise BadInput(Problem(what, "leave such rows out", column=child.item))

    def as_lists(self, values: pa.ChunkedArray) -> pa.ChunkedArray:
        """What was collected, as lists."""
        whole = pa.concat_arrays(values.cast(pa.string()).chunks)
        lists = pc.split_pattern(whole, pattern=UNIT_SEPARATOR)
        sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        offsets = pa.array(np.concatenate(([0], np.cumsum(sizes))), type=pa.int32())
        return pa.chunked_array([pa.ListArray.from_arrays(offsets, pc.list_flatten(lists))])


class _ThroughAdbc(Database):
    def __init__(self, connection: Any, *, owned: bool = True) -> None:
        self._connection, self._owned = connection, owned

    def read(self, sql: str) -> pa.Table:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    def execute(self, sql: str) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)

    def commit(self) -> None:
        self._connection.commit()

    def close(self) -> None:
        if self._owned:
            self._connection.close()

    def _ingest(self, parts: tuple[str, ...], table: pa.Table, mode: Any) -> None:
        with self._connection.cursor() as cursor:
            schema = {"db_schema_name": parts[-2]} if len(parts) > 1 else {}
            cursor.adbc_ingest(parts[-1], table, mode=mode, **schema)


class _Postgresql(_ThroughAdbc):
    def create(self, parts: tuple[str, ...], table: pa.Table) -> None:
        self._ingest(parts, table, "create")
        self.execute(f"COMMENT ON TABLE {quoted(*parts)} IS '{RELEASE}'")

    def remark_of(self, parts: tuple[str, ...]) -> str | None:
        found = f"to_regclass({literal(quoted(*parts))})"
        answer = self.read(f"SELECT {found}::text AS name, obj_description({found}, 'pg_class') AS remark")
        if answer.column("name")[0].as_py() is None:
            return None
        return answer.column("remark")[0].as_py() or ""


class _Sqlite(_ThroughAdbc, JoinedItems):
    def read(self, sql: str) -> pa.Table:
        with self._connection.cursor() as cursor:
            # It guesses types from its first rows.
            cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(2**16)})
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    def create(self, parts: tuple[str, ...], table: pa.Table) -> None:
        columns = ", ".join(f"{quoted(each.name)} {_sqlite_type(each.type)}" for each in table.schema)
        self.execute(f"CREATE TABLE {quoted(*parts)} (/* {RELEASE} */ {columns})")
        self._ingest(parts, table, "append")

    def remark_of(self, parts: tuple[str, ...]) -> str | None:
        sql = f"SELECT sql FROM sqlite_master WHERE name = {literal(parts[-1])}"  # noqa: S608
        answer = self.read(sql)
        if answer.num_rows == 0:
            return None
        made_by: str = answer.column("sql")[0].as_py() or ""
        return RELEASE if f"(/* {RELEASE} */" in made_by else ""

    def collected(self, item: str) -> str:
        return f"group_concat(CAST({item} AS TEXT), char({ord(UNIT_SEPARATOR)}))"


class _DuckDb(Database):
    def __init__(self, connection: Any, *, owned: bool = True) -> None:
        self._connection, self._owned = connection, owned
        if owned:
            connection.execute("BEGIN TRANSACTION")

    def read(self, sql: str) -> pa.Table:
        return self._connection.sql(sql).to_arrow_table()

    def execute(self, sql: str) -> None:
        self._connection.execute(sql)

    def create(self, parts: tuple[str, ...], table: pa.Table) -> None:
        view = f"shoal_{secrets.token_hex(8)}"
        self._connection.register(view, table)
        try:
            self.execute(f"CREATE TABLE {quoted(*parts)} AS SELECT * FROM {view}")  # noqa: S608
        finally:
            self._connection.unregister(view)
        self.execute(f"COMMENT ON TABLE {quoted(*parts)} IS '{RELEASE}'")

    def remark_of(self, parts: tuple[str, ...]) -> str | None:
        schema = literal(parts[-2]) if len(parts) > 1 else "current_schema()"
        for kind in ("table", "view"):
            found = self.read(
                f"SELECT comment FROM duckdb_{kind}s() WHERE NOT internal AND schema_name = {schema}"  # noqa: S608
                f" AND {kind}_name = {literal(parts[-1])}"
            )
            if found.num_rows:
                return str(found.column("comment")[0].as_py() or "")
        return None

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def close(self) -> None:
        if self._owned:
            self._connection.close()

    def collected(self, item: str) -> str:
        return f"list(CAST({item} AS VARCHAR))"

    def or_empty(self, items: str) -> str:
        return f"COALESCE({items}, []::VARCHAR[])"


@contextmanager
def opened(source: DatabaseTable, *, reading: bool) -> Iterator[Database]:
    """The database of a table, in a transaction that ends with the block."""
    if isinstance(source.connection, Database):
        yield source.connection
        return
    with _told(source, BadInput if reading else OutputFailed):
        database = (
            _of_connection(source.connection)
            if source.connection is not None
            else _connected(source, reading)
        )
    try:
        yield database
    finally:
        with suppress(Exception):  # a connection that is gone has nothing to let go of
            database.close()


def create_release(
    database: Database, parts: tuple[str, ...], table: pa.Table, target: DatabaseTable
) -> None:
    """Make a table with the rows of a release."""
    with _told(target, OutputFailed):
        database.create(parts, table if database.can_hold_lists else _without_lists(table))


def put_in_place(database: Database, parts: tuple[str, ...], target: DatabaseTable) -> None:
    """Give a new table the name of its target, in the place of an earlier release, for everybody to see."""
    with _told(target, OutputFailed):
        database.put(parts, name_parts(target.table or ""))


def refuse_unusable_table(target: DatabaseTable, *, replace: bool) -> None:
    """Say early why a release cannot become this table."""
    parts = name_parts(target.table or "")
    if len(parts[-1].encode()) > _LONGEST_NAME:
        raise BadInput(
            Problem(f"the name of a table has at most {_LONGEST_NAME} bytes", "shorten it", target.where)
        )
    with opened(target, reading=False) as database, _told(target, BadInput):
        remark = database.remark_of(parts)
    if remark is None:
        return
    if remark != RELEASE:
        what = "exists already and was not written by shoal, so it is not replaced"
        raise BadInput(Problem(what, "choose another table", file=target.where))
    if not replace:
        raise BadInput(Problem("exists already", "add --replace, or choose another table", file=target.where))


def _connected(source: DatabaseTable, reading: bool) -> Database:  # noqa: FBT001
    scheme = scheme_of(source.url)
    driver = _driver(scheme)
    if scheme == "mysql":
        from shoal.table.mysql import MySql

        return MySql(driver, source.url, reading=reading)
    if scheme == "postgresql":
        database = _Postgresql(driver.connect(source.url))
        if reading:
            database.execute("SET TRANSACTION READ ONLY")
        return database
    path = _file_of(source.url)
    if reading and not path.is_file():
        raise BadInput(Problem("does not exist", "check the url", file=str(path)))
    if scheme == "duckdb":
        return _DuckDb(driver.connect(str(path), read_only=reading))
    mode = "ro" if reading else "rwc"
    return _Sqlite(driver.connect(f"file:{quote(str(path))}?mode={mode}"))


def _driver(scheme: str) -> Any:
    try:
        if scheme == "duckdb":
            import duckdb

            return duckdb
        if scheme == "sqlite":
            import adbc_driver_sqlite.dbapi

            return adbc_driver_sqlite.dbapi
        if scheme == "mysql":
            import arrow_odbc

            return arrow_odbc
        import adbc_driver_postgresql.dbapi
    except ImportError as error:
        raise MissingExtra(f"reading and writing {scheme}", "db") from error
    except OSError as error:
        what = f"ODBC cannot be loaded: {error}"
        raise BadInput(Problem(what, "install it (Debian: apt install odbc-mariadb unixodbc)")) from error
    return adbc_driver_postgresql.dbapi


def _of_connection(connection: Any) -> Database:
    if not type(connection).__module__.startswith("adbc_driver"):
        return _DuckDb(connection, owned=False)
    vendor = str(connection.adbc_get_info().get("vendor_name", "")).lower()
    kinds: dict[str, type[_ThroughAdbc]] = {"postgresql": _Postgresql, "sqlite": _Sqlite}
    if vendor not in kinds:
        raise BadInput(Problem(f"connections to {vendor} are not known", "give a url"))
    return kinds[vendor](connection, owned=False)


@contextmanager
def _told(source: DatabaseTable, kind: type[BadInput] | type[OutputFailed]) -> Iterator[None]:
    """What a driver refuses, in a sentence without passwords."""
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:  # noqa: BLE001 - drivers have families of errors of their own
        reason = " ".join(str(error).split())
        for secret in secrets_in(source.url):
            for spelling in (secret, unquote(secret)):
                reason = reason.replace(spelling, "***")
        if kind is OutputFailed:
            raise OutputFailed(f"{source.where}: the database refuses: {reason}") from None
        raise BadInput(
            Problem(f"the database refuses: {reason}", "check url, table or query", source.where)
        ) from None


def _file_of(url: str) -> Path:
    return Path(unquote(url.partition("://")[2].removeprefix("/").partition("?")[0]))


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _sqlite_type(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "INTEGER"
    return "REAL" if pa.types.is_floating(kind) else "TEXT"


def _without_lists(table: pa.Table) -> pa.Table:
    """Columns as numbers and texts, which is all that some databases have."""
    columns = [
        column
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        else pa.chunked_array([as_text(chunk) for chunk in column.chunks], type=pa.string())
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without what drivers note about types that Arrow lacks: such values are texts."""
    if str(column.type) == "extension<arrow.uuid>":
        return pa.chunked_array([_uuid_texts(chunk.storage) for chunk in column.chunks], type=pa.string())
    if isinstance(column.type, pa.BaseExtensionType):
        return pa.chunked_array([chunk.storage for chunk in column.chunks], type=column.type.storage_type)
    return column


def _uuid_texts(values: pa.FixedSizeBinaryArray) -> pa.StringArray:
    """The texts of UUIDs: 32 hexadecimal digits with dashes between."""
    raw = np.frombuffer(pa.concat_arrays([values.fill_null(bytes(16))]).buffers()[1], np.uint8)
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    rows = raw[: 16 * len(values)].reshape(-1, 16)
    hexadecimal = digits[np.stack((rows >> 4, rows & 15), axis=2)].reshape(-1, 32)
    texts = np.insert(hexadecimal, (8, 12, 16, 20), ord("-"), axis=1)
    found = pa.array(np.ascontiguousarray(texts).view("S36").ravel()).cast(pa.string())
    return pc.if_else(values.is_valid(), found, None)
