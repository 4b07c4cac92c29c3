import pytest

from shoal.algorithms.catalogue import ALGORITHMS, describe_algorithms, make_algorithm
from shoal.algorithms.relational.mondrian.algorithm import Mondrian
from shoal.errors import InvalidParameter, UnknownName


def test_algorithms_are_made_by_name():
    assert make_algorithm("mondrian", {"mode": "relaxed"}) == Mondrian(mode="relaxed")
    assert make_algorithm("mondrian", {}) == Mondrian()


def test_unknown_algorithm_suggests_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'mondrian'"):
        make_algorithm("mondrain", {})


def test_unknown_option_suggests_the_nearest():
    with pytest.raises(UnknownName, match="mondrian has no option 'moed'; did you mean 'mode'"):
        make_algorithm("mondrian", {"moed": "strict"})


def test_bad_value_says_what_is_taken():
    with pytest.raises(InvalidParameter, match="mode must be one of 'strict', 'relaxed', got 'loose'"):
        make_algorithm("mondrian", {"mode": "loose"})


def test_every_algorithm_is_described():
    rows = describe_algorithms()
    assert [row["name"] for row in rows] == list(ALGORITHMS)
    for row in rows:
        assert row["models"]
        assert row["paper"]
        assert row["guarantee"]
        assert all(declared["help"] for declared in row["parameters"])


def test_mondrian_is_described_with_its_mode():
    (mondrian,) = [row for row in describe_algorithms() if row["name"] == "mondrian"]
    assert "k-anonymity" in mondrian["models"]
    assert mondrian["parameters"][0] == {
        "name": "mode",
        "default": "strict",
        "must_be": "one of 'strict', 'relaxed'",
        "help": mondrian["parameters"][0]["help"],
    }
