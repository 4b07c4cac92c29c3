"""Every model of the catalogue describes itself, so that nobody has to ask for its class."""

import string

import pytest

from shoal.engine.port import Question
from shoal.errors import InvalidParameter
from shoal.policy.promise import keys_of, named_models
from shoal.privacy.catalogue import MODELS
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import BOTH, Form
from shoal.privacy.promise import Promise
from tests.contract.cases import promise_of

KNOWN_WORDS = {"quasi", "values", "sets", "sensitive"}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_what_it_covers_asks_and_means(name):
    model = promise_of(name)[-1]
    assert model.name == name
    assert model.covers
    assert model.covers <= BOTH
    assert model.asks <= set(Question)
    named = {field for _, field, _, _ in string.Formatter().parse(model.meaning) if field}
    assert named <= KNOWN_WORDS | model.parameters.keys()
    assert model.hides_among == model.parameters.get("k", 1)
    assert type(model)(**model.parameters) == model


@pytest.mark.parametrize("name", named_models())
def test_a_named_model_is_made_of_safe_keys(name):
    keys = keys_of(name)
    assert len({key.name for key in keys}) == len(keys)
    made = named_models()[name].make({key.name: key.safe for key in keys if key.needed})
    assert type(made) is MODELS[name]
    assert all(key.safe is not None and key.least <= key.safe <= key.most for key in keys if key.needed)


def test_a_promise_is_what_its_models_say_together():
    promise = Promise.of([KmAnonymity(5, 2), KmAnonymity(3, 4)])
    assert (promise.k, promise.m, promise.diverse, promise.form) == (5, 4, False, Form.ROWS)
    assert promise.covers_sets
    assert promise.fewest_stars == 5
    both = Promise.of([KAnonymity(4), LDiversity(2)])
    assert (both.k, both.m, both.diverse) == (4, None, True)
    assert str(both) == "k-anonymity with l-diversity"
    assert both.main == KAnonymity(4)
    assert not both.covers_sets


@pytest.mark.parametrize("wrong", [None, KAnonymity, [], [KAnonymity(2), "l"], "k-anonymity"])
def test_what_is_no_promise_is_refused(wrong):
    with pytest.raises(InvalidParameter, match="one or more models"):
        Promise.of(wrong)
