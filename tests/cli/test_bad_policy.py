"""Policies that cannot be used: what is wrong, in which line, and what to do."""

import json
import os

import pytest

from tests.cli.commands import AGE, COLUMNS, ITEMS, NAME, PATIENTS, SEX, shoal

BAD_INPUT = 2


@pytest.fixture
def problems(hospital):
    """The problems of a policy, which run and check must both name."""

    def run(*args, **kwargs):
        done, checked = hospital.run(*args, **kwargs), hospital.check(*args, **kwargs)
        assert (done.code, checked.code) == (BAD_INPUT, BAD_INPUT), done.err
        assert not hospital.out.exists()
        return done.errors

    return run


def line_of(hospital, beginning: str) -> str:
    lines = hospital.policy.read_text().splitlines()
    return f"policy.toml:{next(n for n, line in enumerate(lines, start=1) if line.startswith(beginning))}:"


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_missing_policy_is_named(hospital, command):
    done = shoal(command, hospital.policy)
    assert done.code == BAD_INPUT
    assert "policy.toml: there is no such policy file" in done.errors[0]


def test_a_folder_is_no_policy(hospital):
    done = shoal("run", hospital.folder)
    assert done.code == BAD_INPUT
    assert "is a folder, not a policy file" in done.errors[0]


def test_a_file_of_a_gigabyte_is_no_policy(hospital):
    with hospital.policy.open("wb") as stream:
        stream.truncate(2**30)
    done = shoal("run", hospital.policy)
    assert done.code == BAD_INPUT
    assert "is too large for a policy" in done.errors[0]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\0\0\0", b"[data\n", b""])
def test_a_file_that_is_no_policy_is_refused(hospital, content):
    done = shoal("run", hospital.write("policy.toml", content))
    assert done.code == BAD_INPUT
    assert "policy.toml" in done.errors[0]


def test_an_unknown_key_is_named_with_the_nearest(problems, hospital):
    (problem,) = problems(data="mising = []")
    assert line_of(hospital, "mising") in problem
    assert "unknown key 'mising' in [data]; did you mean 'missing'?" in problem


def test_two_roles_for_a_column_are_refused(problems, hospital):
    hospital.write("data.csv", PATIENTS)
    text = hospital.write_policy().read_text().replace('"sex" =', '"age" = { role = "sensitive" }\n"sex" =')
    done = shoal("run", hospital.write("policy.toml", text))
    assert done.code == BAD_INPUT
    (problem,) = done.errors
    assert line_of(hospital, '"age" = { role = "sensitive"') in problem
    assert "'age' is given twice" in problem
    assert "one role" in problem


@pytest.mark.parametrize("k", ["0", "-3"])
def test_k_below_one_is_refused(problems, hospital, k):
    (problem,) = problems(privacy=f'model = "k-anonymity"\nk = {k}')
    assert line_of(hospital, "k =") in problem
    assert f"k must be an integer of 2 or more, got {k}" in problem


@pytest.mark.parametrize("promised", ["k = 1", "l = 1", "t = 1", "alpha = 1"])
def test_what_promises_nothing_is_refused(problems, promised):
    keys = promised if promised == "k = 1" else f"k = 5\n{promised}"
    found = problems(privacy=f'model = "k-anonymity"\n{keys}')
    assert any(f"{promised} promises nothing" in problem for problem in found)


def test_a_model_without_k_is_refused(problems):
    (problem,) = problems(privacy='model = "k-anonymity"')
    assert "k-anonymity needs k" in problem


def test_a_key_of_another_model_is_refused(problems):
    (problem,) = problems(privacy='model = "k-anonymity"\nk = 2\nm = 2')
    assert "k-anonymity takes no 'm'" in problem


def test_an_unknown_algorithm_is_named_with_the_nearest(problems, hospital):
    (problem,) = problems(algorithm='seed = 1\nname = "mondrain"')
    assert "no algorithm 'mondrain'; did you mean 'mondrian'?" in problem
    assert line_of(hospital, "name =") in hospital.check(algorithm='seed = 1\nname = "mondrain"').errors[0]


def test_an_unknown_option_of_the_algorithm_is_named_with_the_nearest(problems, hospital):
    (problem,) = problems(algorithm='name = "mondrian"\nmod = "strict"')
    assert "mondrian has no option 'mod'; did you mean 'mode'?" in problem


def test_a_bad_value_of_an_option_is_refused(problems):
    (problem,) = problems(algorithm='name = "mondrian"\nmode = "loose"')
    assert "mode must be one of 'strict', 'relaxed', got 'loose'" in problem


@pytest.mark.parametrize("limit", ["0", "-5", '"0 s"', '"soon"', '"10"', "inf", "nan"])
@pytest.mark.parametrize("key", ["time_limit", "memory_limit"])
def test_limits_must_be_above_zero(problems, hospital, key, limit):
    (problem,) = problems(algorithm=f"{key} = {limit}")
    assert f"algorithm.{key} must be" in problem
    assert line_of(hospital, key) in problem


def test_k_anonymity_refuses_sets_and_names_the_model_that_covers_both(problems):
    (problem,) = problems("age,items\n1,a b\n", {"age": AGE, "items": ITEMS})
    assert "k-anonymity does not cover the set column 'items'" in problem
    assert '"k-km-anonymity"' in problem


@pytest.mark.parametrize("privacy", ["km-anonymity", "set-k-anonymity", "disassociation"])
def test_models_of_sets_refuse_single_values_and_name_the_model_that_covers_both(problems, privacy):
    m = "" if privacy == "set-k-anonymity" else "\nm = 2"
    (problem,) = problems(
        "age,items\n1,a b\n", {"age": AGE, "items": ITEMS}, privacy=f'model = "{privacy}"\nk = 2{m}'
    )
    assert f"{privacy} does not cover the quasi-identifier 'age'" in problem
    assert '"k-km-anonymity"' in problem


def test_the_model_of_both_needs_both(problems):
    (problem,) = problems(privacy='model = "k-km-anonymity"\nk = 2\nm = 2')
    assert "needs a column of role quasi and kind set" in problem
    (problem,) = problems("items\na b\n", {"items": ITEMS}, privacy='model = "k-km-anonymity"\nk = 2\nm = 2')
    assert "needs a quasi-identifier with single values" in problem


def test_diversity_needs_something_sensitive(problems):
    columns = {"age": AGE, "sex": SEX, "ill": NAME}
    (problem,) = problems(columns=columns, privacy='model = "k-anonymity"\nk = 2\nl = 2')
    assert "nothing is sensitive" in problem


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('encoding = "klingon"', "data.encoding must be a text encoding"),
        ('delimiter = "ab"', "data.delimiter must be one ASCII character"),
        ('others = "keep"', "data.others must be 'error', 'insensitive' or 'drop'"),
        ('subject = "agee"', "the subject column 'agee' is not under [columns]; did you mean 'age'?"),
        ('long = { id = "age", item = "age" }', "another column than id"),
    ],
)
def test_what_the_data_section_says_wrong_is_placed(problems, hospital, line, words):
    (problem,) = problems(data=line)
    assert words in problem
    assert line_of(hospital, line.split(" ")[0]) in problem or "[columns]" in problem or "long" in line


