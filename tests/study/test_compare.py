"""Comparisons: what is run, what goes on after a kill, and what is recommended."""

import csv
import json
import subprocess
import time

import pyarrow.parquet
import pytest

import shoal as sh
from shoal.errors import BadInput, UnknownName
from shoal.study.comparison import Constraint, jobs_of, pareto_front, recommend
from tests.cli.commands import process, shoal

pytestmark = pytest.mark.xdist_group("compare")  # which shares one comparison that takes long

TIMES = ("seconds", "search_seconds", "peak_memory_mb")


def row(name, loss, risk, seconds=1.0, holds=True):
    return {
        "run": name,
        "algorithm": name.split()[0],
        "holds": holds,
        "ncp": loss,
        "risk": risk,
        "seconds": seconds,
        "peak_memory_mb": 100.0,
    }


ROWS = [
    row("aa k=2", 0.1, 0.5),
    row("aa k=5", 0.3, 0.2, seconds=400),
    row("vpa k=5", 0.4, 0.2),
    row("vpa k=10", 0.6, 0.1),
    row("aa k=10", 0.2, 0.1, holds=False),
]


def test_every_algorithm_meets_every_combination():
    jobs = jobs_of(["aa", "vpa"], {"k": [2, 5], "m": [1, 2]})
    assert len(jobs) == 8
    assert len({job.name for job in jobs}) == 8
    assert jobs[0].name == "aa k=2 m=1"
    assert jobs[0].privacy == {"k": 2, "m": 1}


def test_an_option_is_swept_only_where_it_is_taken():
    names = [job.name for job in jobs_of(["aa", "lra"], {"k": [2], "parts": [2, 3]})]
    assert names == ["aa k=2", "lra k=2 parts=2", "lra k=2 parts=3"]


def test_what_nobody_takes_and_nobody_knows_is_said():
    with pytest.raises(BadInput, match="nothing takes shoes"):
        jobs_of(["aa"], {"shoes": [1]})
    with pytest.raises(UnknownName, match="did you mean 'aa'"):
        jobs_of(["aaa"], {})


def test_the_front_holds_what_no_other_run_beats():
    assert pareto_front(ROWS, "ncp") == ["vpa k=10", "aa k=5", "aa k=2"]


def test_recommends_the_least_loss_within_the_constraint_with_its_reason():
    found = recommend(ROWS, Constraint(risk=0.2, seconds=300))
    assert found.run == "vpa k=5"
    assert found.reason == (
        "vpa k=5 loses least (NCP with risk at most 0.2 within 300 s): 0.4, risk 0.2, 1.0 s;"
        " the next of 2 runs that keep the constraint is vpa k=10 with 0.6"
    )
    assert recommend(ROWS, Constraint()).run == "aa k=2"
    assert recommend(ROWS, Constraint(risk=0.01)).run is None
    assert "no run keeps the constraint" in recommend(ROWS, Constraint(risk=0.01)).reason


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
