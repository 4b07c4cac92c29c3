"""Changes to published files and to certificates, each of which somebody could make. Nothing of Shoal."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName

from tests.campaign.case import Case, text_of

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Mutated:
    """A changed file or certificate, and what was done to it."""

    what: str
    content: bytes


class NothingToDo(Exception):
    """This change is not possible here."""


# ------------------------------------------------------------------------------------------ whole tables


@dataclass
class Table:
    """A published table that can be changed and written again."""

    names: list[str]
    rows: Rows


def mutate_file(rng: random.Random, case: Case, path: Path) -> Mutated:
    """One random change of a published file."""
    content = path.read_bytes()
    clusters = case.model == "disassociation"
    for _ in range(20):
        kind = rng.random()
        try:
            if kind < 0.1:
                return _damaged(rng, content)
            if kind < 0.25:
                return _carrying_more(rng, path.name, content)
            if clusters:
                return _other_clusters(rng, path.name, content)
            return _other_table(rng, case, path.name, content)
        except NothingToDo:
            continue
    return _damaged(rng, content)


def _other_table(rng: random.Random, case: Case, name: str, content: bytes) -> Mutated:
    form = _form(name)
    table = form.load(_plain(name, content), case)
    change = rng.choice(TABLE_CHANGES)
    change(rng, case, table)
    return Mutated(change.__name__.strip("_"), _packed(name, form.dump(table)))


def _a_row(rng: random.Random, table: Table) -> dict[str, Any]:
    if not table.rows:
        raise NothingToDo
    return rng.choice(table.rows)


def _a_cell(
    rng: random.Random, case: Case, table: Table, *, sets: bool = False
) -> tuple[dict[str, Any], str]:
    shown = {column.name: column for column in case.columns}
    names = [name for name in table.names if name in shown and shown[name].is_set == sets]
    if not names:
        raise NothingToDo
    return _a_row(rng, table), rng.choice(names)


def _change_a_value(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table)
    others = [other[name] for other in table.rows if other[name] != row[name]]
    row[name] = rng.choice(others) if others and rng.random() < 0.7 else "something new"


def _show_an_original(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table)
    value = rng.choice(case.rows)[name]
    row[name] = None if value is None else text_of(value)


def _empty_a_value(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table)
    row[name] = rng.choice((None, ""))


def _delete_a_row(rng: random.Random, case: Case, table: Table) -> None:
    table.rows.remove(_a_row(rng, table))


def _delete_many_rows(rng: random.Random, case: Case, table: Table) -> None:
    del table.rows[rng.randint(0, 3) :]


def _duplicate_a_row(rng: random.Random, case: Case, table: Table) -> None:
    table.rows.append(dict(_a_row(rng, table)))


def _duplicate_all_rows(rng: random.Random, case: Case, table: Table) -> None:
    table.rows += [dict(row) for row in table.rows]


def _swap_values(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table)
    other = _a_row(rng, table)
    row[name], other[name] = other[name], row[name]


def _space_after_a_value(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table)
    row[name] = f"{'' if row[name] is None else row[name]} "


def _another_normal_form(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table)
    if not isinstance(row[name], str) or unicodedata.normalize("NFD", row[name]) == row[name]:
        raise NothingToDo
    row[name] = unicodedata.normalize("NFD", row[name])


def _another_type(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table)
    value = row[name]
    if isinstance(value, str):
        try:
            row[name] = float(value) if "." in value else int(value)
        except ValueError:
            raise NothingToDo from None
    elif value is None:
        row[name] = ""
    else:
        row[name] = str(value)


def _items(case: Case, name: str, cell: Any) -> list[Any]:
    if isinstance(cell, list):
        return list(cell)
    return [item for item in str(cell or "").split(case.column(name).separator) if item]


def _as_cell(case: Case, name: str, items: list[Any], like: Any) -> Any:
    if isinstance(like, list):
        return items
    return case.column(name).separator.join(map(str, items))


def _add_an_item(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table, sets=True)
    held = [item for other in table.rows for item in _items(case, name, other[name])]
    item = rng.choice(held) if held and rng.random() < 0.8 else "brandnew"
    row[name] = _as_cell(case, name, [*_items(case, name, row[name]), item], row[name])


def _remove_an_item(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table, sets=True)
    items = _items(case, name, row[name])
    if not items:
        raise NothingToDo
    items.remove(rng.choice(items))
    row[name] = _as_cell(case, name, items, row[name])


def _move_an_item(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table, sets=True)
    other, items = _a_row(rng, table), _items(case, name, row[name])
    if not items or other is row:
        raise NothingToDo
    moved = items.pop(rng.randrange(len(items)))
    row[name] = _as_cell(case, name, items, row[name])
    other[name] = _as_cell(case, name, [*_items(case, name, other[name]), moved], other[name])


def _give_all_a_sensitive_item(rng: random.Random, case: Case, table: Table) -> None:
    for column in case.columns:
        if column.sensitive_items and column.name in table.names:
            secret = sorted(column.sensitive_items)[0]
            for row in table.rows:
                items = _items(case, column.name, row[column.name])
                if secret not in items:
                    row[column.name] = _as_cell(case, column.name, [*items, secret], row[column.name])
            return
    raise NothingToDo


def _null_for_a_set(rng: random.Random, case: Case, table: Table) -> None:
    row, name = _a_cell(rng, case, table, sets=True)
    row[name] = None


def _add_a_column(rng: random.Random, case: Case, table: Table) -> None:
    name = rng.choice(("extra", *(column.name for column in case.columns if column.name not in table.names)))
    table.names.append(name)
    for place, row in enumerate(table.rows):
        row[name] = f"P{place:03}"


def _drop_a_column(rng: random.Random, case: Case, table: Table) -> None:
    if len(table.names) < 2:
        raise NothingToDo
    table.names.remove(rng.choice(table.names))


def _rename_a_column(rng: random.Random, case: Case, table: Table) -> None:
    place = rng.randrange(len(table.names))
    old = table.names[place]
    table.names[place] = rng.choice((f"{old}x", old.upper() if old.upper() != old else f"{old}2"))
    for row in table.rows:
        row[table.names[place]] = row.pop(old)


def _reorder_columns(rng: random.Random, case: Case, table: Table) -> None:
    if len(table.names) < 2:
        raise NothingToDo
    table.names.reverse()


def _shuffle_rows(rng: random.Random, case: Case, table: Table) -> None:
    rng.shuffle(table.rows)


TABLE_CHANGES: tuple[Callable[[random.Random, Case, Table], None], ...] = (
    _change_a_value,
    _change_a_value,
    _show_an_original,
    _show_an_original,
    _empty_a_value,
    _delete_a_row,
    _delete_many_rows,
    _duplicate_a_row,
    _duplicate_all_rows,
    _swap_values,
    _space_after_a_value,
    _another_normal_form,
    _another_type,
    _add_an_item,
    _add_an_item,
    _remove_an_item,
    _move_an_item,
    _give_all_a_sensitive_item,
    _null_for_a_set,
    _add_a_column,
    _drop_a_column,
    _rename_a_column,
    _reorder_columns,
    _shuffle_rows,
)


# ------------------------------------------------------------------------------------------------- forms


@dataclass(frozen=True)
class _Form:
    load: Callable[[bytes, Case], Table]
    dump: Callable[[Table], bytes]


def _plain(name: str, content: bytes) -> bytes:
    return gzip.decompress(content) if name.endswith(".gz") else content


def _packed(name: str, content: bytes) -> bytes:
    return gzip.compress(content, mtime=0) if name.endswith(".gz") else content


def _form(name: str) -> _Form:
    return _FORMS[Path(name.removesuffix(".gz")).suffix]


def _delimited(delimiter: str) -> _Form:
    def load(content: bytes, _: Case) -> Table:
        names, *cells = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter)
        return Table(names, [dict(zip(names, record or [""], strict=True)) for record in cells])

    def dump(table: Table) -> bytes:
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
        writer.writerow(table.names)
        writer.writerows([["" if row[n] is None else row[n] for n in table.names] for row in table.rows])
        return buffer.getvalue().encode()

    return _Form(load, dump)


def _load_lines(content: bytes, case: Case) -> Table:
    name = next(column.name for column in case.columns if column.is_set)
    lines = content.decode().split("\n")[:-1]
    return Table([name], [{name: line} for line in lines])


def _dump_lines(table: Table) -> bytes:
    if len(table.names) != 1:
        raise NothingToDo
    return "".join(f"{row[table.names[0]] or ''}\n" for row in table.rows).encode()


def _load_json(content: bytes, _: Case) -> Table:
    rows = [json.loads(line) for line in content.decode().split("\n") if line]
    return Table(list(rows[0]) if rows else [], rows)


def _dump_json(table: Table) -> bytes:
    lines = [{name: row[name] for name in table.names} for row in table.rows]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def _load_parquet(content: bytes, _: Case) -> Table:
    table = pq.ParquetFile(pa.BufferReader(content)).read()
    return Table(table.column_names, table.to_pylist())


def _load_arrow(content: bytes, _: Case) -> Table:
    table = pa.ipc.open_file(pa.BufferReader(content)).read_all()
    return Table(table.column_names, table.to_pylist())


def _as_arrow(table: Table) -> pa.Table:
    try:
        columns = [pa.array([row[name] for row in table.rows]) for name in table.names]
    except (pa.ArrowException, TypeError):
        raise NothingToDo from None
    return pa.table(columns, names=table.names)


def _dump_parquet(table: Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(_as_arrow(table), sink)
    return sink.getvalue()


def _dump_arrow(table: Table) -> bytes:
    made, sink = _as_arrow(table), io.BytesIO()
    with pa.ipc.new_file(sink, made.schema) as writer:
        writer.write_table(made)
    return sink.getvalue()


def _load_workbook(content: bytes, _: Case) -> Table:
    sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
    names, *rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    return Table(
        [str(name) for name in names], [dict(zip(map(str, names), row, strict=True)) for row in rows]
    )


def _dump_workbook(table: Table) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for place, name in enumerate(table.names, start=1):
        for line, value in enumerate([name, *(row[name] for row in table.rows)], start=1):
            cell = sheet.cell(line, place)
            if value is not None:
                cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"
    return _saved(book)


def _saved(book: openpyxl.Workbook) -> bytes:
    from datetime import datetime

    book.properties.created = book.properties.modified = datetime(2000, 1, 1)
    sink = io.BytesIO()
    book.save(sink)
    return without_times(sink.getvalue())


def without_times(content: bytes) -> bytes:
    """The same archive, whose members do not tell when they were made."""
    import zipfile

    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(sink, "w") as new:
        for member in old.infolist():
            data = old.read(member)
            if member.filename == "docProps/core.xml":
                import re

                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2000-01-01T00:00:00Z", data)
            new.writestr(zipfile.ZipInfo(member.filename), data, zipfile.ZIP_DEFLATED)
    return sink.getvalue()


_FORMS: dict[str, _Form] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".txt": _Form(_load_lines, _dump_lines),
    ".dat": _Form(_load_lines, _dump_lines),
    ".jsonl": _Form(_load_json, _dump_json),
    ".parquet": _Form(_load_parquet, _dump_parquet),
    ".arrow": _Form(_load_arrow, _dump_arrow),
    ".xlsx": _Form(_load_workbook, _dump_workbook),
}


# ------------------------------------------------------------------------------- damage, and things beside


def _damaged(rng: random.Random, content: bytes) -> Mutated:
    how = rng.choice(("truncated", "flipped", "appended", "zeroed"))
    place = rng.randrange(len(content)) if content else 0
    if how == "truncated":
        return Mutated(how, content[:place])
    if how == "appended":
        return Mutated(how, content + rng.choice((b"\0", b"x", b"\n\n", b"{}", content[:20])))
    changed = bytearray(content)
    for _ in range(rng.randint(1, 3) if content else 0):
        place = rng.randrange(len(changed))
        changed[place] = 0 if how == "zeroed" else changed[place] ^ (1 << rng.randrange(8))
    return Mutated(how, bytes(changed))


def _carrying_more(rng: random.Random, name: str, content: bytes) -> Mutated:
    if name.endswith(".gz"):
        return _telling_gzip(rng, content)
    suffix = Path(name).suffix
    if suffix == ".xlsx":
        return _richer_workbook(rng, content)
    if suffix == ".parquet":
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        sink = io.BytesIO()
        pq.write_table(_with_metadata(rng, table), sink)
        return Mutated("metadata", sink.getvalue())
    if suffix == ".arrow":
        table = _with_metadata(rng, pa.ipc.open_file(pa.BufferReader(content)).read_all())
        sink = io.BytesIO()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        return Mutated("metadata", sink.getvalue())
    raise NothingToDo


def _with_metadata(rng: random.Random, table: pa.Table) -> pa.Table:
    raw = {"raw": "Bob, 77, 9999"}
    there = dict(table.schema.metadata or {})
    if b"shoal.codebook" in there and rng.random() < 0.5:
        return table.replace_schema_metadata({**there, b"shoal.codebook": _with_another_label(rng, there)})
    if rng.random() < 0.5:
        return table.replace_schema_metadata({**there, **raw})
    first = table.schema.field(0).with_metadata(raw)
    return table.cast(table.schema.set(0, first))


def _with_another_label(rng: random.Random, metadata: dict[bytes, bytes]) -> bytes:
    codebook = json.loads(metadata[b"shoal.codebook"])
    books = [about["labels"] for about in codebook["columns"].values() if about.get("labels")]
    if not books:
        raise NothingToDo
    labels = rng.choice(books)
    labels["Bob, 77, 9999"] = next(iter(labels.values()))
    return json.dumps(codebook, separators=(",", ":"), ensure_ascii=False).encode()


def _telling_gzip(rng: random.Random, content: bytes) -> Mutated:
    plain, sink = gzip.decompress(content), io.BytesIO()
    named = rng.random() < 0.5
    with gzip.GzipFile(
        "bob.csv" if named else "", "wb", fileobj=sink, mtime=0 if named else 1_700_000_000
    ) as file:
        file.write(plain)
    return Mutated("gzip name" if named else "gzip time", sink.getvalue())


def _richer_workbook(rng: random.Random, content: bytes) -> Mutated:
    book = openpyxl.load_workbook(io.BytesIO(content))
    sheet = book.worksheets[0]
    what = rng.choice(
        ("hidden sheet", "very hidden sheet", "comment", "defined name", "property", "hidden row", "link")
    )
    if what.endswith("sheet"):
        hidden = book.create_sheet("raw")
        hidden.sheet_state = "veryHidden" if what.startswith("very") else "hidden"
        hidden.append(["Bob", 77])
    elif what == "comment":
        sheet["A2"].comment = Comment("Bob, 77", "x")
    elif what == "defined name":
        book.defined_names["raw"] = DefinedName("raw", attr_text='"Bob, 77"')
    elif what == "property":
        book.properties.description = "Bob, 77"
    elif what == "link":
        sheet["A1"].hyperlink = "http://example.org/?bob=77"
    else:
        sheet.row_dimensions[1].hidden = True
    return Mutated(what, _saved(book))


# ------------------------------------------------------------------------------------------- clusters


def _other_clusters(rng: random.Random, name: str, content: bytes) -> Mutated:
    if name.endswith(".parquet"):
        table = _load_parquet(content, None)  # type: ignore[arg-type]
        row = _a_row(rng, table)
        change = rng.choice(("delete", "size", "term", "chunk", "duplicate"))
        if change == "delete":
            table.rows.remove(row)
        elif change == "duplicate":
            table.rows.append(dict(row))
        elif change == "term":
            row["term"] = rng.choice(table.rows)["term"]
        else:
            row[change] = None if change == "chunk" else (row["size"] or 0) + rng.choice((-1, 1))
        schema = pq.ParquetFile(pa.BufferReader(content)).schema_arrow
        sink = io.BytesIO()
        try:
            pq.write_table(pa.Table.from_pylist(table.rows, schema=schema), sink)
        except pa.ArrowException:
            raise NothingToDo from None
        return Mutated(f"flat clusters: {change}", sink.getvalue())
    clusters = [json.loads(line) for line in _plain(name, content).decode().split("\n") if line]
    what = rng.choice(_CLUSTER_CHANGES)
    what(rng, clusters)
    lines = "".join(json.dumps(cluster, ensure_ascii=False) + "\n" for cluster in clusters)
    return Mutated(f"clusters: {what.__name__.strip('_')}", _packed(name, lines.encode()))


def _simple(clusters: Sequence[Any]) -> list[Any]:
    found = []
    for cluster in clusters:
        found += _simple(cluster["children"]) if "children" in cluster else [cluster]
    return found


def _a_chunk(rng: random.Random, clusters: Sequence[Any]) -> list[Any]:
    chunks = [chunk["subrecords"] for cluster in _simple(clusters) for chunk in cluster["chunks"]]
    chunks += [chunk["subrecords"] for cluster in clusters for chunk in cluster.get("shared", ())]
    if not chunks:
        raise NothingToDo
    chosen: list[Any] = rng.choice(chunks)
    return chosen


def _delete_a_subrecord(rng: random.Random, clusters: list[Any]) -> None:
    chunk = _a_chunk(rng, clusters)
    chunk.remove(rng.choice(chunk))


def _delete_a_term(rng: random.Random, clusters: list[Any]) -> None:
    rng.choice(_a_chunk(rng, clusters)).pop()


def _repeat_a_subrecord(rng: random.Random, clusters: list[Any]) -> None:
    chunk = _a_chunk(rng, clusters)
    chunk.append(list(rng.choice(chunk)))


def _change_a_size(rng: random.Random, clusters: list[Any]) -> None:
    rng.choice([*_simple(clusters), *clusters])["size"] += rng.choice((-1, 1, -3))


def _empty_a_term_chunk(rng: random.Random, clusters: list[Any]) -> None:
    with_terms = [cluster for cluster in _simple(clusters) if cluster["terms"]]
    if not with_terms:
        raise NothingToDo
    rng.choice(with_terms)["terms"] = []


def _term_into_another_chunk(rng: random.Random, clusters: list[Any]) -> None:
    chunk = _a_chunk(rng, clusters)
    cluster = rng.choice(_simple(clusters))
    cluster["terms"] = [*cluster["terms"], rng.choice(rng.choice(chunk))]


def _terms_as_a_chunk(rng: random.Random, clusters: list[Any]) -> None:
    with_terms = [cluster for cluster in _simple(clusters) if cluster["terms"]]
    if not with_terms:
        raise NothingToDo
    cluster = rng.choice(with_terms)
    cluster["chunks"].append({"subrecords": [[cluster["terms"].pop()]]})


def _another_key(rng: random.Random, clusters: list[Any]) -> None:
    rng.choice(clusters)["note"] = "Bob, 77"


def _delete_a_cluster(rng: random.Random, clusters: list[Any]) -> None:
    clusters.remove(rng.choice(clusters))


def _space_after_a_term(rng: random.Random, clusters: list[Any]) -> None:
    subrecord = rng.choice(_a_chunk(rng, clusters))
    subrecord[0] = f"{subrecord[0]} "


_CLUSTER_CHANGES: tuple[Callable[[random.Random, list[Any]], None], ...] = (
    _delete_a_subrecord,
    _delete_a_term,
    _repeat_a_subrecord,
    _change_a_size,
    _empty_a_term_chunk,
    _term_into_another_chunk,
    _terms_as_a_chunk,
    _another_key,
    _delete_a_cluster,
    _space_after_a_term,
)


# ------------------------------------------------------------------------------------------ certificates

ODD_VALUES: tuple[Any, ...] = (
    "1/0",
    "0/1",
    "-1/2",
    "nan",
    "1e999",
    10**400,
    -1,
    0,
    1e308,
    True,
    None,
    "",
    "\u202e",
    "a\0b",
    [],
    {},
    [[[[[]]]]],
    {"k": {"k": {"k": 1}}},
    "x" * 10_000,
)


@dataclass(frozen=True)
class MutatedCertificate:
    """A changed certificate; `other` says whether it states something else than the true one."""

    what: str
    text: str
    other: bool


def sealed(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with the digest of what it says now: anybody can compute that."""
    if not isinstance(certificate.get("digest"), str):
        return certificate
    others = {name: value for name, value in certificate.items() if name != "digest"}
    text = json.dumps(others, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {**others, "digest": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}


def mutate_certificate(rng: random.Random, text: str) -> MutatedCertificate:
    """One random change of a certificate."""
    kind = rng.random()
    if kind < 0.08:
        return _damaged_text(rng, text)
    certificate = json.loads(text)
    if kind < 0.13:
        return MutatedCertificate(
            "reordered", json.dumps(_reordered(rng, certificate), indent=1), other=False
        )
    places = list(_places(certificate))
    place = rng.choice(places)
    if kind < 0.55:
        what, value = _rewritten(rng, certificate, place)
    elif kind < 0.75:
        what, value = "deleted", None
        _delete(certificate, place)
    elif kind < 0.85:
        what, value = "added", "Bob"
        _parent(certificate, place, adding=True)
    else:
        what, value = "odd", rng.choice(ODD_VALUES)
        if _get(certificate, place) == value and type(_get(certificate, place)) is type(value):
            value = "odd"
        _set(certificate, place, value)
    if place[0] != "digest" and rng.random() < 0.8:
        certificate = sealed(certificate)
    shown = ".".join("#" if isinstance(part, int) else part for part in place)
    changed = json.dumps(certificate, indent=2, ensure_ascii=False)
    # How items are separated matters only where a cell holds several of them as text.
    other = json.loads(text) != certificate and place[-1] != "separator"
    return MutatedCertificate(f"{what} {shown}", changed, other=other)


def _damaged_text(rng: random.Random, text: str) -> MutatedCertificate:
    how = rng.choice(("truncated", "NaN", "deep", "array", "empty", "long number", "twice"))
    changed = {
        "truncated": text[: rng.randrange(len(text) - 2)],
        "NaN": text.replace(": 1", ": NaN", 1) if ": 1" in text else "NaN",
        "deep": "[" * 100_000,
        "array": f"[{text}]",
        "empty": "",
        "long number": text.replace('"publishable": ', f'"publishable": {"9" * 5000}', 1),
        "twice": text.replace('"format":', '"format": "x", "format":', 1),
    }[how]
    return MutatedCertificate(f"text: {how}", changed, other=how != "twice" and changed != text)


def _reordered(rng: random.Random, value: Any) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: _reordered(rng, value[key]) for key in keys}
    return [_reordered(rng, each) for each in value] if isinstance(value, list) else value


