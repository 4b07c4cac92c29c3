import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics.mining import chunks_loss, generalized_loss, in_codes_of, records_loss
from shoal.recoding.disassociated import disassociated
from shoal.recoding.reconstruction import reconstructions
from tests.builders import set_column, tree
from tests.examples import examples
from tests.metrics.test_top_itemsets import arrays
from tests.privacy.test_disassociation import SHOPPING
from tests.recoding.publications import publications
from tests.reference import set_losses as reference

LETTERS = "abcdefghijklmnopqrstuv"
CLASSES = tree({"*": {"front": list(LETTERS[:11]), "back": list(LETTERS[11:])}})
rows = st.lists(st.sets(st.sampled_from(LETTERS), max_size=4), max_size=5)


def with_all_terms(drawn):
    """Twenty-two terms, so that the 20 most frequent ones exist."""
    return [*drawn, set(LETTERS[:12]), set(LETTERS[12:])]


@given(rows)
@examples(20)
def test_identical_records_lose_nothing(drawn):
    original = set_column(with_all_terms(drawn), hierarchy=CLASSES)
    measured = records_loss(original, [original.arrays], CLASSES, top=50)
    assert measured.losses == {"tkd": 0, "tkd_ml2": 0, "re_top": 0}
    assert measured.absent == {"re": "the data have too few terms for these ranks"}
    assert generalized_loss(original, original.arrays, CLASSES, top=50).losses == {"tkd_ml2": 0, "re_top": 0}


@given(rows, rows)
@examples(20)
def test_records_are_compared_as_the_single_measures_do(drawn, other):
    original = set_column(with_all_terms(drawn))
    copy = set_column(with_all_terms(other))
    measured = records_loss(original, [copy.arrays], None, top=20)
    expected = reference.tkd(with_all_terms(drawn), with_all_terms(other), 20)
    assert measured.losses["tkd"] == pytest.approx(float(expected))
    assert 0 <= measured.losses["re_top"] <= 2


def test_a_publication_of_roots_hides_every_itemset_and_divides_pairs_evenly():
    original = set_column(with_all_terms([]), hierarchy=CLASSES)
    root = CLASSES.root
    measured = generalized_loss(original, arrays([{root}, {root}]), CLASSES, top=50)
    assert measured.losses["tkd_ml2"] == 1.0
    # A pair of one record is in 2/22^2 of a record here, or in none there and that here.
    assert measured.losses["re_top"] > 1.9


@given(publications(), rows)
@examples(40)
def test_chunks_are_compared_by_what_is_certain(lines, drawn):
    records = with_all_terms(drawn)
    measured = chunks_loss(set_column(records), disassociated(lines), k=1, top=10_000)
    expected = reference.tkd(records, reference.certain_records(lines), 10_000)
    assert measured.losses["tkd_a"] == pytest.approx(float(expected))
    assert measured.losses["tlost"] == pytest.approx(float(reference.tlost(records, lines, 1)))
    assert set(measured.losses) == {"tkd_a", "tlost", "re_top_a"}


def test_a_possible_original_has_the_codes_of_the_original():
    published = disassociated([SHOPPING])
    (copy,) = reconstructions(published, 1, np.random.default_rng(0))
    original = set_column(
        [published.terms.texts()[::-1]], hierarchy=tree({"*": published.terms.texts()[::-1]})
    )
    sets = in_codes_of(original.domain, published, copy)
    labels = original.domain.texts()
    first = {labels[item] for item in sets.items[: sets.starts[1]]}
    assert first == {published.terms.label(int(item)) for item in copy.arrays.items[: copy.arrays.starts[1]]}
