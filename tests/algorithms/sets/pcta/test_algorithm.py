import random

import numpy as np
import pytest

from shoal.algorithms.sets.pcta import algorithm
from shoal.algorithms.sets.pcta.algorithm import PCTA
from shoal.errors import BadInput, Infeasible, LimitReached
from shoal.metrics.catalogue import measure
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.roles import QuasiSet
from tests.builders import local_data
from tests.hurried import UpAfter
from tests.reference import mixed, privacy_sets

ITEMS = "abcdef"


def data_of(sets, **role):
    return local_data([(items,) for items in sets], {"items": QuasiSet(**role)})


def find(data, *models, progress=None):
    return PCTA().find(data, models, np.random.default_rng(0), progress or Silent())


def published(data, recoding):
    column = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table.sets("items")
    starts, items = column.arrays
    labels = column.domain.texts()
    return [
        {labels[item] for item in items[a:b]}
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]


def random_sets(seed):
    rng = random.Random(seed)
    return [set(rng.sample(ITEMS, rng.randint(0, 4))) for _ in range(rng.randint(3, 9))]


def label(union):
    return next(iter(union)) if len(union) == 1 else "(" + "|".join(sorted(union)) + ")"


def test_unions_are_those_of_the_slow_search():
    for seed in range(150):
        sets, k, m = random_sets(seed), 2 + seed % 2, 1 + seed % 3
        data = data_of(sets)
        if sum(map(bool, sets)) < k:
            continue
        word_of = mixed.pcta(sets, k, m, sorted(set().union(*sets)))
        shown = published(data, find(data, KmAnonymity(k, m)))
        assert privacy_sets.km_anonymity(shown, k, m)[0]
        assert shown == [{label(word_of[item]) for item in items} for items in sets], seed


def test_loss_is_the_one_measured():
    for seed in range(30):
        sets = [*random_sets(seed), {"a"}, {"a"}]
        data = data_of(sets, item_weights={"a": 0.25, "b": 0.5})
        recoding = find(data, KmAnonymity(2, 2))
        assert measure(data, recoding, 2)["ul"] == pytest.approx(recoding.figures["utility_loss"])


def test_items_that_matter_more_are_kept_apart():
    # One item must be united with another: with a, with which it never occurs, or with b, likewise.
    sets = [{"a"}, {"a"}, {"b"}, {"b"}, {"rare"}]
    for kept, given_up in (("a", "b"), ("b", "a")):
        data = data_of(sets, item_weights={given_up: 0.5})
        assert published(data, find(data, KmAnonymity(2, 1))) == [
            {f"({given_up}|rare)"} if items & {given_up, "rare"} else {kept} for items in sets
        ]


def test_diversity_is_kept():
    kept = 0
    for seed in range(60):
        data = data_of(random_sets(seed), sensitive=("f",))
        try:
            recoding = find(data, KmAnonymity(2, 2), LmDiversity(1.5, 2))
        except Infeasible:
            continue
        shown = published(data, recoding)
        assert privacy_sets.km_anonymity(shown, 2, 2, frozenset("f"))[0]
        assert privacy_sets.lm_diversity(shown, 1.5, 2, frozenset("f"))
        kept += 1
    assert kept > 10


def test_labels_never_contain_the_separator():
    data = data_of([{"a"}, {"b"}, {"c", "d"}], separator="|")
    assert published(data, find(data, KmAnonymity(3, 1))) == [{"(a_b_c_d)"}] * 3


def test_an_item_may_be_called_what_a_union_would_be_called():
    data = data_of([{"a"}, {"b"}, {"(a|b)"}, {"(a|b)"}, {"(a|b)"}])
    shown = published(data, find(data, KmAnonymity(2, 1)))
    assert len({frozenset(items) for items in shown[:2]}) == 1
    assert privacy_sets.km_anonymity(shown, 2, 1)[0]


def test_time_that_is_up_still_gives_a_safe_release():
    data = data_of(random_sets(4))
    shown = published(data, find(data, KmAnonymity(2, 2), progress=Silent(time_limit=0)))
    assert privacy_sets.km_anonymity(shown, 2, 2)[0]


def test_time_that_is_up_within_a_long_repair_ends_it():
    for seed in range(20):
        data = data_of(random_sets(seed))
        if KmAnonymity(2, 2).infeasible(data):
            continue
        for questions in range(6):
            progress = UpAfter(questions)
            recoding = find(data, KmAnonymity(2, 2), progress=progress)
            assert privacy_sets.km_anonymity(published(data, recoding), 2, 2)[0]
            assert progress.more <= 3
            assert ("one union" in "".join(recoding.notices)) == (progress.more > 0)


def test_unions_that_are_too_long_to_write_are_refused(monkeypatch):
    data = data_of([{"a", "b"}, {"a", "b"}, {"c"}, {"d"}])
    written = sum(len(label) for items in published(data, find(data, KmAnonymity(2, 1))) for label in items)
    monkeypatch.setattr(algorithm, "_MOST_CHARACTERS", written + 2)
    find(data, KmAnonymity(2, 1))
    monkeypatch.setattr(algorithm, "_MOST_CHARACTERS", 3)
    with pytest.raises(LimitReached, match=r"^a union is written.* itemwise$"):
        find(data, KmAnonymity(2, 1))
    with pytest.raises(LimitReached, match=r"^time was up.* raise time_limit"):
        find(data, KmAnonymity(2, 1), progress=Silent(time_limit=-1.0))


def test_several_columns_and_negative_knowledge_are_refused():
    both = local_data([({"a"}, {"b"})], {"x": QuasiSet(), "y": QuasiSet()})
    with pytest.raises(BadInput, match="there are 2"):
        find(both, KmAnonymity(2, 1))
    with pytest.raises(BadInput, match="absent"):
        find(data_of([{"a"}, {"a"}]), KmAnonymity(2, 1, negative=True))
