"""`sh.reconstruct`, `sh.query` and the commands of the same names."""

import gzip
import json

import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter
from tests.cli.commands import files_in, shoal
from tests.privacy.test_disassociation import MUSIC, SHOPPING, joint, simple
from tests.reference import originals as reference

BAD_INPUT = 2


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "published.jsonl", SHOPPING, MUSIC)


def written(path, *lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def records_of(frame):
    return [frozenset(row) for row in frame.column("items").to_pylist()]


def test_frames_of_possible_originals(file):
    copies = list(sh.reconstruct(file, copies=3, seed=1))
    assert len(copies) == 3
    for copy in copies:
        assert len(copy) == 15
        assert reference.projects_back([SHOPPING, MUSIC], records_of(copy.frame))
    again = list(sh.reconstruct(str(file), copies=3, seed=1))
    assert [records_of(copy.frame) for copy in copies] == [records_of(copy.frame) for copy in again]
    assert sh.mean_supports(copies, [["flu", "itunes"], ["ikea"]]) == [6.0, 4.0]


def test_copies_are_drawn_one_at_a_time(file):
    """A million copies cost nothing before they are asked for."""
    assert len(next(sh.reconstruct(file, copies=1_000_000))) == 15


@pytest.mark.parametrize("copies", [0, -1, 1.5, True, "2"])
def test_a_number_of_copies_that_is_none_is_refused(file, copies):
    with pytest.raises(InvalidParameter, match="copies must be an integer of 1 or more"):
        sh.reconstruct(file, copies=copies)


def test_answers_with_bounds(file):
    pair, single, unknown = sh.query(file, ["itunes", "audi a4"], ["viagra"], ["absinthe", "flu"])
    assert (pair.lower, pair.upper, pair.records) == (4, 6, 15)
    assert pair.expected == pytest.approx(2 * 5 * 4 / 5 * 3 / 5)
    assert (single.lower, single.upper) == (2, 10)
    assert (unknown.upper, unknown.unknown) == (0, ("absinthe",))


@pytest.mark.parametrize("itemsets", [(), ("flu",), ([],)])
def test_questions_that_are_none_are_refused(file, itemsets):
    with pytest.raises(InvalidParameter):
        sh.query(file, *itemsets)


def test_means_are_asked_for_lists_of_terms(file):
    with pytest.raises(InvalidParameter, match="lists of terms"):
        sh.mean_supports(sh.reconstruct(file), ["flu"])


BROKEN = {
    "sizes": ({**SHOPPING, "size": 9}, "has 9 records, but the clusters in it have 10"),
    "empty": (simple(2, [("a",), ()], terms="x"), "has an empty subrecord"),
    "twice": (simple(2, [("a", "a")], terms="x"), "has a term twice in a subrecord"),
    "too many": (simple(2, [("a",)] * 3), "has 3 subrecords, but its cluster 2 records"),
    "two chunks": (simple(2, [("a",)] * 2, [("a",)] * 2), "stands also in another chunk"),
    "repeated below": (joint([[("a",)]], simple(2, [("a",)] * 2)), "stands also in another chunk"),
    "empty records": (simple(3, [("a",)] * 2), "1 of the 3 records would be empty"),
}


@pytest.mark.parametrize(("line", "what"), BROKEN.values(), ids=BROKEN)
def test_an_edited_file_is_refused_with_its_place(tmp_path, line, what):
    file = written(tmp_path / "edited.jsonl", MUSIC, line)
    with pytest.raises(BadInput, match=what) as refused:
        sh.reconstruct(file)
    assert [(problem.file, problem.line) for problem in refused.value.problems] == [(str(file), 2)]
    done = shoal("reconstruct", file, "--out", tmp_path / "copies")
    assert done.code == BAD_INPUT
    assert "edited.jsonl:2: " in done.errors[0]
    assert files_in(tmp_path) == ["edited.jsonl"]


def test_a_truncated_file_is_refused_with_its_place(tmp_path, file):
    text = file.read_text(encoding="utf-8")
    cut = tmp_path / "cut.jsonl"
    cut.write_text(text[: len(text) - 40], encoding="utf-8")
    done = shoal("query", cut, "--itemset", "flu")
    assert done.code == BAD_INPUT
    assert "cut.jsonl:2: is not JSON" in done.errors[0]
    packed = tmp_path / "cut.jsonl.gz"
    packed.write_bytes(gzip.compress(text.encode())[:-20])
    assert "cannot be read" in shoal("reconstruct", packed, "--out", tmp_path / "copies").errors[0]
    assert files_in(tmp_path) == ["cut.jsonl", "cut.jsonl.gz", "published.jsonl"]


DAMAGES = {
    "a key twice": (lambda text: text.replace(b'"size": 5', b'"size": 5, "size": 9', 1), "has a key twice"),
    "no UTF-8": (lambda text: text.replace(b"viagra", b"\xe9", 1), "is not UTF-8 text"),
    "a size that is a text": (lambda text: text.replace(b'"size": 5', b'"size": "5"', 1), "got '5'"),
    "a key misspelt": (lambda text: text.replace(b'"terms"', b'"term"', 1), "has no 'term'; did you mean"),
    "a term that is a number": (lambda text: text.replace(b'"viagra"', b"7", 1), "every term is a text"),
    "zeros": (lambda text: b"\0" * 20 + b"\n" + text, "is not JSON"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_reader_names_the_line_of_a_damage(tmp_path, damage):
    change, words = DAMAGES[damage]
    (tmp_path / "sets.txt").write_text("a\n")
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[data]\npath = "sets.txt"\n[columns]\nitems = { role = "quasi", kind = "set" }\n'
        '[privacy]\nmodel = "disassociation"\nk = 3\nm = 2\n'
    )
    file = written(tmp_path / "edited.jsonl", SHOPPING)
    file.write_bytes(change(file.read_bytes()))
    for command in (
        ("verify", file, "--policy", policy),
        ("reconstruct", file, "--out", tmp_path / "copies"),
        ("query", file, "--itemset", "flu"),
    ):
        done = shoal(*command)
        assert done.code == BAD_INPUT
        assert "edited.jsonl:1: " in done.errors[0]
        assert words in done.errors[0]


def test_the_command_writes_copies_that_read_back(tmp_path, file):
    folder = tmp_path / "copies"
    done = shoal("reconstruct", file, "--copies", 10, "--out", folder, "--seed", 4, "--json")
    assert done.code == 0, done.err
    names = [f"copy-{number:02}.jsonl" for number in range(1, 11)]
    assert done.json == {"source": file.name, "records": 15, "copies": names, "folder": str(folder)}
    assert files_in(folder) == [*names, "result.json"]
    drawn = set()
    for name in names:
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        records = [frozenset(json.loads(line)["items"]) for line in lines]
        assert reference.projects_back([SHOPPING, MUSIC], records)
        drawn.add(tuple(records))
    assert len(drawn) == 10


def test_an_existing_folder_is_kept_unless_it_may_be_replaced(tmp_path, file):
    folder = tmp_path / "copies"
    assert shoal("reconstruct", file, "--out", folder).code == 0
    refused = shoal("reconstruct", file, "--out", folder)
    assert refused.code == BAD_INPUT
    assert "exists already" in refused.errors[0]
    assert shoal("reconstruct", file, "--out", folder, "--copies", 2, "--replace").code == 0
    assert files_in(folder) == ["copy-1.jsonl", "copy-2.jsonl", "result.json"]


def test_the_command_answers_several_questions(file):
    done = shoal("query", file, "--itemset", "itunes,audi a4", "--itemset", "flu", "--separator", ",")
    assert done.code == 0, done.err
    assert "published.jsonl: 15 records" in done.words
    assert "itunes, audi a4 4 4.8 6" in done.words
    assert "flu 8 8 8" in done.words
    told = shoal("query", file, "--itemset", "audi a4", "--json")
    assert told.json["answers"][0]["unknown"] == ["audi", "a4"]
    assert "the file does not hold 'audi', 'a4'" in shoal("query", file, "--itemset", "audi a4").notices[0]


@pytest.mark.parametrize("words", [("--itemset", " "), ("--itemset", "a", "--separator", "")])
def test_questions_without_terms_are_bad_input(file, words):
    assert shoal("query", file, *words).code == BAD_INPUT
