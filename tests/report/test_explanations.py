import re
from dataclasses import MISSING, fields

import pytest

from shoal.privacy.catalogue import MODELS
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.report.explanations import limits, promises_in_words
from shoal.report.outcome import Outcome
from tests.report.outcomes import baskets, hospital, visits

PARAMETERS = {"k": 5, "m": 2, "l": 3, "t": 0.2, "alpha": 0.5, "c": 4, "epsilon": 0.7}


def promising(*models: str, **parameters: object) -> Outcome:
    return hospital(promise=Promise(made(model, **parameters) for model in models))


def made(name: str, **parameters: object) -> Model:
    """A model with whatever parameters it needs."""
    model = MODELS[name]
    needed = [each.name for each in fields(model) if each.default is MISSING]
    return model(**({each: PARAMETERS[each] for each in needed} | parameters))


@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_explained(model):
    (paragraph,) = promises_in_words(promising(model))
    assert paragraph not in [verdict.claim for verdict in hospital().claim.verdicts]
    assert not re.search(r"[{}]", paragraph)
    assert limits(promising(model))


@pytest.mark.parametrize("kind", ["frequency", "distinct", "entropy", "recursive"])
def test_every_kind_of_diversity_is_explained(kind):
    (paragraph,) = promises_in_words(
        promising("l-diversity", kind=kind, c=4 if kind == "recursive" else None)
    )
    assert "outcome" in paragraph
    assert "3" in paragraph


class Silent(KAnonymity):
    meaning = ""


def test_a_model_without_words_keeps_its_claim():
    assert promises_in_words(hospital(promise=Promise((Silent(5),))))[0].startswith("satisfies k-anonymity")


def test_column_names_are_not_templates():
    (paragraph, _) = promises_in_words(hospital(quasi=("{k}", "{0}")))
    assert "in the columns {k} and {0}." in paragraph


def test_attribute_disclosure_is_named_until_diversity_is_promised():
    alone = [limit.title for limit in limits(promising("k-anonymity"))]
    diverse = [limit.title for limit in limits(promising("k-anonymity", "l-diversity"))]
    assert "What a whole group has in common" in alone
    assert "What a whole group has in common" not in diverse
    assert "Values that are different but alike" in diverse


def test_columns_outside_the_promise_are_named():
    (limit,) = [limit for limit in limits(hospital()) if limit.title == "Knowledge beyond these columns"]
    assert "covers age, zip, sex and admitted" in limit.text
    assert "In this file, outcome is not covered." in limit.text


def test_bounded_knowledge_is_named_for_sets():
    assert "Readers who know more items" in [limit.title for limit in limits(baskets())]
    assert "Readers who know more items" not in [limit.title for limit in limits(hospital())]


def test_people_are_mentioned_only_where_they_were_not_counted():
    assert "People with several rows" in [limit.title for limit in limits(hospital())]
    assert "People with several rows" not in [limit.title for limit in limits(visits())]
