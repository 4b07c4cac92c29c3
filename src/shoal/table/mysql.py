"""Tables of MariaDB and MySQL, read and written as Arrow through ODBC.

    mysql://host/hospital          with ?socket=..., ?driver=NAME of an ODBC driver, and a port after the host

Statements that make or rename a table end a transaction there. So a release is filled and read back in a
table of its own before anybody sees its rows, and gets its name in one statement; who made that table holds a
lock, by which a later run knows what a killed one left.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, Problem
from shoal.table.database import RELEASE, UNIT_SEPARATOR, JoinedItems, literal, quoted

_DRIVER = "MariaDB Unicode"
_PASSWORD = "MYSQL_PWD"  # noqa: S105 - a variable of the environment
_USUAL_TEXT, _LONGEST_TEXT, _LONGEST_LETTER = 2**10, 2**20, 4  # bytes
_BATCH_BYTES = 2**26
_CUT_OFF = ("too large to be written into the allocated buffer", "returned invalid UTF-8")
_LONGEST_CELL = 255  # characters that a column of limited length gets
# Names in double quotes, and no escapes in texts, as in other databases; nothing is cut off or made fit.
_STANDARD = "ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION"
_OWN_NAMES = "^shoal_[0-9a-f]{16}(_old)?$"


class MySql(JoinedItems):
    """A database of MariaDB or MySQL, in a transaction."""

    text_type = "CHAR"

    def __init__(self, driver: Any, url: str, *, reading: bool) -> None:
        self._connection = driver.connect(_connection_words(url), autocommit=False)
        self._made: str | None = None
        self.execute(f"SET SESSION sql_mode = '{_STANDARD}'")
        self.execute(f"SET SESSION group_concat_max_len = {_LONGEST_TEXT}")
        if reading:
            self.execute("START TRANSACTION READ ONLY")

    def read(self, sql: str) -> pa.Table:
        """The answer to a query."""
        # Room for the longest cell is taken for every row of a batch, so that much of it is taken if need be.
        for room in (_USUAL_TEXT, _LONGEST_TEXT):
            table = self._read(sql, room)
            if table is not None:
                return table
        what = (
            f"a text, or the items of a record, take more than {_LONGEST_TEXT:,} bytes, or are not in UTF-8"
        )
        raise BadInput(Problem(what, "leave such records out"))

    def _read(self, sql: str, room: int) -> pa.Table | None:
        """The answer to a query; None if a text may have been cut off, which not every driver tells."""
        try:
            batches = self._connection.read_arrow_batches(
                sql, max_text_size=room, max_bytes_per_batch=_BATCH_BYTES, fetch_concurrently=False
            )
            table = pa.Table.from_batches(batches, schema=batches.schema)
        except Exception as error:
            if not any(words in str(error) for words in _CUT_OFF):
                raise
            return None
        texts = (column for column in table.columns if pa.types.is_string(column.type))
        longest = max((pc.max(pc.binary_length(column)).as_py() or 0 for column in texts), default=0)
        return table if longest <= room - _LONGEST_LETTER else None

    def execute(self, sql: str) -> None:
        """Do something that has no answer."""
        self._connection.execute(sql)

    def create(self, parts: tuple[str, ...], table: pa.Table) -> None:
        """Make a table with these rows, which nobody else sees before `commit`."""
        self._remove_leftovers(parts)
        columns = ", ".join(f"{quoted(name)} {_type_of(table.column(name))}" for name in table.column_names)
        lock = f"SELECT GET_LOCK({literal(parts[-1])}, 0) AS got"
        if self.read(lock).column("got")[0].as_py() != 1:
            raise OSError(f"the table {parts[-1]} is in use")
        self.execute(
            f"CREATE TABLE {quoted(*parts)} ({columns}) ENGINE = InnoDB CHARACTER SET utf8mb4"
            f" COLLATE utf8mb4_bin COMMENT = {literal(RELEASE)}"
        )
        self._made = quoted(*parts)
        # The driver puts names of columns between quotes as they are.
        inside = [name.replace('"', '""') for name in table.column_names]
        self._connection.from_table_to_db(table.rename_columns(inside), self._made, chunk_size=10_000)

    def remark_of(self, parts: tuple[str, ...]) -> str | None:
        """What is remarked on a table or view, perhaps nothing; None if there is no such table."""
        found = self.read(
            "SELECT table_comment AS remark FROM information_schema.tables"  # noqa: S608 - literals
            f" WHERE table_schema = {_schema(parts)} AND table_name = {literal(parts[-1])}"
        )
        return str(found.column("remark")[0].as_py() or "") if found.num_rows else None

    def put(self, parts: tuple[str, ...], wanted: tuple[str, ...]) -> None:
        """Give a new table its name, and drop the one that had it."""
        self.commit()
        new, final, retired = quoted(*parts), quoted(*wanted), (*parts[:-1], f"{parts[-1]}_old")
        if self.remark_of(wanted) is None:
            self.execute(f"RENAME TABLE {new} TO {final}")
        else:
            self.execute(f"RENAME TABLE {final} TO {quoted(*retired)}, {new} TO {final}")
            self.execute(f"DROP TABLE IF EXISTS {quoted(*retired)}")
        self._made = None

    def commit(self) -> None:
        """Let everybody see the rows that were written."""
        self._connection.commit()

    def close(self) -> None:
        """Undo what was not given its name, and let go."""
        try:
            self._connection.rollback()
            if self._made is not None:
                self.execute(f"DROP TABLE IF EXISTS {self._made}")
        finally:
            del self._connection

    def collected(self, item: str) -> str:
        """SQL for all items of a group."""
        return f"GROUP_CONCAT(CAST({item} AS CHAR) SEPARATOR '{UNIT_SEPARATOR}')"

    def _remove_leftovers(self, parts: tuple[str, ...]) -> None:
        """Drop tables that runs left which were killed: their locks went with them."""
        found = self.read(
            "SELECT table_name AS name FROM information_schema.tables"  # noqa: S608 - literals
            f" WHERE table_schema = {_schema(parts)} AND table_comment = {literal(RELEASE)}"
            f" AND table_name REGEXP {literal(_OWN_NAMES)} AND IS_FREE_LOCK(table_name)"
        )
        for name in found.column("name").to_pylist():
            self.execute(f"DROP TABLE IF EXISTS {quoted(*parts[:-1], name)}")


def _connection_words(url: str) -> str:
    """What ODBC is told about a connection."""
    split = urlsplit(url)
    given = {name: values[-1] for name, values in parse_qs(split.query).items()}
    if unknown := sorted(given.keys() - {"driver", "socket"}):
        raise BadInput(Problem(f"the url has an option {unknown[0]!r}", "it takes driver and socket"))
    told = {
        "Driver": given.get("driver", _DRIVER),
        "SERVER": split.hostname,
        "PORT": split.port,
        "SOCKET": given.get("socket"),
        "CHARSET": "utf8mb4",
        "DATABASE": unquote(split.path.lstrip("/")),
        "UID": split.username and unquote(split.username),
        "PWD": unquote(split.password) if split.password else os.environ.get(_PASSWORD),
    }
    return ";".join(f"{name}={_braced(str(value))}" for name, value in told.items() if value)


def _braced(value: str) -> str:
    return "{" + value.replace("}", "}}") + "}"


def _schema(parts: tuple[str, ...]) -> str:
    return literal(parts[-2]) if len(parts) > 1 else "DATABASE()"


def _type_of(column: pa.ChunkedArray) -> str:
    if pa.types.is_integer(column.type):
        return "BIGINT"
    if pa.types.is_floating(column.type):
        return "DOUBLE"
    longest = pc.max(pc.utf8_length(column)).as_py() or 1
    return f"VARCHAR({longest})" if longest <= _LONGEST_CELL else "LONGTEXT"
