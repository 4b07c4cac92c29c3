"""What is in the data files of a project."""

import threading
from collections.abc import Sequence

from shoal.study.profile import Profile, profile
from shoal.table.reading import ReadOptions
from shoal.web.service import questions
from shoal.web.service.files import Files, StoredFile
from shoal.web.service.helpers import Helpers
from shoal.web.service.questions import Preview
from shoal.web.service.wording import Names

_KEPT = 32


class DataFiles:
    """Look into data files; all answers come from helper processes and may take a moment."""

    def __init__(self, files: Files, helpers: Helpers) -> None:
        self._files, self._helpers = files, helpers
        self._profiles: dict[tuple[str, ReadOptions], Profile] = {}
        self._mutex = threading.Lock()

    def preview(
        self, project: str, file: str, *, start: int = 0, count: int = 100, options: ReadOptions | None = None
    ) -> Preview:
        """Rows of a file as texts, from row `start` on, and the types that the file has."""
        stored = self._files.get(project, file)
        asked = questions.preview, stored.path, options or ReadOptions(), max(0, start), min(count, 1000)
        return self._helpers.ask(*asked, names=_names(stored))

    def profile(self, project: str, file: str, options: ReadOptions | None = None) -> Profile:
        """Kind, distinct and missing values, uniqueness and suggested role of every column, with reasons."""
        stored, how = self._files.get(project, file), options or ReadOptions()
        with self._mutex:
            known = self._profiles.get((file, how))
        if known is None:  # files never change, so their profiles are kept
            known = self._helpers.ask(profile, stored.path, how, names=_names(stored))
            with self._mutex:
                if len(self._profiles) >= _KEPT:
                    self._profiles.pop(next(iter(self._profiles)))
                self._profiles[file, how] = known
        return known

    def uniqueness(
        self, project: str, file: str, columns: Sequence[str], options: ReadOptions | None = None
    ) -> float:
        """The share of records that somebody singles out who knows exactly these columns."""
        stored = self._files.get(project, file)
        how = options or ReadOptions()
        return self._helpers.ask(questions.uniqueness, stored.path, how, tuple(columns), names=_names(stored))


def _names(stored: StoredFile) -> Names:
    return Names({str(stored.path): stored.name})
