"""Comparisons: what is run, what goes on after a kill, and what is recommended."""

import csv
import json
import os
import subprocess
import time

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal as sh
from shoal.errors import BadInput, UnknownName
from shoal.policy.policy_file import load_policy
from shoal.study.comparison import jobs_of, plan_of_job
from tests.cli.commands import process, shoal

pytestmark = pytest.mark.xdist_group("compare")  # which shares one comparison that takes long

TIMES = ("seconds", "search_seconds", "peak_memory_mb")


KM = {"model": "km-anonymity", "k": 2, "m": 2}


def test_what_shares_something_costly_is_run_by_one_worker(request):
    distributed = os.environ.get("PYTEST_XDIST_WORKER") and request.config.getoption(
        "loadgroup", default=False
    )
    assert not distributed or request.node.nodeid.endswith("@compare")


def test_every_algorithm_meets_every_combination():
    jobs = jobs_of(["aa", "vpa"], {"k": [2, 5], "m": [1, 2]}, KM)
    assert len(jobs) == 8
    assert len({job.name for job in jobs}) == 8
    assert jobs[0].name == "aa k=2 m=1"
    assert jobs[0].privacy == {"k": 2, "m": 1}
    assert jobs[0].promised == "km-anonymity k=2 m=1"


def test_an_option_is_swept_only_where_it_is_taken():
    names = [job.name for job in jobs_of(["aa", "lra"], {"k": [2], "parts": [2, 3]}, KM)]
    assert names == ["aa k=2", "lra k=2 parts=2", "lra k=2 parts=3"]


def test_auto_takes_options_as_in_a_policy():
    names = [job.name for job in jobs_of(["auto", "aa"], {"parts": [2, 3]}, KM)]
    assert names == ["auto parts=2", "auto parts=3", "aa"]


def test_every_model_has_its_own_keys():
    sweep = {
        "k": [2, 3],
        "epsilon": [1],
        "model": ["km-anonymity", "set-k-anonymity", "differential-privacy"],
    }
    assert [job.promised for job in jobs_of(["auto"], sweep, KM)] == [
        "km-anonymity k=2 m=2",
        "km-anonymity k=3 m=2",
        "set-k-anonymity k=2",
        "set-k-anonymity k=3",
        "differential-privacy epsilon=1",
    ]


def test_what_nobody_takes_and_nobody_knows_is_said():
    with pytest.raises(BadInput, match="nothing takes shoes"):
        jobs_of(["aa"], {"shoes": [1]}, KM)
    with pytest.raises(BadInput, match="nothing takes epsilon"):
        jobs_of(["aa"], {"epsilon": [1]}, KM)
    with pytest.raises(BadInput, match="there is nothing to compare"):
        jobs_of([], {"k": [2]}, KM)
    with pytest.raises(UnknownName, match="did you mean 'aa'"):
        jobs_of(["aaa"], {}, KM)
    with pytest.raises(UnknownName, match="did you mean 'km-anonymity'"):
        jobs_of(["aa"], {"model": ["km-anonymty"]}, KM)
    with pytest.raises(BadInput, match="differential-privacy needs epsilon; give it with --sweep epsilon="):
        jobs_of(["aa"], {"model": ["differential-privacy"]}, KM)


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    (folder / "baskets.txt").write_text("a b\na c\nb c\na b c\nd\nd a\n" * 6)
    file = folder / "policy.toml"
    file.write_text(
        '[data]\npath = "baskets.txt"\n[columns]\n'
        'items = { role = "quasi", kind = "set", hierarchy = { fanout = 2 } }\n'
        '[privacy]\nmodel = "km-anonymity"\nk = 2\nm = 2\n[output]\npath = "published.txt"\n'
    )
    return file


def journal_rows(folder):
    journal = folder / "journal.jsonl"
    return journal.read_text().splitlines()[1:] if journal.exists() else []


def words(policy, folder):
    return (
        "compare",
        policy,
        "--algorithms",
        "aa,da",
        "--sweep",
        "k=2,100",
        "--out",
        folder,
        "--workers",
        "1",
    )


