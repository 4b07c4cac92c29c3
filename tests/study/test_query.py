"""The same queries to releases of every kind."""

import pytest

import shoal as sh
from shoal.metrics.workloads import Query
from shoal.policy.plan import Plan
from shoal.privacy.promise import Promise
from shoal.study.query import Shape, ask

BASKETS = "a b\na b\na x\nb\n"
A_AND_B = Query({}, {"items": ("a", "b")})


@pytest.fixture(name="plan_for")
def plans(tmp_path):
    (tmp_path / "data.txt").write_text(BASKETS)

    def plan_for(model):
        return Plan(
            data_path=tmp_path / "data.txt",
            roles={"items": sh.QuasiSet(hierarchy=sh.flat())},
            models=Promise((model,)),
        )

    return plan_for


def test_disassociated_sets(plan_for, tmp_path):
    file = tmp_path / "published.jsonl"
    file.write_text(
        '{"size": 4, "chunks": [{"subrecords": [["a", "b"], ["a", "b"], ["a"], ["b"]]}], "terms": ["x"]}\n'
    )
    answers = ask(file, plan_for(sh.Disassociation(2, 2)), [A_AND_B, Query({}, {"items": ("a", "x")})])
    assert [(each.expected, each.true) for each in answers.asked] == [(2.0, 2), (0.75, 1)]
    assert answers.errors.are == pytest.approx((0 + 0.25) / 2)


def test_generalized_sets(plan_for, tmp_path):
    file = tmp_path / "published.txt"
    file.write_text("a b\na b\n*\nb\n")
    answers = ask(file, plan_for(sh.KmAnonymity(2, 1)), [A_AND_B])
    (answer,) = answers.asked
    assert answer.true == 2
    # readers know of a and b: * stands evenly for them by one half, and by the other as they occur, 2 to 3
    assert answer.expected == pytest.approx(2 + (1 / 2 + 0.4) / 2 * (1 / 2 + 0.6) / 2)
    assert (answer.lower, answer.upper) == (2, 3)
    assert "how often they seem to occur" in answers.estimator
    (by_best,) = ask(file, plan_for(sh.KmAnonymity(2, 1)), [A_AND_B], estimator="best").asked
    # who knows the values of the original knows of x, too
    assert by_best.expected == pytest.approx(2 + (1 / 3 + 0.4) / 2 * (1 / 3 + 0.6) / 2)
    (by_subsets,) = ask(file, plan_for(sh.KmAnonymity(2, 1)), [A_AND_B], estimator="subsets").asked
    assert by_subsets.expected == pytest.approx(2 + 2 / 7)  # * stands for any of a, b and x


def test_queries_are_drawn_with_a_seed(plan_for, tmp_path):
    file = tmp_path / "published.txt"
    file.write_text(BASKETS)
    plan = plan_for(sh.KmAnonymity(2, 1))
    first, second = (ask(file, plan, Shape(0, 1, count=9, seed=4)) for _ in range(2))
    assert first == second
    assert len(first.asked) == 9
    assert first.errors.are == 0


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ((2, 1), "about items only, such as 0,1"),
        ((0, 9), "a number of values and items that some record has"),
    ],
)
def test_a_shape_that_no_record_has_says_what_there_is(plan_for, tmp_path, shape, told):
    file = tmp_path / "published.txt"
    file.write_text(BASKETS)
    with pytest.raises(sh.ShoalError, match=told):
        ask(file, plan_for(sh.KmAnonymity(2, 1)), Shape(*shape))


def test_a_table_without_sets_is_asked_about_values_only(tmp_path):
    table = tmp_path / "data.csv"
    table.write_text("age,sex\n" + "30,f\n40,m\n" * 5)
    roles = {name: sh.Quasi(hierarchy=sh.flat()) for name in ("age", "sex")}
    plan = Plan(data_path=table, roles=roles, models=Promise((sh.KAnonymity(2),)))
    with pytest.raises(sh.ShoalError, match="such as 2,0, because these data have no sets"):
        ask(table, plan, Shape(2, 1))
    assert ask(table, plan, Shape(2, 0)).errors.are == 0
