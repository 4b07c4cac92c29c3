import random

import pytest

from shoal.algorithms.sets import lgr_literal
from shoal.algorithms.sets.lgr_literal import LGRLiteral
from shoal.errors import BadInput, Infeasible
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.set_k_anonymity import SetKAnonymity
from tests.algorithms.sets.instances import SPEC_TREE, instance, random_instance
from tests.algorithms.sets.searches import feasible, find, own_nodes, published_labels, released_locally
from tests.algorithms.sets.test_partition import EIGHT_SETS, EIGHT_TREE
from tests.hurried import UpAfter
from tests.reference import topdown


def test_waiting_records_are_rolled_back_to_labels_of_finished_ones():
    """Of the paper's Table 1; e and i are in two records each, so nothing of these must be raised."""
    each = instance(EIGHT_TREE, EIGHT_SETS)
    data, _ = released_locally(each, find(LGRLiteral(), each, KmAnonymity(2, 1)))
    assert published_labels(data) == [
        {"P"},
        {"P", "f", "g"},
        {"K", "f", "M"},
        {"K", "f", "M"},
        {"P", "f", "g"},
        {"e", "i"},
        {"e"},
        {"i"},
    ]
    assert KmAnonymity(2, 1).verify(data).holds
    assert not SetKAnonymity(2).verify(data).holds


def test_items_are_raised_in_tree_order_until_the_root_is_not_rare_either():
    each = instance(EIGHT_TREE, [*EIGHT_SETS[:5], {"e"}, {"i"}, {"a", "e", "i"}])
    recoding = find(LGRLiteral(), each, KmAnonymity(2, 1))
    assert published_labels(released_locally(each, recoding)[0])[5:] == [{"T"}, {"i"}, {"T", "i"}]
    assert recoding.figures["items_raised_to_root"] == 2


def test_goes_through_the_rounds_like_the_twin():
    compared, refused = 0, 0
    for seed in range(400):
        rng = random.Random(seed)
        each, k = random_instance(rng, most_rows=30, density=rng.choice((0.5, 1))), rng.randint(2, 4)
        if not feasible(each, k):
            continue
        expected = topdown.rounds(each.above, each.leaves, each.transactions, k)
        if expected is None:
            with pytest.raises(Infeasible, match="at the root"):
                find(LGRLiteral(), each, KmAnonymity(k, 1))
            refused += 1
            continue
        recoding = find(LGRLiteral(), each, KmAnonymity(k, 1))
        assert own_nodes(each, recoding) == [frozenset(nodes.values()) for nodes in expected], seed
        assert KmAnonymity(k, 1).verify(released_locally(each, recoding)[0]).holds
        compared += 1
    assert compared > 200
    assert refused > 0


def test_one_left_over_record_cannot_be_hidden():
    each = instance(SPEC_TREE, [{"a1"}] * 3 + [{"b1"}])
    with pytest.raises(Infeasible, match="1 record at the root"):
        find(LGRLiteral(), each, KmAnonymity(2, 1))


@pytest.mark.parametrize("model", [KmAnonymity(2, 2), KmAnonymity(2, 1, negative=True)])
def test_other_promises_are_refused(model):
    with pytest.raises(BadInput, match="m = 1 only"):
        find(LGRLiteral(), instance(EIGHT_TREE, EIGHT_SETS), model)


def test_records_that_there_was_no_time_to_roll_back_are_raised_to_the_root(monkeypatch):
    monkeypatch.setattr(lgr_literal, "_RECORDS_PER_SLICE", 1)
    each = instance(EIGHT_TREE, EIGHT_SETS)
    whole = own_nodes(each, find(LGRLiteral(), each, KmAnonymity(2, 1)))
    assert own_nodes(each, find(LGRLiteral(), each, KmAnonymity(2, 1), progress=UpAfter(100))) == whole
    for questions in range(4):
        try:
            recoding = find(LGRLiteral(), each, KmAnonymity(2, 1), progress=UpAfter(questions))
        except Infeasible:  # as the rounds may end at any time
            continue
        assert KmAnonymity(2, 1).verify(released_locally(each, recoding)[0]).holds
