from pathlib import Path

import pandas as pd
import pytest

import shoal as sh
from shoal.errors import BadInput
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.run.verification import verify_published

ROWS = "name,age\nann,1\nbob,1\ncid,2\ndan,2\n"
POLICY = """\
[data]
path = "people.csv"
[columns]
name = { role = "identifier", pseudonym = true }
age = { role = "quasi", hierarchy = { flat = true } }
[privacy]
model = "k-anonymity"
k = 2
"""


@pytest.fixture
def plan(tmp_path: Path):
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "policy.toml").write_text(POLICY)
    return plan_of(load_policy(tmp_path / "policy.toml"))


def released(plan, tmp_path: Path, **options) -> Path:
    data = sh.read(plan.data_path, plan.roles)
    return sh.anonymize(data, plan.models, **options).save(tmp_path / "out")


def test_a_promise_that_leaves_a_column_open_is_not_checked():
    frame = pd.DataFrame({"age": [1, 1], "drugs": ["a", "b"]})
    roles = {"age": sh.Quasi(hierarchy=sh.flat()), "drugs": sh.QuasiSet(hierarchy=sh.flat())}
    with pytest.raises(BadInput, match="does not cover the set column 'drugs'"):
        sh.verify(frame, roles, sh.KAnonymity(k=2))


def test_plain_names_in_a_column_of_pseudonyms_break_the_promise(plan, tmp_path: Path):
    file = tmp_path / "published.csv"
    file.write_text(ROWS)
    checked = verify_published(file, plan)
    assert not checked.holds
    assert "'name' are no pseudonyms" in checked.verdicts[0].evidence


def test_pseudonyms_keep_the_promise(plan, tmp_path: Path):
    folder = released(plan, tmp_path)
    assert verify_published(folder / "published.csv", plan, folder / "certificate.json").holds


def test_a_certificate_with_another_claim_disagrees(plan, tmp_path: Path):
    folder = released(plan, tmp_path)
    certificate = folder / "certificate.json"
    certificate.write_text(certificate.read_text().replace("k=2", "k=50"))
    checked = verify_published(folder / "published.csv", plan, certificate)
    assert not checked.holds
    assert checked.disagreements


def test_rows_without_a_subject_are_counted_in_a_notice():
    frame = pd.DataFrame({"who": ["a", None, None, "b"], "age": [1, 1, 1, 1]})
    data = sh.read(frame, {"who": sh.Identifier(), "age": sh.Quasi(hierarchy=sh.flat())}, subject="who")
    assert any("2 rows have no subject in column 'who'" in notice for notice in data.notices)


def test_a_categorical_column_is_as_telling_as_its_values():
    ward = pd.Series(["x", "y"] * 20, dtype="category")
    frame = pd.DataFrame({"ward": ward, "age": [1] * 40})
    data = sh.read(frame, {"ward": sh.Insensitive(), "age": sh.Quasi(hierarchy=sh.flat())})
    assert sh.anonymize(data, sh.KAnonymity(k=5)).verdict.holds


def test_a_column_that_gives_a_quasi_identifier_away_is_named():
    ages = [20 + i % 40 for i in range(400)]
    frame = pd.DataFrame({"age": ages, "born": [2000 - age for age in ages]})
    roles = {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(20, 40)),
        "born": sh.Insensitive(confirm=True),
    }
    result = sh.anonymize(sh.read(frame, roles), sh.KAnonymity(k=15))
    assert result.loss["ncp"] > 0
    assert any("'born'" in notice and "'age'" in notice for notice in result.notices)
