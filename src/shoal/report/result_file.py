"""The result of a run for machines: `result.json`."""

from __future__ import annotations

from shoal.json_values import JsonValue, json_value
from shoal.privacy.verdict import Verdict
from shoal.report.class_sizes import risk_of
from shoal.report.outcome import Outcome


def result_dict(outcome: Outcome) -> dict[str, JsonValue]:
    """What was promised, whether it holds, what it cost; it compares with the original, so it is internal."""
    before, after = risk_of(outcome.cost.class_sizes_before), risk_of(outcome.cost.class_sizes_after)
    people = outcome.claim.people
    return {
        "model": outcome.model,
        "promises": [
            {"model": promise.name, "parameters": json_value(promise.parameters)}
            for promise in outcome.claim.promise
        ],
        "algorithm": outcome.provenance.algorithm,
        "options": json_value(outcome.provenance.options),
        "publishable": outcome.claim.publishable,
        "verdict": {
            "holds": outcome.holds,
            "by_construction": outcome.by_construction,
            "smallest": outcome.smallest,
            "checks": [_check(verdict) for verdict in outcome.claim.verdicts],
        },
        "loss": json_value(outcome.cost.losses),
        "column_loss": json_value(outcome.cost.column_losses),
        "records": outcome.cost.records,
        "published_records": outcome.cost.published_records,
        "suppressed_records": outcome.cost.suppressed_records,
        "columns": {"quasi": list(outcome.claim.quasi), "sensitive": list(outcome.claim.sensitive)},
        "classes": {
            "before": None if before is None else before.classes,
            "after": None if after is None else after.classes,
        },
        "risk": {
            "before": None if before is None else {"highest": before.highest, "mean": before.mean},
            "after": None if after is None else {"highest": after.highest, "mean": after.mean},
        },
        "people": None if people is None else {"subjects": people.subjects, "smallest": people.smallest},
        "notices": list(outcome.provenance.notices),
        "seconds": json_value(outcome.provenance.seconds),
        "peak_memory_mb": json_value(outcome.provenance.peak_memory_mb),
        "figures": json_value(outcome.provenance.figures),
        "attacks": json_value(outcome.claim.attacks.figures),
        "usefulness": None
        if outcome.cost.usefulness is None
        else json_value(outcome.cost.usefulness.figures()),
    }


def _check(verdict: Verdict) -> dict[str, JsonValue]:
    return {
        "claim": verdict.claim,
        "holds": verdict.holds,
        "by_construction": verdict.by_construction,
        "evidence": verdict.evidence,
        "smallest": verdict.smallest,
        "figures": json_value(verdict.figures),
        "if_missing_matched_everything": json_value(verdict.wildcard),
    }
