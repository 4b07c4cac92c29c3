"""Poulis et al., Anonymizing data with relational and transaction attributes, ECML PKDD 2013: Figures 1 to 3.

None of the tables printed as (2,2^2)-anonymous is: {E,H} and {F,G}, or G and H alone, occur once in a group.
"""

import numpy as np
import pytest

from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm
from shoal.algorithms.mixed.joint_search.task import JointAlgorithm
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet
from tests.algorithms.mixed.tables import released
from tests.builders import flat_tree, local_data, tree
from tests.reference import privacy_sets as reference

PURCHASES = [
    (19, "France", "Male", "EFBG"),
    (22, "Greece", "Male", "EFDH"),
    (28, "Germany", "Female", "BCEG"),
    (39, "Spain", "Female", "FDH"),
    (70, "Algeria", "Female", "EG"),
    (55, "Nigeria", "Male", "AFH"),
]
TREES = {
    "age": tree({"19-70": {"19-22": ["19", "22"], "28-39": ["28", "39"], "55-70": ["55", "70"]}}),
    "origin": tree(
        {"All": {"Africa": ["Algeria", "Nigeria"], "Europe": ["Greece", "France", "Germany", "Spain"]}}
    ),
    "gender": tree({"All": ["Male", "Female"]}),
    "products": flat_tree("ABCDEFGH", root="any"),
}
ROLES = {"age": Quasi(kind=Kind.NUMBER), "origin": Quasi(), "gender": Quasi(), "products": QuasiSet()}

YOUNG, MIDDLE, OLD = ("19:22", "Europe", "Male"), ("28:39", "Europe", "Female"), ("55:70", "Africa", "All")
ALL, EUROPE = ("19:70", "All", "All"), ("19:39", "Europe", "All")
PRINTED = {
    "1b": [
        (YOUNG, "E F ABCD G"), (YOUNG, "E F ABCD H"), (MIDDLE, "E ABCD G"), (MIDDLE, "F ABCD H"),
        (OLD, "E G"), (OLD, "F ABCD H"),
    ],
    "2a": [
        (YOUNG, "E BD G"), (YOUNG, "E BD H"), (MIDDLE, "BCF DE G"), (MIDDLE, "BCF DE H"),
        (OLD, "AEF G"), (OLD, "AEF H"),
    ],
    "2b": [
        (ALL, "E F ABCD G"), (ALL, "E F ABCD H"), (ALL, "E ABCD G"), (ALL, "F ABCD H"), (ALL, "E G"),
        (ALL, "F ABCD H"),
    ],
    "2c": [
        (EUROPE, "E F BCD G"), (EUROPE, "E F BCD H"), (EUROPE, "E BCD G"), (EUROPE, "F BCD H"),
        (OLD, "AEF G"), (OLD, "AEF H"),
    ],
    "2d": [
        (ALL, "E F ABD G"), (ALL, "E F ABD H"), (ALL, "E G"), (ALL, "F ABD H"), (MIDDLE, "BCF DE G"),
        (MIDDLE, "BCF DE H"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("figure", PRINTED)
def test_no_printed_table_keeps_the_promise(figure):
    rows = [(*values, items.split()) for values, items in PRINTED[figure]]
    data = local_data(rows, {"age": Quasi(), "origin": Quasi(), "gender": Quasi(), "products": QuasiSet()})
    assert KAnonymity(2).verify(data).holds
    verdict = KKmAnonymity(2, 2).verify(data)
    assert not verdict.holds
    assert verdict.smallest == 1


def test_the_items_of_figure_1b_are_not_safe_either():
    data = local_data([(items.split(),) for _, items in PRINTED["1b"]], {"products": QuasiSet()})
    assert not KmAnonymity(2, 2).verify(data).holds


@pytest.mark.parametrize("items", ["aa", "pcta"])
@pytest.mark.parametrize("name", [n for n, a in ALGORITHMS.items() if issubclass(a, JointAlgorithm)])
def test_every_algorithm_makes_a_safe_release_of_figure_1a(name, items):
    data = local_data(PURCHASES, ROLES, trees=TREES)
    options = {"items": items, **({"delta": 1.0} if "merge" in name else {})}
    algorithm = make_algorithm(name, options)
    joint = algorithm.find(data, [KKmAnonymity(2, 2)], np.random.default_rng(1), Silent())
    shown = released(data, joint)
    assert reference.k_km_anonymity(shown.keys, shown.sets, 2, 2)[0]


def test_like_records_are_gathered_as_in_figure_2a():
    data = local_data(PURCHASES, ROLES, trees=TREES)
    found = {
        frozenset(
            tuple(np.flatnonzero(joint.clusters.cluster_of_row == cluster).tolist())
            for cluster in range(joint.clusters.cluster_count)
        )
        for seed in range(10)
        for joint in [
            make_algorithm("rfirst", {}).find(
                data, [KKmAnonymity(2, 2)], np.random.default_rng(seed), Silent()
            )
        ]
    }
    assert frozenset({(0, 1), (2, 3), (4, 5)}) in found
