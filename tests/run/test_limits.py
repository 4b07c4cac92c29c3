import pytest

from shoal.algorithms.search import Limits, Search, WithinLimits
from shoal.errors import LimitReached
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.run.release import algorithm_for


def algorithm(name, **limits):
    found, _ = algorithm_for(Search(algorithm=name, limits=Limits(**limits)), [KmAnonymity(2, 2)])
    return found


def test_memory_limit_reaches_algorithms_that_can_keep_it():
    assert algorithm("lra", memory=1e9).memory_limit == 1e9
    assert algorithm("vpa", memory=1e9).memory_limit == 1e9
    assert algorithm("lra").memory_limit == 0
    assert not hasattr(algorithm("aa", memory=1e9), "memory_limit")


def test_who_only_asks_is_stopped_at_the_limit_as_well():
    best, stop = (
        WithinLimits(Silent(), Limits(time=1.0, on_limit=each), seconds_gone=2.0) for each in ("best", "stop")
    )
    assert best.expired()
    best.update(1)
    for ask in (stop.expired, lambda: stop.expired(0.5), lambda: stop.update(1)):
        with pytest.raises(LimitReached, match="time_limit of 1 s"):
            ask()
    assert not WithinLimits(Silent(), Limits(time=60.0)).expired(0.001)
