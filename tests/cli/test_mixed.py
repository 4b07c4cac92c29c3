"""Tables with sets from the command line: a run, its report, and queries to what it published."""

import json

import pytest

from tests.cli.commands import AGE, ILL, SEX, shoal

FINE, BAD_INPUT, INFEASIBLE = 0, 2, 3
DRUGS = 'role = "quasi", kind = "set", hierarchy = { flat = true }'
COLUMNS = {"age": AGE, "sex": SEX, "drugs": DRUGS}
KKM = 'model = "k-km-anonymity"\nk = 2\nm = 2'
ROWS = "age,sex,drugs\n" + "".join(
    f"{20 + i % 4},{'fm'[i // 8]},{('a b', 'a', 'b c', '', 'a b c')[i % 5]}\n" for i in range(16)
)


@pytest.fixture(name="clinic")
def a_clinic(hospital):
    hospital.write("data.csv", ROWS)
    return hospital


def run(clinic, algorithm, columns=COLUMNS, privacy=KKM):
    return clinic.run(None, columns, privacy=privacy, algorithm=algorithm)


@pytest.mark.parametrize(
    "algorithm",
    ['name = "rmerge-rt"\ndelta = 0.9', 'name = "tmerge-r"\ndelta = 1.0', 'name = "rfirst"\nitems = "pcta"'],
)
def test_a_run_publishes_both_parts_and_shows_them_side_by_side(clinic, algorithm):
    done = run(clinic, algorithm)
    assert done.code == FINE, done.err
    assert "loss in items (UL)" in done.words
    verified = shoal("verify", clinic.published, "--policy", clinic.policy)
    assert verified.code == FINE
    assert "Both parts side by side" in (clinic.out / "internal" / "report.html").read_text()
    losses = json.loads((clinic.out / "result.json").read_text())["loss"]
    assert {"ncp", "item_ncp", "ul"} <= set(losses)


def test_items_without_a_tree_and_weights_of_items(clinic):
    columns = {**COLUMNS, "drugs": 'role = "quasi", kind = "set", item_weights = { a = 0.2 }'}
    assert run(clinic, 'name = "auto"\ndelta = 1.0', columns).code == FINE
    bad = run(clinic, 'name = "auto"', {**COLUMNS, "drugs": f"{DRUGS}, item_weights = {{ a = 2 }}"})
    assert bad.code == BAD_INPUT
    assert "between 0 and 1" in bad.errors[0]


def test_a_bound_that_cannot_be_met_tells_the_loss_that_was_reached(clinic):
    for algorithm, loss in (("rmerge-r", "single values"), ("tmerge-r", "items")):
        done = run(clinic, f'name = "{algorithm}"\ndelta = 0.0', privacy=KKM.replace("k = 2", "k = 7"))
        assert done.code == INFEASIBLE
        assert f"the {loss} cannot lose as little as delta=0" in done.errors[0]
        assert "raise delta" in done.errors[0]


def test_an_unknown_delta_is_refused(clinic):
    done = run(clinic, 'name = "rmerge-r"\ndelta = "best"')
    assert done.code == BAD_INPUT
    assert "'frontier'" in done.errors[0]


def test_a_frontier_is_reported(clinic):
    done = run(clinic, 'name = "rmerge-rt"\ndelta = "frontier"')
    assert done.code == FINE, done.err
    assert any("bounds were tried" in notice for notice in done.notices)
    assert "What other bounds would cost" in (clinic.out / "internal" / "report.html").read_text()


def test_single_values_that_are_all_insensitive_are_sent_to_another_model(clinic):
    columns = {"age": 'role = "insensitive", confirm = true', "sex": 'role = "insensitive"', "drugs": DRUGS}
    done = run(clinic, 'name = "auto"', columns)
    assert done.code == BAD_INPUT
    assert 'for sets alone use model = "km-anonymity"' in done.errors[0]


def test_diversity_of_sensitive_items_beside_single_values(clinic):
    columns = {**COLUMNS, "drugs": f'{DRUGS}, sensitive = ["c"]', "ill": ILL}
    clinic.write(
        "data.csv",
        "\n".join(f"{line},{'ill' if not n else 'xyz'[n % 3]}" for n, line in enumerate(ROWS.splitlines())),
    )
    done = run(clinic, 'name = "rmerge-rt"\ndelta = 1.0', columns, f"{KKM}\nl = 2")
    assert done.code == FINE, done.err
    assert "(k,l^m)-diversity" in done.words


def test_queries_are_answered_beside_the_truth(clinic):
    assert run(clinic, 'name = "rmerge-rt"\ndelta = 0.9').code == FINE
    asked = shoal(
        "query", clinic.published, "--policy", clinic.policy, "--value", "sex=f", "--itemset", "a b", "--json"
    )  # fmt: skip
    assert asked.code == FINE, asked.err
    (answer,) = asked.json["asked"]
    assert answer["query"] == {"values": {"sex": ["f"]}, "items": {"drugs": ["a", "b"]}}
    truth = sum("a b" in line and ",f," in line for line in ROWS.splitlines())
    assert answer["true"] == truth
    assert asked.json["errors"]["are"] == pytest.approx(abs(answer["expected"] - truth) / truth)
    shown = shoal("query", clinic.published, "--policy", clinic.policy, "--shape", "1,1", "--queries", 7)
    assert shown.code == FINE, shown.err
    assert "of 7 queries" in shown.words
    assert "ARE" in shown.words


def test_queries_of_a_file(clinic):
    assert run(clinic, 'name = "rmerge-rt"\ndelta = 0.9').code == FINE
    workload = clinic.write("queries.jsonl", '{"values": {"sex": ["f", "m"]}}\n{"items": {"drugs": ["c"]}}\n')
    asked = shoal("query", clinic.published, "--policy", clinic.policy, "--workload", workload, "--json")
    assert [answer["true"] for answer in asked.json["asked"]] == [16, 6]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "there is no query"),
        (("--value", "sex"), "column=value"),
        (("--value", "sexx=f"), "'sexx'"),
        (("--shape", "many"), "two numbers"),
        (("--workload", "nowhere.jsonl"), "cannot be read"),
    ],
)
def test_bad_queries_are_refused(clinic, words, problem):
    assert run(clinic, 'name = "rmerge-rt"\ndelta = 0.9').code == FINE
    asked = shoal("query", clinic.published, "--policy", clinic.policy, *words)
    assert asked.code == BAD_INPUT
    assert problem in asked.errors[0]


def test_without_a_policy_only_disassociated_files_can_be_asked(clinic):
    asked = shoal("query", clinic.folder / "data.csv", "--value", "sex=f")
    assert asked.code == BAD_INPUT
    assert "--policy" in asked.errors[0]
