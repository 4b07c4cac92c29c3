"""What is in the data files of a project."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.policy.plan import read_options_of
from shoal.policy.policy_file import DataSection
from shoal.study.profile import Profile, profile
from shoal.study.starter import read_as_given
from shoal.table.reading import ReadOptions
from shoal.web.service import questions
from shoal.web.service.files import Files, StoredFile
from shoal.web.service.helpers import Helpers
from shoal.web.service.questions import Preview
from shoal.web.service.wording import Names

_KEPT = 32
# What settings can say of how a file is written, and what holds if they do not.
_FOUND_OUT: dict[str, Any] = {
    "missing": [""],
    "delimiter": None,
    "quote": None,
    "encoding": None,
    "sheet": None,
    "decimal": ".",
    "thousands": "",
    "date_format": None,
    "long": None,
}


class DataFiles:
    """Look into data files; all answers come from helper processes and may take a moment."""

    def __init__(self, files: Files, helpers: Helpers) -> None:
        self._files, self._helpers = files, helpers
        self._profiles: dict[tuple[str, ReadOptions | None], Profile] = {}
        self._mutex = threading.Lock()

    def preview(
        self, project: str, file: str, *, start: int = 0, count: int = 100, options: ReadOptions | None = None
    ) -> Preview:
        """Rows of a file as texts, from row `start` on, and the types that the file has."""
        stored = self._files.get(project, file)
        asked = questions.preview, stored.path, options or ReadOptions(), max(0, start), min(count, 1000)
        return self._helpers.ask(*asked, names=_names(stored))

    def profile(self, project: str, file: str, options: ReadOptions | None = None) -> Profile:
        """Kind, distinct and missing values, uniqueness and suggested role of every column, with reasons.

        Without options it is found out how the file is written.
        """
        stored, how = self._files.get(project, file), options or ReadOptions()
        with self._mutex:
            known = self._profiles.get((file, options))
        if known is None:  # files never change, so their profiles are kept
            known = self._helpers.ask(_profiled, stored.path, how, options is None, names=_names(stored))
            with self._mutex:
                if len(self._profiles) >= _KEPT:
                    self._profiles.pop(next(iter(self._profiles)))
                self._profiles[file, options] = known
        return known

    def profile_as(self, project: str, file: str, data: Mapping[str, Any]) -> Profile:
        """The profile of a file that is read as the section [data] of settings says."""
        found = self.profile(project, file)
        said = {**_FOUND_OUT, **{name: value for name, value in data.items() if name in _FOUND_OUT}}
        if said == {**_FOUND_OUT, **read_as_given(found.read_as), "missing": list(found.missing)}:
            return found
        return self.profile(project, file, options_of(data))

    def uniqueness(
        self, project: str, file: str, columns: Sequence[str], options: ReadOptions | None = None
    ) -> float:
        """The share of records that somebody singles out who knows exactly these columns."""
        stored = self._files.get(project, file)
        how = options or ReadOptions()
        return self._helpers.ask(questions.uniqueness, stored.path, how, tuple(columns), names=_names(stored))


def options_of(data: Mapping[str, Any]) -> ReadOptions:
    """How the section [data] of settings says that a file is written; BadInput if it cannot be so."""
    said = {name: value for name, value in data.items() if name in _FOUND_OUT and value is not None}
    try:
        return read_options_of(DataSection.model_validate(said))
    except ValueError as error:
        raise BadInput(Problem("the settings do not say how the file is written", "choose anew")) from error
    except InvalidParameter as error:
        what = f"{error.value!r} cannot be the {error.name.replace('_', ' ')} of a file"
        raise BadInput(Problem(what, f"it must be {error.must_be}")) from error


def _profiled(path: Path, options: ReadOptions, find_missing: bool) -> Profile:  # noqa: FBT001 - asked of another process
    return profile(path, options, find_missing=find_missing)


def _names(stored: StoredFile) -> Names:
    return Names({str(stored.path): stored.name})
