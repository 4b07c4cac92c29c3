"""The command line as a whole: words it takes, exit codes it gives, JSON it prints."""

import csv

import pytest

from shoal import __version__
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.cli import output, reporting
from shoal.errors import (
    BadInput,
    Cancelled,
    CannotVerify,
    Infeasible,
    InvalidParameter,
    LimitReached,
    MissingExtra,
    OutputFailed,
    Problem,
    PromiseBroken,
    UnknownName,
)
from tests.cli.commands import PATIENTS, files_in, shoal

FINE, BAD_INPUT = 0, 2
COMMANDS = ("demo", "profile", "check", "run", "verify", "explain", "generate", "algorithms", "hierarchy")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PromiseBroken("", None), 1),
        (BadInput(Problem("")), 2),
        (InvalidParameter("", "", 0, ""), 2),
        (UnknownName("", "", "", ()), 2),
        (MissingExtra("", ""), 2),
        (CannotVerify(""), 2),
        (OutputFailed(""), 2),
        (Infeasible(""), 3),
        (LimitReached(""), 4),
        (Cancelled(""), 4),
    ],
)
def test_every_error_has_its_exit_code(error, code):
    assert output.exit_code(error) == code


def test_the_version_is_told():
    done = shoal("--version")
    assert (done.code, done.out.strip()) == (FINE, __version__)


def test_help_names_every_command():
    done = shoal("--help")
    assert done.code == FINE
    assert all(command in done.words for command in COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS, "hierarchy build", "hierarchy lint", "hierarchy show"])
def test_every_command_has_help_with_json(command):
    done = shoal(*command.split(), "--help")
    assert done.code == FINE
    assert command == "hierarchy" or "--json" in done.out


@pytest.mark.parametrize(
    "words", [("frobnicate",), ("run",), ("run", "--frob"), ("check",), ("hierarchy", "grow")]
)
def test_wrong_words_are_refused_for_people_and_for_machines(words):
    done = shoal(*words)
    assert (done.code, done.out) == (BAD_INPUT, "")
    assert "Error" in done.err
    done = shoal(*words, "--json")
    assert (done.code, done.err) == (BAD_INPUT, "")
    assert done.json["error"]["type"] == "UsageError"
    assert done.json["error"]["message"]


def test_json_of_every_command_is_one_document(hospital):
    data, policy = hospital.write("data.csv", PATIENTS), hospital.write_policy()
    published = hospital.out / "published.csv"
    tree = hospital.write("tree.csv", "f;*\nm;*\n")
    for words in (
        ("profile", data),
        ("check", policy),
        ("run", policy),
        ("verify", published, "--policy", policy, "--certificate", hospital.out / "certificate.json"),
        ("algorithms",),
        ("hierarchy", "build", data, hospital.folder / "new.csv", "--column", "sex", "--flat"),
        ("hierarchy", "lint", tree),
        ("hierarchy", "show", tree),
        ("hierarchy", "convert", tree, hospital.folder / "new.json"),
    ):
        done = shoal(*words, "--json")
        assert (done.code, done.err) == (FINE, ""), words
        assert isinstance(done.json, dict)


