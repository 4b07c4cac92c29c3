"""The settings of a project are a policy: sections of plain values that name the project's files."""

import json
import threading
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import BadInput, InvalidParameter, Problem, ShoalError
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import Misfit, PrivacySection, parse_policy
from shoal.policy.policy_text import SECTIONS
from shoal.policy.promise import promise_of
from shoal.policy.weak_promise import unconfirmed
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.report.explanations import Limit, Scope, limits_of, listed, scope_in_words
from shoal.study.check import search_problems
from shoal.study.profile import Profile
from shoal.study.standing import Standing, standing_of
from shoal.study.starter import Sections, starter_sections
from shoal.web.service.bound import POLICY_NAME, BoundPolicy, bound_policy, sections_text
from shoal.web.service.data import DataFiles
from shoal.web.service.files import Files
from shoal.web.service.history import History, Version
from shoal.web.service.merging import Stale, merged
from shoal.web.service.store import Store
from shoal.web.service.wording import Names


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a promise says, paragraph by paragraph, and what it does not stop."""

    promises: tuple[str, ...]
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of the settings when another file came: columns and sections by name."""

    kept: tuple[str, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]
    sections: tuple[str, ...] = ()


def promise_in_short(privacy: Mapping[str, Any]) -> str:
    """A model and its numbers."""
    numbers = [
        name if value is True else f"{name} = {value}"
        for name, value in privacy.items()
        if name != "model" and value not in (None, False)
    ]
    return " with ".join(part for part in (str(privacy.get("model")), ", ".join(numbers)) if part)


def promise_or_none(privacy: Mapping[str, Any]) -> Promise | None:
    """What a section promises; None if that is nothing, as in a draft or with k = 1."""
    given = {name: value for name, value in privacy.items() if value is not None}
    try:
        return promise_of(PrivacySection.model_validate(given))
    except (ValueError, Misfit, ShoalError):
        return None


def standing_beside(privacy: Mapping[str, Any], policys: Mapping[str, Any]) -> Standing:
    """How one promise stands to that of the settings."""
    promise, own = promise_or_none(privacy), promise_or_none(policys)
    return "another" if own is None or promise is None else standing_of(promise, own)


def promised_in_words(privacy: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]]) -> str:
    """What is promised, and of which columns, in one sentence."""
    promise = promise_in_short(privacy)
    model = MODELS.get(str(privacy.get("model")))
    if model is not None and model.form is Form.NEW_RECORDS:
        return f"A run promises {promise} to everybody in the data, on all published columns."
    quasi = [name for name, column in columns.items() if column.get("role") == "quasi"]
    others = [name for name, column in columns.items() if column.get("role") in ("sensitive", "insensitive")]
    known = f"on {listed(quasi)}, which somebody may know" if quasi else "on no column"
    beside = f"; {listed(others)} {'is' if len(others) == 1 else 'are'} published unchanged" if others else ""
    return f"A run promises {promise} {known}{beside}."


