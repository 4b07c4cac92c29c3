import os
import time

import pytest

from shoal.errors import BadInput, NotFound
from shoal.web.service import store as stores
from shoal.web.service.store import Store, checked_id, new_id
from tests.web.samples import permissions


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


def project_in(store: Store, name: str = "p") -> str:
    project = new_id()
    with store.changing() as connection:
        connection.execute("INSERT INTO projects (id, name, created) VALUES (?, ?, 0)", (project, name))
    for part in ("files", "jobs"):
        (store.project_folder(project) / part).mkdir(parents=True)
    return project


def test_only_the_owner_can_read_the_data_folder(folder):
    Store(folder).close()
    assert permissions(folder) == 0o700
    assert permissions(folder / "shoal.sqlite") == 0o600
    assert permissions(folder / "projects") == permissions(folder / "incoming") == 0o700


def test_two_servers_cannot_share_a_data_folder(folder, monkeypatch):
    monkeypatch.setattr(stores, "_LOCK_SECONDS", 0.1)
    first = Store(folder)
    with pytest.raises(BadInput, match="in use by another"):
        Store(folder)
    first.close()
    Store(folder).close()


def test_a_file_that_is_no_database_is_refused(folder):
    folder.mkdir()
    (folder / "shoal.sqlite").write_text("not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(BadInput, match="no database of Shoal"):
        Store(folder)


def test_a_change_that_fails_leaves_nothing(folder):
    store = Store(folder)
    with pytest.raises(RuntimeError), store.changing() as connection:
        connection.execute("INSERT INTO projects (id, name, created) VALUES ('x', 'p', 0)")
        raise RuntimeError
    assert store.rows("SELECT * FROM projects") == []
    store.close()


def test_a_removal_that_was_cut_short_is_finished_at_the_next_start(folder):
    store = Store(folder)
    project = project_in(store)
    (store.project_folder(project) / "files" / "x.csv").write_text("secret")
    with store.changing() as connection:
        connection.execute("UPDATE projects SET deleted = 1")
    store.close()
    again = Store(folder)
    assert again.rows("SELECT * FROM projects") == []
    assert list(again.projects_folder.iterdir()) == []
    again.close()


def test_deleted_content_is_gone_from_the_database_file(folder):
    store = Store(folder)
    project = project_in(store, "a name that nobody should find")
    store.remove_project(project)
    store.close()
    content = b"".join(path.read_bytes() for path in folder.glob("shoal.sqlite*"))
    assert b"nobody should find" not in content


def test_leftovers_are_swept_and_unfinished_jobs_interrupted_at_the_next_start(folder):
    store = Store(folder)
    project, running, done = project_in(store), new_id(), new_id()
    with store.changing() as connection:
        for job, state in ((running, "running"), (done, "done")):
            connection.execute(
                "INSERT INTO jobs (id, project, kind, title, state, request, policy, created)"
                " VALUES (?, ?, 'run', 't', ?, '{}', '', 0)",
                (job, project, state),
            )
    for job in (running, done):
        (store.job_folder(project, job) / "out").mkdir(parents=True)
    (store.project_folder(project) / "files" / "unknown.csv").write_text("x")
    (store.incoming / "partial").write_text("x")
    (store.projects_folder / new_id()).mkdir()
    store.close()
    again = Store(folder)
    states = {row["id"]: row["state"] for row in again.rows("SELECT id, state FROM jobs")}
    assert states == {running: "interrupted", done: "done"}
    assert again.job_folder(project, done).exists()
    assert not again.job_folder(project, running).exists()
    assert list(again.incoming.iterdir()) == list((again.project_folder(project) / "files").iterdir()) == []
    assert [entry.name for entry in again.projects_folder.iterdir()] == [project]
    again.close()


def test_the_next_server_waits_for_a_worker_of_the_last(folder):
    store = Store(folder)
    held = os.dup(store.lock_handle)
    store.close()
    began = time.monotonic()
    os.close(held)
    Store(folder).close()
    assert time.monotonic() - began < stores._LOCK_SECONDS


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "/etc", "A" * 24, "0" * 23, "0" * 24 + "\n", "é" * 24]
)
def test_nothing_but_an_id_becomes_part_of_a_path(name):
    with pytest.raises(NotFound):
        checked_id("project", name)


def test_a_secret_of_the_folder_lasts(folder):
    store = Store(folder)
    secret = store.lasting_secret()
    store.close()
    again = Store(folder)
    assert again.lasting_secret() == secret
    assert permissions(folder / "secret") == 0o600
    again.close()
