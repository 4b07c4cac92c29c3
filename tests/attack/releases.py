"""Random originals and releases over small trees, and the same for brute force."""

from hypothesis import strategies as st

from shoal.attack.links import Linked
from shoal.engine.local import LocalData
from shoal.table.columns import Coded, Table, category_domain
from shoal.table.roles import Quasi, QuasiSet
from tests.builders import local_data, set_column, tree

ITEMS = tree({"*": {"A": ["a1", "a2", "a3"], "B": {"B1": ["b1", "b2"], "b3": []}, "c": []}})
COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})

LEAVES = ITEMS.leaf_labels
NODES = [label for node, label in enumerate(ITEMS.labels) if node != ITEMS.missing]


def covers(hierarchy):
    first, last = hierarchy.arrays.first_leaf.tolist(), hierarchy.arrays.last_leaf.tolist()
    leaves = [*hierarchy.leaf_labels, None]
    return {
        label: set(leaves[first[node] : last[node] + 1])
        for node, label in enumerate(hierarchy.labels)
        if node != hierarchy.missing
    }


ITEM_COVERS = {label: below - {None} for label, below in covers(ITEMS).items()}
COLOUR_COVERS = {**covers(COLOURS), None: {None}}

records = st.lists(st.sets(st.sampled_from(LEAVES), max_size=5), min_size=1, max_size=7)
published_sets = st.lists(st.sets(st.sampled_from(NODES), max_size=4), min_size=1, max_size=7)
colours = st.sampled_from([*COLOURS.leaf_labels, None])
colour_labels = st.sampled_from([*(x for x in COLOURS.labels if x), None])


def published_column(labels):
    texts = sorted({label for label in labels if label is not None})
    codes = [len(texts) if label is None else texts.index(label) for label in labels]
    return Coded.of(codes, category_domain(texts))


def linked_sets(originals, published, k=2, m=None, **more):
    roles = {"items": QuasiSet()}
    original = local_data([(row,) for row in originals], roles, trees={"items": ITEMS})
    released = LocalData(Table.of({"items": set_column(published)}, len(published)), roles)
    return Linked(original, released, k, m, **more)


def linked_values(originals, published, k=2, **more):
    roles = {"one": Quasi(), "two": Quasi()}
    original = local_data(originals, roles, trees={"one": COLOURS, "two": COLOURS})
    columns = {name: published_column([row[place] for row in published]) for place, name in enumerate(roles)}
    return Linked(original, LocalData(Table.of(columns, len(published)), roles), k, **more)


def linked_both(originals, published, k=2, m=None, **more):
    roles = {"colour": Quasi(), "items": QuasiSet()}
    original = local_data(originals, roles, trees={"colour": COLOURS, "items": ITEMS})
    columns = {
        "colour": published_column([colour for colour, _ in published]),
        "items": set_column([row for _, row in published]),
    }
    return Linked(original, LocalData(Table.of(columns, len(published)), roles), k, m, **more)
