from pathlib import Path

import pytest

from shoal.policy.policy_file import load_policy
from shoal.progress import Silent
from shoal.study import check as checking
from shoal.study.check import check

POLICY = """
[data]
path = "data.csv"
[columns]
age = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20] } }
sex = { role = "quasi", hierarchy = { flat = true } }
[privacy]
model = "k-anonymity"
k = 3
[algorithm]
name = "mondrian"
"""


@pytest.fixture
def policy(tmp_path) -> Path:
    rows = "".join(f"{20 + i % 60},{'fm'[i % 2]}\n" for i in range(900))
    (tmp_path / "data.csv").write_text("age,sex\n" + rows, encoding="utf-8")
    path = tmp_path / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def test_an_estimate_from_all_or_nearly_all_records_is_none_by_guess(policy, monkeypatch):
    assert not check(load_policy(policy), Silent()).is_guess
    monkeypatch.setattr(checking, "TRIED", 300)
    nearly = check(load_policy(policy), Silent())
    assert not nearly.is_guess
    assert nearly.seconds is not None
    assert nearly.seconds >= 0


def test_an_estimate_from_few_records_or_of_several_searches_is_a_guess(policy, monkeypatch):
    monkeypatch.setattr(checking, "TRIED", 200)
    assert check(load_policy(policy), Silent()).is_guess
    policy.write_text(POLICY.replace("mondrian", "auto"), encoding="utf-8")
    monkeypatch.setattr(checking, "TRIED", 900)
    assert check(load_policy(policy), Silent()).is_guess
