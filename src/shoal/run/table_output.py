"""A release as a table of a database, which appears whole and verified or not at all.

All is done in one transaction: a new table, its rows, reading them back and verifying the promise, and the
new name. A process that is killed or a connection that is lost leaves what was there before.
"""

from __future__ import annotations

import secrets

import pyarrow as pa

from shoal.errors import OutputFailed
from shoal.run.result import Result
from shoal.table.arrow_form import to_arrow
from shoal.table.columns import Sets, Table
from shoal.table.database import (
    DatabaseTable,
    create_release,
    name_parts,
    open_in,
    opened,
    put_in_place,
    quoted,
)


def publish_table(result: Result, target: DatabaseTable) -> None:
    """Write the rows of a release to a new table, verify what stands there, and give it its name."""
    released = result.released
    if not isinstance(released, Table):
        raise OutputFailed("disassociated data are clusters, not a table")
    *schema, _ = name_parts(target.table or "")
    fresh = (*schema, f"shoal_{secrets.token_hex(8)}")
    with opened(target, reading=False) as database:
        texts = {
            name: pa.string()
            for name, column in released.columns.items()
            if isinstance(column, Sets) and not database.can_hold_lists
        }
        create_release(database, fresh, to_arrow(released, texts), target)
        result.refuse_broken_table(open_in(database, DatabaseTable(url=target.url, table=quoted(*fresh))))
        put_in_place(database, fresh, target)
