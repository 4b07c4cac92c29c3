import sqlite3

import pytest

from shoal.errors import BadInput
from shoal.web.service import history
from shoal.web.service.merging import Stale
from shoal.web.service.store import Store
from tests.web.samples import TINY, TINY_SECTIONS, add_tiny

OLD = "a" * 24


def set_k(service, project, k):
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": k})


def k_of(service, project):
    return service.policies.get(project)["privacy"]["k"]


def test_every_change_is_undone_and_redone_until_another_is_made(service, project):
    add_tiny(service, project)
    set_k(service, project, 4)
    set_k(service, project, 4)  # no change, no step
    set_k(service, project, 6)
    assert service.policies.undo(project) == ("k of the promise was 6 and is 4 now",)
    service.policies.undo(project)
    assert k_of(service, project) == 3
    service.policies.redo(project)
    assert k_of(service, project) == 4
    set_k(service, project, 9)
    assert service.policies.redo(project) == ()
    service.policies.undo(project)
    assert k_of(service, project) == 4
    service.policies.undo(project)
    service.policies.undo(project)
    assert service.policies.get(project) == {}
    assert service.policies.undo(project) == ()


def test_bringing_a_file_is_undone_like_any_change(service, project):
    add_tiny(service, project)
    other = service.files.add(project, "other.csv", [TINY.replace("sex", "gender").encode()])
    service.policies.start(project, other.id)
    assert service.policies.get(project)["data"]["path"] == "other.csv"
    service.policies.undo(project)
    assert service.policies.get(project) == TINY_SECTIONS


def test_numbers_of_versions_are_never_given_twice(service, project):
    add_tiny(service, project)
    set_k(service, project, 4)
    undone = service.policies.version(project).number
    service.policies.undo(project)
    set_k(service, project, 5)
    assert service.policies.version(project).number > undone
    with pytest.raises(Stale, match="no version"):
        service.policies.edit_version(project, undone, TINY_SECTIONS)


def test_a_change_from_an_old_version_keeps_what_came_after_it(service, project):
    add_tiny(service, project)
    seen = service.policies.version(project)
    set_k(service, project, 8)
    wanted = {**seen.sections, "algorithm": {"name": "hilbert"}}
    merged = service.policies.edit_version(project, seen.number, wanted)
    assert (merged["privacy"]["k"], merged["algorithm"]["name"]) == (8, "hilbert")
    with pytest.raises(BadInput, match="k of the promise was changed to 8 elsewhere"):
        service.policies.edit_version(
            project, seen.number, {**seen.sections, "privacy": {"model": "k-anonymity", "k": 4}}
        )


def test_only_so_many_steps_are_kept(service, project, monkeypatch):
    monkeypatch.setattr(history, "_KEPT", 3)
    add_tiny(service, project)
    for k in range(4, 9):
        set_k(service, project, k)
    while service.policies.undo(project):
        pass
    assert k_of(service, project) == 6


def test_folders_from_before_versions_keep_their_settings(tmp_path):
    store = Store(tmp_path / "data")
    store.close()
    with sqlite3.connect(tmp_path / "data" / "shoal.sqlite") as old:
        old.executescript("DROP TABLE versions; ALTER TABLE projects DROP COLUMN version;")
        old.execute(
            "INSERT INTO projects (id, name, created, sections) VALUES (?, 'A', 1, ?)", (OLD, '{"data": {}}')
        )
    old.close()
    store = Store(tmp_path / "data")
    found = history.History(store).current(OLD)
    store.close()
    assert (found.number, found.sections) == (1, {"data": {}})
