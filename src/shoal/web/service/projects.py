"""Projects: a name, files, settings, and what was run."""

import time
from dataclasses import dataclass

from shoal.errors import BadInput, NotFound, Problem
from shoal.web.service.store import Store, checked_id, new_id

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project as lists show it; times are seconds since 1970."""

    id: str
    name: str
    created: float
    files: int
    jobs: int


class Projects:
    """Make, list, rename and delete projects. Names are any text for people; ids tell projects apart."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, name: str) -> Project:
        """A new, empty project."""
        project = new_id()
        self._store.change(
            "INSERT INTO projects (id, name, created, sections) VALUES (?, ?, ?, '{}')",
            project,
            checked_name(name),
            time.time(),
        )
        folder = self._store.project_folder(project)
        for part in (folder, folder / "files", folder / "jobs"):
            part.mkdir(mode=0o700)
        return self.get(project)

    def all(self) -> list[Project]:
        """Every project, the newest first."""
        found = self._store.rows("SELECT id FROM projects WHERE NOT deleted ORDER BY created DESC")
        return [self.get(row["id"]) for row in found]

    def get(self, project: str) -> Project:
        """One project; NotFound if there is none."""
        row = self._store.row(
            "SELECT id, name, created,"
            " (SELECT count(*) FROM files WHERE project = projects.id) AS files,"
            " (SELECT count(*) FROM jobs WHERE project = projects.id) AS jobs"
            " FROM projects WHERE id = ? AND NOT deleted",
            checked_id("project", project),
        )
        if row is None:
            raise NotFound("project", project)
        return Project(**dict(row))

    def rename(self, project: str, name: str) -> Project:
        """Give a project another name."""
        self.get(project)
        self._store.change("UPDATE projects SET name = ? WHERE id = ?", checked_name(name), project)
        return self.get(project)


def checked_name(name: str) -> str:
    """A name for people: any text that can be shown on one line."""
    text = " ".join(name.split())
    if not text or len(text) > LONGEST_NAME or not text.isprintable():
        what = f"a name has 1 to {LONGEST_NAME} characters that can be shown"
        raise BadInput(Problem(what, "choose another name"))
    return text