@pytest.fixture(scope="module")
def gone_on(policy):
    """A comparison that was killed after its first run, and started again."""
    folder = policy.parent / "killed"
    going = subprocess.Popen(process(*words(policy, folder)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not journal_rows(folder) and going.poll() is None:
        time.sleep(0.05)
    going.kill()
    going.communicate(timeout=60)  # its output stays open as long as one of its workers lives
    kept = len(journal_rows(folder))
    assert 0 < kept < 4
    assert not (folder / "comparison.csv").exists()
    with (folder / "journal.jsonl").open("a") as journal:
        journal.write('{"run": "cut o')
    return kept, shoal(*words(policy, folder), "--json")


def test_a_killed_comparison_goes_on_and_repeats_nothing(policy, gone_on):
    kept, done = gone_on
    assert done.code == 0
    assert done.json["repeated"] == kept
    assert len(journal_rows(policy.parent / "killed")) == 4
    assert [run["run"] for run in done.json["runs"]] == ["aa k=2", "aa k=100", "da k=2", "da k=100"]


def test_every_point_is_verified_and_what_cannot_be_is_said(gone_on):
    runs = {run["run"]: run for run in gone_on[1].json["runs"]}
    assert runs["aa k=2"]["holds"]
    assert runs["aa k=2"]["smallest"] >= 2
    assert runs["aa k=2"]["peak_memory_mb"] > 10
    assert not runs["aa k=100"]["holds"]
    assert "cannot be met" in runs["aa k=100"]["error"]


def test_writes_a_tidy_table_and_a_page(policy, gone_on):
    folder = policy.parent / "killed"
    with (folder / "comparison.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["run"] for row in rows] == [run["run"] for run in gone_on[1].json["runs"]]
    assert pyarrow.parquet.read_table(folder / "comparison.parquet").num_rows == 4
    page = (folder / "comparison.html").read_text()
    assert "Pareto front" in page
    assert page.count("data-figure") >= 3


@pytest.mark.slow
def test_the_same_seeds_give_the_same_table_but_for_times(policy, gone_on):
    again = sh.compare(
        policy, algorithms=["aa", "da"], sweep={"k": [2, 100]}, out=policy.parent / "again", workers=2,
        memory_budget=4e9,
    )  # fmt: skip
    assert again.repeated == 0
    earlier = gone_on[1].json["runs"]
    for one, other in zip(again.rows, earlier, strict=True):
        assert {key: one[key] for key in one if key not in TIMES} == {
            key: other[key] for key in other if key not in TIMES
        }


def test_other_data_and_other_folders_are_refused(policy, gone_on, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    assert "is no comparison that could go on" in shoal(*words(policy, folder)).err
    other = tmp_path / "policy.toml"
    other.write_text(policy.read_text() + "# changed\n")
    (tmp_path / "baskets.txt").write_text((policy.parent / "baskets.txt").read_text())
    done = shoal(*words(other, policy.parent / "killed"))
    assert done.code == 2
    assert "holds runs of another policy or of other data" in done.err
    assert "write it as k=2,5,10" in shoal(*words(policy, tmp_path / "new"), "--sweep", "k").err


def test_the_journal_is_plain_json_lines(policy, gone_on):
    assert all(json.loads(line)["run"] for line in journal_rows(policy.parent / "killed"))


def test_a_policys_options_go_only_to_who_takes_them(policy, tmp_path):
    named = tmp_path / "policy.toml"
    named.write_text(policy.read_text() + '[algorithm]\nname = "lra"\nparts = 3\nseed = 7\n')
    plans = {
        job.name: plan_of_job(load_policy(named), job).search
        for job in jobs_of(["lra", "aa", "auto"], {}, KM)
    }
    assert plans["lra"].options == {"parts": 3}
    assert plans["aa"].options == {}
    assert plans["auto"].options == {}, "what was meant for lra does not bind auto"
    assert {plan.seed for plan in plans.values()} == {7}
    left_open = tmp_path / "auto.toml"
    left_open.write_text(policy.read_text() + "[algorithm]\nparts = 3\n")
    (auto,) = jobs_of(["auto"], {}, KM)
    assert plan_of_job(load_policy(left_open), auto).search.options == {"parts": 3}


def test_who_draws_noise_gets_no_seed(policy):
    sweep = {"model": ["differential-privacy"], "epsilon": [1]}
    for job in jobs_of(["diffpart", "auto"], sweep, KM):
        assert plan_of_job(load_policy(policy), job).search.seed is None


@pytest.fixture(scope="module")
def models(policy):
    """Models beside each other, by algorithms of which none serves all."""
    sweep = {
        "model": ["km-anonymity", "set-k-anonymity", "disassociation", "differential-privacy"],
        "k": [2, 3],
        "epsilon": [1.0],
    }
    (policy.parent / "tree.csv").write_text("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n")
    file = policy.with_name("models.toml")  # noise hides no items that only the data name
    file.write_text(policy.read_text().replace("{ fanout = 2 }", '"tree.csv"'))
    return sh.compare(
        file, algorithms=["auto", "aa", "diffpart"], sweep=sweep, out=policy.parent / "models", workers=2
    )


@pytest.mark.slow
def test_models_stand_beside_each_other_by_the_measures_that_they_share(models):
    rows = {row["run"]: row for row in models.rows}
    assert all(row["holds"] for row in rows.values()), [row["error"] for row in rows.values()]
    assert rows["diffpart model=differential-privacy epsilon=1.0"]["seed"] is None
    assert rows["auto model=differential-privacy epsilon=1.0"]["took"] == "diffpart"
    assert all(row["took"] == row["algorithm"] for row in rows.values() if row["algorithm"] != "auto")
    assert all(row["are_1"] is not None and row["are_2"] is not None for row in rows.values())
    table = models.costs
    assert {"NCP", "ARE, 1 item", "ARE, 2 items"} <= set(table.heads)
    assert len(table.rows) == 7
    ranked_by = {cost.promise: cost.measure for cost in models.promises}
    assert ranked_by["km-anonymity k=2 m=2"] == "ncp"
    assert ranked_by["disassociation k=2 m=2"] not in (None, "ncp")


@pytest.mark.slow
def test_what_no_search_serves_is_left_out_with_a_word(policy, models):
    told = "\n".join(models.left_out)
    assert "aa model=set-k-anonymity k=2 was left out: the algorithm aa does not serve" in told
    assert "diffpart model=km-anonymity k=2 was left out" in told
    with pytest.raises(BadInput, match="does not serve"):
        sh.compare(policy, algorithms=["diffpart"], out=policy.parent / "nothing")
    with pytest.raises(BadInput, match="has no option 'shoes'"):
        sh.compare(policy, algorithms=["auto"], sweep={"shoes": [1]}, out=policy.parent / "nothing")


@pytest.mark.slow
def test_never_recommends_less_or_something_else_than_the_policy_promises(models):
    assert models.recommendation.run in ("auto model=km-anonymity k=2", "aa model=km-anonymity k=2")
    standings = {row["promise"]: row["standing"] for row in models.rows}
    assert standings == {
        "km-anonymity k=2 m=2": "own",
        "km-anonymity k=3 m=2": "stricter",
        "set-k-anonymity k=2": "another",
        "set-k-anonymity k=3": "another",
        "disassociation k=2 m=2": "another",
        "disassociation k=3 m=2": "another",
        "differential-privacy epsilon=1.0": "another",
    }
    assert models.recommendation.costs.startswith("a stricter promise would cost: km-anonymity k=3 m=2 NCP ")


def test_an_incomplete_promise_is_refused(policy, tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text(policy.read_text().replace("k = 2\n", ""))
    with pytest.raises(BadInput, match="km-anonymity needs k"):
        sh.compare(file, algorithms=["aa"], sweep={"k": [2]}, out=tmp_path / "out")


@pytest.mark.slow
def test_a_target_is_predicted_from_every_release(tmp_path):
    lines = [f"{20 + 3 * (n % 20)},{'fm'[n % 2]},{'ny'[n % 20 > 9]}" for n in range(120)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,ill", *lines, ""]))
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[data]\npath = "people.csv"\n[columns]\n'
        'age = { role = "quasi", kind = "number", hierarchy = { ranges = [10, 20] } }\n'
        'sex = { role = "quasi", hierarchy = { flat = true } }\nill = { role = "sensitive" }\n'
        '[privacy]\nmodel = "k-anonymity"\nk = 4\n'
    )
    out = tmp_path / "out"
    found = sh.compare(
        policy, algorithms=["mondrian"], sweep={"k": [2, 100]}, out=out, target="ill", workers=1
    )
    by_k = {row["k"]: row for row in found.rows}
    assert by_k[2]["logistic_auc"] > 0.9
    assert by_k[100]["logistic_auc"] < by_k[2]["logistic_auc"]
    assert by_k[2]["original_logistic_auc"] > 0.95
    assert by_k[2]["suppressed_boosting_auc"] == 0.5
    assert "Predicting ill" in (out / "comparison.html").read_text()
    assert "boosting_auc_low" in (out / "comparison.csv").read_text()
    with pytest.raises(BadInput, match="another policy or of other data"):
        sh.compare(policy, algorithms=["mondrian"], sweep={"k": [2]}, out=out, workers=1)
    with pytest.raises(BadInput, match="did you mean 'ill'"):
        sh.compare(policy, algorithms=["mondrian"], out=out, target="il", workers=1)


@pytest.mark.parametrize(
    "made",
    [
        pa.table,
        pytest.param(pd.DataFrame, marks=pytest.mark.slow),
        pytest.param(pl.DataFrame, marks=pytest.mark.slow),
    ],
)
def test_a_frame_stands_in_for_the_data_of_the_policy(policy, tmp_path, made):
    baskets = made({"items": [["tea", "milk"], ["tea", "milk"], ["tea"], ["figs", "tea"], ["figs"]]})
    options = {"algorithms": ["aa"], "out": tmp_path / "out", "workers": 1}
    found = sh.compare(policy, data=baskets, **options)
    assert [(row["run"], row["records"], row["holds"]) for row in found.rows] == [("aa", 5, True)]
    assert sh.compare(policy, data=baskets, **options).repeated == 1
    with pytest.raises(BadInput, match="another policy or of other data"):
        sh.compare(policy, data=baskets[1:], **options)
