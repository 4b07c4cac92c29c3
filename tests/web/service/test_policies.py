import re

import pytest

from shoal.errors import BadInput, InvalidParameter, NotFound
from tests.web.samples import TINY_SECTIONS, add_tiny, sample


def test_settings_are_kept_as_a_policy_and_survive_its_text(service, project):
    add_tiny(service, project)
    text = service.policies.text(project)
    assert service.policies.take(project, text) == []
    assert service.policies.get(project) == TINY_SECTIONS


def test_a_data_file_gets_suggested_settings(service, project):
    file = service.files.add(project, "patients.csv", [sample("patients.csv")])
    sections = service.policies.start(project, file.id)
    assert sections["columns"]["name"] == {"role": "identifier"}
    assert sections["columns"]["zip"]["hierarchy"] == {"prefixes": [3, 1]}
    assert sections["privacy"]["model"] == "k-km-anonymity"
    assert service.policies.problems(project) == []


def test_drafts_are_kept_with_all_their_problems(service, project):
    add_tiny(service, project)
    columns = {
        "age": {"role": "quasi", "kind": "number", "hierarchy": {"ranges": [5, 7]}},
        "sex": {"role": "quasi"},
        "ill": {"role": "sensitive", "weight": 2},
    }
    problems = service.policies.set(project, "columns", columns)
    assert len(problems) == 3
    assert service.policies.get(project)["columns"] == columns


def test_problems_of_data_and_settings_are_told_in_the_names_of_people(service, project):
    add_tiny(service, project)
    service.policies.set(project, "data", {"path": "tiny.csv"})
    columns = {**TINY_SECTIONS["columns"], "nothing": {"role": "sensitive"}}
    service.policies.set(project, "columns", columns)
    failure = service.jobs.wait(project, service.jobs.check(project).id, 240).failure
    assert failure is not None
    assert re.search(r"tiny\.csv.*nothing", failure.sentence)
    assert str(service.store.folder) not in failure.sentence


@pytest.mark.parametrize("path", ["/etc/passwd", "../../secret.csv", "other.csv"])
def test_only_files_of_the_project_can_be_named(service, project, path):
    add_tiny(service, project)
    problems = service.policies.set(project, "data", {"path": path})
    assert [problem.what for problem in problems] == [
        f"data names {path!r}, which is no file of this project"
    ]


def test_a_check_says_what_a_run_will_cost(service, project):
    add_tiny(service, project)
    found = service.jobs.wait(project, service.jobs.check(project).id, 240).result
    assert found is not None
    assert (found["records"], found["algorithm"]) == (60, "mondrian")


def test_the_promise_is_told_in_plain_words(service, project):
    add_tiny(service, project)
    told = service.policies.meaning(project)
    assert "At least 3 rows fit that person" in told.promises[0]
    assert "age and sex" in told.promises[0]
    assert any("several releases" in limit.title.lower() for limit in told.limits)
    tried = service.policies.meaning(project, {"model": "k-anonymity", "k": 7, "l": 2})
    assert "At least 7 rows" in tried.promises[0]
    assert "ill" in tried.promises[1]


@pytest.mark.parametrize(
    "privacy", [{}, {"model": "k-anonymity"}, {"model": "magic"}, {"model": "k-anonymity", "k": 0}]
)
def test_a_promise_that_is_none_is_refused(service, project, privacy):
    add_tiny(service, project)
    with pytest.raises(BadInput):
        service.policies.meaning(project, privacy)


def test_what_is_no_policy_is_refused(service, project):
    with pytest.raises(InvalidParameter, match="section"):
        service.policies.set(project, "magic", {})
    with pytest.raises(BadInput, match="unknown sections"):
        service.policies.replace(project, {"magic": {}})
    with pytest.raises(BadInput, match="TOML"):
        service.policies.take(project, "[data")
    deep: dict = {}
    for _ in range(300):
        deep = {"x": deep}
    with pytest.raises(BadInput, match="nest so deeply"):
        service.policies.replace(project, {"data": deep})
    assert service.policies.get(project) == {}


def test_a_project_that_is_not_there_has_no_settings(service):
    with pytest.raises(NotFound):
        service.policies.get("0" * 24)


