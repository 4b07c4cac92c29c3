import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.metrics.answers import support_of
from shoal.recoding.disassociated import disassociated
from shoal.recoding.reconstruction import mean_supports, reconstructions
from tests.examples import examples
from tests.privacy.test_disassociation import MUSIC, PHONES, SHOPPING, joint, simple
from tests.recoding.publications import publications
from tests.reference import originals as reference

itemsets = st.lists(st.sampled_from("abcdstu"), min_size=1, max_size=3, unique=True)


def answer(lines, itemset):
    return support_of(disassociated(lines), itemset)


@given(publications(), itemsets)
@examples(200)
def test_no_original_lies_outside_the_bounds(lines, itemset):
    assume(all(reference.originals_of_line(line, up_to_order=True) for line in lines))
    found = answer(lines, itemset)
    smallest, largest = reference.bounds(lines, itemset)
    assert found.lower <= smallest
    assert largest <= found.upper


@given(publications(), itemsets)
@examples(200)
def test_bounds_are_no_wider_than_those_of_the_specification(lines, itemset):
    found = answer(lines, itemset)
    lower, upper = reference.certain_and_possible(lines, itemset)
    assert lower <= found.lower
    assert found.upper <= upper


@given(publications(), itemsets)
@examples(200)
def test_the_expectation_is_the_product_of_shares(lines, itemset):
    assert answer(lines, itemset).expected == pytest.approx(reference.expectation(lines, itemset))


@pytest.mark.parametrize(
    ("itemset", "bounds"),
    [
        (["itunes", "flu"], (3, 3)),
        (["itunes", "audi a4"], (2, 3)),
        (["ikea", "ruby"], (3, 3)),
        (["ikea"], (4, 4)),
        (["viagra"], (1, 5)),
        (["madonna"], (8, 8)),
        (["madonna", "ikea"], (0, 4)),
        (["playboy", "panic disorder"], (0, 5)),
        (["nothing"], (0, 0)),
    ],
)
def test_the_example_of_the_specification(itemset, bounds):
    found = answer([SHOPPING], itemset)
    assert (found.lower, found.upper) == bounds
    assert found.records == 10
    assert found.unknown == (("nothing",) if itemset == ["nothing"] else ())


def test_terms_that_must_meet_raise_the_lower_bound():
    """Four of five records hold a and three hold b; all of them hold c."""
    lines = [simple(5, [("a",)] * 4, [("b",)] * 3, [("c",)] * 5, terms=("x",))]
    assert answer(lines, "ab").lower == 2
    assert answer(lines, "cx").lower == 1
    assert answer(lines, "abc").lower == 2


def test_a_shared_chunk_bounds_the_sum_over_its_clusters():
    lines = [joint([[("s",)] * 3], simple(3, [("a",)] * 3), simple(3, [("a",)] * 3))]
    assert (answer(lines, "as").lower, answer(lines, "as").upper) == (0, 3)
    full = [joint([[("s",)] * 6], simple(3, [("a",)] * 3), simple(3, [("a",)] * 3))]
    assert (answer(full, "as").lower, answer(full, "as").upper) == (6, 6)


def test_the_expectation_is_the_mean_of_many_reconstructions():
    lines = [SHOPPING, PHONES, MUSIC]
    published = disassociated(lines)
    pairs = [("itunes", "audi a4"), ("madonna", "ikea"), ("ikea", "ruby"), ("iphone sdk", "ruby"), ("flu",)]
    copies = reconstructions(published, 2000, np.random.default_rng(5))
    means = mean_supports(copies, pairs)
    expected = [support_of(published, pair).expected for pair in pairs]
    assert means == pytest.approx(expected, abs=0.12)


@pytest.mark.parametrize("itemset", [[], [str(number) for number in range(63)]])
def test_itemsets_that_are_too_small_or_too_large_are_refused(itemset):
    with pytest.raises(InvalidParameter, match="1 to 62 terms"):
        answer([MUSIC], itemset)
