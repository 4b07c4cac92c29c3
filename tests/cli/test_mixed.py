"""Tables with sets from the command line: a run, its report, and queries to what it published."""

import json

import pytest

from tests.cli.commands import AGE, ILL, SEX, records_of, shoal

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
    return clinic.run(None, columns, privacy=privacy, algorithm=algorithm, words=("--replace",))


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
    assert "What else could be published" in (clinic.out / "internal" / "report.html").read_text()


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
    assert answer["lower"] <= truth <= answer["upper"]
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


@pytest.mark.parametrize(
    "estimator", [(), ("--estimator", "items")], ids=["as readers count", "as papers do"]
)
def test_columns_that_are_published_as_they_are_can_be_asked_for(clinic, estimator):
    columns = {**COLUMNS, "ill": 'role = "sensitive"'}
    lines = ROWS.splitlines()
    clinic.write(
        "data.csv", "\n".join(f"{line},{'ill' if not n else 'xy'[n % 2]}" for n, line in enumerate(lines))
    )
    assert run(clinic, 'name = "rmerge-rt"\ndelta = 0.9', columns).code == FINE
    asked = shoal(
        "query", clinic.published, "--policy", clinic.policy, "--value", "ill=x", "--json", *estimator
    )  # fmt: skip
    assert asked.code == FINE, asked.err
    (answer,) = asked.json["asked"]
    assert answer["true"] == answer["expected"] == sum(n % 2 == 0 for n in range(1, len(lines)))
    assert answer["lower"] == (None if estimator else answer["true"])


def test_disassociated_sets_have_nothing_to_group_by(clinic):
    done = clinic.run(
        None,
        {"drugs": DRUGS},
        privacy='model = "disassociation"\nk = 2\nm = 2',
        data='others = "drop"',
        output='path = "published.jsonl"',
    )
    assert done.code == FINE, done.err
    asked = shoal("query", clinic.out / "published.jsonl", "--policy", clinic.policy, "--by", "drugs")
    assert asked.code == BAD_INPUT
    assert "ask for items with --itemset" in asked.errors[0]


def test_without_a_policy_only_disassociated_files_can_be_asked(clinic):
    asked = shoal("query", clinic.folder / "data.csv", "--value", "sex=f")
    assert asked.code == BAD_INPUT
    assert "--policy" in asked.errors[0]


def published_column(clinic, name):
    return sorted(record[name] for record in records_of(clinic.published))


def test_records_without_items_stay_without(clinic):
    clinic.write("data.csv", "age,sex,drugs\n20,f,\n20,f,\n20,m,\n20,m,\n")
    done = run(clinic, 'name = "rmerge-rt"\ndelta = 0.0')
    assert done.code == FINE, done.err
    assert published_column(clinic, "drugs") == [""] * 4
    assert json.loads((clinic.out / "result.json").read_text())["loss"]["ul"] == 0


def test_items_of_too_few_records_of_a_class_are_suppressed_or_their_class_is_united(clinic):
    clinic.write("data.csv", "age,sex,drugs\n20,f,a\n20,f,\n20,m,a\n20,m,a\n")
    done = run(clinic, 'name = "rmerge-rt"\ndelta = 0.0')
    assert done.code == FINE, done.err
    assert published_column(clinic, "drugs") == ["", "", "a", "a"]
    assert any("items of 1 cluster were suppressed" in notice for notice in done.notices)
    done = run(clinic, 'name = "rmerge-rt"\ndelta = 1.0')
    assert done.code == FINE, done.err
    assert published_column(clinic, "drugs") == ["", "a", "a", "a"]
    assert not any("suppressed" in notice for notice in done.notices)


def test_items_that_are_all_sensitive_stay_as_they_are(clinic):
    clinic.write("data.csv", "age,sex,drugs\n20,f,a\n20,f,b\n20,m,c\n20,m,\n")
    columns = {**COLUMNS, "drugs": f'{DRUGS}, sensitive = ["a", "b", "c"]'}
    done = run(clinic, 'name = "rmerge-rt"\ndelta = 0.0', columns, f"{KKM}\nl = 2")
    assert done.code == FINE, done.err
    assert published_column(clinic, "drugs") == ["", "a", "b", "c"]
    assert published_column(clinic, "sex") == ["f", "f", "m", "m"]


def test_several_set_columns_are_published_as_columns_of_their_own(clinic):
    clinic.write("data.csv", "sex,drugs,codes\nf,a,x\nf,a,y\nf,b,x\nf,b,x\n")
    columns = {"sex": SEX, "drugs": DRUGS, "codes": DRUGS}
    done = run(clinic, 'name = "rmerge-rt"\ndelta = 0.0\nitems = "pcta"', columns)
    assert done.code == FINE, done.err
    assert published_column(clinic, "codes") == ["(x|y)"] * 4
    assert published_column(clinic, "drugs") == ["a", "a", "b", "b"]
    assert shoal("verify", clinic.published, "--policy", clinic.policy).code == FINE


def test_every_point_of_a_frontier_is_verified(clinic):
    columns = {**COLUMNS, "drugs": f'{DRUGS}, sensitive = ["c"]'}
    for algorithm in ("rmerge-t", "tmerge-t"):
        done = run(clinic, f'name = "{algorithm}"\ndelta = "frontier"\nseed = 3', columns, f"{KKM}\nl = 2")
        assert done.code == FINE, done.err
        figures = json.loads((clinic.out / "result.json").read_text())["figures"]
        points = figures["frontier"]
        assert len(points) > 1
        assert all(point["holds"] for point in points)
        assert figures["delta"] in [point["delta"] for point in points]
        assert ", published" in (clinic.out / "internal" / "report.html").read_text()


def test_an_item_is_explained_by_what_it_is_published_as(clinic):
    clinic.write("data.csv", "age,sex,drugs\n20,f,a\n20,f,b\n20,m,a\n20,m,a\n")
    done = run(clinic, 'name = "rmerge-rt"\ndelta = 0.0\nitems = "pcta"')
    assert done.code == FINE, done.err
    assert "Why items were generalized" in (clinic.out / "internal" / "report.html").read_text()
    explained = shoal("explain", clinic.policy, "--item", "b")
    assert explained.code == FINE, explained.err
    assert "b is published as (a|b): in more detail, whoever knows" in explained.words
    assert "would find 1 record among the 2 of its cluster" in explained.words


@pytest.mark.parametrize(
    ("columns", "privacy", "words"),
    [
        ({"age": AGE, "sex": SEX}, 'model = "k-anonymity"\nk = 2', ("--value", "sex=f")),
        ({"drugs": DRUGS}, 'model = "km-anonymity"\nk = 2\nm = 2', ("--itemset", "a b")),
        ({"drugs": DRUGS}, 'model = "disassociation"\nk = 2\nm = 2', ("--itemset", "a b")),
    ],
)
def test_one_command_asks_releases_of_every_kind(clinic, columns, privacy, words):
    file = "published.jsonl" if "disassociation" in privacy else "published.csv"
    done = clinic.run(None, columns, privacy=privacy, data='others = "drop"', output=f'path = "{file}"')
    assert done.code == FINE, done.err
    published = clinic.out / file
    asked = shoal("query", published, "--policy", clinic.policy, *words, "--json")
    assert asked.code == FINE, asked.err
    (answer,) = asked.json["asked"]
    assert answer["true"] == (8 if "--value" in words else 7)
    assert 0 < answer["expected"] <= 16
    drawn = "1,0" if "--value" in words else "0,1"
    assert shoal("query", published, "--policy", clinic.policy, "--shape", drawn).code == FINE
