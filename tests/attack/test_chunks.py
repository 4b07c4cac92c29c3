"""Disassociated data through their chunks: found is what trying every original finds."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.attack.chunks import LinkedChunks, attack_chunks, attack_with_terms, sensitive_guess
from shoal.errors import BadInput
from shoal.privacy.disassociation import Disassociation
from shoal.progress import Silent
from shoal.recoding.disassociated import disassociated
from shoal.table.roles import QuasiSet
from tests.builders import local_data
from tests.examples import examples
from tests.privacy.test_disassociation import joint, simple
from tests.recoding.publications import publications
from tests.reference import attack as reference
from tests.reference.verpart import published

TERMS = "abcdstu"


def linked(records, lines, k=2, m=2):
    original = local_data([(record,) for record in records], {"items": QuasiSet()})
    return LinkedChunks.of(original, disassociated(lines), k=k, m=m)


@examples(100)
@given(
    publications(),
    st.lists(st.sets(st.sampled_from(TERMS), max_size=4), min_size=1, max_size=4),
    st.integers(1, 3),
)
def test_finds_what_trying_every_original_finds(lines, others, known):
    originals = [reference.filled_originals(line) for line in lines]
    assume(all(originals))
    records = with_all_terms([*(set(record) for line in originals for record in line[0]), *others])
    k = 3
    worst, drawn = attack_with_terms(linked(records, lines, k), known)
    expected = [reference.by_chunks(record, originals, known, k) for record in records]
    fewest = [count for count, _, _ in expected]
    assert worst.smallest == min((count for count in fewest if count), default=None)
    assert worst.below_k == pytest.approx(sum(0 < count < k for count in fewest) / len(fewest))
    assert worst.expected == pytest.approx(sum(1 / count for count in fewest if count))
    assert drawn.below_k == pytest.approx(float(sum(below for _, below, _ in expected)) / len(fewest))
    assert drawn.expected == pytest.approx(float(sum(success for _, _, success in expected)))
    assert worst.exact
    assert drawn.exact


def with_all_terms(records):
    """An original knows every term that is published."""
    return [*records, set(TERMS)]


clusters = st.lists(st.sets(st.sampled_from("abcd"), min_size=1).map(frozenset), min_size=3, max_size=6)


@examples(60)
@given(clusters, st.sampled_from([(2, 1), (2, 2), (3, 2), (2, 3)]))
def test_what_keeps_the_rules_is_never_found_within_the_promise(records, promise):
    k, m = promise
    cluster = published(records, k, m)
    assert Disassociation(k, m).verify(disassociated([cluster])).holds
    for finding in attack_chunks(linked(records, [cluster], k, m), m, Silent()):
        assert finding.promised
        assert finding.after.below_k == 0
        assert finding.after.expected <= finding.before.expected + 1e-9


def test_chunks_without_room_to_mix_give_records_away():
    """Six subrecords in five records: one record alone can hold a, b and c, though both chunks are safe."""
    bare = simple(5, [("a",)] * 3, [("b", "c")] * 3)
    assert not Disassociation(3, 2).verify(disassociated([bare])).holds
    (pairs, _) = attack_chunks(linked([set("abc"), {"a"}, set("bc")], [bare], 3), 2, Silent())[2:]
    assert pairs.promised
    assert pairs.after.smallest == 1


def test_a_shared_chunk_bounds_the_clusters_below_it():
    both = joint([[("x",)] * 2], simple(3, [("a",)] * 3, terms="t"), simple(3, [("a",)] * 3, terms="t"))
    found = attack_with_terms(linked([{"a", "x"}, {"a", "t"}], [both]), 2)[0]
    assert found.expected == pytest.approx(1 / 2 + 1 / 6)


def test_somebody_of_whom_nothing_is_known_is_anybody():
    worst, _ = attack_with_terms(linked([set(), {"a"}], [simple(10, [("a",)] * 4)], k=3), 1)
    assert worst.expected == pytest.approx(1 / 10 + 1 / 4)


def test_many_terms_are_drawn_and_many_records_sampled():
    lines = [simple(9, [tuple("abcdef")] * 9, terms="x")]
    everybody = linked([set("abcdef")] * 299 + [{"x"}], lines, k=3)
    worst, drawn = attack_with_terms(everybody, 3, most_of_record=5)
    assert worst.interval is not None
    assert drawn.expected == pytest.approx(300 / 9)
    worst, _ = attack_with_terms(everybody, 3, most_sets=30)
    assert not worst.exact
    assert worst.records == 300


def test_findings_beyond_the_promise_are_beside_what_the_original_tells():
    lines = [simple(4, [("a",)] * 3, terms="bx")]
    findings = attack_chunks(linked([{"a", "b"}, {"x"}], lines, k=3), None, Silent())
    assert [(finding.items, finding.chosen) for finding in findings][-1] == (4, "random")
    assert [finding.promised for finding in findings] == [True] * 4 + [False] * 4
    assert findings[0].before.below_k == 1


def test_terms_that_the_original_lacks_are_refused():
    with pytest.raises(BadInput, match="stand for no value of the original"):
        linked([{"a"}], [simple(2, [("a",), ("b",)])])


def test_a_sensitive_term_is_guessed_best_in_the_smallest_cluster():
    file = disassociated([simple(4, [("a",)] * 4, terms="zx"), simple(3, [("a",)] * 3, terms="z")])
    is_sensitive = np.array([label == "z" for label in file.terms.texts()])
    best = sensitive_guess(file, is_sensitive)
    assert (best.sensitive, best.holding, best.knowing, best.because) == ("z", 1, 3, ("line 2",))
    assert sensitive_guess(file, np.zeros(len(file.terms), dtype=np.bool_)) is None
