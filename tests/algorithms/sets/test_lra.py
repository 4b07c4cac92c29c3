import random
from functools import partial
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.lra import LRA, may_leave, subset_counts, united
from shoal.errors import BadInput, Cancelled, Infeasible
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.progress import Silent
from tests.algorithms.sets.blocks import blocks_of_instances
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance, random_instance
from tests.algorithms.sets.searches import (
    feasible,
    find,
    published_nodes,
    random_case,
    released,
    with_items,
)
from tests.reference import km, km_parts
from tests.reference.count_tree import apriori_by_count_tree


def rows_of_parts(recoding):
    return [
        np.flatnonzero(recoding.cuts.part_of_row == part).tolist() for part in range(recoding.cuts.part_count)
    ]


def sets_of_parts(each, recoding):
    return [[each.transactions[row] for row in rows] for rows in rows_of_parts(recoding)]


def rows_of_the_twin(each, k, m, *, parts, flexibility):
    transactions = each.transactions
    return km_parts.parts_of_rows(
        transactions,
        len(each.leaves),
        lambda rows: with_items([transactions[row] for row in rows]) >= k,
        m=min(m, max(1, *map(len, transactions))),
        parts=parts,
        flexibility=flexibility,
    )


def assert_cuts(each, recoding, expected, apriori):
    """Parts have the expected rows, and each the cut that the twin of AA finds there."""
    assert rows_of_parts(recoding) == [sorted(rows) for rows in expected]
    for part, rows in enumerate(expected):
        cut = dict(enumerate(recoding.cuts.node_of_leaf[part].tolist()))
        assert cut == apriori(each.above, each.leaves, [each.transactions[row] for row in rows])


def test_divides_and_resolves_like_the_twin():
    for seed in range(150):
        each, k, m = random_case(seed)
        if not feasible(each, k):
            continue
        rng = random.Random(seed)
        parts, flexibility = rng.randint(1, 4), rng.randint(0, 3)
        plain = LRA(parts=parts, flexibility=flexibility, minimal=False, single_items=False)
        recoding = find(plain, each, KmAnonymity(k, m))
        expected = rows_of_the_twin(each, k, m, parts=parts, flexibility=flexibility)
        assert_cuts(each, recoding, expected, partial(km.apriori, k=k, m=m))


def test_as_printed_there_are_three_parts_that_the_papers_aa_resolves():
    for seed in range(150):
        each, k, m = random_case(seed)
        if feasible(each, k):
            recoding = find(LRA(as_printed=True), each, KmAnonymity(k, m))
            expected = rows_of_the_twin(each, k, m, parts=3, flexibility=10)
            assert_cuts(each, recoding, expected, partial(apriori_by_count_tree, k=k, m=m))
            assert KmAnonymity(k, m).verify(released(each, recoding)).holds


def test_as_printed_it_may_have_other_numbers_of_parts():
    assert LRA(as_printed=True, parts=5).parts == 5


@pytest.mark.parametrize("block", blocks_of_instances())
def test_random_releases_are_safe_as_a_whole_and_minimal_in_each_part(block):
    for seed in block:
        each, k, m = random_case(seed)
        if not feasible(each, k):
            with pytest.raises(Infeasible, match="cannot be met"):
                find(LRA(), each, KmAnonymity(k, m))
            continue
        recoding = find(LRA(parts=2 + seed % 3, flexibility=2), each, KmAnonymity(k, m))
        assert km.is_safe(published_nodes(each, recoding), k, m), seed
        assert KmAnonymity(k, m).verify(released(each, recoding)).holds
        for part, sets in enumerate(sets_of_parts(each, recoding)):
            assert with_items(sets) >= k or with_items(each.transactions) == 0
            cut = dict(enumerate(recoding.cuts.node_of_leaf[part].tolist()))
            for _, finer in km.expansions(each.above, each.leaves, cut):
                assert not km.is_safe(km.published(sets, finer), k, m), seed


