"""`shoal compare`: words for people, and the same for programs."""

import pytest

from tests.cli.commands import shoal


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A policy with k = 3 beside a weaker and a stricter one."""
    folder = tmp_path_factory.mktemp("compared")
    (folder / "baskets.txt").write_text("a b\na c\nb c\na b c\nd\nd a\ne\n" * 3)
    (folder / "policy.toml").write_text(
        '[data]\npath = "baskets.txt"\n[columns]\n'
        'items = { role = "quasi", kind = "set", hierarchy = { fanout = 2 } }\n'
        '[privacy]\nmodel = "km-anonymity"\nk = 3\nm = 2\n[output]\npath = "published.txt"\n'
    )
    return folder


def compare(folder, *words):
    return shoal("compare", folder / "policy.toml", "--sweep", "k=2,3,10", "--out", folder / "out", *words)


def test_says_what_other_promises_would_cost_and_recommends_the_policys_own(compared):
    done = compare(compared, "--algorithms", "auto,mondrian")
    assert done.code == 0
    words = done.words
    assert "What other promises would cost" in words
    assert "auto k=3 loses least" in words
    assert "a stricter promise would cost: km-anonymity k=10" in words
    assert "weaker than the policy, so never recommended: km-anonymity k=2" in words
    assert "mondrian k=2 was left out" in " ".join(done.notices)
    found = compare(compared, "--algorithms", "auto,mondrian", "--json").json
    assert found["repeated"] == 3
    assert found["recommended"] == "auto k=3"
    assert [promise["standing"] for promise in found["promises"]] == ["own", "stricter", "weaker"]
    assert len(found["left_out"]) == 3
    assert all(run["took"] for run in found["runs"])


def test_an_algorithm_that_nobody_knows_is_refused_by_name(compared):
    done = compare(compared, "--algorithms", "autoo")
    assert done.code == 2
    assert "did you mean 'auto'" in done.err
