import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.recoding.disassociated import PROBLEMS_SHOWN, disassociated, read_disassociated
from tests.examples import examples

SIMPLE = {
    "size": 3,
    "chunks": [{"subrecords": [["b", "a"], ["b"]]}, {"subrecords": [["é"]]}],
    "terms": ["z", "c"],
}
JOINT = {
    "size": 9,
    "shared": [{"subrecords": [["q"], ["q", "p"]]}],
    "children": [SIMPLE, {"size": 6, "shared": [], "children": [SIMPLE, SIMPLE]}],
}


def decoded(release):
    """The release as the parsed lines of a file, with sorted terms, from its arrays alone."""
    labels = release.terms.texts()

    def rows(sets, first, last):
        return [
            [labels[term] for term in sets.items[sets.starts[row] : sets.starts[row + 1]]]
            for row in range(first, last)
        ]

    def cluster(number):
        chunks = [
            {
                "subrecords": rows(
                    release.subrecords, release.chunk_starts[chunk], release.chunk_starts[chunk + 1]
                )
            }
            for chunk in np.flatnonzero(release.chunk_clusters == number)
        ]
        size = int(release.clusters.sizes[number])
        if release.clusters.simple[number]:
            return {"size": size, "chunks": chunks, "terms": rows(release.term_chunks, number, number + 1)[0]}
        children = np.flatnonzero(release.clusters.parents == number)
        return {"size": size, "shared": chunks, "children": [cluster(int(child)) for child in children]}

    return [cluster(int(number)) for number in np.flatnonzero(release.clusters.parents < 0)]


def sorted_terms(value):
    if isinstance(value, dict):
        return {key: sorted_terms(below) for key, below in value.items()}
    if isinstance(value, list) and all(isinstance(below, str) for below in value):
        return sorted(value)
    return [sorted_terms(below) for below in value] if isinstance(value, list) else value


terms = st.lists(st.text(max_size=2), max_size=3)
chunks = st.lists(st.fixed_dictionaries({"subrecords": st.lists(terms, max_size=3)}), max_size=2)
clusters = st.recursive(
    st.fixed_dictionaries({"size": st.integers(1, 9), "chunks": chunks, "terms": terms}),
    lambda below: st.fixed_dictionaries(
        {"size": st.integers(1, 9), "shared": chunks, "children": st.lists(below, min_size=1, max_size=3)}
    ),
    max_leaves=4,
)


@given(st.lists(clusters, min_size=1, max_size=3))
@examples(100)
def test_the_arrays_say_what_the_lines_say(lines):
    assert decoded(disassociated(lines)) == sorted_terms(lines)


def test_clusters_stand_before_those_in_them():
    release = disassociated([SIMPLE, JOINT])
    assert release.clusters.sizes.tolist() == [3, 9, 3, 6, 3, 3]
    assert release.clusters.parents.tolist() == [-1, -1, 1, 1, 3, 3]
    assert release.clusters.last.tolist() == [0, 5, 2, 5, 4, 5]
    assert release.clusters.lines.tolist() == [1, 2, 2, 2, 2, 2]
    assert release.record_count == 12


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_a_file_is_read_line_by_line_and_blank_lines_are_skipped(tmp_path, ending):
    path = tmp_path / f"published{ending}"
    text = f"\ufeff{json.dumps(SIMPLE)}\n\n{json.dumps(JOINT, ensure_ascii=False)}\n"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    release = read_disassociated(path, sensitive=["z"])
    assert decoded(release) == sorted_terms([SIMPLE, JOINT])
    assert release.clusters.lines.tolist() == [1, 3, 3, 3, 3, 3]
    assert release.sensitive == ("z",)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"size": 3', "is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", "a cluster is an object with size, chunks, terms, got [1]"),
        ('{"size": 3, "chunks": []}', "a cluster lacks 'terms'"),
        (
            '{"size": 3, "chunks": [], "terms": [], "tems": 1}',
            "a cluster has no 'tems'; did you mean 'terms'?",
        ),
        ('{"size": 3, "shared": [], "children": [], "terms": []}', "a cluster has no 'terms'"),
        ('{"size": 3, "shared": [], "children": []}', "a joint cluster has no children"),
        (
            '{"size": 3, "shared": [], "children": [7]}',
            "a cluster is an object with size, chunks, terms, got 7",
        ),
        ('{"size": true, "chunks": [], "terms": []}', "size must be a number of records, got True"),
        ('{"size": 0, "chunks": [], "terms": []}', "size must be a number of records, got 0"),
        ('{"size": 2.0, "chunks": [], "terms": []}', "size must be a number of records, got 2.0"),
        ('{"size": 3, "chunks": {}, "terms": []}', "chunks must be a list, got {}"),
        ('{"size": 3, "chunks": [[]], "terms": []}', "a chunk is an object with subrecords, got []"),
        ('{"size": 3, "chunks": [{"subrecords": ["ab"]}], "terms": []}', "are lists of terms"),
        ('{"size": 3, "chunks": [{"subrecords": [[1]]}], "terms": []}', "every term is a text"),
        ('{"size": 3, "chunks": [], "terms": "ab"}', "are lists of terms"),
        ('{"size": 3, "chunks": [], "terms": ["\\ud800"]}', "is not Unicode text"),
    ],
)
def test_a_line_that_is_not_a_cluster_is_named_with_its_place(tmp_path, line, words):
    path = tmp_path / "published.jsonl"
    path.write_text(f"{json.dumps(SIMPLE)}\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_disassociated(path)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (str(path), 2)
    assert words in str(problem)


def test_all_misshapen_lines_are_listed_up_to_a_limit(tmp_path):
    path = tmp_path / "published.jsonl"
    path.write_text("\n".join(["1", json.dumps(SIMPLE), "2"]), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_disassociated(path)
    assert [problem.line for problem in caught.value.problems] == [1, 3]

    path.write_text("1\n" * 1_000, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_disassociated(path)
    assert len(caught.value.problems) == PROBLEMS_SHOWN


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "holds no cluster"),
        (b"\xff\xfe\x00\x01", "is not UTF-8 text"),
        (None, "holds no files"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path, content, words):
    path = tmp_path / "published.jsonl"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=words):
        read_disassociated(path)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-12], lambda data: data[:15] + b"\xff" * 20 + data[35:]]
)
def test_a_damaged_compressed_file_is_refused(tmp_path, damage):
    path = tmp_path / "published.jsonl.gz"
    path.write_bytes(damage(gzip.compress(json.dumps(SIMPLE).encode())))
    with pytest.raises(BadInput, match="cannot be read"):
        read_disassociated(path)
