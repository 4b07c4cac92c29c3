import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.forest import cut, divide, hubs_of, nearest_links, rooted, useful_links
from shoal.kernels.generalized_records import NOTHING, Pool
from shoal.kernels.grouping import members
from tests.algorithms.relational.tables import tables
from tests.examples import examples
from tests.reference import clusterings as reference


def ints(values):
    return np.array(values, dtype=np.int64)


@st.composite
def weighted_pairs(draw):
    """Symmetric distances with many ties, and copies of each record."""
    count = draw(st.integers(1, 7))
    distances = [[0.0] * count for _ in range(count)]
    for a in range(count):
        for b in range(a):
            distances[a][b] = distances[b][a] = float(draw(st.integers(0, 3)))
    return distances, draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))


@st.composite
def trees_with_copies(draw):
    """Links of a random tree in random order, and copies of each record."""
    count = draw(st.integers(1, 12))
    links = [(draw(st.integers(0, record - 1)), record) for record in range(1, count)]
    return draw(st.permutations(links)), draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))


def forest_of(links, copies):
    tails, heads = ints([a for a, _ in links]), ints([b for _, b in links])
    starts, ends = members(np.concatenate((tails, heads)), len(copies))
    return rooted(starts, np.concatenate((heads, tails))[ends], ints(copies)), tails, heads


def copies_in(records, copies):
    return sum(copies[record] for record in records)


@given(drawn=tables(with_subjects=False), k=st.integers(1, 4))
def test_links_lead_to_the_nearest_records(drawn, k):
    records = Records.of(drawn.on_trees.data, "ncp")
    everyone = np.arange(len(records))
    pool = Pool(records.nodes, everyone, records.counts)
    tails, heads, costs = nearest_links(records.trees, pool, k, everyone, records.room_for_union_costs())
    parent, cost = records.trees.parent.tolist(), records.trees.cost.tolist()
    vectors = [tuple(vector) for vector in records.nodes.tolist()]
    expected = []
    for a in range(len(records)):
        near = sorted(
            (reference.cost_of(parent, cost, [vectors[a], vectors[b]]), b) for b in range(len(records))
        )
        gathered = 0
        for distance, b in near if records.counts[a] < k else []:
            if gathered < k and a != b:
                expected.append((a, b, distance))
            gathered += int(records.counts[b])
    assert list(zip(tails.tolist(), heads.tolist(), strict=True)) == [(a, b) for a, b, _ in expected]
    np.testing.assert_allclose(costs, [distance for *_, distance in expected])


@given(drawn=weighted_pairs(), k=st.integers(1, 6))
def test_useful_links_are_those_of_the_slow_search(drawn, k):
    distances, copies = drawn
    pairs = sorted((distances[a][b], a, b) for a in range(len(copies)) for b in range(len(copies)) if a != b)
    tails, heads = ints([a for _, a, _ in pairs]), ints([b for *_, b in pairs])
    chosen = useful_links(tails, heads, ints(copies), k)
    linked = list(zip(tails[chosen].tolist(), heads[chosen].tolist(), strict=True))
    assert linked == reference.cheapest_links(distances, copies, k)


@given(drawn=trees_with_copies())
def test_rooted_trees_have_the_links_and_the_sizes(drawn):
    links, copies = drawn
    forest, _, _ = forest_of(links, copies)
    parents = forest.parent.tolist()
    up = {frozenset((record, parent)) for record, parent in enumerate(parents) if parent != NOTHING}
    assert up == {frozenset(link) for link in links}
    place = {record: number for number, record in enumerate(forest.order.tolist())}
    assert all(place[parent] < place[record] for record, parent in enumerate(parents) if parent != NOTHING)
    for record, parent in enumerate(parents):
        others = [link for link in links if set(link) != {record, parent}]
        assert forest.sizes[record] == copies_in(reference.component_of(record, others), copies)


@given(drawn=trees_with_copies(), k=st.integers(1, 6))
def test_links_with_k_copies_on_both_sides_are_cut_the_last_first(drawn, k):
    links, copies = drawn
    kept = list(links)
    for link in reversed(links):
        others = [other for other in kept if other != link]
        if all(copies_in(reference.component_of(end, others), copies) >= k for end in link):
            kept = others
    forest, tails, heads = forest_of(links, copies)
    cut(forest, tails, heads, k)
    up = {frozenset((r, p)) for r, p in enumerate(forest.parent.tolist()) if p != NOTHING}
    assert up == {frozenset(link) for link in kept}


@given(drawn=trees_with_copies(), k=st.integers(1, 6))
def test_hubs_leave_branches_of_fewer_than_k(drawn, k):
    links, copies = drawn
    forest, tails, heads = forest_of(links, copies)
    cut(forest, tails, heads, k)
    kept = [(r, p) for r, p in enumerate(forest.parent.tolist()) if p != NOTHING]
    hubs = hubs_of(forest, k)
    for record in range(len(copies)):
        component = reference.component_of(record, kept)
        root = int(hubs.root[record])
        hub = int(hubs.hub[root])
        assert root in component
        assert hub in component
        without_hub = [link for link in kept if hub not in link]
        alike = {other for other in component if hubs.branch[other] == hubs.branch[record]}
        assert alike == reference.component_of(record, without_hub)
        if record != hub and copies_in(component, copies) >= k:
            assert copies_in(alike, copies) < k


@st.composite
def stars(draw):
    k = draw(st.integers(2, 7))
    sizes = draw(st.lists(st.integers(1, k - 1), max_size=9))
    return k, sorted(sizes, reverse=True), draw(st.integers(1, 12))


@examples(300)
@given(drawn=stars())
def test_parts_around_a_hub_have_k_copies_and_not_too_many(drawn):
    k, sizes, hub_copies = drawn
    total = sum(sizes) + hub_copies
    part_of_branch, part_of_copy = divide(ints([0, len(sizes)]), ints(sizes), ints([hub_copies]), k)
    most = max(2 * k - 1, 3 * k - 5)
    parts = [*part_of_branch.tolist(), *part_of_copy.tolist()]
    assert set(parts) == set(range(max(parts) + 1))
    for part in set(parts):
        branches = [size for size, p in zip(sizes, part_of_branch, strict=True) if p == part]
        size = sum(branches) + part_of_copy.tolist().count(part)
        assert size >= min(k, total)
        assert size <= most or not branches


def test_several_components_are_numbered_one_after_the_other():
    part_of_branch, part_of_copy = divide(ints([0, 1, 4]), ints([1, 1, 1, 1]), ints([1, 4]), 2)
    assert part_of_branch.tolist() == [0, 1, 1, 2]
    assert part_of_copy.tolist() == [0, 2, 3, 3, 3]
