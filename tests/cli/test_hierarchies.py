"""`shoal hierarchy build|lint|show|convert`."""

import pytest

from tests.cli.commands import PATIENTS, shoal

FINE, BAD_INPUT = 0, 2


@pytest.fixture
def data(hospital):
    return hospital.write("data.csv", PATIENTS + "?,x,a\n")


def build(hospital, *words):
    return shoal("hierarchy", "build", hospital.folder / "data.csv", hospital.folder / "tree.csv", *words)


def test_a_built_tree_can_be_shown_linted_converted_and_used(hospital, data):
    done = build(hospital, "--column", "age", "--kind", "number", "--ranges", "5,10", "--missing", "?")
    assert done.code == FINE, done.err
    tree = hospital.folder / "tree.csv"
    assert "20;20-24;20-29;*" in tree.read_text().splitlines()
    assert "7 values under" in done.err
    shown = shoal("hierarchy", "show", tree)
    assert shown.code == FINE
    assert "20-24" in shown.out
    linted = shoal(
        "hierarchy", "lint", tree, "--data", data, "--column", "age", "--kind", "number", "--missing", "?"
    )
    assert linted.code == FINE, linted.out
    converted = shoal("hierarchy", "convert", tree, hospital.folder / "tree.json", "--json")
    assert converted.json == {"file": str(hospital.folder / "tree.json")}
    assert shoal("hierarchy", "show", hospital.folder / "tree.json", "--json").json["values"] == 7
    ran = hospital.run(columns={
        "age": 'role = "quasi", kind = "number", hierarchy = "tree.csv"',
        "sex": 'role = "quasi", hierarchy = { flat = true }',
        "ill": 'role = "sensitive"',
    })  # fmt: skip
    assert ran.code == FINE, ran.err


@pytest.mark.parametrize(
    "recipe",
    [
        ("--column", "sex", "--flat"),
        ("--column", "sex", "--mask", "right"),
        ("--column", "sex", "--digits"),
        ("--column", "ill", "--fanout", "2"),
        ("--column", "ill", "--kind", "set", "--fanout", "2"),
    ],
)
def test_every_recipe_builds(hospital, data, recipe):
    done = build(hospital, *recipe, "--json")
    assert done.code == FINE, done.out
    assert done.json["values"] == 3
    assert (hospital.folder / "tree.csv").is_file()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--column", "sex"),
            "order, keep, prefixes, continents, fanout, digits, flat, got none",
        ),
        (("--column", "sex", "--flat", "--digits"), "got digits and flat"),
        (("--column", "sexx", "--flat"), "column 'sexx': has no such column; did you mean 'sex'?"),
        (("--column", "age", "--ranges", "5,x"), "'x' is not a number"),
        (("--column", "age", "--ranges", "nan"), "'nan' is not a number"),
        (("--column", "age", "--ranges", "5", "--start", "inf"), "'inf' is not a number"),
        (("--column", "age", "--ranges", "5,7"), "multiple of the one before"),
        (("--column", "age", "--ranges", "0"), "width"),
        (("--column", "sex", "--fanout", "1"), "fanout"),
        (("--column", "sex", "--dates", "year,month"), "from fine to coarse"),
        (("--column", "sex", "--dates", "month"), "dates"),
        (("--column", "sex", "--ranges", "5"), "no numbers"),
        (("--column", "sex", "--flat", "--form", "xml"), "no form 'xml'"),
    ],
)
def test_a_tree_that_cannot_be_built_is_refused(hospital, data, words, sentence):
    done = build(hospital, *words)
    assert done.code == BAD_INPUT
    assert sentence in "\n".join(done.errors)
    assert not (hospital.folder / "tree.csv").exists()


def test_an_unknown_direction_is_a_usage_error(hospital, data):
    done = build(hospital, "--column", "sex", "--mask", "up", "--json")
    assert done.code == BAD_INPUT
    assert "'up'" in done.json["error"]["message"]


def test_nothing_is_overwritten(hospital, data):
    hospital.write("tree.csv", "precious")
    assert build(hospital, "--column", "sex", "--flat").code == BAD_INPUT
    other = hospital.write("other.csv", "f;*\n")
    assert shoal("hierarchy", "convert", other, hospital.folder / "tree.csv").code == BAD_INPUT
    assert (hospital.folder / "tree.csv").read_text() == "precious"


def test_a_place_that_is_not_there_is_refused(hospital, data):
    done = shoal("hierarchy", "build", data, hospital.folder / "no" / "t.csv", "--column", "sex", "--flat")
    assert done.code == BAD_INPUT
    assert "cannot be written" in done.errors[0]


def test_lint_lists_every_problem_with_its_line(hospital, data):
    tree = hospital.write("bad.csv", "f;x;*\nm;x\nf;y;*\nq;z;*\n")
    done = shoal("hierarchy", "lint", tree, "--data", data, "--column", "sex")
    assert done.code == BAD_INPUT
    lines = done.out.splitlines()
    assert any(
        "error" in line and "bad.csv:2" in line and "2 columns where others have 3" in line for line in lines
    )
    assert any("error" in line and "bad.csv:3" in line and "two parents" in line for line in lines)
    assert any("warning" in line and "bad.csv:4" in line and "single child" in line for line in lines)
    assert any("value 'x': is not in the hierarchy and stands in 1 row" in line for line in lines)
    findings = shoal("hierarchy", "lint", tree, "--data", data, "--column", "sex", "--json").json["findings"]
    assert {(finding["severity"], finding["line"]) for finding in findings} >= {("error", 2), ("error", 3)}
    assert shoal("hierarchy", "show", tree).code == BAD_INPUT


def test_lint_without_problems_says_so(hospital):
    done = shoal("hierarchy", "lint", hospital.write("good.csv", "f;*\nm;*\n"))
    assert (done.code, done.out) == (FINE, "")
    assert "no problems found" in done.err


def test_lint_wants_data_and_column_together(hospital, data):
    done = shoal("hierarchy", "lint", hospital.write("good.csv", "f;*\nm;*\n"), "--data", data)
    assert done.code == BAD_INPUT
    assert "--data and --column go together" in done.errors[0]


@pytest.mark.parametrize("command", ["lint", "show", "convert"])
@pytest.mark.parametrize(
    "content", [None, b"", b"\0\xff\xfe" * 50, b"{", b'{"a": [}', b"distinct\nname x\n", b"range\n"]
)
def test_a_file_that_is_no_hierarchy_is_refused(hospital, command, content):
    file = hospital.folder / "tree.csv"
    if content is not None:
        file.write_bytes(content)
    words = ("hierarchy", command, file) + ((hospital.folder / "new.csv",) if command == "convert" else ())
    done = shoal(*words)
    assert done.code == BAD_INPUT, (done.out, done.err)
    assert "tree.csv" in done.err + done.out
    assert not (hospital.folder / "new.csv").exists()
