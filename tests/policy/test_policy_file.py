from pathlib import Path

import pytest

from shoal.errors import BadInput
from shoal.policy.policy_file import load_policy, parse_policy

GOOD = """\
[data]
path = "patients.csv"
missing = ["", "?"]

[columns]
name = { role = "identifier" }
age = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10] } }
outcome = { role = "sensitive" }

[privacy]
model = "k-anonymity"
k = 5
l = 2

[algorithm]
name = "mondrian"
mode = "strict"
time_limit = "10 min"
memory_limit = "4 GB"
"""


def problems_of(text: str) -> list[str]:
    with pytest.raises(BadInput) as caught:
        parse_policy(text, file="p.toml")
    return [str(problem) for problem in caught.value.problems]


def test_a_good_policy_is_read():
    policy = parse_policy(GOOD)
    assert policy.columns["age"].kind == "number"
    assert policy.algorithm.time_limit == 600
    assert policy.algorithm.memory_limit == 4e9
    assert policy.algorithm.options == {"mode": "strict"}
    assert policy.output.path is None


def test_an_unknown_key_is_named_with_its_line_and_the_nearest_known_one():
    (problem,) = problems_of(GOOD.replace('role = "sensitive"', 'rolle = "sensitive", role = "sensitive"'))
    assert problem.startswith("p.toml:8: unknown key 'rolle'")
    assert "did you mean 'role'?" in problem


def test_an_unknown_section_is_named():
    (problem,) = problems_of(GOOD + "\n[privcy]\nk = 2\n")
    assert "unknown key 'privcy'" in problem
    assert "'privacy'" in problem


def test_all_problems_are_listed_at_once():
    broken = GOOD.replace("k = 5", 'k = "5"').replace('role = "identifier"', 'role = "name"')
    broken = broken.replace("10 min", "soon")
    problems = problems_of(broken)
    assert len(problems) == 3
    assert any("columns.name.role" in problem and "'quasi'" in problem for problem in problems)
    assert any("privacy.k" in problem and "'5'" in problem and "p.toml:12" in problem for problem in problems)
    assert any("time_limit" in problem and "10 min" in problem for problem in problems)


def test_two_roles_for_a_column_are_refused_with_the_line():
    (problem,) = problems_of(GOOD.replace("outcome =", 'age = { role = "sensitive" }\noutcome ='))
    assert problem.startswith("p.toml:8:")
    assert "'age' is given twice" in problem
    assert "one role" in problem


def test_broken_toml_is_refused_with_the_line():
    (problem,) = problems_of(GOOD.replace("k = 5", "k = "))
    assert problem.startswith("p.toml:12:")
    assert "not valid TOML" in problem


@pytest.mark.parametrize("recipe", ["{}", "{ fanout = 5, flat = true }"])
def test_a_hierarchy_has_exactly_one_recipe(recipe):
    (problem,) = problems_of(GOOD.replace("{ ranges = [5, 10] }", recipe))
    assert (
        "exactly one of ranges, mask, dates, order, keep, prefixes, continents, fanout, digits, flat"
        in problem
    )
    assert "p.toml:7" in problem


def test_an_unknown_recipe_is_named():
    problems = problems_of(GOOD.replace("ranges =", "range ="))
    assert any("unknown key 'range'" in problem and "'ranges'" in problem for problem in problems)


def test_a_missing_section_is_named():
    (problem,) = problems_of(GOOD.partition("[privacy]")[0])
    assert "privacy is missing" in problem


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00junk"])
def test_an_unreadable_policy_is_refused(tmp_path: Path, content):
    path = tmp_path / "p.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=r"p\.toml"):
        load_policy(path)


def test_a_folder_is_not_a_policy(tmp_path: Path):
    with pytest.raises(BadInput, match="is a folder"):
        load_policy(tmp_path)
