import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.privacy.disassociation import Disassociation
from shoal.recoding.disassociated import disassociated
from tests.examples import examples
from tests.reference import disassociation as reference


def simple(size, *chunks, terms=()):
    return {
        "size": size,
        "chunks": [{"subrecords": [*map(list, chunk)]} for chunk in chunks],
        "terms": [*terms],
    }


def joint(shared, *children):
    return {
        "size": sum(child["size"] for child in children),
        "shared": [{"subrecords": [*map(list, chunk)]} for chunk in shared],
        "children": [*children],
    }


MUSIC = simple(
    5,
    [
        ("itunes", "flu", "madonna"),
        ("madonna", "flu"),
        ("itunes", "madonna"),
        ("itunes", "flu"),
        ("itunes", "flu", "madonna"),
    ],
    [("audi a4", "sony tv")] * 3,
    terms=("viagra",),
)
PHONES = simple(
    5,
    [
        ("madonna", "digital camera"),
        ("iphone sdk", "madonna"),
        ("iphone sdk", "digital camera", "madonna"),
        ("iphone sdk", "digital camera"),
        ("iphone sdk", "digital camera", "madonna"),
    ],
    terms=("panic disorder", "playboy"),
)
SHOPPING = joint([[("ikea", "ruby")] * 3 + [("ikea",), ("ruby",)]], MUSIC, PHONES)


def verify(*lines, k, m, l=None, sensitive=()):
    return Disassociation(k, m, l).verify(disassociated(lines, sensitive))


def broken_by(verdict):
    return set(verdict.figures["clusters_breaking"])


def test_the_worked_example_is_accepted():
    verdict = verify(SHOPPING, k=3, m=2)
    assert (verdict.holds, verdict.smallest, verdict.witness) == (True, 3, None)
    assert verdict.claim == "satisfies the rules of disassociation with k=3, m=2"
    assert "cover problem" in verdict.evidence
    assert verdict.figures == {
        "records": 10,
        "simple_clusters": 2,
        "joint_clusters": 1,
        "chunks": 4,
        "clusters_breaking": {},
    }


def test_the_worked_example_breaks_a_higher_promise():
    verdict = verify(SHOPPING, k=4, m=2)
    assert not verdict.holds
    assert verdict.witness.what == (
        "{audi a4} occurs in 3 subrecords of chunk 2 of the simple cluster 2 of 3 on line 1, fewer than k=4"
    )
    assert verdict.witness.rows == (1,)


def test_clusters_below_k_are_refused():
    verdict = verify(simple(3, [("a",)] * 3), simple(2, terms="bc"), k=3, m=2)
    assert broken_by(verdict) == {"rule 4"}
    assert verdict.witness.what == "the simple cluster on line 2 has 2 records, fewer than k=3"
    assert (verdict.witness.rows, verdict.smallest) == ((2,), 2)


def test_a_term_chunk_emptied_by_refining_is_refused():
    """Joining on {a} takes the only term out of the first cluster: {a, d} could then occur only once."""
    left, right = [("e",), ("e",)], [("b", "d"), ("b", "d"), ("d",)]
    apart = [simple(3, left, terms="a"), simple(3, right, terms="ae")]
    joined = joint([[("a",), ("a",)]], simple(3, left), simple(3, right, terms="e"))
    assert verify(*apart, k=2, m=2).holds
    verdict = verify(joined, k=2, m=2)
    assert broken_by(verdict) == {"rule 2"}
    assert "simple cluster 2 of 3 on line 1 has no term chunk and 2 subrecords" in verdict.witness.what


def test_a_shared_chunk_that_repeats_terms_from_below_is_refused():
    """The paper allows it for a k-anonymous shared chunk, yet {y, o} fits into one record only."""
    clusters = [simple(2, [pair] * 2) for pair in (("a", "b"), ("y",), ("p",), ("q",))]
    verdict = verify(joint([[("a",)] * 3 + [("b",)] * 2 + [("o",)] * 2], *clusters), k=2, m=2)
    assert broken_by(verdict) == {"rules 1 and 3"}
    assert verdict.witness.what == (
        "the term 'a' of a chunk of the joint cluster 1 of 5 on line 1"
        " stands also in another chunk of the simple cluster 2 of 5 on line 1"
    )


