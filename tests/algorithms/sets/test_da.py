import pytest

from shoal.algorithms.sets.da import DA
from shoal.errors import BadInput
from shoal.privacy.km_anonymity import KmAnonymity
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance
from tests.algorithms.sets.searches import feasible, find, published_nodes, random_case, released
from tests.reference import km
from tests.reference.count_tree import direct_by_count_tree


def test_worked_example():
    each = instance(SPEC_TREE, SPEC_SETS)
    recoding = find(DA(), each, KmAnonymity(2, 2))
    assert [each.tree.labels[node] for node in recoding.cuts.node_of_leaf[0]] == ["A", "A", "b1", "b2"]


def assert_safe(seeds, *, minimal):
    for seed in seeds:
        each, k, m = random_case(seed)
        if feasible(each, k):
            recoding = find(DA(minimal=minimal), each, KmAnonymity(k, m))
            assert km.is_safe(published_nodes(each, recoding), k, m), seed
            assert KmAnonymity(k, m).verify(released(each, recoding)).holds, seed


@pytest.mark.parametrize(("minimal", "seeds"), [(False, range(2000)), (True, range(2000, 2200))])
def test_random_releases_are_safe(minimal, seeds):
    assert_safe(seeds, minimal=minimal)


def test_as_printed_it_resolves_like_the_count_tree_of_the_paper():
    for seed in range(150):
        each, k, m = random_case(seed)
        if feasible(each, k):
            recoding = find(DA(as_printed=True), each, KmAnonymity(k, m))
            literal = direct_by_count_tree(each.above, each.leaves, each.transactions, k, m)
            assert dict(enumerate(recoding.cuts.node_of_leaf[0].tolist())) == literal, seed
            assert KmAnonymity(k, m).verify(released(each, recoding)).holds, seed


def test_rare_item_of_short_transactions_is_found():
    """The paper looks at sets of exactly m items, and an item that is alone in its transactions has none."""
    each = instance(SPEC_TREE, [{"a1"}, {"a2"}, {"a2"}, {"b1", "b2"}, {"b1", "b2"}])
    recoding = find(DA(), each, KmAnonymity(2, 2))
    assert [each.tree.labels[node] for node in recoding.cuts.node_of_leaf[0]] == ["A", "A", "b1", "b2"]


def test_negative_knowledge_is_left_to_others():
    each = instance(SPEC_TREE, SPEC_SETS)
    with pytest.raises(BadInput, match="use aa"):
        find(DA(), each, KmAnonymity(2, 2, negative=True))
