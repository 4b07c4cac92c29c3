from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.table.multisets import is_counted, item_of, with_counts
from shoal.table.options import LongForm
from shoal.table.reading import ReadOptions, read_table
from shoal.table.roles import Identifier, QuasiSet
from shoal.table.subjects import unite
from tests.reference import multisets as reference

LABELS = ["a", "b", "c", "d"]


def sets_of(text, **role):
    loaded = read_table(text, {"items": QuasiSet(multiset=True, **role)})
    sets = loaded.table.sets("items")
    texts = sets.domain.texts()
    rows = np.split(sets.arrays.items, sets.arrays.starts[1:-1])
    return [{texts[item] for item in row} for row in rows], loaded.notices


@pytest.fixture
def lines(tmp_path):
    def written(*rows):
        path = tmp_path / "baskets.txt"
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        return path

    return written


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(LABELS)), max_size=6), st.sets(st.sampled_from(LABELS)))
def test_counts_are_those_of_the_twin(bags, once):
    pairs = [(row, LABELS.index(item)) for row, bag in enumerate(bags) for item in bag]
    rows, codes = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    found = with_counts(rows, codes, LABELS, np.array([label in once for label in LABELS]))
    sets = [
        {found.labels[code] for code in found.codes[found.rows == row].tolist()} for row in range(len(bags))
    ]
    assert sets == reference.with_counts(bags, once)
    assert found.labels == sorted(set().union(*sets))
    assert found.repeating_rows == sum(
        any(count > 1 for item, count in Counter(bag).items() if item not in once) for bag in bags
    )


def test_only_repeated_items_get_counts(lines):
    sets, notices = sets_of(lines("milk milk bread", "milk", "", "milk milk milk beer"))
    assert sets == [{"milk(2)", "bread"}, {"milk(1)"}, set(), {"milk(3)", "beer"}]
    assert any("repeated items were given their counts, in 2 rows" in notice for notice in notices)


def test_without_repeats_nothing_changes(lines):
    sets, notices = sets_of(lines("milk bread", "beer"))
    assert sets == [{"milk", "bread"}, {"beer"}]
    assert not notices


def test_sensitive_items_are_counted_once(lines):
    sets, _ = sets_of(lines("flu flu milk milk", "flu"), sensitive=("flu",))
    assert sets == [{"flu", "milk(2)"}, {"flu"}]


def test_items_that_read_like_counts_are_refused(lines):
    with pytest.raises(BadInput, match=r"items such as 'milk\(2\)' read like items with a count"):
        sets_of(lines("milk milk", "milk(2)"))


def test_separator_that_a_count_contains_is_refused(lines):
    with pytest.raises(BadInput, match=r"contains the separator '\('"):
        sets_of(lines("milk(milk"), separator="(")


def test_counts_of_several_rows_are_not_added_up(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,thing\n1,milk\n1,milk\n2,beer\n", encoding="utf-8")
    options = ReadOptions(long=LongForm("id", "thing"))
    with pytest.raises(BadInput, match="the counts of a multiset cannot be added up"):
        read_table(path, {"items": QuasiSet(multiset=True)}, options)
    roles = {"id": Identifier(), "items": QuasiSet(multiset=True)}
    path.write_text("id,items\n1,milk\n1,milk milk\n", encoding="utf-8")
    with pytest.raises(BadInput, match="the counts of a multiset cannot be added up"):
        unite(read_table(path, roles).table, "id", roles)


def test_labels_with_counts():
    assert is_counted("milk(12)")
    assert not any(map(is_counted, ("milk", "(2)", "milk()", "milk(2)x", "milk(a)")))
    assert item_of("milk(12)") == "milk"
    assert item_of("milk") == "milk"
