"""The codebook of a published file: made beside it, found there again, and compared with it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from shoal.engine.answers import Labels
from shoal.engine.port import ClusterPort, Port
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.json_values import json_value
from shoal.policy.output_names import CODEBOOK
from shoal.recoding.label_cover import Cover, CoverForm, value_cover
from shoal.recoding.label_notation import LabelReader, kind_of_values, public_tree, texts_in
from shoal.report.codebook import (
    QUASI,
    Codebook,
    ColumnBook,
    codebook_disagreements,
    in_words,
)
from shoal.run.codebook_check import published_labels, read_embedded
from shoal.run.published_file import VerifiedFile
from shoal.table.beside import embedded_codebook
from shoal.table.canonical import holds_lists
from shoal.table.columns import Kind
from shoal.table.dialect import PLAIN, Dialect, with_point
from shoal.table.roles import Insensitive, Quasi, QuasiSet, Role, Sensitive

_Columns = Mapping[str, Mapping[str, Any]]


class Original(Protocol):
    """What is asked of the original: which labels are values, and how its hierarchies write the others."""

    @property
    def roles(self) -> Mapping[str, Role]:
        """What each column is to an adversary."""

    @property
    def trees(self) -> Mapping[str, Hierarchy]:
        """The trees of its quasi-identifiers."""

    def held(self, column: str, labels: Collection[str]) -> set[str]:
        """Which of these labels a column of single values or of sets has."""


def codebook_of_rows(
    published: Port, columns: _Columns, original: Original, dialect: Dialect = PLAIN
) -> Codebook:
    """The codebook of published rows, wherever they are; `columns` are their roles as they are certified."""
    labels = published.labels([name for name, about in columns.items() if about["role"] == QUASI])
    return Codebook(
        {
            name: _explained(name, labels[name], original, dialect)
            if name in labels
            else _as_it_is(name, str(columns[name]["role"]), published, original.roles[name])
            for name in published.roles
            if name in columns
        },
        decimal=dialect.decimal or ".",
    )


def codebook_of_clusters(published: ClusterPort, columns: _Columns) -> Codebook:
    """The codebook of disassociated data, whose terms are those of the original."""
    terms = {term: value_cover(term, Kind.CATEGORY) for term in published.all_terms()}
    return Codebook(
        {
            name: ColumnBook(QUASI, Kind.CATEGORY, separator=about["separator"], covers=terms)
            for name, about in columns.items()
        }
    )


def _explained(name: str, labels: Labels, original: Original, dialect: Dialect) -> ColumnBook:
    role, tree = original.roles[name], original.trees.get(name)
    if not isinstance(role, Quasi | QuasiSet):
        raise TypeError(f"column {name!r} has no labels")
    kind = kind_of_values(role, tree)
    written = {label: _with_point(label, kind, dialect) for label in labels.texts}
    if tree is None:
        values = original.held(name, set().union(*map(texts_in, written.values())))
    else:
        values = set(tree.leaf_labels)
    shown = public_tree(name, role)
    reader = LabelReader(role, tree, values, shown)
    return ColumnBook(
        QUASI,
        reader.kind,
        separator=role.separator if isinstance(role, QuasiSet) else None,
        nested=tree is not None,
        missing=labels.missing,
        tree=shown,
        covers={label: _cover(label, plain, reader) for label, plain in written.items()},
        unit=_unit_of(role),
    )


def _with_point(label: str, kind: Kind, dialect: Dialect) -> str:
    return with_point(label, dialect.decimal) if kind is Kind.NUMBER else label


def _cover(label: str, written: str, reader: LabelReader) -> Cover:
    found = reader.cover(written)
    return replace(found, text=label) if found.form is CoverForm.VALUE else found


def _as_it_is(name: str, role: str, published: Port, original: Role) -> ColumnBook:
    return ColumnBook(role, _kind_as_it_is(name, published, original), unit=_unit_of(original))


def _unit_of(role: Role) -> str | None:
    return role.unit if isinstance(role, Quasi | Sensitive | Insensitive) else None


def _kind_as_it_is(name: str, published: Port, role: Role) -> Kind:
    """The kind of a column that is published as it is."""
    if isinstance(role, Sensitive):
        return Kind(role.kind)
    of_values = published.type_of(name)
    if holds_lists(of_values):
        return Kind.SET
    if pa.types.is_temporal(of_values):
        return Kind.DATE
    is_number = pa.types.is_integer(of_values) or pa.types.is_floating(of_values)
    return Kind.NUMBER if is_number or pa.types.is_decimal(of_values) else Kind.CATEGORY


def meanings(codebook: Codebook) -> dict[str, dict[str, str]]:
    """What each label stands for, in words, by column."""
    return {
        name: {label: in_words(cover, book.unit) for label, cover in book.covers.items()}
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
    if not strange and stated != json_value(codebook.to_json(file.name, stated.get("dialect"))):
        strange.append("the codebook says more, or other things, than a codebook tells")
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
