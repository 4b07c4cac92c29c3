"""Sets that are not as they should be, met on the command line with the algorithms for k^m-anonymity."""

import random

import pytest

PRIVACY = 'model = "km-anonymity"\nk = {k}\nm = {m}'
FANOUT = "{ fanout = 5 }"


def run(hospital, sets, *, k=2, m=2, hierarchy=FANOUT, column="", algorithm='name = "aa"'):
    hospital.write("data.txt", sets)
    entry = f'role = "quasi", kind = "set", hierarchy = {hierarchy}{column}'
    return hospital.run(
        None,
        {"items": entry},
        path="data.txt",
        privacy=PRIVACY.format(k=k, m=m),
        algorithm=algorithm,
        output='path = "published.txt"',
    )


def published(hospital):
    return sorted((hospital.out / "published.txt").read_text().splitlines())


def test_repeated_items_are_folded_with_a_notice(hospital):
    done = run(hospital, "a b b\na b\n")
    assert done.code == 0, done.err
    assert any("repeated items were counted once, in 1 row" in notice for notice in done.notices)
    assert published(hospital) == ["a b", "a b"]


def test_repeated_items_keep_their_counts_when_asked(hospital):
    done = run(hospital, "a a b\na a b\na b\na b\n", column=", multiset = true")
    assert done.code == 0, done.err
    assert published(hospital) == ["a(1) b", "a(1) b", "a(2) b", "a(2) b"]


@pytest.mark.parametrize("algorithm", ["aa", "lra", "vpa", "da", "oa"])
def test_an_item_that_the_tree_lacks_is_named(hospital, algorithm):
    hospital.write("tree.csv", "a,A,*\nb,A,*\n")
    done = run(hospital, "a b\na c\n", hierarchy='"tree.csv"', algorithm=f'name = "{algorithm}"')
    assert done.code == 2
    assert any("value 'c': is not in the hierarchy and stands in 1 row" in error for error in done.errors)


@pytest.mark.parametrize("algorithm", ["aa", "lra", "vpa", "da", "oa"])
def test_fewer_than_k_sets_with_items_cannot_be_published(hospital, algorithm):
    done = run(hospital, "a b\n\n\n\na\n\n", k=3, algorithm=f'name = "{algorithm}"')
    assert done.code == 3
    assert "only 2 records have any item, so k can be at most 2" in done.err
    assert not hospital.out.exists()


def test_m_beyond_the_longest_set_is_reduced_with_a_notice(hospital):
    done = run(hospital, "a b\na b\n", m=7)
    assert done.code == 0, done.err
    assert any("m = 7 was reduced to 2" in notice for notice in done.notices)


def test_a_set_of_fifty_thousand_items_is_published(hospital):
    items = [f"i{number:05}" for number in range(50_000)]
    rng = random.Random(1)
    sets = [items, *(rng.sample(items, 5) for _ in range(300))]
    for m in (2, 3):
        done = run(hospital, "\n".join(map(" ".join, sets)) + "\n", m=m)
        assert done.code == 0, done.err
        hospital.out.rename(hospital.folder / f"out-{m}")


@pytest.mark.parametrize("algorithm", ["lra", "vpa"])
def test_a_memory_limit_below_the_program_itself_is_refused(hospital, algorithm):
    limited = f'name = "{algorithm}"\nmemory_limit = "100 MB"'
    done = run(hospital, "a b\na b\n", algorithm=limited)
    assert done.code == 4
    assert "the memory_limit of 100 MB" in done.err
    assert not hospital.out.exists()
