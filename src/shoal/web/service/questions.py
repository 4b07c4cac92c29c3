"""What helpers answer: functions of plain values that read data and give plain values back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.hierarchy.binding import tree_of
from shoal.hierarchy.files import HierarchyFile, write_hierarchy
from shoal.hierarchy.lint import LintFinding, lint
from shoal.hierarchy.source import TreeSource
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.unknown import rows_of_each_value
from shoal.kernels.arrays import starts_of
from shoal.metrics.answers import Answer
from shoal.policy.output_names import INTERNAL, RECODING
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import PolicyFile
from shoal.recoding.recoding_file import load_recoding
from shoal.run.output import file_that_appears_whole
from shoal.run.prepare import read
from shoal.run.verification import FileVerification, verify_published
from shoal.study.count import Where
from shoal.study.count_groups import Bands
from shoal.study.profile import unique_share
from shoal.study.reconstruct import reconstruct
from shoal.study.release_query import query, supports
from shoal.table.columns import Coded, Sets, code_counts
from shoal.table.reading import ReadOptions, inspect, read_table
from shoal.table.roles import Quasi, QuasiSet
from shoal.table.set_lines import ITEMS
from shoal.table.writing import write_table
from shoal.table.written import as_options_say
from shoal.web.service.bound import OUT, REQUEST, plan_of_job
from shoal.web.service.editing import Edit, edited
from shoal.web.service.explaining import Explained, Recoded, explained

MOST_NODES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Some rows of a file as texts; None where a value is missing."""

    records: int
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeView:
    """A tree for people: node i is labels[i] under node parents[i], and the root is its own parent.

    Leaves come first. `values[i]` counts the values under a node, `records[i]` the records that hold them.
    Of a tree with more than MOST_NODES nodes only the upper levels are there, and `whole` is False.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    values: tuple[int, ...]
    records: tuple[int, ...]
    leaf_count: int
    height: int
    whole: bool
    notices: tuple[str, ...]
    findings: tuple[LintFinding, ...]


@dataclass(frozen=True, slots=True)
class CountTable:
    """Numbers of records, with the fewest, the expected and the most that there can be."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@lru_cache(maxsize=1)
def _raw(path: Path, options: ReadOptions) -> pa.Table:
    return inspect(path, options)


def preview(path: Path, options: ReadOptions, start: int, count: int) -> Preview:
    """Rows of a file, from row `start` on."""
    raw = _raw(path, options)
    missing = {"", *options.missing}
    part = raw.slice(start, count)
    columns = [[_text(value, missing) for value in column.to_pylist()] for column in part.columns]
    return Preview(
        records=raw.num_rows,
        columns=tuple(raw.column_names),
        types=tuple(str(kind) for kind in raw.schema.types),
        rows=tuple(zip(*columns, strict=True)),
    )


def _text(value: object, missing: set[str]) -> str | None:
    text = " ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return None if text in missing else text


def uniqueness(path: Path, options: ReadOptions, columns: Sequence[str]) -> float:
    """The share of records that somebody singles out who knows these columns."""
    return unique_share(_raw(path, options), columns, options.missing)


def view_tree(file: PolicyFile, column: str) -> TreeView:
    """The tree of a column of a policy."""
    role, values, source = _column(file, column)
    findings = tuple(lint(source, values, name=column, exempt=getattr(role, "sensitive", ())))
    return _view(tree_of(column, values.domain, role), values, findings)


def lint_tree(file: PolicyFile, column: str) -> tuple[LintFinding, ...]:
    """Everything that is wrong or unwise in the tree of a column; a file that is no tree included."""
    role, values, source = _column(file, column)
    return tuple(lint(source, values, name=column, exempt=getattr(role, "sensitive", ())))


def write_edited_tree(file: PolicyFile, column: str, edits: Sequence[Edit], target: Path) -> None:
    """Change the tree of a column and write it to a file; BadInput when it would be no tree."""
    role, values, _ = _column(file, column)
    tree = edited(tree_of(column, values.domain, role), edits)
    write_hierarchy(tree, target, form="arx")


def check_hierarchy_file(path: Path) -> None:
    """BadInput lists everything that keeps a file from being a hierarchy."""
    HierarchyFile(path).outline().tree()


def verify_published_file(published: Path, file: PolicyFile, certificate: Path | None) -> FileVerification:
    """The promise of a policy, checked from a published file."""
    return verify_published(published, plan_of(file), certificate)