def test_the_subject_must_be_an_identifier(problems, hospital):
    (problem,) = problems(data='subject = "ill"')
    assert line_of(hospital, '"ill"') in problem
    assert "must have the role identifier" in problem


@pytest.mark.parametrize(
    "name", ["../x.csv", "a/x.csv", "certificate.json", "result.json", "internal", "..", "x.doc", "x", ""]
)
def test_the_published_file_has_a_plain_name_and_a_known_ending(problems, hospital, name):
    found = problems(output=f'path = "{name}"')
    assert all(line_of(hospital, f'path = "{name}"') in problem for problem in found)


def test_a_file_of_lines_holds_sets_only(problems):
    (problem,) = problems(output='path = "published.txt"')
    assert "holds one column of sets" in problem


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('role = "quasi", kind = "number", bounds = [5, 1]', "bounds must be a smaller number and a larger"),
        ('role = "quasi", kind = "number", bounds = [5]', "bounds must be two numbers"),
        ('role = "quasi", kind = "number", weight = -1', "weight must be a number of 0 or more"),
        ('role = "quasi", kind = "number", hierarchy = { ranges = [5, 7] }', "multiple of the one before"),
        ('role = "quasi", kind = "number", hierarchy = { fanout = 1 }', "fanout"),
        ('role = "quasi", kind = "date", hierarchy = { dates = ["year", "month"] }', "from fine to coarse"),
        ('role = "identifier", hierarchy = { flat = true }', "takes no 'hierarchy'"),
        ('role = "sensitive", kind = "set"', "list its sensitive items"),
        ('role = "quasi", hierarchy = 5', "must be the name of a file, or a recipe"),
    ],
)
def test_what_a_column_says_wrong_is_placed(problems, hospital, entry, words):
    (problem,) = problems(columns={**COLUMNS, "age": entry})
    assert line_of(hospital, '"age"') in problem
    assert words in problem


