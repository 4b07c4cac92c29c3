from dataclasses import replace

from tests.report.outcomes import changed, hospital


def test_holds_only_when_all_were_checked_and_hold():
    outcome = hospital()
    assert outcome.holds
    assert not changed(outcome, verdicts=()).holds
    assert not changed(
        outcome, verdicts=(outcome.claim.verdicts[0], replace(outcome.claim.verdicts[1], holds=False))
    ).holds


def test_the_smallest_of_all_checks():
    outcome = hospital()
    assert outcome.smallest == 5
    assert changed(outcome, verdicts=outcome.claim.verdicts[1:]).smallest is None
