import pytest

from shoal.web.pages.running import time_of


@pytest.mark.parametrize(
    ("seconds", "is_guess", "told"),
    [
        (0.04, False, "A run takes less than a minute"),
        (0.04, True, "How long a run takes cannot be told well before: perhaps 1 s"),
        (80.0, False, "A run takes about 80 s"),
        (600.0, True, "How long a run takes cannot be told well before: perhaps 10 min"),
        (None, False, "How long a run takes cannot be told before"),
    ],
)
def test_how_long_a_run_takes_is_told_as_well_as_it_is_known(seconds, is_guess, told):
    assert time_of({"seconds": seconds, "is_guess": is_guess}) == told
