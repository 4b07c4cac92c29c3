from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.errors import Infeasible
from shoal.kernels.constraint import classes_admissible, rows_hold
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.table.roles import Sensitive
from tests.builders import local_data
from tests.examples import examples
from tests.reference import privacy_tables as reference

ILLNESSES = ("cold", "flu", "gout", None)
COLUMNS = {"illness": Sensitive(), "cause": Sensitive()}
CASES = {
    "frequency": (LDiversity(Fraction(3, 2)), lambda *of: reference.frequency(*of, Fraction(3, 2))),
    "distinct": (LDiversity(2, "distinct"), lambda *of: reference.distinct(*of, 2)),
    "equal": (TCloseness(0.4), lambda *of: reference.close(*of, Fraction(2, 5), "equal")),
}

rows_of_table = st.lists(
    st.tuples(st.sampled_from(ILLNESSES), st.sampled_from(ILLNESSES)), min_size=1, max_size=9
)


@examples(100)
@given(rows_of_table, st.integers(2, 3), st.sampled_from(sorted(CASES)), st.data())
def test_rows_are_admissible_as_the_models_define_it(rows, k, case, data):
    model, holds = CASES[case]
    subjects = data.draw(st.none() | st.lists(st.integers(5, 9), min_size=len(rows), max_size=len(rows)))
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True))
    try:
        constraint = class_constraint_of(local_data(rows, COLUMNS, subjects=subjects), [KAnonymity(k), model])
    except Infeasible:
        assume(False)
    people = subjects or list(range(len(rows)))
    records = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    labelled = [{**record, "class": row in chosen} for row, record in enumerate(records)]
    expected = len({people[row] for row in chosen}) >= k and all(
        _class_holds(labelled, column, people, holds) for column in COLUMNS
    )
    assert rows_hold(constraint, np.array(chosen)) == expected


def _class_holds(labelled, column, people, holds):
    """Whether the labelled rows hold as a class, counted in rows and in people."""
    chosen = [number for number, record in enumerate(labelled) if record["class"]]
    return all(
        holds(
            reference.people_histogram([labelled[r] for r in chosen], column, [who[r] for r in chosen]),
            len({who[r] for r in chosen if labelled[r][column] is not None}),
            reference.people_histogram(labelled, column, who),
        )
        for who in (range(len(labelled)), people)
    )


def test_people_count_not_rows():
    data = local_data([("flu",), ("flu",), ("cold",)], {"illness": Sensitive()}, subjects=[7, 7, 8])
    constraint = class_constraint_of(data, [KAnonymity(2)])
    starts, rows = np.array([0, 2, 4]), np.array([0, 1, 1, 2])
    assert classes_admissible(constraint, starts, rows).tolist() == [False, True]


def test_models_without_sensitive_values_ask_nothing_of_them():
    data = local_data([(None,), (None,)], {"illness": Sensitive()})
    assert rows_hold(class_constraint_of(data, [KAnonymity(2)]), np.array([0, 1]))


@pytest.mark.parametrize("subjects", [None, [1, 2, 3]])
def test_infeasible_promises_are_refused_before_any_search(subjects):
    data = local_data([("flu",), ("flu",), ("cold",)], {"illness": Sensitive()}, subjects=subjects)
    with pytest.raises(Infeasible, match="at most 3"):
        class_constraint_of(data, [KAnonymity(4)])
    with pytest.raises(Infeasible, match=r"diversity is 1\.5"):
        class_constraint_of(data, [KAnonymity(2), LDiversity(2)])


def test_an_empty_table_is_refused():
    with pytest.raises(Infeasible, match="no records"):
        class_constraint_of(local_data([], {"illness": Sensitive()}), [LDiversity(2)])
