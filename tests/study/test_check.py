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
    whole = check(load_policy(policy), Silent())
    assert not whole.is_guess
    assert whole.is_brief
    monkeypatch.setattr(checking, "TRIED", 300)
    nearly = check(load_policy(policy), Silent())
    assert not nearly.is_guess
    assert nearly.seconds is not None
    assert nearly.seconds >= 0


def test_an_estimate_from_few_records_or_of_several_searches_is_a_guess(policy, monkeypatch):
    monkeypatch.setattr(checking, "TRIED", 200)
    guessed = check(load_policy(policy), Silent())
    assert guessed.is_guess
    assert not guessed.is_brief
    policy.write_text(POLICY.replace("mondrian", "auto"), encoding="utf-8")
    monkeypatch.setattr(checking, "TRIED", 900)
    assert check(load_policy(policy), Silent()).is_guess


@pytest.mark.parametrize(
    ("seconds", "growth"),
    [
        ({1_000: 1.0, 2_000: 2.0, 4_000: 4.0}, 1.0),
        ({1_000: 1.0, 2_000: 4.0, 4_000: 16.0}, 2.0),
        ({1_000: 1.0, 2_000: 2.0, 4_000: 8.0}, 1.5),  # disturbed at the end, which alone would be 2
        ({1_000: 1.0, 2_000: 1.0, 4_000: 1.0}, 1.0),
        ({1_000: 1.0, 2_000: 9.0, 4_000: 99.0}, 2.0),
    ],
)
def test_searches_grow_as_all_timings_say(seconds, growth):
    assert checking._growth(seconds) == pytest.approx(growth)


def test_parts_that_are_too_small_for_the_promise_are_left_out(policy, monkeypatch):
    monkeypatch.setattr(checking, "TRIED", 300)
    policy.write_text(POLICY.replace("k = 3", "k = 100"), encoding="utf-8")
    assert check(load_policy(policy), Silent()).seconds is not None  # 75 records are fewer than k
    policy.write_text(POLICY.replace("k = 3", "k = 200"), encoding="utf-8")
    assert check(load_policy(policy), Silent()).seconds is None
    policy.write_text(POLICY.replace("k = 3", "k = 400"), encoding="utf-8")
    assert check(load_policy(policy), Silent()).seconds is None