def test_spec():
    each = instance(SPEC_TREE, SPEC_SETS)
    recoding = find(LRA(parts=3), each, KmAnonymity(2, 2))
    assert recoding.cuts.part_count == 2
    assert all(len(rows) == 2 for rows in rows_of_parts(recoding))
    assert KmAnonymity(2, 2).verify(released(each, recoding)).holds
    one = find(LRA(parts=1), each, KmAnonymity(2, 2))
    assert [each.tree.labels[node] for node in one.cuts.node_of_leaf[0]] == ["A", "A", "b1", "b2"]


TWO_GROUPS = [{"a1", "b1"}] + [{"a1", "b2"}] * 2 + [{"a2", "b1"}] * 3 + [{"a2", "b2"}] * 3


def test_items_are_generalized_in_the_part_that_needs_it_only():
    each = instance(SPEC_TREE, TWO_GROUPS)
    assert find(AA(), each, KmAnonymity(3, 2)).figures["ncp"] == 9 * 0.5 / 18
    recoding = find(LRA(parts=2), each, KmAnonymity(3, 2))
    assert rows_of_parts(recoding) == [[3, 4, 5, 6, 7, 8], [0, 1, 2]]
    assert recoding.figures["ncp"] == pytest.approx(3 * 0.5 / 18)


def short_case(seed):
    """Like a random case, with many transactions of one item."""
    rng = random.Random(seed)
    return random_instance(rng, most_rows=60, density=0.4), rng.randint(2, 3), rng.randint(1, 3)


def test_transactions_of_one_item_leave_like_in_the_twin():
    left = 0
    for seed in range(150):
        each, k, m = short_case(seed)
        if feasible(each, k):
            cut = find(AA(), each, KmAnonymity(k, m)).cuts.node_of_leaf[0]
            found = np.flatnonzero(may_leave(Transactions.of(each.data), cut, k)).tolist()
            assert set(found) == km_parts.may_leave(each.transactions, dict(enumerate(cut.tolist())), k), seed
            left += len(found)
    assert left > 300


def test_part_for_single_items_keeps_every_promise_and_never_loses_more():
    paid = 0
    for seed in range(250):
        each, k, m = short_case(seed)
        if not feasible(each, k):
            continue
        whole, without, apart = (
            find(algorithm, each, KmAnonymity(k, m)) for algorithm in (AA(), LRA(single_items=False), LRA())
        )
        assert apart.figures["ncp"] <= without.figures["ncp"] <= whole.figures["ncp"], seed
        assert km.is_safe(published_nodes(each, apart), k, m), seed
        assert KmAnonymity(k, m).verify(released(each, apart)).holds
        for part, sets in enumerate(sets_of_parts(each, apart)):
            assert with_items(sets) >= k or with_items(each.transactions) == 0
            cut = dict(enumerate(apart.cuts.node_of_leaf[part].tolist()))
            assert km.is_safe(km.published(sets, cut), k, m), seed
            finer = dict(km.expansions(each.above, each.leaves, cut))
            assert {reason.node for reason in apart.cuts.reasons if reason.part == part} == set(finer)
            for reason in apart.cuts.reasons:
                if reason.part == part:
                    held = km.published(sets, finer[reason.node])
                    assert 0 < sum(set(reason.itemset) <= items for items in held) == reason.support < k
        paid += "single_items_apart" in apart.figures
    assert paid > 30


def test_single_items_stay_with_the_others_where_diversity_is_promised():
    sets = [{"a1"}] * 3 + [{"a2"}] * 3 + [{"a1", "b1"}, {"a2", "b1", "s"}] * 3
    nested = {"*": {"A": ["a1", "a2"], "B": ["b1", "b2"], "S": ["s"]}}
    each = instance(nested, sets, sensitive=["s"])
    recoding = find(LRA(parts=1), each, KmAnonymity(4, 2), LmDiversity(1.5, 1))
    assert recoding.cuts.part_count == 1
    assert find(LRA(parts=1), each, KmAnonymity(4, 2)).figures["ncp"] <= recoding.figures["ncp"]


