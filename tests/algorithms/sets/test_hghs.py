import random
from statistics import mean

import pytest

from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.hghs import HgHs
from shoal.errors import BadInput, Cancelled
from shoal.metrics.catalogue import measure
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.recoding.cuts import SUPPRESSED_ITEM
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance, random_instance, tiny_case
from tests.algorithms.sets.searches import feasible, find, published_labels, released, with_items
from tests.reference import topdown


def test_comes_close_to_the_best_cut_and_suppression():
    ratios, optimal = [], 0
    for seed in range(150):
        each, k, m = tiny_case(seed)
        if not feasible(each, k) or with_items(each.transactions) == 0:
            continue
        found = find(HgHs(most_cuts=100_000), each, KmAnonymity(k, m)).figures["ncp"]
        best = float(topdown.least_loss_with_suppression(each.above, each.leaves, each.transactions, k, m))
        assert found >= best - 1e-12
        optimal += found == pytest.approx(best)
        ratios += [found / best] if best else []
        assert best or found == 0
    assert mean(ratios) < 1.01
    assert max(ratios) < 1.25
    assert optimal > 100


def test_as_printed_it_finds_the_best_cut_with_what_is_greedily_suppressed():
    for seed in range(150):
        each, k, m = tiny_case(seed)
        if not feasible(each, k) or with_items(each.transactions) == 0:
            continue
        recoding = find(HgHs(most_cuts=100_000, as_printed=True), each, KmAnonymity(k, m))
        best = topdown.least_loss_of_hghs(each.above, each.leaves, each.transactions, k, m)
        assert recoding.figures["ncp"] == pytest.approx(float(best)), seed
        assert KmAnonymity(k, m).verify(released(each, recoding)).holds, seed


def test_random_releases_are_safe_and_cost_what_is_said():
    suppressed = 0
    for seed in range(1000, 1150):
        rng = random.Random(seed)
        each, k, m = random_instance(rng), rng.randint(2, 5), rng.randint(1, 3)
        if not feasible(each, k):
            continue
        recoding = find(HgHs(most_cuts=60), each, KmAnonymity(k, m))
        assert KmAnonymity(k, m).verify(released(each, recoding)).holds
        assert measure(each.data, recoding, k)["ncp"] == pytest.approx(recoding.figures["ncp"])
        first_of_aa = find(AA(minimal=False), each, KmAnonymity(k, m))
        assert recoding.figures["ncp"] <= first_of_aa.figures["ncp"]
        suppressed += (recoding.cuts.node_of_leaf == SUPPRESSED_ITEM).any()
    assert suppressed > 20


def test_an_item_that_stands_in_the_way_of_the_others_is_removed_from_all_records():
    sets = [{"a1", "b1"}] * 9 + [{"a1", "b1", "b2"}]
    each = instance(SPEC_TREE, sets)
    recoding = find(HgHs(), each, KmAnonymity(2, 2))
    assert published_labels(released(each, recoding)) == [{"a1", "b1"}] * 10
    assert recoding.figures["items_suppressed"] == 1
    assert recoding.figures["ncp"] == pytest.approx(1 / 21)


def test_the_worked_example_loses_no_more_than_the_best_cut():
    recoding = find(HgHs(), instance(SPEC_TREE, SPEC_SETS), KmAnonymity(2, 2))
    assert recoding.figures["ncp"] <= 2.5 / 11
    assert recoding.notices == ()


def test_says_when_it_did_not_look_at_all_cuts():
    each = random_instance(random.Random(3), most_leaves=10)
    recoding = find(HgHs(most_cuts=2), each, KmAnonymity(2, 2))
    assert any("most_cuts" in notice for notice in recoding.notices)


def test_what_is_published_when_time_is_up_is_safe():
    each = instance(SPEC_TREE, SPEC_SETS)
    recoding = find(HgHs(), each, KmAnonymity(2, 2), progress=Silent(time_limit=0))
    assert KmAnonymity(2, 2).verify(released(each, recoding)).holds
    assert any("time was up" in notice for notice in recoding.notices)


def test_stops_when_cancelled():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(HgHs(), instance(SPEC_TREE, SPEC_SETS), KmAnonymity(2, 2), progress=progress)


def test_knowledge_of_absent_items_is_refused():
    with pytest.raises(BadInput, match="absent"):
        find(HgHs(), instance(SPEC_TREE, SPEC_SETS), KmAnonymity(2, 1, negative=True))