def test_a_weak_promise_is_confirmed_in_writing_and_the_publishers_report_says_so(service, project):
    add_tiny(service, project)
    (weak,) = service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 2})
    assert "k = 2" in str(weak)
    with pytest.raises(BadInput, match="confirm it in writing"):
        service.jobs.run(project)
    assert service.policies.confirm(project, "of course") != []
    assert service.policies.confirm(project, "k = 2 <b>for</b> a test of formats") == []
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    assert job.state == "done", job.failure
    report = service.results.export(project, job.id, "report").path.read_text(encoding="utf-8")
    assert "was confirmed in writing: k = 2 &lt;b&gt;for&lt;/b&gt; a test of formats" in report
    for public in ("public-report", "certificate"):
        assert "test of formats" not in service.results.export(project, job.id, public).path.read_text()
    assert service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 2, "l": 1.5}) != []


def test_what_a_run_promises_is_one_sentence(service, project):
    add_tiny(service, project)
    assert service.policies.summary(project) == (
        "A run promises k-anonymity with k = 3 on age and sex, which somebody may know; ill is published"
        " unchanged."
    )
    service.policies.set(project, "privacy", {"model": "differential-privacy", "epsilon": 1.0})
    assert "epsilon = 1.0 to everybody" in service.policies.summary(project)


def test_what_another_tab_changed_is_never_overwritten(service, project):
    add_tiny(service, project)
    seen = service.policies.get(project)
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 20})
    columns = {**seen["columns"], "ill": {"role": "insensitive"}}
    now = service.policies.edit(project, seen, {**seen, "columns": columns})
    assert (now["privacy"]["k"], now["columns"]["ill"]) == (20, {"role": "insensitive"})
    with pytest.raises(BadInput, match="changed to 20 elsewhere, and would become 4 here"):
        service.policies.edit(project, seen, {**seen, "privacy": {"model": "k-anonymity", "k": 4}})
    assert service.policies.get(project) == now


def test_a_file_that_is_brought_again_keeps_what_was_said(service, project):
    add_tiny(service, project)
    sections = service.policies.get(project)
    columns = {name: entry for name, entry in sections["columns"].items() if name != "sex"}
    service.policies.replace(
        project, {**sections, "data": {**sections["data"], "others": "drop"}, "columns": columns}
    )
    newer = "age,sex,ill,city\n" + "".join(f"{20 + i},{'fm'[i % 2]},a,{'xy'[i % 2]}\n" for i in range(40))
    file = service.files.add(project, "newer.csv", [newer.encode()])
    brought = service.policies.bring(project, file.id)
    assert (brought.kept, brought.new, brought.gone) == (("age", "ill"), ("city",), ())
    now = service.policies.get(project)
    assert now["privacy"] == {"model": "k-anonymity", "k": 3}
    assert now["columns"]["age"] == columns["age"]
    assert "sex" not in now["columns"], "it was left out before"
    assert (now["data"]["path"], now["data"]["others"]) == ("newer.csv", "drop")
    assert service.policies.problems(project) == []


def test_a_first_file_gets_suggestions_and_keeps_nothing(service, project):
    file = service.files.add(project, "patients.csv", [sample("patients.csv")])
    assert service.policies.bring(project, file.id).kept == ()
    assert service.policies.get(project)["columns"]["name"] == {"role": "identifier"}


def test_a_file_that_is_read_in_another_way_keeps_what_was_said_of_its_columns(service, project):
    file = service.files.add(project, "a.csv", [b"age;town\n" + b"34;NA\n35;Ulm\n" * 20])
    service.policies.start(project, file.id)
    service.policies.set(project, "columns", {"age": {"role": "sensitive"}, "town": {"role": "quasi"}})
    brought = service.policies.read_as(project, {"missing": [""]})
    assert brought.kept == ("age", "town")
    sections = service.policies.get(project)
    (town,) = [
        each
        for each in service.data.profile_as(project, file.id, sections["data"]).columns
        if each.name == "town"
    ]
    assert (town.distinct, town.missing) == (2, 0)
    service.policies.read_as(project, {"delimiter": ","})
    assert list(service.policies.get(project)["columns"]) == ["age;town"]
    service.policies.undo(project)
    assert service.policies.get(project) == sections
    with pytest.raises(BadInput, match="cannot be the encoding"):
        service.policies.read_as(project, {"encoding": "nothing"})


def test_a_file_in_use_is_not_deleted(service, project):
    file = add_tiny(service, project)
    with pytest.raises(BadInput, match=r"tiny\.csv is in use"):
        service.remove_file(project, file)
    other = service.files.add(project, "other.csv", [b"a\n1\n"])
    service.remove_file(project, other.id)
    assert [each.name for each in service.files.all(project)] == ["tiny.csv"]