def test_best_of_one_two_and_three_parts_is_kept():
    same = instance(SPEC_TREE, SPEC_SETS)
    recoding = find(LRA(), same, KmAnonymity(2, 2))
    losses = [find(LRA(parts=parts), same, KmAnonymity(2, 2)).figures["ncp"] for parts in (1, 2, 3)]
    assert recoding.figures["ncp"] == min(losses)
    assert any(
        "parts of similar transactions were tried, and 1 lost least" in each for each in recoding.notices
    )
    apart = find(LRA(), instance(SPEC_TREE, TWO_GROUPS), KmAnonymity(3, 2))
    assert any("and 2 lost least" in each for each in apart.notices)


def test_figures_are_those_of_the_whole():
    for seed in range(40):
        each, k, m = short_case(seed)
        if feasible(each, k):
            recoding = find(LRA(parts=1 + seed % 3), each, KmAnonymity(k, m))
            below = km.leaves_below(each.above, each.leaves)
            costs = [
                len(below[node]) / len(each.leaves) if node not in each.leaves else 0
                for items, part in zip(each.transactions, recoding.cuts.part_of_row.tolist(), strict=True)
                for node in recoding.cuts.node_of_leaf[part, sorted(items)].tolist()
            ]
            assert recoding.figures["ncp"] == pytest.approx(sum(costs) / max(1, len(costs)))
            assert recoding.figures["parts"] == recoding.cuts.part_count


def test_reasons_hold_in_their_part():
    each = random_instance(random.Random(5), most_rows=60)
    recoding = find(LRA(parts=3), each, KmAnonymity(3, 2))
    assert len({reason.part for reason in recoding.cuts.reasons}) > 1
    for reason in recoding.cuts.reasons:
        cut = dict(enumerate(recoding.cuts.node_of_leaf[reason.part].tolist()))
        finer = dict(km.expansions(each.above, each.leaves, cut))[reason.node]
        sets = km.published(sets_of_parts(each, recoding)[reason.part], finer)
        assert sum(set(reason.itemset) <= held for held in sets) == reason.support < 3


def test_same_cuts_whatever_the_number_of_threads():
    each = random_instance(random.Random(7), most_leaves=30, most_rows=200)
    first, *others = (
        find(LRA(parts=4, threads=threads), each, KmAnonymity(4, 3)) for threads in (1, 2, 2, 4)
    )
    for other in others:
        np.testing.assert_array_equal(first.cuts.part_of_row, other.cuts.part_of_row)
        np.testing.assert_array_equal(first.cuts.node_of_leaf, other.cuts.node_of_leaf)
        assert (first.cuts.reasons, first.figures) == (other.cuts.reasons, other.figures)


def test_memory_limit_makes_more_parts():
    sets = [{f"i{item}" for item in range(row % 7)} for row in range(300)]
    each = instance({"*": [f"i{item}" for item in range(6)]}, sets)
    items = sum(map(len, sets))
    program_and_data = 300e6 + 16 * (items + len(sets))
    recoding = find(LRA(memory_limit=program_and_data + 10_000), each, KmAnonymity(2, 2))
    assert recoding.cuts.part_count > 3
    for part in sets_of_parts(each, recoding):
        assert 8 * (7 * sum(map(len, part)) + 4 * len(part) + 1) <= 10_000


def test_time_limit_gives_a_safe_release():
    each = random_instance(random.Random(5), most_rows=60)
    recoding = find(LRA(parts=3), each, KmAnonymity(3, 2), progress=Silent(time_limit=-1))
    assert KmAnonymity(3, 2).verify(released(each, recoding)).holds
    assert any(notice.startswith("part ") and "time was up" in notice for notice in recoding.notices)


