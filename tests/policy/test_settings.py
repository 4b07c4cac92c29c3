"""Values that a command line gives instead of a policy, and variables of the environment."""

import tomllib

import pytest

from shoal.errors import BadInput
from shoal.policy.environment import expanded
from shoal.policy.policy_file import load_policy
from shoal.policy.settings import setting_of, with_settings
from tests.policy.test_policy_file import GOOD


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize(
    ("words", "path", "value"),
    [
        ("privacy.k=10", ("privacy", "k"), 10),
        ('algorithm.name = "mondrian"', ("algorithm", "name"), "mondrian"),
        ("algorithm.name=rmerge-rt", ("algorithm", "name"), "rmerge-rt"),
        ("output.keep_order=true", ("output", "keep_order"), True),
        ('columns."a.b=c".levels=[1, 2]', ("columns", "a.b=c", "levels"), [1, 2]),
        ("columns.age.hierarchy={ ranges = [5] }", ("columns", "age", "hierarchy"), {"ranges": [5]}),
    ],
)
def test_keys_and_values_are_read_as_toml(words, path, value):
    setting = setting_of(words)
    assert (setting.path, setting.value) == (path, value)


@pytest.mark.parametrize(
    "words",
    [
        "privacy.k",
        "privacy.k=",
        "k=10",
        "=3",
        "data.path=my file.csv",
        "data.path=a=b",
        "privacy.k=1\nm=2",
        "a.b.=1",
        "[a]=1",
    ],
)
def test_anything_else_is_refused_with_an_example(words):
    with pytest.raises(BadInput, match=r"--set privacy\.k=10"):
        setting_of(words)


def test_a_value_replaces_the_whole_value_of_its_key():
    content = {"columns": {"age": {"role": "quasi", "hierarchy": {"fanout": 5}}}}
    changed = with_settings(content, [setting_of("columns.age.hierarchy={ ranges = [5] }")])
    assert changed == {"columns": {"age": {"role": "quasi", "hierarchy": {"ranges": [5]}}}}
    assert content["columns"]["age"]["hierarchy"] == {"fanout": 5}


def test_a_key_below_a_value_is_refused():
    with pytest.raises(BadInput, match=r"--set privacy\.k\.x: privacy\.k is a value"):
        with_settings({"privacy": {"k": 5}}, [setting_of("privacy.k.x=1")])


def test_unknown_keys_are_refused_as_in_a_policy(policy):
    with pytest.raises(BadInput) as refused:
        load_policy(policy, [setting_of("privacy.kk=3"), setting_of('privacy.k="five"')])
    told = [str(problem) for problem in refused.value.problems]
    assert any(line.startswith("--set privacy.kk: unknown key 'kk' in [privacy]") for line in told)
    assert any(line.startswith("--set privacy.k: privacy.k must be") for line in told)


def test_problems_of_other_keys_still_name_their_lines(policy):
    policy.write_text(GOOD.replace("k = 5", 'k = "5"'))
    with pytest.raises(BadInput, match=r"p\.toml:12: privacy\.k"):
        load_policy(policy, [setting_of("algorithm.seed=3")])


def test_the_text_that_is_kept_is_what_counts(policy):
    file = load_policy(policy, [setting_of("privacy.k=10"), setting_of("algorithm.seed=3")])
    assert file.policy.privacy.k == 10
    assert file.text.startswith("# p.toml with --set privacy.k, --set algorithm.seed\n")
    kept = tomllib.loads(file.text)
    assert (kept["privacy"]["k"], kept["algorithm"]["seed"]) == (10, 3)
    assert load_policy(policy).text == GOOD


def test_variables_get_their_values_and_the_kept_text_their_names(policy, monkeypatch):
    monkeypatch.setenv("FOLDER", "secret-place")
    text = GOOD.replace("patients.csv", "${FOLDER}/a$${FOLDER}.csv")
    policy.write_text(text)
    file = load_policy(policy)
    assert file.policy.data.path == "secret-place/a${FOLDER}.csv"
    assert file.text == text
    assert "secret-place" not in load_policy(policy, [setting_of("privacy.k=10")]).text


def test_all_variables_that_are_not_set_are_named_with_their_lines(policy, monkeypatch):
    monkeypatch.delenv("NOWHERE", raising=False)
    policy.write_text(GOOD.replace("patients.csv", "${NOWHERE}/${not a name}"))
    with pytest.raises(BadInput) as refused:
        load_policy(policy)
    told = [str(problem) for problem in refused.value.problems]
    assert len(told) == 2
    assert "p.toml:2: data.path names the environment variable 'NOWHERE', which is not set" in told[0]
    assert "'not a name'" in told[1]


def test_what_a_variable_holds_is_not_shown_in_an_error(policy, monkeypatch):
    monkeypatch.setenv("K", "hunter2")
    policy.write_text(GOOD.replace("k = 5", 'k = "${K}"'))
    with pytest.raises(
        BadInput, match=r"got '\$\{K\}'; a variable is a text; give other values with --set"
    ) as told:
        load_policy(policy)
    assert "hunter2" not in str(told.value)


def test_texts_in_lists_and_tables_are_expanded_but_keys_are_not():
    content = {"${A}": ["${A}", 1, {"x": "<${A}>"}]}
    assert expanded(content, {"A": "b"}) == ({"${A}": ["b", 1, {"x": "<b>"}]}, [])
