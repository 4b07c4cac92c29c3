"""How long something takes, from how long the same took with about as much before."""

import statistics
import threading
from collections import deque

_REMEMBERED = 20
_LONG = 1.0  # seconds; what is answered sooner was remembered by somebody and says nothing of the work
_ALIKE = 4.0  # times as much or as little; beyond that nothing can be said


class Pace:
    """What was done, with how much, and how long that took; may be asked from any thread."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._known: dict[str, deque[tuple[float, float]]] = {}

    def remember(self, what: str, amount: float, seconds: float) -> None:
        """Something with some amount of data took so long."""
        if seconds >= _LONG and amount > 0:
            with self._mutex:
                self._known.setdefault(what, deque(maxlen=_REMEMBERED)).append((amount, seconds))

    def expected(self, what: str, amount: float) -> float | None:
        """The seconds that it takes with so much, once it is known that it takes long; None if unknown."""
        with self._mutex:
            known = list(self._known.get(what, ()))
        alike = [
            seconds * amount / measured
            for measured, seconds in known
            if 1 / _ALIKE <= amount / measured <= _ALIKE
        ]
        return statistics.median(alike) if alike else None
