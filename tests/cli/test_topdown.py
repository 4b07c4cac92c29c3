"""Sets with equal ones through the command line: run, verify, explain."""

import json
from collections import Counter

import pytest

from tests.cli.commands import shoal

FINE, PROMISE_BROKEN, BAD_INPUT, INFEASIBLE = 0, 1, 2, 3

EIGHT_SETS = "b c d\na f g\nd f y z\nc d f x\na b c f g\ne i\ne\ni\n"
TREE = """\
a;H;P;T
b;H;P;T
c;K;P;T
d;K;P;T
f;J;Q;T
g;J;Q;T
x;M;Q;T
y;M;Q;T
z;M;Q;T
e;e;e;T
i;i;i;T
"""
POLICY = """\
[data]
path = "sets.txt"
[columns]
items = {{ role = "quasi", kind = "set", hierarchy = "tree.csv" }}
[privacy]
{privacy}
[algorithm]
name = "{name}"
{options}
[output]
path = "published.txt"
"""


@pytest.fixture
def policy(tmp_path):
    def written(name, privacy, *, sets=EIGHT_SETS, options=""):
        (tmp_path / "sets.txt").write_text(sets, encoding="utf-8")
        (tmp_path / "tree.csv").write_text(TREE, encoding="utf-8")
        path = tmp_path / "policy.toml"
        path.write_text(POLICY.format(name=name, privacy=privacy, options=options), encoding="utf-8")
        return path

    return written


def published(policy):
    return (policy.parent / "policy-out" / "published.txt").read_text(encoding="utf-8").splitlines()


SET_K = 'model = "set-k-anonymity"\nk = 2'


@pytest.mark.parametrize("name", ["partition", "lgr", "auto"])
def test_a_run_is_verified_from_its_file_alone(policy, name):
    path = policy(name, SET_K)
    done = shoal("run", path)
    assert done.code == FINE, done.err
    assert Counter(published(path)) == {"P f g": 2, "K M f": 2, "T": 4}
    result = json.loads((path.parent / "policy-out" / "result.json").read_text())
    assert result["algorithm"] == ("lgr" if name == "auto" else name)
    assert (result["verdict"]["holds"], result["verdict"]["smallest"]) == (True, 2)
    assert result["loss"]["ncp"] == pytest.approx(108 / 253)
    checked = shoal("verify", path.parent / "policy-out" / "published.txt", "--policy", path)
    assert checked.code == FINE


def test_explain_says_in_how_many_records_and_what_would_be_rare(policy):
    done = shoal("explain", policy("partition", SET_K), "--item", "c")
    assert done.code == FINE, done.err
    rare = {"K": "c, d, f, M", "P": "f, g, H, K", "T": "P"}
    assert done.out.splitlines() == [
        f"in 1 of 3 records: c is published as {label}: in more detail, whoever knows {known}"
        " would find 1 record"
        for label, known in rare.items()
    ]
    assert shoal("explain", policy("partition", SET_K), "--item", "q").code == BAD_INPUT


@pytest.mark.parametrize("name", ["partition", "lgr"])
def test_fewer_than_k_empty_lines_cannot_be_hidden(policy, name):
    path = policy(name, SET_K, sets=EIGHT_SETS + "\n")
    done = shoal("run", path)
    assert done.code == INFEASIBLE
    assert "an empty set can only hide among empty sets" in done.err
    done = shoal("run", policy(name, SET_K, sets=EIGHT_SETS + "\n", options="suppression = 0.12"))
    assert done.code == FINE, done.err
    assert "1 record could not be hidden among k and was withheld" in done.notices
    assert len(published(path)) == 8


def test_an_item_that_the_tree_lacks_is_named(policy):
    done = shoal("run", policy("lgr", SET_K, sets=EIGHT_SETS + "a nut\n"))
    assert done.code == BAD_INPUT
    assert "'nut'" in done.err


def test_partition_serves_complete_k_anonymity_only(policy):
    done = shoal("run", policy("partition", 'model = "km-anonymity"\nk = 2\nm = 2'))
    assert done.code == BAD_INPUT
    assert "does not serve km-anonymity" in done.err


@pytest.mark.parametrize(
    ("name", "m", "expected"),
    [
        ("lgr-literal", 1, {"P": 1, "P f g": 2, "K M f": 2, "e i": 1, "e": 1, "i": 1}),
        ("hghs", 2, None),
    ],
)
def test_relatives_that_serve_km_anonymity_are_verified_as_that(policy, name, m, expected):
    path = policy(name, f'model = "km-anonymity"\nk = 2\nm = {m}')
    done = shoal("run", path)
    assert done.code == FINE, done.err
    if expected is not None:
        assert Counter(published(path)) == expected
    file = path.parent / "policy-out" / "published.txt"
    assert shoal("verify", file, "--policy", path).code == FINE
    assert shoal("explain", path, "--item", "e").code == FINE
    as_sets = policy("lgr", SET_K)
    assert shoal("verify", file, "--policy", as_sets).code == PROMISE_BROKEN


def test_one_left_over_record_stops_the_rounds(policy):
    done = shoal("run", policy("lgr-literal", 'model = "km-anonymity"\nk = 2\nm = 1', sets="a\na\na\nf\n"))
    assert done.code == INFEASIBLE
    assert "1 record at the root" in done.err


def test_the_rounds_are_refused_for_larger_m(policy):
    done = shoal("run", policy("lgr-literal", 'model = "km-anonymity"\nk = 2\nm = 2'))
    assert done.code == BAD_INPUT
    assert "m = 1 only" in done.err