def test_too_few_subrecords_reveal_a_record():
    """{a, b, c} follows from chunks that are each 3^2-anonymous."""
    chunks = [("a",)] * 3, [("b", "c")] * 3
    verdict = verify(simple(5, *chunks), k=3, m=2)
    assert broken_by(verdict) == {"rule 2"}
    assert (
        "has no term chunk and 6 subrecords, fewer than the 8 that its 2 chunks need" in verdict.witness.what
    )
    assert verify(simple(5, *chunks, terms="x"), k=3, m=2).holds


@pytest.mark.parametrize(
    ("line", "rule", "words"),
    [
        (
            {"size": 5, "shared": [], "children": [simple(3, terms="a"), simple(3, terms="b")]},
            "sizes",
            "has 5 records, but the clusters in it have 6",
        ),
        (
            simple(3, [("a",), ("a",), ()], terms="x"),
            "empty subrecords",
            "chunk 1 of the simple cluster on line 1 has an empty subrecord",
        ),
        (simple(3, [("a", "a"), ("a",)], terms="x"), "repeated terms", "has a term twice in a subrecord"),
        (simple(3, terms="xx"), "repeated terms", "has a term twice in its term chunk"),
        (simple(3, [("a",)] * 4, terms="x"), "rules 1 and 3", "has 4 subrecords, but its cluster 3 records"),
        (simple(3, [("a", "b")], terms="x"), "rules 1 and 3", "{a} occurs in 1 subrecord of chunk 1"),
        (simple(3, [("a",)] * 2, [("a",)] * 2, terms="x"), "rules 1 and 3", "the term 'a' of a chunk"),
        (simple(3, [("a",)] * 2, terms="a"), "rules 1 and 3", "the term 'a' of a chunk"),
        (simple(3), "rule 2", "has no term chunk and 0 subrecords"),
    ],
)
def test_what_breaks_a_rule_is_named(line, rule, words):
    verdict = verify(line, k=2, m=2)
    assert broken_by(verdict) == {rule}
    assert words in verdict.witness.what


def test_sensitive_terms_stand_in_term_chunks_only():
    released = simple(3, [("a",)] * 2, [("hiv",)] * 2, terms="x")
    assert verify(released, k=2, m=1).holds
    verdict = verify(released, k=2, m=1, sensitive=["hiv"])
    assert broken_by(verdict) == {"sensitive terms"}
    assert "'hiv' stands in chunk 2 of the simple cluster on line 1" in verdict.witness.what


def test_a_sensitive_term_is_found_however_it_is_written():
    released = simple(2, [("e\u0301 ",)] * 2, terms=("x",))
    assert broken_by(verify(released, k=2, m=1, sensitive=["\u00e9"])) == {"sensitive terms"}


def test_one_term_in_two_spellings_does_not_pass_as_two():
    verdict = verify(
        simple(3, [("flu",)] * 3, terms=("x",)), simple(3, [("b",)] * 3, terms=("flu ",)), k=3, m=1
    )
    assert broken_by(verdict) == {"spelling"}
    assert "'flu' and 'flu '" in verdict.evidence
    assert verdict.witness.rows == (1, 2)


def test_clusters_with_sensitive_terms_have_l_records():
    released = simple(3, [("a",)] * 2, terms=["hiv"])
    assert verify(released, k=2, m=1, l=3, sensitive=["hiv"]).holds
    verdict = verify(released, k=2, m=1, l=3.5, sensitive=["hiv"])
    assert broken_by(verdict) == {"size for l"}
    assert verdict.claim == "satisfies the rules of disassociation with k=2, m=1, l=3.5 for hiv"


def test_l_without_sensitive_terms_is_refused():
    with pytest.raises(BadInput, match="none is named"):
        verify(simple(3, terms="a"), k=2, m=1, l=3)


@pytest.mark.parametrize("parameters", [(0, 2), (2, 0), (2, 2.0), (2, 2, 0), (2, 2, "x")])
def test_parameters_outside_their_range_are_refused(parameters):
    with pytest.raises(InvalidParameter, match=r"Disassociation: [kml] must be"):
        Disassociation(*parameters)


