"""What the settings of a project were, step by step: every change can be taken back and made again."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import Problem
from shoal.study.starter import Sections
from shoal.web.service.merging import Stale, differences
from shoal.web.service.store import Store

_KEPT = 200  # steps back


@dataclass(frozen=True, slots=True)
class Version:
    """Settings as they are or were; numbers rise and are never given twice, and 0 is before any change."""

    number: int
    sections: Sections


class History:
    """The versions of the settings of all projects; one of each is the current one."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def current(self, project: str) -> Version:
        """The settings as they stand; none if there is no such project."""
        row = self._store.row("SELECT sections, version FROM projects WHERE id = ?", project)
        return Version(row["version"], json.loads(row["sections"])) if row else Version(0, {})

    def at(self, project: str, number: int) -> Version:
        """An earlier version; Stale if it is not remembered."""
        if number == 0:
            return Version(0, {})
        row = self._store.row(
            "SELECT sections FROM versions WHERE project = ? AND number = ?", project, number
        )
        if row is None:
            what = f"the settings have no version {number}, or it is too old"
            raise Stale(Problem(what, "read them again, and change them from there"))
        return Version(number, json.loads(row["sections"]))

    def add(self, project: str, sections: Mapping[str, Mapping[str, Any]]) -> None:
        """Make settings the current ones; what was undone before cannot be redone after that."""
        now = self.current(project)
        text = json.dumps(sections)
        if json.loads(text) == now.sections:
            return
        with self._store.changing() as connection:
            if not differences(now.sections, sections):  # only written in another way: no step of its own
                connection.execute("UPDATE projects SET sections = ? WHERE id = ?", (text, project))
                connection.execute("UPDATE versions SET sections = ? WHERE number = ?", (text, now.number))
                return
            connection.execute("DELETE FROM versions WHERE project = ? AND number > ?", (project, now.number))
            made = connection.execute(
                "INSERT INTO versions (project, sections, made) VALUES (?, ?, ?)",
                (project, text, time.time()),
            ).lastrowid
            connection.execute(
                "UPDATE projects SET sections = ?, version = ? WHERE id = ?", (text, made, project)
            )
            connection.execute(
                "DELETE FROM versions WHERE project = ? AND number NOT IN"
                " (SELECT number FROM versions WHERE project = ? ORDER BY number DESC LIMIT ?)",
                (project, project, _KEPT),
            )

    def undo(self, project: str) -> tuple[str, ...]:
        """Go one version back; what changed by that, in words, and nothing if there is none."""
        now = self.current(project)
        row = self._store.row(
            "SELECT number FROM versions WHERE project = ? AND number < ? ORDER BY number DESC LIMIT 1",
            project,
            now.number,
        )
        if row is None and (now.number == 0 or self._has_forgotten(project)):
            return ()
        return self._go(project, now, self.at(project, row["number"] if row else 0))

    def redo(self, project: str) -> tuple[str, ...]:
        """Go one version forward again; what changed by that, in words, and nothing if there is none."""
        now = self.current(project)
        row = self._store.row(
            "SELECT number FROM versions WHERE project = ? AND number > ? ORDER BY number LIMIT 1",
            project,
            now.number,
        )
        return () if row is None else self._go(project, now, self.at(project, row["number"]))

    def _has_forgotten(self, project: str) -> bool:
        row = self._store.row("SELECT count(*) AS kept FROM versions WHERE project = ?", project)
        return row is not None and row["kept"] >= _KEPT

    def _go(self, project: str, now: Version, then: Version) -> tuple[str, ...]:
        self._store.change(
            "UPDATE projects SET sections = ?, version = ? WHERE id = ?",
            json.dumps(then.sections),
            then.number,
            project,
        )
        return differences(now.sections, then.sections)