@pytest.mark.parametrize(
    "words",
    [
        ("profile", "nowhere.csv"),
        ("check", "nowhere.toml"),
        ("run", "nowhere.toml"),
        ("explain", "nowhere.toml", "--item", "a"),
        ("verify", "nowhere.csv", "--policy", "nowhere.toml"),
        ("hierarchy", "build", "nowhere.csv", "new.csv", "--column", "a", "--flat"),
        ("hierarchy", "lint", "nowhere.csv", "--data", "nowhere.csv", "--column", "a"),
        ("hierarchy", "show", "nowhere.csv"),
        ("hierarchy", "convert", "nowhere.csv", "new.csv"),
    ],
)
def test_errors_of_every_command_are_json_when_asked(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = shoal(*words, "--json")
    assert (done.code, done.err) == (BAD_INPUT, "")
    assert done.json["error"]["type"] == "BadInput"
    assert "nowhere" in done.json["error"]["message"]
    assert files_in(tmp_path) == []


def test_infeasible_and_limits_are_json_when_asked(hospital):
    done = hospital.run(privacy='model = "k-anonymity"\nk = 99', words=("--json",))
    assert (done.code, done.json["error"]["type"]) == (3, "Infeasible")
    done = hospital.run(algorithm='time_limit = "0.0001 ms"', words=("--json",))
    assert (done.code, done.json["error"]["type"]) == (4, "LimitReached")


def test_all_algorithms_are_listed():
    done = shoal("algorithms", "--json")
    assert [row["name"] for row in done.json["algorithms"]] == list(ALGORITHMS)
    told = shoal("algorithms")
    assert all(name in told.words for name in ALGORITHMS)
    assert "ICDE 2006" in told.words


def test_a_bug_is_told_as_ours_with_its_lines(hospital, monkeypatch):
    monkeypatch.setattr("shoal.cli.running.load_policy", lambda *_: 1 / 0)
    done = shoal("run", hospital.policy)
    assert done.code == 70
    assert "this is a bug in Shoal" in done.err
    assert "ZeroDivisionError" in done.err
    done = shoal("run", hospital.policy, "--json")
    assert (done.code, done.json["error"]["type"]) == (70, "Bug")


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (MemoryError(), 4, "memory is used up"),
        (RuntimeError("can't start new thread"), 4, "memory is used up"),
        (KeyboardInterrupt(), 130, "interrupted; nothing was written"),
        (OSError(28, "No space left on device"), 2, "No space left on device"),
    ],
)
def test_what_the_machine_refuses_is_told_in_a_sentence(hospital, monkeypatch, raised, code, words):
    def fail(*_):
        raise raised

    monkeypatch.setattr("shoal.cli.running.load_policy", fail)
    done = shoal("run", hospital.policy)
    assert done.code == code
    assert words in done.errors[0]
    assert words in shoal("run", hospital.policy, "--json").json["error"]["message"]


def test_a_closed_pipe_is_an_exit_code_of_its_own(monkeypatch):
    def printed():
        raise BrokenPipeError

    monkeypatch.setattr(output, "finish", printed)
    monkeypatch.setattr(output, "abandon", lambda: None)
    assert shoal("algorithms").code == output.READER_GONE
    assert reporting.output.READER_GONE not in range(5)


def test_the_tour_makes_a_release_of_the_sample(tmp_path):
    folder = tmp_path / "tour"
    done = shoal("demo", folder)
    assert done.code == FINE, done.err
    claims = ["satisfies k-anonymity with k=5", "satisfies k^m-anonymity", "satisfies (k,k^m)-anonymity"]
    places = [done.words.index(claim) for claim in claims]
    assert places == sorted(places)
    assert "Some of the patients without their diagnoses before and after" in done.words
    assert "table-out/internal/report.html" in done.err
    published = {"table-out/published.csv", "sets-out/published.txt", "mixed-out/published.csv"}
    assert {"sample", "sample/patients.csv", *published} <= set(files_in(folder))
    again = shoal("demo", folder)
    assert again.code == BAD_INPUT
    assert "--replace" in again.errors[0]
    report = (folder / "mixed-out" / "internal" / "report.html").read_text(encoding="utf-8")
    assert "Both parts side by side" in report
    verified = shoal(
        "verify", folder / "mixed-out" / "published.csv", "--policy", folder / "sample" / "mixed.toml",
        "--certificate", folder / "mixed-out" / "certificate.json",
    )  # fmt: skip
    assert verified.code == FINE
    with (folder / "mixed-out" / "published.csv").open(encoding="utf-8", newline="") as file:
        labels = [label for row in csv.DictReader(file) for label in row["diagnoses"].split()]
    assert sum(label != "*" for label in labels) > 0.8 * len(labels), "most stay within their chapter"


@pytest.mark.slow
def test_the_tour_is_made_again_and_told_to_programs(tmp_path):
    assert shoal("demo", tmp_path / "tour").code == FINE
    replaced = shoal("demo", tmp_path / "tour", "--replace", "--json").json
    assert [each["verdict"]["holds"] for each in replaced["releases"]] == [True, True, True]
    assert [each["folder"] for each in replaced["releases"]] == [
        str(tmp_path / "tour" / name) for name in ("table-out", "sets-out", "mixed-out")
    ]


def test_the_tour_does_not_overwrite_a_file(hospital):
    done = shoal("demo", hospital.write("data.csv", PATIENTS))
    assert done.code == BAD_INPUT
    assert "data.csv" in done.errors[0]
