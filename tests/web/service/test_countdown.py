from collections.abc import Callable, Iterable

import pytest

from shoal.web.service.countdown import Countdown


def told_by(total: float, heard: Iterable[tuple[float, float]]) -> float | None:
    """What is told after so much was heard to be done at so many seconds."""
    seconds = [0.0]
    countdown = Countdown(now=lambda: seconds[0])
    for seconds[0], done in heard:
        countdown.hear(done, total)
    return countdown.remaining()


def at_a_pace(pace: Callable[[float], float], until: int) -> list[tuple[float, float]]:
    return [(second, pace(second)) for second in range(1, until)]


def test_a_steady_count_tells_what_is_left():
    assert told_by(100, at_a_pace(lambda second: second, 41)) == pytest.approx(60)
    assert told_by(5_000, at_a_pace(lambda second: second, 4_001)) == pytest.approx(1_000, rel=0.01)


@pytest.mark.parametrize(
    "heard",
    [
        [],
        [(1.0, 30.0)],
        at_a_pace(lambda second: second / 100, 41),
        at_a_pace(lambda second: second % 20, 40),
        at_a_pace(lambda second: second**3 / 1_000, 41),
        at_a_pace(lambda second: 90 * (1 - 0.9**second), 41),
        [(1.0, 0.0), (20.0, 0.0), (21.0, 50.0)],
    ],
    ids=["nothing", "too early", "too little", "in rounds", "ever faster", "ever slower", "all at once"],
)
def test_what_cannot_be_told_is_not(heard):
    assert told_by(100, heard) is None


def test_another_total_is_another_count():
    seconds = [0.0]
    countdown = Countdown(now=lambda: seconds[0])
    for seconds[0] in map(float, range(1, 41)):
        countdown.hear(seconds[0], 100 if seconds[0] < 20 else 200)
    assert countdown.remaining() is None
