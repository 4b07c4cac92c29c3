from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_ints
from shoal.metrics.inference import telling_columns
from shoal.table.columns import Carried
from shoal.table.roles import Insensitive, Quasi, QuasiSet, Sensitive
from tests.builders import local_data
from tests.examples import examples

ROLES = {"age": Quasi(), "note": Insensitive(), "illness": Sensitive()}


def found(rows, published, order=None):
    data = local_data(rows, ROLES)
    order = frozen_ints(range(len(rows)) if order is None else order)
    labels = local_data([(label,) for label in published], {"age": Quasi()}).table.columns["age"]
    return telling_columns(data, data.table.take(order).replacing({"age": labels}), order)


def guessed(records):
    """Records whose value is strictly the most frequent one among the others with the same key."""
    hits = 0
    for place, (key, value) in enumerate(records):
        others = Counter(v for at, (k, v) in enumerate(records) if at != place and k == key)
        hits += others[value] > max((count for v, count in others.items() if v != value), default=0)
    return hits


@given(
    st.lists(st.tuples(*map(st.sampled_from, ("123", "xy", "pq", "*-"))), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
@examples(200)
def test_figures_are_those_of_guessing_one_by_one(records, random):
    rows = [record[:3] for record in records]
    order = random.sample(range(len(rows)), len(rows))
    ages = {label: {record[0] for record in records if record[3] == label} for label in "*-"}
    hidden = [record for record in records if len(ages[record[3]]) > 1]
    tellings = {t.column: t for t in found(rows, [records[row][3] for row in order], order)}
    without = guessed([(record[3], record[0]) for record in hidden])
    for name, place in (("note", 1), ("illness", 2)):
        told = guessed([((record[3], record[place]), record[0]) for record in hidden])
        unknown = len(hidden) - without
        assert (name in tellings) == (unknown > 0 and 2 * (told - without) >= unknown)
        if name in tellings:
            assert (tellings[name].hidden, tellings[name].guessed, tellings[name].told) == (
                len(hidden),
                without,
                told,
            )


def test_a_copy_beside_a_generalized_column_is_found():
    rows = [(age, f"born {2020 - age}", "flu") for age in (20, 21, 22) for _ in range(4)]
    [telling] = found(rows, ["20-24"] * 12)
    assert (telling.column, telling.quasi) == ("note", "age")
    assert "with it 12 of 12 records can be guessed, without it 0" in telling.in_words()


def test_what_is_published_as_it_was_need_not_be_told():
    rows = [(age, f"born {2020 - age}", "flu") for age in (20, 21) for _ in range(4)]
    assert found(rows, [row[0] for row in rows]) == []


def test_unique_values_and_frequent_ones_tell_nothing():
    rows = [("US" if n % 10 else "FR", str(n), "flu" if n % 2 else "cold") for n in range(100)]
    assert found(rows, ["*"] * 100) == []


@pytest.mark.parametrize("copy", [["a", None], ["a", "b"]])
def test_categories_and_nulls_are_values_and_lists_are_left_alone(copy):
    data = local_data(
        [(age, 0, ["x"]) for age in (1, 2) for _ in range(3)],
        {"age": Quasi(), "note": Insensitive(), "items": QuasiSet()},
    )
    starred = local_data([("*",)] * 6, {"age": Quasi()}).table.columns["age"]
    note = pa.chunked_array([pa.array([copy[0]] * 3 + [copy[1]] * 3).dictionary_encode()])
    rows = frozen_ints(range(6))
    released = data.table.replacing({"age": starred, "note": Carried(note)})
    assert [t.column for t in telling_columns(data, released, rows)] == ["note"]
    lists = Carried(pa.chunked_array([pa.array([[1]] * 6)]))
    assert telling_columns(data, released.replacing({"note": lists}), rows) == []
