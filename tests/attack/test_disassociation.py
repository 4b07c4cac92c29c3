from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attack.disassociation import CoveredPair, covered_term_pairs, covers, known_users
from shoal.privacy.disassociation import Disassociation
from shoal.recoding.disassociated import disassociated
from tests.examples import examples
from tests.privacy.test_disassociation import MUSIC, PHONES, SHOPPING, joint, simple
from tests.reference import verpart as reference
from tests.reference.originals import originals_of_line

clusters = st.lists(st.sets(st.sampled_from("abcd"), min_size=1).map(frozenset), min_size=3, max_size=5)


def found_pairs(*lines, k, m, sensitive=()):
    return {frozenset(pair.terms) for pair in covered_term_pairs(disassociated(lines, sensitive), k, m)}


@given(clusters, st.sampled_from([(2, 2), (2, 3), (3, 2)]))
@examples(120)
def test_every_covered_pair_is_held_by_fewer_than_k_in_all_originals_that_verpart_publishes_so(
    records, promise
):
    k, m = promise
    cluster = reference.published(records, k, m)
    assert found_pairs(cluster, k=k, m=m) <= reference.covered_pairs(cluster, k, m)


def test_a_chunk_of_one_term_covers_what_it_refused():
    """k = 2: a is in three records and b in two, but both together in one only."""
    records = [set("a"), set("a"), set("ab"), set("bx"), set("y")]
    cluster = reference.published([frozenset(record) for record in records], 2, 2)
    assert found_pairs(cluster, k=2, m=2) == {frozenset("ab")} == reference.covered_pairs(cluster, 2, 2)


def test_terms_that_always_occur_together_cover_as_one():
    records = [set("ab"), set("ab"), set("abc"), set("cx"), set("y")]
    cluster = reference.published([frozenset(record) for record in records], 2, 2)
    expected = {frozenset("ac"), frozenset("bc")}
    assert found_pairs(cluster, k=2, m=2) == expected == reference.covered_pairs(cluster, 2, 2)


def test_terms_that_occur_apart_cover_nothing():
    """Either a or b is why c was refused."""
    cluster = simple(9, [("a", "b")] * 2 + [("a",)] * 2 + [("b",)] * 2, [("c",)] * 3, terms="xy")
    assert found_pairs(cluster, k=2, m=2) == set()


def test_a_term_that_cannot_have_been_rare_beside_the_other_is_no_reason():
    """a is in all five records, so {a, c} is in three: b must be why c was refused."""
    rows = [("a", "b")] * 3 + [("a",)] * 2
    cluster = simple(5, rows, [("c",)] * 3, terms="xy")
    assert frozenset("bc") in found_pairs(cluster, k=2, m=2)
    assert frozenset("ac") not in found_pairs(cluster, k=2, m=2)


def test_terms_of_the_term_chunk_are_covered_by_what_everybody_holds():
    cluster = simple(4, [("a",)] * 4, terms="xyz")
    assert found_pairs(cluster, k=3, m=2, sensitive=("z",)) == {frozenset("ax"), frozenset("ay")}
    alone = simple(4, [("a",)] * 4, terms="x")  # nothing can have been moved there: rule 2 held before
    assert found_pairs(alone, k=3, m=2) == {frozenset("ax")} == reference.covered_pairs(alone, 3, 2)


def test_the_report_counts_clusters_and_records():
    covered = simple(5, [("a",)] * 3, [("b",)] * 2, terms="xy")
    everywhere = simple(4, [("a",)] * 4, terms="xyz")
    found = covers(disassociated([covered, PHONES, joint([], everywhere, MUSIC)]), 2, 2)
    assert (found.clusters, found.records) == (4, 19)
    assert (found.pairs, found.clusters_with_pairs, found.records_with_pairs) == (1, 1, 5)
    assert found.examples[0] == CoveredPair(("a", "b"), 1)
    assert (found.term_chunk_pairs, found.clusters_with_term_chunk_pairs) == (3, 1)
    assert found.records_with_term_chunk_pairs == 4
    assert "1 pairs of terms in different chunks that 1 to 1 records" in found.in_words()
    assert "'a' and 'b' on line 1" in found.in_words()


def test_nothing_is_covered_in_a_cluster_of_one_chunk():
    found = covers(disassociated([PHONES]), 3, 2)
    assert not found.found
    assert "ties no pair of terms" in found.in_words()


def test_the_example_of_the_specification_covers_audi_and_sony():
    """Two of {audi a4, itunes}, {audi a4, flu} and so on must be rare, and nobody can tell which."""
    assert covers(disassociated([SHOPPING]), 3, 2).pairs == 0


def taken_away(records, known, chunks):
    """What is left of a cluster: records, and subrecords over its chunks."""
    left = [record for place, record in enumerate(records) if place not in known]
    return len(left), sum(bool(record & chunk) for record in left for chunk in chunks)


@given(clusters)
@examples(60)
def test_fewer_known_users_than_needed_break_no_rule_and_so_many_can(records):
    k, m = 2, 2
    cluster = reference.published(records, k, m)
    needed = int(known_users(disassociated([cluster]), k, m).needed[0])
    chunks = [{term for row in chunk["subrecords"] for term in row} for chunk in cluster["chunks"]]
    broken = set()
    if not cluster["terms"]:
        for original in originals_of_line(cluster, up_to_order=True):
            for count in range(1, len(records)):
                for known in combinations(range(len(records)), count):
                    size, subrecords = taken_away(original, known, chunks)
                    if subrecords < size + k * (min(m, len(chunks)) - 1):
                        broken.add(count)
    assert needed == min(broken, default=0)


def test_known_users_in_words():
    """Eight subrecords where five records and two chunks need seven: the second known user breaks it."""
    tight = simple(5, [("a",)] * 4, [("b",)] * 4)
    loose = simple(5, [("a",)] * 4, [("b",)] * 4, terms="x")
    found = known_users(disassociated([tight, loose]), 2, 2)
    assert found.needed.tolist() == [2, 0]
    assert Disassociation(2, 2).verify(disassociated([tight])).holds
    assert "leaves rule 2 intact" in found.in_words(1)
    assert "the records of 2 users" in found.in_words(2)
    assert "in 1 of 2 clusters with 5 of 10 records" in found.in_words(2)
    assert np.array_equal(found.sizes, [5, 5])


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_publication_without_chunks_shows_nothing(m):
    published = disassociated([simple(2, terms="x")])
    assert not covers(published, 2, m).found
    assert known_users(published, 2, m).clusters_broken_by(5) == 0
