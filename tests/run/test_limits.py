from shoal.algorithms.search import Limits, Search
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.run.release import algorithm_for


def algorithm(name, **limits):
    found, _ = algorithm_for(Search(algorithm=name, limits=Limits(**limits)), [KmAnonymity(2, 2)])
    return found


def test_memory_limit_reaches_algorithms_that_can_keep_it():
    assert algorithm("lra", memory=1e9).memory_limit == 1e9
    assert algorithm("vpa", memory=1e9).memory_limit == 1e9
    assert algorithm("lra").memory_limit == 0
    assert not hasattr(algorithm("aa", memory=1e9), "memory_limit")
