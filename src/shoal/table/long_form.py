"""Tables with one (subject, item) pair per row, which become one set per subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Bools, Ints, starts_of
from shoal.table.canonical import MissingTokens, as_text, canonical_text
from shoal.table.columns import Column, Table
from shoal.table.options import LongForm
from shoal.table.raw import Raw
from shoal.table.roles import Identifier, QuasiSet, Role
from shoal.table.set_lines import ITEMS
from shoal.table.subjects import by_first_appearance, unite


def roles_of_long_form(roles: Mapping[str, Role], long: LongForm) -> dict[str, Role]:
    """The roles of the columns of the source, given those of the table that it becomes."""
    role = roles.get(ITEMS)
    if not isinstance(role, QuasiSet):
        raise BadInput(
            Problem("a table of (id, item) pairs becomes sets", "give this column a set role", column=ITEMS)
        )
    others = {name: other for name, other in roles.items() if name not in (ITEMS, long.id)}
    return {long.id: Identifier(), long.item: role, **others}


def as_one_item_sets(long: LongForm) -> Callable[[Raw], Raw]:
    """Make each cell of the item column a list of one, so that items may contain any character."""

    def prepared(raw: Raw) -> Raw:
        place = raw.table.schema.get_field_index(long.item)
        lists = [_lists_of_one(chunk) for chunk in raw.table.column(place).chunks]
        return replace(raw, table=raw.table.set_column(place, long.item, lists))

    return prepared


def one_record_per_id(
    table: Table, roles: Mapping[str, Role], long: LongForm
) -> tuple[Table, dict[str, Role]]:
    """Unite the items of each subject, drop the subject, and call the sets `items`."""
    if long.item != ITEMS and ITEMS in roles:
        what = f"the sets made of {long.item!r} would have the name of another column"
        raise BadInput(Problem(what, "drop or rename that column", column=ITEMS))
    united = unite(table, long.id, roles)
    columns: dict[str, Column] = {
        _renamed(name, long): column for name, column in united.columns.items() if name != long.id
    }
    kept = {_renamed(name, long): role for name, role in roles.items() if name != long.id}
    return Table.of(columns, united.row_count), kept


def gathered(raw: pa.Table, long: LongForm, missing: MissingTokens) -> pa.Table:
    """The source at a glance, one row per subject: the list of its items, and the first of its other values.

    As for people elsewhere, a row without an id is a subject of its own. A column with the name of the sets
    is not seen; it could only be left out.
    """
    first_row, subject_of_row = by_first_appearance(_numbered(raw.column(long.id), missing))
    items = as_text(raw.column(long.item).combine_chunks())
    held = np.flatnonzero(~_absent(items, missing))
    by_subject = held[np.argsort(subject_of_row[held], kind="stable")]
    starts = starts_of(np.bincount(subject_of_row[held], minlength=len(first_row)))
    lists = pa.ListArray.from_arrays(pa.array(starts, type=pa.int32()), items.take(pa.array(by_subject)))
    others = [name for name in raw.column_names if name not in (long.id, long.item, ITEMS)]
    return pa.table({ITEMS: lists, **{name: raw.column(name).take(pa.array(first_row)) for name in others}})


def _numbered(ids: pa.ChunkedArray, missing: MissingTokens) -> Ints:
    texts = canonical_text(as_text(ids.combine_chunks()))
    codes = texts.dictionary_encode().indices.fill_null(0).to_numpy().astype(np.int64)
    numbers: Ints = np.where(_absent(texts, missing), len(codes) + np.arange(len(codes)), codes)
    return numbers


def _absent(texts: pa.StringArray, missing: MissingTokens) -> Bools:
    is_missing = pc.is_in(canonical_text(texts), value_set=missing.texts)
    absent: Bools = pc.or_(pc.is_null(texts), is_missing).to_numpy(zero_copy_only=False)
    return absent


def _renamed(name: str, long: LongForm) -> str:
    return ITEMS if name == long.item else name


def _lists_of_one(values: pa.Array) -> pa.ListArray:
    offsets = pa.array(np.arange(len(values) + 1, dtype=np.int32))
    return pa.ListArray.from_arrays(offsets, values)
