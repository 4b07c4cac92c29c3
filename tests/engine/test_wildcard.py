import itertools

from hypothesis import given
from hypothesis import strategies as st

from shoal.engine.wildcard import PATTERNS_AT_MOST
from shoal.table.roles import Quasi
from tests.builders import local_data
from tests.examples import examples
from tests.reference import privacy_tables as reference

COLUMNS = ("a", "b", "c")
cells = st.sampled_from(["x", "y", None])


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=8), st.integers(1, 4))
@examples(150)
def test_the_fewest_compatible_records_are_those_of_the_twin(rows, k):
    data = local_data(rows, {name: Quasi() for name in COLUMNS})
    reading = data.missing_matched(k)
    if not any(None in row for row in rows):
        assert reading is None
        return
    smallest = reference.wildcard_smallest([dict(zip(COLUMNS, row, strict=True)) for row in rows], COLUMNS)
    assert reading == {"holds": smallest >= k, "smallest": smallest}


def test_too_many_combinations_of_missing_columns_are_not_computed_and_it_says_why():
    rows = list(itertools.product(("x", None), repeat=7))
    assert len(rows) > PATTERNS_AT_MOST
    data = local_data(rows, {f"c{place}": Quasi() for place in range(7)})
    reading = data.missing_matched(2)
    assert reading["holds"] is None
    assert "128 different combinations of columns, more than 64" in reading["not_computed"]
