from dataclasses import replace

from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.report.outcome import Promise
from tests.report.outcomes import hospital


def test_a_promise_names_its_model_and_the_parameters_that_were_given():
    assert Promise.of(KAnonymity(5)) == Promise("k-anonymity", {"k": 5})
    assert Promise.of(LDiversity(2)) == Promise("l-diversity", {"l": 2, "kind": "frequency"})


def test_holds_only_when_all_were_checked_and_hold():
    outcome = hospital()
    assert outcome.holds
    assert not replace(outcome, verdicts=()).holds
    assert not replace(
        outcome, verdicts=(outcome.verdicts[0], replace(outcome.verdicts[1], holds=False))
    ).holds


def test_the_smallest_of_all_checks():
    outcome = hospital()
    assert outcome.smallest == 5
    assert replace(outcome, verdicts=outcome.verdicts[1:]).smallest is None
