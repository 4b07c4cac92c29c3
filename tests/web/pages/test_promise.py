from shoal.algorithms.catalogue import describe_algorithms
from shoal.web.pages.promise import fitting_answers

AGE = {"role": "quasi", "kind": "number"}
ITEMS = {"role": "quasi", "kind": "set"}


def models(**columns):
    return list(fitting_answers(columns))


def test_answers_fit_the_columns_that_somebody_could_know():
    assert models(age=AGE, items={"role": "sensitive"}) == ["k-anonymity"]
    assert models(age=AGE, items=ITEMS) == ["k-km-anonymity"]
    assert models(sex={"role": "quasi"}) == ["k-anonymity"]
    assert "disassociation" in models(items=ITEMS)
    assert models(name={"role": "identifier"}) == []


def test_every_promise_that_is_offered_has_an_algorithm():
    served = {model for each in describe_algorithms() for model in each["models"]}
    assert {*models(age=AGE), *models(age=AGE, items=ITEMS), *models(items=ITEMS)} <= served
