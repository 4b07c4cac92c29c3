import gzip
import os
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.metrics import top_itemsets as module
from shoal.metrics.top_itemsets import frequent_itemsets, top_itemsets
from shoal.table.quest import quest
from tests.builders import set_column
from tests.examples import examples
from tests.reference import frequent as reference

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
LETTERS = "abcdefg"

records = st.lists(st.sets(st.sampled_from(LETTERS)), max_size=12)
lengths = st.none() | st.integers(1, len(LETTERS))


def read_sets(name):
    path = DATA / f"{name}.txt.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with gzip.open(path, "rt") as lines:
        return set_column([line.split() for line in lines])


def listed(itemsets):
    found = [tuple(itemsets.sets.items[start:end].tolist()) for start, end in pairwise(itemsets.sets.starts)]
    return list(zip(found, itemsets.supports.tolist(), strict=True))


def found_by_mlxtend(arrays, item_count, minimum_support, longest=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pandas as pd
        from mlxtend.frequent_patterns import fpgrowth

        row_count = len(arrays.starts) - 1
        held = np.zeros((row_count, item_count), dtype=bool)
        held[np.repeat(np.arange(row_count), np.diff(arrays.starts)), arrays.items] = True
        # A little below the share, which is no exact number of records in floating point.
        found = fpgrowth(pd.DataFrame(held), min_support=(minimum_support - 0.5) / row_count, max_len=longest)
    supports = (found["support"] * row_count).round().astype(int)
    return {
        tuple(sorted(itemset)): support for itemset, support in zip(found["itemsets"], supports, strict=True)
    }


@given(records, st.integers(1, 5), lengths)
@examples(100)
def test_frequent_itemsets_equal_those_of_the_twin(rows, minimum_support, longest):
    column = set_column(rows)
    coded = [{column.domain.texts().index(item) for item in row} for row in rows]
    expected = reference.frequent_itemsets(coded, minimum_support, longest)
    found = frequent_itemsets(column.arrays, len(column.domain), minimum_support, longest)
    assert listed(found) == list(expected.items())


@given(records, st.integers(1, 20), lengths, st.integers(0, 4), st.sampled_from([0, 2**40]))
@examples(150)
def test_top_itemsets_equal_those_of_the_twin_also_in_ties(rows, most, longest, first_items, words_per_pair):
    column = set_column(rows)
    coded = [{column.domain.texts().index(item) for item in row} for row in rows]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_FIRST_ITEMS", first_items)
        patched.setattr(module, "_WORDS_PER_PAIR", words_per_pair)
        found = top_itemsets(column.arrays, len(column.domain), most, longest)
    assert listed(found) == list(reference.top_itemsets(coded, most, longest).items())


def test_ties_at_the_last_rank_go_by_itemset_even_when_a_single_item_comes_later():
    column = set_column([("a", "b"), ("a", "b"), ("c",), ("c",)])
    found = top_itemsets(column.arrays, 3, 3)
    assert listed(found) == [((0,), 2), ((0, 1), 2), ((1,), 2)]


def test_quest_data_give_what_mlxtend_finds():
    column = quest(2000, 60, 8, patterns=25, seed=3)
    for minimum_support, longest in ((200, None), (40, 4)):
        found = frequent_itemsets(column.arrays, 60, minimum_support, longest)
        expected = found_by_mlxtend(column.arrays, 60, minimum_support, longest)
        assert dict(listed(found)) == expected
        assert len(expected) > 50


@pytest.mark.parametrize("name", ["groceries", "msweb"])
def test_real_baskets_give_what_mlxtend_finds(name):
    column = read_sets(name)
    minimum_support = len(column) // 200
    found = frequent_itemsets(column.arrays, len(column.domain), minimum_support)
    assert dict(listed(found)) == found_by_mlxtend(column.arrays, len(column.domain), minimum_support)


def test_top_of_real_clicks_is_the_head_of_all_frequent_itemsets():
    column = read_sets("bms_webview2")
    top = top_itemsets(column.arrays, len(column.domain), 1000)
    least = int(top.supports[-1])
    everything = listed(frequent_itemsets(column.arrays, len(column.domain), least))
    assert listed(top) == sorted(everything, key=lambda found: (-found[1], found[0]))[:1000]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda sets: frequent_itemsets(sets, 1, 0), "minimum_support"),
        (lambda sets: frequent_itemsets(sets, 1, 1, 0), "longest"),
        (lambda sets: top_itemsets(sets, 1, 0), "most"),
        (lambda sets: top_itemsets(sets, 1, 1, -1), "longest"),
    ],
)
def test_numbers_below_one_are_refused(call, name):
    with pytest.raises(InvalidParameter, match=f"{name} must be an integer of 1 or more"):
        call(set_column([("a",)]).arrays)
