"""How much longer something takes that counts what it has done, as long as that can be told."""

import time
from collections.abc import Callable

_AT_LEAST = 2.0  # seconds of counting, before which nothing is told
_LEAST_SHARE = 0.05
_STEADY = 2.0  # times as fast, or half as fast, in the second half of the time as in the first
_MOST_HEARD = 512


class Countdown:
    """Hears how much is done of how much, and tells how many seconds are left.

    Nothing is told where a count begins again or another total is named, as where several things are counted
    by turns: then nobody knows what follows. Nor is it where the count grew faster or more slowly before.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._total: float | None = None
        self._heard = [(now(), 0.0)]
        self._is_one_count = True

    def hear(self, done: float, total: float | None) -> None:
        """So much is done of so much; None if nobody knows of how much."""
        began_again = done < self._heard[-1][1] or (self._total is not None and total != self._total)
        self._is_one_count = self._is_one_count and not began_again
        self._total = total
        self._heard.append((self._now(), done))
        if len(self._heard) > _MOST_HEARD:
            self._heard = self._heard[::2]

    def remaining(self) -> float | None:
        """The seconds that are left; None if they cannot be told."""
        (began, _), (_, done), now = self._heard[0], self._heard[-1], self._now()
        if not self._is_one_count or not self._total or done < _LEAST_SHARE * self._total:
            return None
        middle, by_then = max(each for each in self._heard if each[0] <= (began + now) / 2)
        if now - began < _AT_LEAST or by_then == 0:
            return None
        pace = (done - by_then) / (now - middle)
        if not 1 / _STEADY <= pace * (middle - began) / by_then <= _STEADY:
            return None
        return max(0.0, (self._total - done) / pace)