def test_wish_to_stop_is_honoured():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(LRA(), instance(SPEC_TREE, SPEC_SETS), KmAnonymity(2, 2), progress=progress)


def test_empty_transactions_pass_through():
    each = instance(SPEC_TREE, [set()] * 20 + [{"a1"}] * 4 + [{"b1"}] * 4)
    recoding = find(LRA(parts=5), each, KmAnonymity(3, 2))
    assert all(with_items(sets) >= 3 for sets in sets_of_parts(each, recoding))
    assert recoding.figures["ncp"] == 0
    alone = find(LRA(), instance(SPEC_TREE, [set(), set()]), KmAnonymity(3, 2))
    assert alone.cuts.part_count == 1


def test_part_without_diversity_is_united_with_its_neighbour():
    # In the order of the Gray code the records of b1, all sick, would be a part of their own.
    sick = [{"b1", "s"}] * 4
    each = instance(
        {"*": {"A": ["a1", "a2"], "B": ["b1", "b2"], "S": ["s"]}}, sick + [{"a1"}] * 8, sensitive=["s"]
    )
    models = KmAnonymity(2, 1), LmDiversity(2, 1)
    assert find(LRA(parts=2, flexibility=0), each, KmAnonymity(2, 1)).cuts.part_count == 2
    recoding = find(LRA(parts=2, flexibility=0), each, *models)
    assert recoding.cuts.part_count == 1
    assert all(model.verify(released(each, recoding)).holds for model in models)


def test_diverse_releases_are_safe():
    made = 0
    for seed in range(200):
        rng = random.Random(seed)
        each = random_instance(rng, most_rows=40)
        sensitive = each.tree.leaf_labels[-1]
        labels = each.tree.labels
        sets = [{labels[leaf] for leaf in items} for items in each.transactions]
        each = instance(each.tree, sets, [sensitive])
        models = KmAnonymity(rng.randint(2, 3), 2), LmDiversity(rng.choice([1.5, 2]), rng.randint(1, 2))
        try:
            recoding = find(LRA(parts=3, flexibility=1), each, *models)
        except Infeasible:
            continue
        made += 1
        assert all(model.verify(released(each, recoding)).holds for model in models), seed
    assert made > 50


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=8), st.integers(1, 12)
)
def test_weak_parts_are_united_like_in_the_twin(parts, needed):
    def strong(part):
        return sum(part) >= needed

    found = united([np.array(part) for part in parts], strong)
    assert [part.tolist() for part in found] == km_parts.united(parts, strong)


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=10), st.integers(1, 6))
def test_subsets_are_counted(sizes, m):
    assert subset_counts(np.array(sizes), m).tolist() == [comb(size, m) for size in sizes]


def test_huge_numbers_of_subsets_keep_their_ratio():
    whole, half, none = subset_counts(np.array([50_000, 49_999, 24_999]), 25_000).tolist()
    assert whole == pytest.approx(2 * half)
    assert whole > 2**38
    assert none == 0


def test_numbers_of_subsets_are_balanced():
    rng = random.Random(3)
    labels = [f"i{item}" for item in range(40)]
    sets = [set(rng.sample(labels, rng.randint(0, 12))) for _ in range(400)]
    each = instance({"*": labels}, sets)
    recoding = find(LRA(parts=4, flexibility=2), each, KmAnonymity(2, 3))
    counts = [sum(comb(len(items), 3) for items in part) for part in sets_of_parts(each, recoding)]
    # A border comes as near as one transaction, and is moved by two more.
    assert max(abs(count - sum(counts) / 4) for count in counts) <= 2 * 3 * comb(12, 3)


def test_negative_knowledge_is_refused():
    with pytest.raises(BadInput, match="lra gives no promise about negative knowledge; use aa or vpa"):
        find(LRA(), instance(SPEC_TREE, SPEC_SETS), KmAnonymity(2, 2, negative=True))