class Policies:
    """Get, change, check and explain the settings of a project.

    Settings are kept as they are given, section by section, so that a draft survives; `problems` says what is
    wrong with them. Every change is a version, which can be undone and redone. `data.path` and
    hierarchies that are files are names of files of the project.
    """

    def __init__(self, store: Store, files: Files, data: DataFiles) -> None:
        self._store, self._files, self._data = store, files, data
        self._history = History(store)
        self._editing = threading.RLock()

    def get(self, project: str) -> Sections:
        """The sections as they stand."""
        return self.version(project).sections

    def version(self, project: str) -> Version:
        """The sections as they stand, and the number of that version."""
        self._files.all(project)  # NotFound for a project that is gone
        return self._history.current(project)

    def set(self, project: str, section: str, content: Mapping[str, Any]) -> list[Problem]:
        """Replace one section; returns the problems of all settings as they are now."""
        if section not in SECTIONS:
            raise InvalidParameter("a policy", "section", section, f"one of {', '.join(SECTIONS)}")
        with self._editing:
            return self.replace(project, {**self.get(project), section: dict(content)})

    def replace(self, project: str, sections: Mapping[str, Mapping[str, Any]]) -> list[Problem]:
        """Replace all settings; returns their problems. BadInput for what could never be a policy."""
        self._save(project, _checked(sections))
        return self.problems(project)

    def edit(self, project: str, base: Sections, wanted: Mapping[str, Mapping[str, Any]]) -> Sections:
        """Change what differs between the settings that somebody saw and those that they want.

        What was changed meanwhile stays; Stale, with both values, where that is the same thing. Returns
        the settings as they are then.
        """
        with self._editing:
            self._save(project, merged(base, _checked(wanted), self.get(project)))
            return self.get(project)

    def edit_version(self, project: str, number: int, wanted: Mapping[str, Mapping[str, Any]]) -> Sections:
        """`edit` from a version that somebody saw."""
        return self.edit(project, self._history.at(project, number).sections, wanted)

    def undo(self, project: str) -> tuple[str, ...]:
        """Take the last change of the settings back, whatever it was; what that changed, in words."""
        with self._editing:
            self.version(project)
            return self._history.undo(project)

    def redo(self, project: str) -> tuple[str, ...]:
        """Make the change again that was taken back last; what that changed, in words."""
        with self._editing:
            self.version(project)
            return self._history.redo(project)

    def bring(self, project: str, file: str) -> Brought:
        """Take a data file, and keep what is said of columns that it has, too; the rest is suggested."""
        profile = self._data.profile(project, file)
        with self._editing:
            old, stored = self.get(project), self._files.get(project, file)
            fresh = _starter(profile, stored.name)
            missing = old.get("data", {}).get("missing", fresh["data"]["missing"])
            return self._fit(project, profile, fresh, {"missing": missing})

    def read_as(self, project: str, changed: Mapping[str, Any]) -> Brought:
        """Read the data file in another way; what is said of columns that are still there is kept.

        `changed` are keys of [data] such as the delimiter; None leaves it to be found out.
        """
        path = self.get(project).get("data", {}).get("path")
        file = next((each for each in self._files.all(project, "data") if each.name == path), None)
        if file is None:
            raise BadInput(Problem("there is no data file", "bring one first"))
        data = {**self.get(project)["data"], **changed}
        profile = self._data.profile_as(project, file.id, data)
        with self._editing:
            return self._fit(project, profile, _starter(profile, file.name), data)

    def _fit(self, project: str, profile: Profile, fresh: Sections, data: Mapping[str, Any]) -> Brought:
        """Save settings for the columns that a profile shows: as they were, else as suggested."""
        old = self.get(project)
        names = [column.name for column in profile.columns]
        said = {name: entry for name, entry in old.get("columns", {}).items() if name in names}
        if not said:
            self._save(project, {**fresh, "data": {**fresh["data"], **data}})
            return Brought((), (), ())
        dropped = self._dropped(project, old)
        columns = {
            name: said.get(name, fresh["columns"].get(name))
            for name in names
            if name in said or (name in fresh["columns"] and name not in dropped)
        }
        subject = old["data"].get("subject")
        fitted = {
            **fresh["data"],
            **data,
            "path": fresh["data"]["path"],
            "subject": subject if subject in names else None,
            "others": "drop" if len(columns) < len(names) else "error",
        }
        kept: Sections = {
            name: old[name] for name in ("privacy", "algorithm", "report", "output") if name in old
        }
        self._save(project, {**fresh, **kept, "data": fitted, "columns": columns})
        gone = [name for name in old.get("columns", {}) if name not in names]
        return Brought(
            tuple(said), tuple(name for name in columns if name not in said), tuple(gone), tuple(kept)
        )

    def _dropped(self, project: str, sections: Sections) -> tuple[str, ...]:
        """The columns of the data file so far that are left out."""
        path, columns = sections.get("data", {}).get("path"), sections.get("columns", {})
        used = next((file for file in self._files.all(project, "data") if file.name == path), None)
        if used is None:
            return ()
        profile = self._data.profile_as(project, used.id, sections["data"])
        return tuple(column.name for column in profile.columns if column.name not in columns)

    def take(self, project: str, text: str, *, version: int | None = None) -> list[Problem]:
        """Take over a policy file; BadInput if it is none. Returns the problems that are left.

        With a version, what was changed since then stays where the file does not change the same.
        """
        parse_policy(text, file=POLICY_NAME)
        sections: Sections = tomllib.loads(text)
        if version is None:
            return self.replace(project, sections)
        self.edit_version(project, version, sections)
        return self.problems(project)

    def start(self, project: str, file: str, *, version: int | None = None) -> Sections:
        """Take a data file of the project, and suggest settings for it; they replace those that were.

        Stale if these are of another version than the given one.
        """
        stored = self._files.get(project, file)
        sections = _starter(self._data.profile(project, file), stored.name)
        with self._editing:
            if version not in (None, self.version(project).number):
                what = "the settings were changed since that version, and would be lost"
                raise Stale(Problem(what, "read them again, and start from there"))
            self._save(project, sections)
            return self.get(project)

    def text(self, project: str) -> str:
        """The settings as a policy file, with the names that people gave."""
        return sections_text(self.get(project))

    def problems(self, project: str) -> list[Problem]:
        """Everything that is wrong with the settings alone; the data are not read."""
        try:
            bound = self.bound(project)
            plan = plan_of(bound.file)
        except BadInput as error:
            return list(self.names(project).problems(error))
        sections = self.get(project)
        weak = unconfirmed(sections["privacy"], sections.get("report", {}).get("weak_promise"))
        return [
            *bound.names.problems(BadInput(*search_problems(plan, bound.file))),
            *([] if weak is None else [weak]),
        ]

    def meaning(self, project: str, privacy: Mapping[str, Any] | None = None) -> Meaning:
        """The promise in plain words; `privacy` stands in for the saved section while it is being chosen."""
        sections = self.get(project)
        chosen = sections.get("privacy", {}) if privacy is None else privacy
        given = {name: value for name, value in chosen.items() if value is not None}
        try:
            promised = promise_of(PrivacySection.model_validate(given))
        except (ValueError, Misfit, ShoalError) as error:
            told = [*str(error).splitlines(), type(error).__name__]
            raise BadInput(Problem(told[0], "complete the promise")) from error
        columns = sections.get("columns", {})
        published = [name for name, column in columns.items() if column.get("role") != "identifier"]
        scope = Scope(
            promises=promised,
            quasi=[name for name in published if columns[name].get("role") == "quasi"],
            sensitive=[name for name in published if columns[name].get("role") == "sensitive"],
            columns=published,
            counts_people=sections.get("data", {}).get("subject") is not None,
            sets=[name for name in published if columns[name].get("kind") == "set"],
        )
        return Meaning(tuple(scope_in_words(scope)), tuple(limits_of(scope)))

    def confirm(self, project: str, written: str) -> list[Problem]:
        """Keep why a weak promise is made nevertheless; returns the problems that are left."""
        with self._editing:
            sections = self.get(project)
            report = {**sections.get("report", {}), "weak_promise": " ".join(written.split())}
            return self.replace(project, {**sections, "report": report})

    def summary(self, project: str) -> str:
        """What a run would promise, and of which columns, in one sentence."""
        sections = self.get(project)
        return promised_in_words(sections.get("privacy", {}), sections.get("columns", {}))

    def bound(self, project: str) -> BoundPolicy:
        """The policy as a run reads it; BadInput lists everything that keeps it from being one."""
        location = self._store.project_folder(project) / POLICY_NAME
        return bound_policy(self.get(project), self.names(project), location)

    def names(self, project: str) -> Names:
        """How stored files are called by people."""
        files = {str(file.path): file.name for file in self._files.all(project)}
        return Names({**files, str(self._store.project_folder(project) / POLICY_NAME): POLICY_NAME})

    def _save(self, project: str, sections: Mapping[str, Mapping[str, Any]]) -> None:
        self._files.all(project)  # NotFound for a project that is gone
        with self._editing:
            self._history.add(project, sections)


def files_of(sections: Sections) -> set[str]:
    """The names of the files that settings use."""
    trees = [column.get("hierarchy") for column in sections.get("columns", {}).values()]
    return {each for each in (sections.get("data", {}).get("path"), *trees) if isinstance(each, str)}


def _starter(profile: Profile, name: str) -> Sections:
    """Suggested settings, as they are kept: plain values."""
    sections: Sections = json.loads(json.dumps(starter_sections(profile, name)))
    return sections


def _checked(sections: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    """The sections; BadInput for what could never be a policy."""
    unknown = [name for name in sections if name not in SECTIONS]
    if unknown:
        what = f"unknown sections: {', '.join(unknown)}"
        raise BadInput(Problem(what, f"a policy has {', '.join(SECTIONS)}"))
    sections_text(sections)
    return sections
