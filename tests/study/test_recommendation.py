"""Which run is recommended, what other promises cost, and how promises stand to the policy's."""

import pytest

from shoal.policy.policy_file import PrivacySection
from shoal.policy.promise import promise_of
from shoal.study.recommendation import (
    Constraint,
    cost_table,
    pareto_front,
    promise_costs,
    recommend,
)
from shoal.study.standing import standing_of

STANDINGS = {2: "weaker", 5: "own", 10: "stricter"}


def row(algorithm, k, loss, risk, *, seconds=1.0, holds=True, **others):
    return {
        "run": f"{algorithm} k={k}",
        "promise": f"km-anonymity k={k} m=2",
        "standing": STANDINGS[k],
        "algorithm": algorithm,
        "holds": holds,
        "ncp": loss,
        "risk": risk,
        "seconds": seconds,
        "peak_memory_mb": 100.0,
        **others,
    }


ROWS = [
    row("aa", 2, 0.1, 0.5),
    row("aa", 5, 0.3, 0.2, seconds=400),
    row("vpa", 5, 0.4, 0.2),
    row("vpa", 10, 0.6, 0.1),
    row("aa", 10, 0.2, 0.1, holds=False),
]


def test_the_front_holds_what_no_other_run_beats():
    assert pareto_front(ROWS, "ncp") == ["vpa k=10", "aa k=5", "aa k=2"]


def test_recommends_the_least_loss_of_the_policys_own_promise_with_its_reason():
    found = recommend(ROWS, Constraint())
    assert found.run == "aa k=5"
    assert found.reason == (
        "aa k=5 loses least (NCP of all that hold) under the policy's promise, km-anonymity k=5 m=2: 0.3,"
        " risk 0.2, 400.0 s; the next of 2 is vpa k=5 with 0.4"
    )
    assert found.costs == (
        "a stricter promise would cost: km-anonymity k=10 m=2 NCP 0.6 (vpa k=10);"
        " weaker than the policy, so never recommended: km-anonymity k=2 m=2 NCP 0.1 (aa k=2)"
    )


def test_a_constraint_can_lead_to_a_stricter_promise_but_never_to_a_weaker_one():
    assert recommend(ROWS, Constraint(risk=0.2, seconds=300)).run == "vpa k=5"
    stricter = recommend(ROWS, Constraint(risk=0.1))
    assert stricter.run == "vpa k=10"
    assert "stricter than the policy" in stricter.reason
    none = recommend(ROWS, Constraint(risk=0.01))
    assert none.run is None
    assert "keeps the constraint (with risk at most 0.01); 3 of them hold" in none.reason
    weaker = recommend(ROWS[:1], Constraint())
    assert weaker.run is None
    assert (
        weaker.reason
        == "no run keeps what the policy promises; 1 other run would promise less or something else"
    )


def test_each_promise_is_ranked_by_a_loss_that_its_runs_have():
    chunks = {"promise": "disassociation k=5 m=2", "standing": "another", "tkd": 0.2, "tkd_a": 0.7}
    rows = [*ROWS, row("disassociation", 5, None, None, **chunks)]
    costs = {cost.promise: cost for cost in promise_costs(rows, Constraint())}
    assert costs["disassociation k=5 m=2"].measure == "tkd_a"
    assert costs["disassociation k=5 m=2"].least == 0.7
    assert costs["km-anonymity k=5 m=2"].runs == ("aa k=5", "vpa k=5")
    assert (
        "another promise would cost: disassociation k=5 m=2 TKD-A 0.7" in recommend(rows, Constraint()).costs
    )


def test_the_table_shows_the_measures_that_promises_share():
    rows = [{**each, "are_1": 0.5, "ul": None} for each in ROWS]
    rows[1]["ul"] = 0.2
    table = cost_table(rows, promise_costs(rows, Constraint()), "ncp")
    assert table.heads == ("promise", "beside the policy", "loses least", "by", "NCP", "ARE, 1 item")
    assert table.rows[0] == ("km-anonymity k=5 m=2", "the policy's own", "aa k=5", "NCP", "30.0%", "0.5")
    assert [cells[1] for cells in table.rows] == ["the policy's own", "stricter", "weaker than the policy"]


def test_a_promise_without_runs_is_shown_as_such():
    rows = [*ROWS[:2], row("aa", 10, None, None, holds=False, error="cannot be met")]
    table = cost_table(rows, promise_costs(rows, Constraint()), "ncp")
    assert table.rows[1][2] == "no run"
    assert "km-anonymity k=10 m=2 (no run)" in recommend(rows, Constraint()).costs


DIVERSE = {"model": "k-anonymity", "k": 5, "l": 3}


@pytest.mark.parametrize(
    ("policys", "promised", "standing"),
    [
        ({"model": "km-anonymity", "k": 5, "m": 2}, {"k": 5}, "own"),
        ({"model": "km-anonymity", "k": 5, "m": 2}, {"negative": False}, "own"),
        ({"model": "km-anonymity", "k": 5, "m": 2}, {"negative": True}, "stricter"),
        ({"model": "km-anonymity", "k": 5, "m": 2}, {"k": 10, "m": 3}, "stricter"),
        ({"model": "km-anonymity", "k": 5, "m": 2}, {"k": 10, "m": 1}, "weaker"),
        ({"model": "km-anonymity", "k": 5, "m": 2}, {"k": 3}, "weaker"),
        ({"model": "k-anonymity", "k": 5}, {"l": 2}, "stricter"),
        ({"model": "k-anonymity", "k": 5}, {"l": 2, "k": 4}, "weaker"),
        ({"model": "k-anonymity", "k": 5, "t": 0.2}, {"t": 0.1}, "stricter"),
        ({"model": "k-anonymity", "k": 5, "t": 0.2}, {"t": 0.3}, "weaker"),
        ({"model": "k-anonymity", "k": 5, "alpha": 0.5}, {"alpha": 0.6}, "weaker"),
        ({"model": "differential-privacy", "epsilon": 1.0}, {"epsilon": 0.5}, "stricter"),
        ({"model": "differential-privacy", "epsilon": 1.0}, {"epsilon": 2.0}, "weaker"),
        (DIVERSE, {"l": 2}, "weaker"),
        (DIVERSE, {"diversity": "entropy"}, "another"),
        ({"model": "km-anonymity", "k": 5, "m": 2}, {"model": "disassociation"}, "another"),
    ],
)
def test_how_promises_stand_to_the_policys(policys, promised, standing):
    own = promise_of(PrivacySection(**policys))
    assert standing_of(promise_of(PrivacySection(**{**policys, **promised})), own) == standing


def test_a_promise_that_lacks_one_of_the_policys_is_weaker():
    own = promise_of(PrivacySection(**DIVERSE))
    assert standing_of(promise_of(PrivacySection(model="k-anonymity", k=9)), own) == "weaker"