def explain_value(job: Path, column: str, row: int | None, value: str | None) -> tuple[Explained, ...]:
    """Why a value of a record, or an item of a set, is published as it is by a job, given by its folder."""
    return explained(_recoded(job), column, row, value)


def count_records(release: Path, where: Where, by: tuple[str, ...], bands: Bands) -> CountTable:
    """How many records of a release have certain values, from its published file and codebook alone."""
    found = query(release, where=where or None, by=by, bands=bands)
    return CountTable(tuple(map(str, found.columns)), tuple(map(tuple, found.to_numpy().tolist())))


def count_itemset(release: Path, items: Sequence[str]) -> Answer:
    """How many records of a release hold all of these items."""
    (found,) = supports(release, items)
    return found


def draw_possible_original(published: Path, target: Path) -> None:
    """Write one of the originals that a disassociated file can come from."""
    (drawn,) = reconstruct(published, copies=1)
    with file_that_appears_whole(target) as partial:
        write_table(drawn.table, partial)


@lru_cache(maxsize=1)
def _recoded(job: Path) -> Recoded:
    """What was decided, and about which data: they are read again, as the run did."""
    saved = load_recoding(job / OUT / INTERNAL / RECODING)
    plan = plan_of_job(json.loads((job / REQUEST).read_text(encoding="utf-8")), job)
    data = read(plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject).local
    return Recoded(data, tuple(plan.models), saved.fitting(data.table, data.trees))


def _column(file: PolicyFile, name: str) -> tuple[Quasi | QuasiSet, Coded | Sets, TreeSource]:
    """The role of a quasi-identifier, its values, and where its tree comes from."""
    plan = plan_of(file)
    role = as_options_say(plan.roles, plan.read_options)[name]
    if not isinstance(role, Quasi | QuasiSet):
        raise BadInput(Problem("is no quasi-identifier", "give it the role first", column=name))
    if not isinstance(role.hierarchy, TreeSource):
        raise BadInput(Problem("has no hierarchy", "choose a recipe or a file", column=name))
    if not isinstance(plan.data_path, Path):
        raise BadInput(Problem("data of a database are not looked at here", "use the command line"))
    options = plan.read_options if name == ITEMS else replace(plan.read_options, long=None)
    return role, _values(_Wanted(plan.data_path, name, role, options)), role.hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """The values of one column; its tree does not matter."""

    path: Path
    name: str
    role: Quasi | QuasiSet
    options: ReadOptions

    def _key(self) -> str:
        return repr((self.path, self.name, replace(self.role, hierarchy=None), self.options))

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Wanted) and self._key() == other._key()


@lru_cache(maxsize=8)
def _values(wanted: _Wanted) -> Coded | Sets:
    column = read_table(wanted.path, {wanted.name: wanted.role}, wanted.options).table.column(wanted.name)
    if not isinstance(column, Coded | Sets):
        raise TypeError("quasi-identifiers are always encoded")
    return column


def _view(tree: Hierarchy, values: Coded | Sets, findings: tuple[LintFinding, ...]) -> TreeView:
    held = dict(zip(values.domain.texts(), rows_of_each_value(values).tolist(), strict=True))
    of_leaves = np.array([held.get(label, 0) for label in tree.leaf_labels], dtype=np.int64)
    before = starts_of(of_leaves)
    nodes = np.delete(np.arange(tree.node_count), tree.missing)
    whole = len(nodes) <= MOST_NODES
    if not whole:
        by_depth = nodes[np.argsort(tree.depths[nodes], kind="stable")][:MOST_NODES]
        nodes = np.sort(by_depth)
    index = {node: number for number, node in enumerate(nodes.tolist())}
    last = np.minimum(tree.arrays.last_leaf[nodes], tree.leaf_count - 1)
    return TreeView(
        labels=tuple(tree.labels[node] for node in nodes.tolist()),
        parents=tuple(index[tree.parent(node)] for node in nodes.tolist()),
        values=tuple(tree.sizes[nodes].tolist()),
        records=tuple((before[last + 1] - before[tree.arrays.first_leaf[nodes]]).tolist()),
        leaf_count=tree.leaf_count if whole else 0,
        height=tree.height,
        whole=whole,
        notices=tree.notices,
        findings=findings,
    )


def published_labels(columns: Mapping[str, Coded | Sets]) -> dict[str, dict[str, int]]:
    """How often each label stands in a column of a release."""
    counted = {}
    for name, column in columns.items():
        counts = code_counts(column)
        texts = column.domain.texts()
        counted[name] = {texts[code]: int(counts[code]) for code in np.flatnonzero(counts[: len(texts)])}
    return counted
