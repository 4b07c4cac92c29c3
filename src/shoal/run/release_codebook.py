"""The codebook of a published file: made beside it, found there again, and compared with it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.engine.local import LocalData
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.policy.output_names import CODEBOOK
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.label_cover import Cover, Form, value_cover
from shoal.recoding.label_notation import LabelReader, public_tree
from shoal.report.codebook import (
    QUASI,
    Codebook,
    ColumnBook,
    codebook_disagreements,
    in_words,
)
from shoal.run.codebook_check import published_labels, read_embedded
from shoal.run.prepare import Data
from shoal.run.published_file import VerifiedFile
from shoal.table.beside import embedded_codebook
from shoal.table.canonical import holds_lists
from shoal.table.columns import Carried, Coded, Column, Kind, Sets
from shoal.table.dialect import PLAIN, Dialect, with_point
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive

_Columns = Mapping[str, Mapping[str, Any]]


def codebook_of(
    content: LocalData | Disassociated, columns: _Columns, data: Data, dialect: Dialect = PLAIN
) -> Codebook:
    """The codebook of what is published; `columns` are its roles as they are certified.

    Of the original it takes which labels are values and how hierarchies write the others.
    """
    if isinstance(content, Disassociated):
        terms = {term: value_cover(term, Kind.CATEGORY) for term in content.terms.texts()}
        return Codebook(
            {
                name: ColumnBook(QUASI, Kind.CATEGORY, separator=about["separator"], covers=terms)
                for name, about in columns.items()
            }
        )
    return Codebook(
        {
            name: _book(name, str(columns[name]["role"]), content, data, dialect)
            for name in content.table.columns
            if name in columns
        },
        decimal=dialect.decimal or ".",
    )


def _book(name: str, stated_role: str, published: LocalData, data: Data, dialect: Dialect) -> ColumnBook:
    column, role = published.table.column(name), data.local.roles.get(name)
    if not isinstance(role, Quasi | QuasiSet) or isinstance(column, Carried):
        return ColumnBook(stated_role, _kind_as_it_is(column, role))
    original = data.original.column(name)
    if not isinstance(original, Coded | Sets):
        raise TypeError(f"column {name!r} is carried through and has no domain")
    shown = public_tree(name, role)
    reader = LabelReader(original.domain, role.hierarchy, data.local.trees.get(name), shown)
    return ColumnBook(
        stated_role,
        reader.kind,
        separator=column.separator if isinstance(column, Sets) else None,
        nested=name in data.local.trees,
        missing=isinstance(column, Coded) and column.missing_count > 0,
        tree=shown,
        covers={label: _cover(label, reader, dialect) for label in column.domain.texts()},
    )


def _cover(label: str, reader: LabelReader, dialect: Dialect) -> Cover:
    if reader.kind is not Kind.NUMBER:
        return reader.cover(label)
    found = reader.cover(with_point(label, dialect.decimal))
    return replace(found, text=label) if found.form is Form.VALUE else found


def _kind_as_it_is(column: Column, role: Role | None) -> Kind:
    """The kind of a column that is published as it is."""
    if isinstance(role, Sensitive):
        return Kind(role.kind)
    if not isinstance(column, Carried):
        return Kind.CATEGORY
    of_values = column.values.type
    if holds_lists(of_values):
        return Kind.SET
    if pa.types.is_temporal(of_values):
        return Kind.DATE
    is_number = pa.types.is_integer(of_values) or pa.types.is_floating(of_values)
    return Kind.NUMBER if is_number or pa.types.is_decimal(of_values) else Kind.CATEGORY


def meanings(codebook: Codebook) -> dict[str, dict[str, str]]:
    """What each label stands for, in words, by column."""
    return {
        name: {label: in_words(cover) for label, cover in book.covers.items()}
        for name, book in codebook.columns.items()
    }


def disagreements_beside(file: Path, checked: VerifiedFile, roles: Mapping[str, Role]) -> list[str]:
    """Where the codebook beside a published file does not fit it; none if there is no codebook.

    `roles` are those under which the file was read.
    """
    path = file.with_name(CODEBOOK)
    if not path.is_file():
        return []
    stated = read_json(path)
    try:
        codebook = Codebook.from_json(stated, str(path))
    except BadInput as error:
        return [str(error)]
    strange = codebook_disagreements(stated, codebook, published_labels(checked.content, roles))
    if stated.get("file") != file.name:
        strange.insert(0, f"the codebook is about the file {stated.get('file')!r}, this is {file.name!r}")
    if not _is_embedded_alike(file, stated):
        strange.append("the codebook in the file is another than the one beside it")
    return strange


def _is_embedded_alike(file: Path, stated: Mapping[str, Any]) -> bool:
    """Whether the codebook in the metadata of a file, if there is one, is the one that is stated."""
    embedded = embedded_codebook(file)
    if embedded is None:
        return True
    try:
        inside, _ = read_embedded(embedded, str(file))
    except BadInput:
        return False
    return dict(inside) == {name: value for name, value in stated.items() if name != "file"}


def dialect_beside(file: Any) -> Dialect:
    """How the codebook beside a published file says that it is written."""
    path = Path(file).with_name(CODEBOOK) if isinstance(file, str | os.PathLike) else None
    if path is None or not path.is_file():
        return PLAIN
    return stated_dialect(read_json(path), str(path))


def stated_dialect(content: Any, where: str) -> Dialect:
    """The dialect that a codebook, or what a certificate says of its file, states."""
    try:
        return Dialect.of(content.get("dialect", {}) if isinstance(content, Mapping) else {})
    except (InvalidParameter, TypeError, AttributeError) as error:
        what = f"does not say how the file is written: {error}"
        raise BadInput(Problem(what, "name the folder of a release", file=where)) from error


def read_json(path: Path) -> Any:
    """The content of a file that lies beside a release."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        what = f"is not a readable codebook: {error}"
        raise BadInput(Problem(what, "name the folder of a release", file=str(path))) from error
