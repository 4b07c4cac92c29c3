"""Answers of blocks of whole classes, merged in any order, are the answer of all rows."""

from dataclasses import replace
from functools import reduce

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.engine.answers import NamedRows, SizeCounts
from shoal.kernels.arrays import frozen_ints
from shoal.privacy.l_diversity import LDiversity
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.builders import local_data
from tests.examples import examples

ROLES = {"age": Quasi(), "items": QuasiSet(), "illness": Sensitive()}
ages = st.sampled_from(["30", "40", "50", None])
baskets = st.sets(st.sampled_from("abcd")).map(sorted)
illnesses = st.sampled_from(["flu", "cold", "gout"])
tables = st.lists(st.tuples(ages, baskets, illnesses), min_size=1, max_size=14)


def blocks_of(rows, block_of_age):
    """The rows in blocks, each class whole in one of them."""
    numbered = [(block_of_age[str(row[0])], row) for row in rows]
    return [
        local_data([row for block, row in numbered if block == number], ROLES)
        for number in sorted({block for block, _ in numbered})
    ]


def told(answer):
    """An answer without positions, which are those within a block."""
    return repr(answer and replace(answer, where=replace(answer.where, rows=frozen_ints([]))))


blocks = st.fixed_dictionaries(dict.fromkeys(("30", "40", "50", "None"), st.integers(0, 2)))


@examples(60)
@given(tables, blocks, st.randoms(use_true_random=False))
def test_merged_answers_are_those_of_all_rows(rows, block_of_age, random):
    data, parts = local_data(rows, ROLES), blocks_of(rows, block_of_age)
    random.shuffle(parts)
    model = LDiversity(2)
    for ask in (
        lambda each: each.rarest_itemset(2, 3, ("age",)),
        lambda each: each.likeliest_guess(1, ("age",)),
        lambda each: each.weakest_classes(model.judge, ("age",))[0],
    ):
        answers = [answer for part in parts if (answer := ask(part)) is not None]
        merged = reduce(lambda one, other: one.merge(other), answers) if answers else None
        assert told(merged) == told(ask(data))


def test_rows_are_named_by_what_they_share():
    rows = NamedRows({"age": "30", "zip": None, "items": ("a", "b")}, frozen_ints([4]), 1)
    assert rows.in_words() == "age=30, zip=(missing), items={a, b}"
    assert NamedRows({}, frozen_ints([]), 0).in_words() == "all records"


def test_missing_values_come_first_and_empty_sets_before_others():
    values = [{"age": None}, {"age": "30"}], [{"items": ()}, {"items": ("a",)}, {"items": ("a", "b")}]
    for ordered in values:
        named = [NamedRows(labels, frozen_ints([]), 0) for labels in ordered]
        assert sorted(reversed(named), key=lambda rows: rows.order) == named


def test_sizes_are_counted():
    sizes = SizeCounts.of(np.array([3, 1, 3]))
    assert (sizes.class_count, sizes.smallest) == (3, 1)
    assert SizeCounts.none().class_count == 0
