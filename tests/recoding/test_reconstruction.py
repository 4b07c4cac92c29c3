from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, UnknownName
from shoal.recoding.disassociated import disassociated
from shoal.recoding.reconstruction import mean_supports, reconstructions
from tests.examples import examples
from tests.privacy.test_disassociation import MUSIC, PHONES, SHOPPING, joint, simple
from tests.recoding.publications import publications
from tests.reference import originals as reference


def records_of(sets):
    labels = sets.domain.texts()
    return [
        frozenset(labels[item] for item in sets.arrays.items[start:end])
        for start, end in pairwise(sets.arrays.starts.tolist())
    ]


def drawn(lines, copies=1, seed=0):
    return [
        records_of(sets)
        for sets in reconstructions(disassociated(lines), copies, np.random.default_rng(seed))
    ]


@given(publications(), st.integers(0, 5))
@examples(200)
def test_every_reconstruction_projects_back_and_there_is_one_if_any_original_fits(lines, seed):
    if all(reference.originals_of_line(line, up_to_order=True) for line in lines):
        for records in drawn(lines, copies=3, seed=seed):
            assert reference.projects_back(lines, records)
    else:
        with pytest.raises(BadInput, match="no original fits"):
            drawn(lines)


def test_the_example_of_the_specification_projects_back():
    for records in drawn([SHOPPING, MUSIC, PHONES], copies=20):
        assert reference.projects_back([SHOPPING, MUSIC, PHONES], records)


def test_all_originals_of_a_small_cluster_are_drawn():
    lines = [simple(3, [("a",)] * 2, [("b",)] * 2, terms=("x",))]
    fitting = {
        tuple(records)
        for records in reference.originals_of_line(lines[0])
        if sum("x" in record for record in records) == 1
    }
    assert set(map(tuple, drawn(lines, copies=300))) == fitting


def test_subrecords_of_two_chunks_are_combined_evenly():
    """Of six records three hold a and two hold b, so one holds both on the average."""
    lines = [simple(6, [("a",)] * 3, [("b",)] * 2, terms="uvwxyz")]
    together = Counter(reference.support(records, "ab") for records in drawn(lines, copies=4000))
    mean = sum(count * times for count, times in together.items()) / 4000
    assert mean == pytest.approx(1.0, abs=0.05)
    assert set(together) == {0, 1, 2}


def test_terms_go_into_empty_records_first_and_again_where_they_must():
    (records,) = drawn([simple(4, [("a",)], terms=("x",))])
    assert Counter(records) == {frozenset("a"): 1, frozenset("x"): 3}
    (records,) = drawn([simple(2, [("a",)], terms=("x", "y", "z"))])
    assert sum("a" in record for record in records) == 1
    assert all(record & set("xyz") for record in records if "a" not in record)


def test_subrecords_move_out_of_the_way_when_no_term_can_fill_a_record():
    for records in drawn([simple(4, [("a",)] * 2, [("b",)] * 2)], copies=20):
        assert Counter(records) == {frozenset("a"): 2, frozenset("b"): 2}


def test_records_that_only_a_shared_subrecord_can_fill_get_one():
    lines = [joint([[("s",)] * 2], simple(2, [("a",)]), simple(2, [("b",)]))]
    for records in drawn(lines, copies=20):
        assert Counter(records) == {frozenset("a"): 1, frozenset("b"): 1, frozenset("s"): 2}


def test_a_seed_repeats_the_originals():
    assert drawn([SHOPPING], copies=2, seed=3) == drawn([SHOPPING], copies=2, seed=3)
    assert drawn([SHOPPING], copies=1, seed=3) != drawn([SHOPPING], copies=1, seed=4)


def test_records_that_must_stay_empty_are_told_with_their_line():
    with pytest.raises(BadInput) as refused:
        drawn([MUSIC, simple(5, [("a",)] * 3), joint([[("s",)]], simple(3, [("a",)]))])
    assert [problem.line for problem in refused.value.problems] == [2, 3]
    assert "2 of the 5 records would be empty" in str(refused.value)
    assert "1 of the 3 records would be empty" in str(refused.value)


def test_means_over_copies():
    lines = [simple(4, [("a",)] * 2, [("b",)] * 2)]
    copies = list(reconstructions(disassociated(lines), 3, np.random.default_rng(0)))
    assert mean_supports(copies, [["a"], ["a", "b"], ["b", "b"], []]).tolist() == [2, 0, 2, 4]
    with pytest.raises(UnknownName, match="no term 'c'"):
        mean_supports(copies, [["c"]])
    with pytest.raises(BadInput, match="no copies"):
        mean_supports([], [["a"]])
