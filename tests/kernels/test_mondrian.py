from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.ends import find_ends
from shoal.algorithms.relational.mondrian.algorithm import ordered_columns
from shoal.errors import Infeasible
from shoal.kernels.mondrian import (
    NO_COLUMN,
    RELAXED,
    RELAXED_AS_PRINTED,
    STRICT,
    STRICT_AS_PRINTED,
    cut_parts,
    whole_table,
)
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.algorithms.relational.tables import tables
from tests.builders import flat_tree, local_data, tree
from tests.examples import examples
from tests.reference import mondrian as reference
from tests.reference.privacy_tables import frequency, histogram, people_histogram

STAGES = {
    "strict": STRICT,
    "relaxed": RELAXED,
    "strict as printed": STRICT_AS_PRINTED,
    "relaxed as printed": RELAXED_AS_PRINTED,
}


def parts_of(data, models, mode="strict", budget=1_000):
    """The final parts as sorted lists of rows, in the order of the kernel's tree."""
    constraint = class_constraint_of(data, models)
    ordered = ordered_columns(data, find_ends(data))
    parts = whole_table(data.row_count, constraint.k)
    while cut_parts(ordered, constraint, STAGES[mode], parts, budget):
        pass
    return [
        sorted(parts.rows[parts.starts[part] : parts.ends[part]].tolist())
        for part in range(parts.state[1])
        if parts.columns[part] == NO_COLUMN
    ]


def twin_columns(data):
    """The quasi-identifiers as the twin takes them."""
    ends = find_ends(data)
    columns = []
    for name in data.quasi:
        coded = data.table.coded(name)
        column = {
            "count": len(coded.domain),
            "weight": data.roles[name].weight,
            "places": coded.codes.tolist(),
        }
        if name in data.trees:
            hierarchy = data.trees[name]
            column["places"] = [
                column["count"] + 1 if code == hierarchy.root else code for code in column["places"]
            ]
            column["nodes"] = [
                frozenset(range(first, min(last, hierarchy.leaf_count - 1) + 1))
                for node, (first, last) in enumerate(
                    zip(hierarchy.arrays.first_leaf, hierarchy.arrays.last_leaf, strict=True)
                )
                if node != hierarchy.missing
            ]
        else:
            column["numbers"] = coded.domain.numbers.tolist()
            column["ends"] = (ends[name].lower, ends[name].upper)
        columns.append(column)
    return columns


def twin_admissible(drawn, k, l):
    people = drawn.subjects or list(range(len(drawn.rows)))
    illnesses = [{"illness": row[-1]} for row in drawn.rows]

    def admissible(rows):
        if len({people[row] for row in rows}) < k:
            return False
        if l is None:
            return True
        class_rows, class_people = [illnesses[row] for row in rows], [people[row] for row in rows]
        counts = histogram(class_rows, "illness")
        people_counts = people_histogram(class_rows, "illness", class_people)
        persons = {
            who for row, who in zip(class_rows, class_people, strict=True) if row["illness"] is not None
        }
        return frequency(counts, sum(counts.values()), None, l) and frequency(
            people_counts, len(persons), None, l
        )

    return admissible


@examples(300)
@given(
    tables(),
    st.integers(2, 4),
    st.sampled_from([None, Fraction(5, 4), Fraction(2)]),
    st.sampled_from(list(STAGES)),
)
def test_parts_are_those_of_the_documented_rule(drawn, k, l, mode):
    data = drawn.data
    models = [KAnonymity(k)] + ([] if l is None else [LDiversity(l)])
    try:
        found = parts_of(data, models, mode)
    except Infeasible:
        return
    admissible = twin_admissible(drawn, k, l)
    assert found == reference.partition(twin_columns(data), data.row_count, k, admissible, mode)


@examples(50)
@given(tables(least_rows=6), st.integers(2, 3))
def test_slices_of_work_make_no_difference(drawn, k):
    data = local_data(drawn.rows, drawn.roles, trees=drawn.trees)
    models = [KAnonymity(k)]
    assert parts_of(data, models, budget=1) == parts_of(data, models, budget=1_000)


def numbers(values, **role):
    return local_data([(value,) for value in values], {"x": Quasi(kind=Kind.NUMBER, **role)})


def test_cut_stands_at_the_median():
    assert parts_of(numbers([1, 2, 3, 4, 5, 6]), [KAnonymity(3)]) == [[0, 1, 2], [3, 4, 5]]


def test_heavy_median_moves_the_cut_to_the_nearest_admissible_side():
    assert parts_of(numbers([1, 2, 3, 3, 3, 3]), [KAnonymity(2)]) == [[0, 1], [2, 3, 4, 5]]


@pytest.mark.parametrize(("mode", "expected"), [("strict", [[0, 1, 2, 3]]), ("relaxed", [[0, 1], [2, 3]])])
def test_only_relaxed_cuts_divide_a_value(mode, expected):
    assert parts_of(numbers([1, 3, 3, 3]), [KAnonymity(2)], mode) == expected


def test_missing_values_are_split_off_before_anything_else():
    data = local_data(
        [(1, None), (9, None), (1, "a"), (9, "a"), (5, "b")],
        {"x": Quasi(kind=Kind.NUMBER, weight=9), "y": Quasi()},
        trees={"y": flat_tree("ab")},
    )
    assert sorted(parts_of(data, [KAnonymity(2)])) == [[0, 1], [2, 3, 4]]


def test_too_few_missing_values_stay_with_the_highest_value():
    assert parts_of(numbers([1, 1, 2, 2, None]), [KAnonymity(2)]) == [[0, 1], [2, 3, 4]]


def test_cuts_between_subtrees_come_before_the_median():
    fruits = tree({"*": {"citrus": ["lime", "lemon"], "berry": ["currant", "elder", "bil"]}})
    rows = [("lime",), ("lemon",), ("currant",), ("currant",), ("elder",), ("elder",), ("bil",), ("bil",)]
    data = local_data(rows, {"fruit": Quasi()}, trees={"fruit": fruits})
    assert parts_of(data, [KAnonymity(2)])[0] == [0, 1]


def test_columns_of_weight_0_are_never_cut():
    data = numbers([1, 2, 3, None, None, None], weight=0.0)
    assert parts_of(data, [KAnonymity(2)]) == [[0, 1, 2, 3, 4, 5]]


def test_cut_that_would_leave_a_class_uniform_is_not_made():
    data = local_data(
        [(1, "flu"), (2, "flu"), (3, "cold"), (4, "cold")],
        {"x": Quasi(kind=Kind.NUMBER), "illness": Sensitive()},
    )
    assert parts_of(data, [KAnonymity(2)]) == [[0, 1], [2, 3]]
    assert parts_of(data, [KAnonymity(2), LDiversity(2)]) == [[0, 1, 2, 3]]


def test_inputs_are_left_as_they_are():
    data = numbers([3, 1, None, 2, 2, 3])
    constraint, ordered = class_constraint_of(data, [KAnonymity(2)]), ordered_columns(data, find_ends(data))
    before = [np.copy(array) for array in (*ordered, *constraint)]
    parts = whole_table(6, 2)
    cut_parts(ordered, constraint, STRICT, parts, 1_000)
    for array, copy in zip((*ordered, *constraint), before, strict=True):
        np.testing.assert_array_equal(array, copy)
