"""Every adversary finds exactly what brute force finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attack.absence import attack_with_facts
from shoal.attack.exact_sets import candidates_by_set
from shoal.attack.items import attack_with_items
from shoal.attack.values import candidates_by_values, originals_behind_rows
from shoal.attack.values_and_items import attack_with_both
from tests.attack.releases import (
    COLOUR_COVERS,
    ITEM_COVERS,
    LEAVES,
    colour_labels,
    colours,
    linked_both,
    linked_sets,
    linked_values,
    published_sets,
    records,
)
from tests.examples import examples
from tests.reference import attack as reference

EXAMPLES = examples(60)


def assert_exposes(found, expected, k, total):
    """`expected` lists the fewest candidates, the share below k and the chance of each record."""
    worst, drawn = found
    fewest = [count for count, _, _ in expected]
    assert worst.smallest == min((count for count in fewest if count), default=None)
    assert worst.below_k == pytest.approx(sum(0 < count < k for count in fewest) / total)
    assert worst.unique == pytest.approx(sum(count == 1 for count in fewest) / total)
    assert worst.expected == pytest.approx(sum(1 / count for count in fewest if count))
    assert sum(band.records for band in worst.distribution) == total
    assert drawn.below_k == pytest.approx(float(sum(below for _, below, _ in expected)) / total)
    assert drawn.expected == pytest.approx(float(sum(success for _, _, success in expected)))
    assert worst.exact
    assert drawn.exact


@EXAMPLES
@given(
    st.lists(st.tuples(colours, colours), min_size=1, max_size=7),
    st.lists(st.tuples(colour_labels, colour_labels), min_size=1, max_size=7),
)
def test_single_values(originals, published):
    linked = linked_values(originals, published)
    covers = [COLOUR_COVERS, COLOUR_COVERS]
    expected = reference.by_values(originals, published, covers)
    assert candidates_by_values(linked).tolist() == expected
    assert originals_behind_rows(linked).sum() == sum(expected)


@EXAMPLES
@given(records, published_sets, st.integers(1, 4), st.integers(2, 3))
def test_some_items(originals, published, known, k):
    found = attack_with_items(linked_sets(originals, published, k), known)
    expected = [reference.by_items(record, published, ITEM_COVERS, known, k) for record in originals]
    assert_exposes(found, expected, k, len(originals))


@EXAMPLES
@given(records, published_sets)
def test_whole_sets(originals, published):
    expected = [reference.by_exact_set(record, published, ITEM_COVERS) for record in originals]
    assert candidates_by_set(linked_sets(originals, published)).tolist() == expected


@EXAMPLES
@given(records, published_sets, st.integers(1, 3))
def test_presence_and_absence(originals, published, known):
    exposure = attack_with_facts(linked_sets(originals, published), known)
    expected = [reference.by_facts(record, published, ITEM_COVERS, known, LEAVES) for record in originals]
    assert exposure.smallest == min(expected)
    assert exposure.expected == pytest.approx(sum(1 / count for count in expected))


both = st.tuples(colours, st.sets(st.sampled_from(LEAVES), max_size=4))


@EXAMPLES
@given(
    st.lists(both, min_size=1, max_size=7),
    st.lists(st.tuples(colour_labels, published_sets.map(lambda rows: rows[0])), min_size=1, max_size=7),
    st.integers(1, 3),
)
def test_values_and_items(originals, published, known):
    found = attack_with_both(linked_both(originals, published), known)
    expected = [
        reference.by_values_and_items(
            ((colour,), items),
            [((label,), row) for label, row in published],
            ([COLOUR_COVERS], ITEM_COVERS),
            known,
            2,
        )
        for colour, items in originals
    ]
    assert_exposes(found, expected, 2, len(originals))


@EXAMPLES
@given(records, st.integers(1, 3))
def test_the_original_itself_is_attacked_as_a_release_of_leaves(originals, known):
    linked = linked_sets(originals, originals)
    assert attack_with_items(linked, known) == attack_with_items(linked.against_itself(), known)
    assert np.array_equal(candidates_by_set(linked), candidates_by_set(linked.against_itself()))
