"""The data folder: one SQLite file for what is known, one folder per project for its files.

Everything in it is readable by its owner alone. Ids are random; names that people give are kept in the
database and never become paths. Whatever a killed server left half done is swept when the folder is opened.
"""

import os
import re
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import platformdirs
from filelock import lock_descriptor

from shoal.errors import BadInput, NotFound, OutputFailed, Problem

_LOCK_SECONDS = 10.0
_ID = re.compile(r"[0-9a-f]{24}")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS projects (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created REAL NOT NULL, sections TEXT NOT NULL DEFAULT '{}',
    deleted INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS versions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    sections TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    id TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL, name TEXT NOT NULL, ending TEXT NOT NULL, size INTEGER NOT NULL,
    created REAL NOT NULL,
    UNIQUE (project, name));
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, request TEXT NOT NULL, policy TEXT NOT NULL,
    created REAL NOT NULL, started REAL, ended REAL, failure TEXT, result TEXT);
CREATE TABLE IF NOT EXISTS sessions (digest TEXT PRIMARY KEY, created REAL NOT NULL, seen REAL NOT NULL);
CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created REAL NOT NULL, used REAL);
CREATE INDEX IF NOT EXISTS jobs_of_project ON jobs (project, created);
CREATE INDEX IF NOT EXISTS versions_of_project ON versions (project, number);
"""
# For folders that were made before settings had versions: what they are now becomes the first.
_ADD_VERSIONS = """
ALTER TABLE projects ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
INSERT INTO versions (project, sections, made) SELECT id, sections, created FROM projects;
UPDATE projects SET version = (SELECT number FROM versions WHERE project = projects.id);
"""


class Store:
    """The data folder, locked for this process."""

    def __init__(self, folder: Path) -> None:
        """Open the folder, make it if need be, and sweep what was left half done."""
        self.folder = folder
        try:
            _make_private(folder)
            for part in (self.projects_folder, self.incoming):
                _make_private(part)
            self.lock_handle = _locked(folder)
        except OSError as error:
            raise OutputFailed(f"{folder}: cannot be used as the data folder: {error.strerror}") from error
        self._mutex = threading.RLock()
        try:
            self._connection = _connected(folder / "shoal.sqlite")
        except sqlite3.DatabaseError as error:
            os.close(self.lock_handle)
            what = f"is no database of Shoal: {error}"
            raise BadInput(
                Problem(what, "choose another data folder", file=str(folder / "shoal.sqlite"))
            ) from error
        self._sweep()

    @property
    def projects_folder(self) -> Path:
        """Where the folders of the projects are."""
        return self.folder / "projects"

    @property
    def incoming(self) -> Path:
        """Where files lie while they arrive."""
        return self.folder / "incoming"

    def project_folder(self, project: str) -> Path:
        """The folder of a project."""
        return self.projects_folder / checked_id("project", project)

    def job_folder(self, project: str, job: str) -> Path:
        """The folder of a job."""
        return self.project_folder(project) / "jobs" / checked_id("job", job)

    def lasting_secret(self) -> str:
        """A secret of this folder that stays the same when the server starts again."""
        path = self.folder / "secret"
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(32), encoding="ascii")
        return path.read_text(encoding="ascii")

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._mutex:
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> sqlite3.Row | None:
        """The first row of a query; None if there is none."""
        with self._mutex:
            found: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
            return found

    def change(self, sql: str, *values: Any) -> None:
        """One change by itself."""
        with self.changing() as connection:
            connection.execute(sql, values)

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of the block's changes are kept, or none."""
        with self._mutex:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def remove_project(self, project: str) -> None:
        """Remove a project for good: marked first, so that a removal that is cut short goes on later."""
        self.change("UPDATE projects SET deleted = 1 WHERE id = ?", project)
        self._finish_removal(project)

    def close(self) -> None:
        """Let go of the folder."""
        with self._mutex:
            self._connection.close()
        with suppress(OSError):
            os.close(self.lock_handle)

    def _finish_removal(self, project: str) -> None:
        folder = self.project_folder(project)
        for _ in range(3):  # a worker that was just killed may have been writing
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)
        else:
            return  # the mark stays, so the next start tries again
        self.change("DELETE FROM projects WHERE id = ?", project)
        with self._mutex:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _sweep(self) -> None:
        shutil.rmtree(self.incoming, ignore_errors=True)
        _make_private(self.incoming)
        for row in self.rows("SELECT id FROM projects WHERE deleted"):
            self._finish_removal(row["id"])
        known = {row["id"] for row in self.rows("SELECT id FROM projects")}
        for folder in self.projects_folder.iterdir():
            if folder.name not in known:
                shutil.rmtree(folder, ignore_errors=True)
        self.change(
            "UPDATE jobs SET state = 'interrupted', ended = ? WHERE state IN ('queued', 'running')",
            time.time(),
        )
        for project in known:
            self._sweep_project(project)

    def _sweep_project(self, project: str) -> None:
        """Remove files that the database does not know, and whatever unfinished jobs left behind."""
        folder = self.project_folder(project)
        kept = {
            row["id"] + row["ending"]
            for row in self.rows("SELECT id, ending FROM files WHERE project = ?", project)
        }
        for file in _entries(folder / "files"):
            if file.name not in kept:
                file.unlink()
        done = {
            row["id"]
            for row in self.rows("SELECT id FROM jobs WHERE project = ? AND state = 'done'", project)
        }
        for job in _entries(folder / "jobs"):
            if job.name not in done:
                shutil.rmtree(job, ignore_errors=True)


def default_data_folder() -> Path:
    """Where the platform wants the data of a user's programs."""
    if given := os.environ.get("SHOAL_HOME"):
        return Path(given)
    return platformdirs.user_data_path("shoal", appauthor=False)


def new_id() -> str:
    """A random id, which is also a safe file name."""
    return secrets.token_hex(12)


def checked_id(what: str, given: str) -> str:
    """The id if it can be one; nothing else ever becomes part of a path."""
    if not _ID.fullmatch(given):
        raise NotFound(what, given)
    return given


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _locked(folder: Path) -> int:
    """Hold the folder; a worker of a server that was killed holds it until it has noticed."""
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + _LOCK_SECONDS
    while not lock_descriptor(handle, blocking=False):
        if time.monotonic() > deadline:
            os.close(handle)
            what = "is in use by another `shoal serve`"
            raise BadInput(Problem(what, "stop it, or choose another folder with --data", file=str(folder)))
        time.sleep(0.05)
    return handle


def _connected(path: Path) -> sqlite3.Connection:
    path.touch(mode=0o600)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    connection.executescript(_SCHEMA)
    if "version" not in {row["name"] for row in connection.execute("PRAGMA table_info(projects)")}:
        connection.executescript(_ADD_VERSIONS)
    return connection
