import pytest

from shoal.policy.weak_promise import confirmed, unconfirmed, weak_parts


@pytest.mark.parametrize(
    ("privacy", "weak"),
    [
        ({"model": "k-anonymity", "k": 2}, ("k = 2",)),
        ({"model": "k-anonymity", "k": 3, "l": 1.5}, ("l = 1.5",)),
        ({"model": "k-anonymity", "k": 2, "l": 1.5}, ("k = 2", "l = 1.5")),
        ({"model": "k-anonymity", "k": 3, "l": 2}, ()),
        ({"model": "differential-privacy", "epsilon": 1.0, "k": None}, ()),
    ],
)
def test_numbers_below_the_usual_ones_are_weak(privacy, weak):
    assert weak_parts(privacy) == weak
    assert (unconfirmed(privacy, None) is None) == (weak == ())


@pytest.mark.parametrize(
    ("written", "enough"), [("K=2, a test", True), ("yes", False), ("k = 1", False), ("", False)]
)
def test_a_confirmation_names_the_number(written, enough):
    assert (unconfirmed({"k": 2}, written) is None) is enough


def test_only_a_confirmation_that_is_needed_and_names_the_number_is_told():
    assert confirmed({"k": 2}, "k = 2, a test") == ("k = 2 was confirmed in writing: k = 2, a test",)
    assert confirmed({"k": 2}, "a test") == confirmed({"k": 2}, "") == confirmed({"k": 5}, "k = 5") == ()
