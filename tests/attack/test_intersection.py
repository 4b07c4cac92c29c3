import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attack.intersection import intersect
from shoal.attack.links import Linked
from shoal.engine.local import LocalData
from shoal.progress import Silent
from shoal.table.columns import Table
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.attack.releases import COLOUR_COVERS, COLOURS, ITEM_COVERS, ITEMS, LEAVES, published_column
from tests.builders import local_data, set_column
from tests.examples import examples
from tests.reference import attack as reference

ROLES = {"colour": Quasi(), "items": QuasiSet(), "ill": Sensitive()}
original_rows = st.tuples(
    st.sampled_from(COLOURS.leaf_labels),
    st.sets(st.sampled_from(LEAVES), max_size=3),
    st.sampled_from("xy"),
)
published_rows = st.tuples(
    st.sampled_from(["red", "warm", "cold", "*"]),
    st.sets(st.sampled_from(["a1", "A", "B", "c", "*"]), max_size=3),
    st.sampled_from("xy"),
)


def linked(originals, published):
    original = local_data(originals, ROLES, trees={"colour": COLOURS, "items": ITEMS})
    columns = {
        "colour": published_column([row[0] for row in published]),
        "items": set_column([row[1] for row in published]),
        "ill": published_column([row[2] for row in published]),
    }
    # So many known items are all of them, which leaves nothing to chance.
    return Linked(original, LocalData(Table.of(columns, len(published)), ROLES), k=2, m=9)


@examples(60)
@given(
    st.lists(original_rows, min_size=1, max_size=5),
    st.lists(published_rows, min_size=1, max_size=5),
    st.lists(published_rows, min_size=1, max_size=5),
)
def test_finds_what_brute_force_finds(originals, one, other):
    found = intersect(linked(originals, one), linked(originals, other), Silent())
    covers = (COLOUR_COVERS, ITEM_COVERS)
    expected = [reference.by_intersection(record, one, other, covers) for record in originals]
    alone = [len(reference.fitting(record, one, covers)) for record in originals]
    assert found.after.expected == pytest.approx(sum(1 / count for count in expected if count))
    assert found.after.smallest == min((count for count in expected if count), default=None)
    assert found.before.expected == pytest.approx(sum(1 / count for count in alone if count))


def test_a_sensitive_value_that_only_one_candidate_shows_in_both_gives_it_away():
    originals = [("red", set(), "x"), ("orange", set(), "y")]
    releases = [[("warm", set(), "x"), ("warm", set(), "y")], [("warm", set(), "x"), ("warm", set(), "x")]]
    found = intersect(linked(originals, releases[0]), linked(originals, releases[1]), Silent())
    assert found.before.unique == 0
    assert found.after.unique == 1


def test_a_sample_has_an_interval():
    originals = [("red", {"a1"}, "x")] * 30
    both = linked(originals, [("warm", {"A"}, "x")] * 30)
    found = intersect(both, both, Silent(), most_people=10)
    assert found.after.interval is not None
    assert found.after.records == 30
    assert found.after.expected == pytest.approx(1.0)