def test_check_lists_the_problems_of_policy_hierarchies_and_data_at_once(hospital):
    hospital.write("sexes.csv", "f;x;*\nm;x\n")
    columns = {
        "age": AGE + ', missing = "reject"',
        "sex": 'role = "quasi", hierarchy = "sexes.csv"',
        "il": SEX,
    }
    done = hospital.check(PATIENTS + ",f,a\n", columns, algorithm='name = "mondrain"', data='others = "drop"')
    assert done.code == BAD_INPUT
    assert any("mondrain" in problem for problem in done.errors)
    assert any("column 'il'" in problem for problem in done.errors)
    assert any("sexes.csv:2" in problem for problem in done.errors)
    columns.pop("il")
    done = hospital.check(PATIENTS + ",f,a\n", columns, algorithm='name = "mondrain"', data='others = "drop"')
    assert any("data.csv:14" in problem for problem in done.errors)
    assert len(done.errors) == 3


def test_check_looks_at_the_data_of_a_policy_that_is_wrong_itself(hospital):
    done = hospital.check(columns={"agee": AGE, "sex": 'role = "quasi"'})
    assert done.code == BAD_INPUT
    assert any(
        "column 'sex': a quasi-identifier of kind category needs a hierarchy" in p for p in done.errors
    )
    assert any("column 'agee': has no such column; did you mean 'age'?" in p for p in done.errors)
    done = hospital.check(None, {"sex": 'role = "quasi"'}, path="nowhere.csv")
    assert any("nowhere.csv: does not exist" in problem for problem in done.errors)


def test_problems_for_machines_keep_their_fields(hospital):
    done = hospital.check(columns={**COLUMNS, "agee": AGE}, words=("--json",))
    assert (done.code, done.err) == (BAD_INPUT, "")
    error = done.json["error"]
    assert error["type"] == "BadInput"
    (problem,) = error["problems"]
    assert problem["column"] == "agee"
    assert problem["file"].endswith("data.csv")
    assert problem["what"] in error["message"]
    assert json.dumps(error)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5000 + "]" * 5000,
        "[privacy]\nk = " + "9" * 5000,
        '[output]\npath = "a\\u0000.csv"',
        '[data]\nencoding = "undefined"',
    ],
)
def test_odd_texts_are_refused_in_a_sentence(hospital, text):
    section, _, rest = text.partition("\n") if text.startswith("[") else ("", "", "")
    good = hospital.write_policy(output="").read_text()
    spoilt = good.replace(f"{section}\n", f"{text}\n", 1) if rest else f"{text}\n{good}"
    hospital.write("data.csv", PATIENTS)
    hospital.write("policy.toml", spoilt.replace("\nk = 2", "") if "k = 9" in text else spoilt)
    done = shoal("run", hospital.policy)
    assert done.code == BAD_INPUT, done.err
    assert done.errors


def test_a_policy_that_is_no_file_is_refused_at_once(hospital):
    os.mkfifo(hospital.folder / "pipe.toml")
    done = shoal("run", hospital.folder / "pipe.toml")
    assert done.code == BAD_INPUT
    assert "is not a regular file" in done.errors[0]
