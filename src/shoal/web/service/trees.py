"""Hierarchies of a project's columns: look, lint, upload, edit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.hierarchy.lint import LintFinding
from shoal.web.service import questions
from shoal.web.service.bound import POLICY_NAME, BoundPolicy, bound_policy
from shoal.web.service.editing import Edit
from shoal.web.service.files import Files, StoredFile
from shoal.web.service.helpers import Helpers
from shoal.web.service.policies import Policies
from shoal.web.service.questions import TreeView
from shoal.web.service.store import Store, new_id
from shoal.web.service.wording import Names

_PIECE = 2**20
_FITTING = {"set": {"model": "km-anonymity", "k": 2, "m": 1}}  # a tree needs a policy, whatever it promises


class TreeService:
    """Look at and change the trees of quasi-identifiers. `hierarchy` is a recipe such as {"fanout": 5} or the
    name of a hierarchy file of the project; without it the saved one is meant.
    """

    def __init__(self, store: Store, files: Files, policies: Policies, helpers: Helpers) -> None:
        self._store, self._files, self._policies, self._helpers = store, files, policies, helpers

    def view(self, project: str, column: str, hierarchy: Mapping[str, Any] | str | None = None) -> TreeView:
        """The tree over the values of a column, with what lint finds; BadInput when there is none."""
        bound = self._bound(project, column, hierarchy)
        view = self._helpers.ask(questions.view_tree, bound.file, column, names=bound.names)
        notices = tuple(map(bound.names.shown, view.notices))
        return replace(view, findings=_worded(view.findings, bound.names), notices=notices)

    def lint(
        self, project: str, column: str, hierarchy: Mapping[str, Any] | str | None = None
    ) -> tuple[LintFinding, ...]:
        """Everything that is wrong or unwise in a tree, also where it is none."""
        bound = self._bound(project, column, hierarchy)
        found = self._helpers.ask(questions.lint_tree, bound.file, column, names=bound.names)
        return _worded(found, bound.names)

    def upload(self, project: str, name: str, pieces: Iterable[bytes]) -> StoredFile:
        """Take in a hierarchy file (ARX, Amnesia); BadInput with all its problems if it is no tree."""
        stored = self._files.add(project, name, pieces, "hierarchy")
        try:
            names = Names({str(stored.path): stored.name})
            self._helpers.ask(questions.check_hierarchy_file, stored.path, names=names)
        except BaseException:
            self._files.remove(project, stored.id)
            raise
        return stored

    def edit(
        self, project: str, column: str, edits: Sequence[Edit], *, name: str = "hierarchy.csv"
    ) -> StoredFile:
        """Change the tree of a column; the new tree is a file of the project, and the column's hierarchy."""
        bound = self._bound(project, column, None)
        draft = self._store.incoming / f"{new_id()}.csv"
        try:
            names = Names({**bound.names.by_path, str(draft): name})
            arguments = bound.file, column, tuple(edits), draft
            self._helpers.ask(questions.write_edited_tree, *arguments, names=names)
            with draft.open("rb") as stream:
                stored = self._files.add(project, name, iter(lambda: stream.read(_PIECE), b""), "hierarchy")
        finally:
            draft.unlink(missing_ok=True)
        self.choose(project, column, stored.name)
        return stored

    def choose(self, project: str, column: str, hierarchy: Mapping[str, Any] | str | None) -> None:
        """Save the hierarchy of a column."""
        sections = self._policies.get(project)
        columns = {**sections.get("columns", {}), column: self._with(sections, column, hierarchy)}
        self._policies.edit(project, sections, {**sections, "columns": columns})

    def _bound(self, project: str, column: str, hierarchy: Mapping[str, Any] | str | None) -> BoundPolicy:
        """The policy with this column alone, so that problems elsewhere do not hide its tree."""
        sections = self._policies.get(project)
        entry = (
            self._with(sections, column, hierarchy)
            if hierarchy is not None
            else self._entry(sections, column)
        )
        alone = {
            "data": {**sections.get("data", {}), "others": "drop", "subject": None},
            "columns": {column: entry},
            "privacy": _FITTING.get(str(entry.get("kind")), {"model": "k-anonymity", "k": 2}),
        }
        location = self._store.project_folder(project) / POLICY_NAME
        return bound_policy(alone, self._policies.names(project), location)

    def _with(
        self, sections: Mapping[str, Any], column: str, hierarchy: Mapping[str, Any] | str | None
    ) -> dict[str, Any]:
        given = dict(hierarchy) if isinstance(hierarchy, Mapping) else hierarchy
        return {**self._entry(sections, column), "hierarchy": given}

    def _entry(self, sections: Mapping[str, Any], column: str) -> dict[str, Any]:
        entry = sections.get("columns", {}).get(column)
        if not isinstance(entry, Mapping):
            raise BadInput(Problem(f"the settings have no column {column!r}", "choose its role first"))
        return dict(entry)


def _worded(findings: Iterable[LintFinding], names: Names) -> tuple[LintFinding, ...]:
    return tuple(replace(each, problem=names.problem(each.problem)) for each in findings)
