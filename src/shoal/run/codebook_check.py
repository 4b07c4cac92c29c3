"""Whether a codebook says what the labels of its published file say, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from shoal.engine.local import LocalData
from shoal.errors import BadInput
from shoal.json_values import JsonValue, json_value
from shoal.recoding.disassociated import Disassociated
from shoal.report.certified import published_roles
from shoal.report.codebook import QUASI, Codebook, ColumnBook, PublishedLabels, codebook_disagreements
from shoal.table.canonical import as_text, holds_lists
from shoal.table.columns import Carried, Coded, Sets, Table, occurring_labels
from shoal.table.roles import QuasiSet, Role


def of_rows(codebook: Codebook, table: Table) -> Codebook:
    """The codebook without labels that no row of the table has."""
    books = {
        name: book if isinstance(column := table.column(name), Carried) else _of_column(book, column)
        for name, book in codebook.columns.items()
    }
    return replace(codebook, columns=books)


def _of_column(book: ColumnBook, column: Coded | Sets) -> ColumnBook:
    shown = occurring_labels(column)
    return replace(book, covers={label: cover for label, cover in book.covers.items() if label in shown})


def embedded_text(codebook: Codebook) -> str:
    """A codebook as it stands in the metadata of its file, whose name it need not tell."""
    return _text_of(codebook.to_json(""))


def _text_of(content: Mapping[str, JsonValue]) -> str:
    told = {name: value for name, value in content.items() if name != "file"}
    return json.dumps(json_value(told), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read_embedded(content: bytes, where: str) -> tuple[Mapping[str, Any], Codebook]:
    """The codebook in the metadata of a file, as it is written and as it is meant; BadInput if it is none."""
    try:
        stated = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        stated = f"no JSON: {error}"
    return stated, Codebook.from_json(stated, where)


def embedded_flaws(content: bytes, published: LocalData) -> list[str]:
    """What a codebook in the metadata of a file tells beyond the labels of that file."""
    try:
        stated, codebook = read_embedded(content, "the metadata")
    except BadInput as error:
        return [f"the file holds a codebook that cannot be read: {error}"]
    if content.decode("utf-8") != embedded_text(codebook):
        return ["the file holds a codebook with more in it than a codebook tells"]
    roles = {name: book.role for name, book in codebook.columns.items()}
    shown = {  # under the roles that the codebook names, whatever a reader takes the columns for
        name: _labels_as_read(name, roles.get(name, ""), published) for name in published.table.columns
    }
    return [f"in the codebook of the file {what}" for what in codebook_disagreements(stated, codebook, shown)]


def published_labels(
    content: LocalData | Disassociated, roles: Mapping[str, Role]
) -> dict[str, PublishedLabels]:
    """What stands in each column of a published file that was read under these roles."""
    if isinstance(content, Disassociated):
        terms = content.all_terms()
        sets = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
        return {name: PublishedLabels(QUASI, terms, missing=False) for name in sets}
    stated = published_roles(content.roles, content.roles, content.held)
    return {name: _labels(name, str(about["role"]), content) for name, about in stated.items()}


def _labels(name: str, role: str, published: LocalData) -> PublishedLabels:
    if isinstance(published.table.column(name), Carried):
        return PublishedLabels(role, (), missing=False)
    labels = published.labels([name])[name]
    return PublishedLabels(role, labels.texts, labels.missing)


def _labels_as_read(name: str, role: str, published: LocalData) -> PublishedLabels:
    """The same, also where a reader carries labels through as they are."""
    column = published.table.column(name)
    if role != QUASI or not isinstance(column, Carried):
        return _labels(name, role, published)
    values = column.values
    single = pc.list_flatten(values) if holds_lists(values.type) else values
    distinct = as_text(pc.unique(single).drop_null())
    return PublishedLabels(role, set(distinct.to_pylist()), missing=values.null_count > 0)
