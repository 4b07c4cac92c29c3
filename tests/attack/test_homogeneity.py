"""The best guess of something sensitive is the one that brute force finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attack.homogeneity import confidences
from shoal.attack.links import Linked
from shoal.engine.local import LocalData
from shoal.table.columns import Table
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.attack.releases import (
    COLOURS,
    ITEM_COVERS,
    ITEMS,
    LEAVES,
    colour_labels,
    published_column,
    published_sets,
)
from tests.builders import local_data, set_column
from tests.examples import examples
from tests.reference import attack as reference

ROLES = {"colour": Quasi(), "items": QuasiSet(), "ill": Sensitive()}
rows = st.lists(
    st.tuples(
        colour_labels, published_sets.map(lambda drawn: drawn[0]), st.sampled_from(["flu", "cold", None])
    ),
    min_size=1,
    max_size=7,
)


def linked(published, roles=ROLES):
    everything = [("red", set(LEAVES), "flu")]
    original = local_data(everything, ROLES, trees={"colour": COLOURS, "items": ITEMS})
    columns = {
        "colour": published_column([colour for colour, _, _ in published]),
        "items": set_column([labels for _, labels, _ in published]),
        "ill": published_column([ill for _, _, ill in published]),
    }
    return Linked(original, LocalData(Table.of(columns, len(published)), roles), k=2)


@examples(80)
@given(rows, st.integers(0, 3))
def test_finds_what_brute_force_finds(published, most):
    found = confidences(linked(published), most)
    classes = [(colour, labels) for colour, labels, _ in published]
    secrets = [ill for _, _, ill in published]
    expected = [
        reference.best_guess(classes, secrets, ITEM_COVERS, known, LEAVES) for known in range(most + 1)
    ]
    if expected[0] == 0:
        assert found == ()
    else:
        assert [guess.share for guess in found] == pytest.approx([float(share) for share in expected])
        assert all(guess.sensitive in ("ill = flu", "ill = cold") for guess in found)


def test_two_labels_of_one_item_tell_more_than_either():
    """Who knows a1 finds flu in two of three rows; in those with A, and in those with *, in one of two."""
    published = [("red", {"A"}, "flu"), ("red", {"A", "*"}, "cold"), ("red", {"*"}, "flu")]
    published += [("red", {"c"}, "flu"), ("red", {"c"}, "cold")] * 9
    best = confidences(linked(published), 1)[1]
    assert (best.holding, best.knowing) == (2, 3)
    assert best.because == ("a1",)
    assert best.known == "the values of colour and up to 1 item"


def test_too_many_items_are_known_by_their_labels():
    published = [("red", {"A"}, "flu"), ("red", {"A", "*"}, "cold"), ("red", {"*"}, "flu")]
    best = confidences(linked(published), 2, most_sets=3)[2]
    assert best.known == "the values of colour and up to 2 published labels"


def test_without_anything_sensitive_there_is_nothing_to_guess():
    roles = {"colour": Quasi(), "items": QuasiSet()}
    published = linked([("red", {"A"}, "flu")], roles)
    assert confidences(published, 2) == ()
