import pytest

from shoal.errors import BadInput
from shoal.hierarchy.lint import Severity
from shoal.web.service.editing import Group
from tests.web.samples import TINY_SECTIONS, add_tiny, sample


def test_a_tree_is_shown_with_the_records_under_each_label(service, project):
    add_tiny(service, project)
    view = service.trees.view(project, "age")
    assert view.labels[-1] == "*"
    assert view.parents[-1] == len(view.labels) - 1
    assert (view.records[-1], view.values[-1]) == (60, 30)
    assert view.whole


def test_a_recipe_can_be_tried_before_it_is_chosen(service, project):
    add_tiny(service, project)
    assert service.trees.view(project, "age", {"ranges": [10]}).labels[-4:] == (
        "20-29",
        "30-39",
        "40-49",
        "*",
    )
    assert service.policies.get(project) == TINY_SECTIONS
    service.trees.choose(project, "age", {"ranges": [10]})
    assert service.trees.view(project, "age").height == 2


@pytest.mark.parametrize(
    "hierarchy", [{"ranges": [5, 7]}, {"fanout": 5, "flat": True}, {"magic": 1}, "nothing.csv"]
)
def test_a_recipe_that_is_none_is_refused(service, project, hierarchy):
    add_tiny(service, project)
    with pytest.raises(BadInput):
        service.trees.view(project, "age", hierarchy)


def test_an_edited_tree_is_a_file_and_the_columns_hierarchy(service, project):
    add_tiny(service, project)
    stored = service.trees.edit(project, "age", [Group(("20-24", "25-29"), "young")], name="ages.csv")
    assert stored.kind == "hierarchy"
    assert service.policies.get(project)["columns"]["age"]["hierarchy"] == "ages.csv"
    assert "young" in service.trees.view(project, "age").labels
    assert list(service.store.incoming.iterdir()) == []


def test_problems_of_an_uploaded_tree_are_all_listed_and_it_is_not_kept(service, project):
    with pytest.raises(BadInput) as raised:
        service.trees.upload(project, "bad.csv", [b"a;x;*\nb;y;+\na;y;*\n"])
    assert len(raised.value.problems) >= 2
    assert all(problem.file == "bad.csv" for problem in raised.value.problems)
    assert service.files.all(project) == []


def test_lint_sees_values_that_an_uploaded_tree_lacks(service, project):
    add_tiny(service, project)
    service.trees.upload(project, "sex.csv", [b"f;*\n"])
    findings = service.trees.lint(project, "sex", "sex.csv")
    assert [finding.severity for finding in findings if "'m'" in str(finding.problem)] == [Severity.ERROR]
    assert all(finding.problem.file == "sex.csv" for finding in findings)


def test_no_word_about_a_tree_tells_where_its_file_is(service, project):
    add_tiny(service, project)
    service.trees.upload(project, "sex.csv", [b"f;*\nm;*\n*;*\n"])
    service.trees.choose(project, "sex", "sex.csv")
    (notice,) = service.trees.view(project, "sex").notices
    assert notice.startswith("sex.csv:3: left out")
    told = f"column 'sex': {notice}"
    checked = service.jobs.wait(project, service.jobs.check(project).id, 240).result
    assert checked is not None
    assert told in checked["notices"]
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    assert told in service.results.view(project, job.id)["notices"]


def test_trees_of_sets_are_shown_too(service, project):
    service.files.add(project, "diagnoses.txt", [sample("diagnoses.txt")])
    service.trees.upload(project, "diagnoses.csv", [sample("diagnoses.csv")])
    assert service.policies.take(project, sample("sets.toml").decode()) == []
    assert service.trees.view(project, "items").leaf_count == 120


def test_a_column_without_a_role_has_no_tree(service, project):
    add_tiny(service, project)
    for column in ("nothing", "ill"):
        with pytest.raises(BadInput):
            service.trees.view(project, column)