def _places(value: Any, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, below in entries:
        yield (*above, key)
        yield from _places(below, (*above, key))


def _rewritten(rng: random.Random, certificate: Any, place: tuple[str | int, ...]) -> tuple[str, Any]:
    old = _get(certificate, place)
    new: Any
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, int | float):
        new = rng.choice((old + 1, old - 1, 12345, 0 if old else 7))
    elif isinstance(old, str):
        new = rng.choice((old + "x", "x", old.upper() if old.upper() != old else "y"))
    elif old is None:
        new = rng.choice((7, "x", True))
    else:
        new = rng.choice(([], {}, None, 7))
        new = "x" if new == old else new
    _set(certificate, place, new)
    return "rewritten", new


def _get(value: Any, place: Sequence[str | int]) -> Any:
    for part in place:
        value = value[part]
    return value


def _set(value: Any, place: Sequence[str | int], new: Any) -> None:
    _get(value, place[:-1])[place[-1]] = new


def _delete(value: Any, place: Sequence[str | int]) -> None:
    del _get(value, place[:-1])[place[-1]]


def _parent(value: Any, place: Sequence[str | int], *, adding: bool) -> None:
    above = _get(value, place[:-1])
    if isinstance(above, dict):
        above["note"] = "Bob, 77"
    else:
        above.append("Bob, 77")
