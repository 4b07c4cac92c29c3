import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.table.columns import Carried, Coded, Sets, Table, category_domain
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet
from shoal.table.subjects import people, unite
from tests.reference import table as reference
from tests.table.views import plain, values

IDS = ["x", "y", "z"]


def subject_column(ids):
    return Coded.of([len(IDS) if one is None else IDS.index(one) for one in ids], category_domain(IDS))


def item_column(rows):
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    items = [ord(item) - ord("a") for row in rows for item in sorted(row)]
    return Sets.of(starts, np.array(items, dtype=np.int64), category_domain(list("abc")))


records = st.lists(
    st.tuples(st.sampled_from([*IDS, None]), st.frozensets(st.sampled_from("abc"))), min_size=1, max_size=8
)


@settings(deadline=None)
@given(records)
def test_sets_of_a_person_are_united(rows):
    ids, sets = [one for one, _ in rows], [items for _, items in rows]
    table = Table.of({"id": subject_column(ids), "items": item_column(sets)})
    united = unite(table, "id", {"id": Identifier(), "items": QuasiSet()})
    assert values(united.column("items")) == reference.united(ids, sets)


@settings(deadline=None)
@given(records)
def test_people_are_told_apart_and_the_nameless_are_alone(rows):
    ids = [one for one, _ in rows]
    numbers = people(subject_column(ids))
    for i, one in enumerate(ids):
        for j, other in enumerate(ids):
            assert (numbers[i] == numbers[j]) == (i == j or (one is not None and one == other))
    assert sorted(set(numbers.tolist())) == list(range(len(set(numbers.tolist()))))


def test_single_values_must_agree():
    sex = Coded.of([0, 1, 0, 1], category_domain(["f", "m"]))
    town = Carried(pa.chunked_array([["r", None], ["s", "t"]]))
    table = Table.of({"id": subject_column(["x", "x", "y", "z"]), "sex": sex, "town": town})
    with pytest.raises(BadInput) as caught:
        unite(table, "id", {"sex": Quasi(), "town": Insensitive()})
    assert "column 'sex': 1 subjects of 'id' have several values" in str(caught.value)
    assert "column 'town': 1 subjects" in str(caught.value)


def test_agreeing_values_and_first_identifiers_stay():
    table = Table.of(
        {
            "id": subject_column(["y", "x", "y"]),
            "name": Coded.of([0, 1, 2], category_domain(["Al", "Bo", "Cy"])),
            "sex": Coded.of([0, 2, 0], category_domain(["f", "m"])),
            "town": Carried(pa.chunked_array([pa.array(["r", None, "r"]).dictionary_encode()])),
        }
    )
    united = unite(table, "id", {"name": Identifier()})
    assert plain(united) == {"id": ["y", "x"], "name": ["Al", "Bo"], "sex": ["f", None], "town": ["r", None]}


def test_lists_that_are_no_sets_cannot_be_compared():
    table = Table.of({"id": subject_column(["x"]), "l": Carried(pa.chunked_array([[[1]]]))})
    with pytest.raises(BadInput, match="column 'l'"):
        unite(table, "id", {})