TERMS = "abcdef"
subrecords = st.lists(st.lists(st.sampled_from(TERMS), max_size=3), max_size=4)
chunks = st.lists(st.fixed_dictionaries({"subrecords": subrecords}), max_size=3)
simple_clusters = st.fixed_dictionaries(
    {"size": st.integers(1, 5), "chunks": chunks, "terms": st.lists(st.sampled_from(TERMS), max_size=2)}
)
clusters = st.recursive(
    simple_clusters,
    lambda below: st.fixed_dictionaries(
        {"size": st.integers(1, 9), "shared": chunks, "children": st.lists(below, min_size=1, max_size=3)}
    ),
    max_leaves=4,
)


@given(st.lists(clusters, min_size=1, max_size=3), st.integers(2, 3), st.integers(1, 3), st.integers(2, 4))
@examples(200)
def test_the_verdict_on_any_clusters_is_the_twins(lines, k, m, l):
    verdict = verify(*lines, k=k, m=m, l=l, sensitive=["f", "z"])
    assert broken_by(verdict) == reference.broken_rules(lines, k, m, l, ["f", "z"])
    assert verdict.holds == (not broken_by(verdict)) == (verdict.witness is None)
    assert verdict.smallest == reference.smallest(lines, m)


@st.composite
def mutated(draw, line):
    """A good line after one change: a term or subrecord moved or dropped, a size or term chunk changed."""
    line = copy.deepcopy(line)
    held = reference.all_clusters(line)
    every_chunk = [chunk for cluster in held for chunk in reference.chunks_of(cluster)]
    chunk = draw(st.sampled_from([chunk for chunk in every_chunk if chunk]))
    subrecord = draw(st.sampled_from(chunk))
    match draw(
        st.sampled_from(["move", "drop term", "drop subrecord", "copy subrecord", "size", "empty", "take"])
    ):
        case "move":
            target = draw(st.sampled_from([row for other in every_chunk for row in other]))
            target.append(subrecord.pop())
        case "drop term":
            subrecord.pop(draw(st.integers(0, len(subrecord) - 1)))
        case "drop subrecord":
            chunk.remove(subrecord)
        case "copy subrecord":
            chunk.append([*subrecord])
        case "size":
            cluster = draw(st.sampled_from(held))
            cluster["size"] = max(1, cluster["size"] + draw(st.sampled_from([-3, -2, -1, 1])))
        case "empty":
            draw(st.sampled_from([cluster for cluster in held if cluster.get("terms")]))["terms"].clear()
        case "take":
            cluster = draw(st.sampled_from([cluster for cluster in held if "terms" in cluster]))
            cluster["terms"].append(draw(st.sampled_from(subrecord)))
    return line


@given(mutated(SHOPPING), st.integers(2, 4), st.integers(1, 3))
@examples(150)
def test_after_any_one_change_of_a_good_file_the_verdict_is_the_twins(line, k, m):
    assert broken_by(verify(line, k=k, m=m)) == reference.broken_rules([line], k, m)


@given(st.data())
@examples(40)
def test_a_tight_chunk_that_loses_a_term_is_caught(data):
    line = copy.deepcopy(SHOPPING)
    tight = data.draw(st.sampled_from([line["shared"][0], line["children"][0]["chunks"][1]]))
    subrecord = data.draw(st.sampled_from([row for row in tight["subrecords"] if len(row) == 2]))
    subrecord.pop(data.draw(st.integers(0, 1)))
    verdict = verify(line, k=3, m=2)
    assert not verdict.holds
    assert verdict.smallest == 2


@given(st.lists(clusters, min_size=1, max_size=3), st.randoms())
@examples(40)
def test_the_order_of_writing_does_not_matter(lines, random):
    shuffled = copy.deepcopy(lines)
    for cluster in [held for line in shuffled for held in reference.all_clusters(line)]:
        random.shuffle(cluster.get("chunks", cluster.get("shared")))
        for chunk in reference.chunks_of(cluster):
            random.shuffle(chunk)
            for subrecord in chunk:
                random.shuffle(subrecord)
    random.shuffle(shuffled)
    first, second = verify(*lines, k=2, m=2), verify(*shuffled, k=2, m=2)
    assert (first.holds, first.smallest, first.figures) == (second.holds, second.smallest, second.figures)
