"""What may go out with the published file: the claim, the figures it rests on, the file's fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal.errors import PromiseBroken
from shoal.json_values import JsonValue, json_value, without_texts
from shoal.privacy.verdict import Verdict
from shoal.report.class_sizes import risk_of
from shoal.report.outcome import Outcome

FORMAT = "shoal-certificate-1"
_BLOCK = 1 << 20


def certificate(outcome: Outcome, published: Path | Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The certificate of a release that was checked.

    It holds no seed, no path and no value that is not in the published file: of verdicts only numbers are
    taken, of the policy the promises and the roles of published columns, and losses, which compare with the
    original, are rounded to three digits so that they cannot be solved for it. Of a file that is
    not on this machine its name, size and SHA-256 are given instead.
    """
    if not outcome.holds:
        broken = next((verdict for verdict in outcome.claim.verdicts if not verdict.holds), None)
        evidence = broken.evidence if broken else "nothing was checked"
        raise PromiseBroken(
            f"no certificate is made for a release that does not keep its promise: {evidence}", broken
        )
    return {
        "format": FORMAT,
        "shoal": version("shoal"),
        "file": _fingerprint(published) if isinstance(published, Path) else dict(published),
        "publishable": outcome.claim.publishable,
        "model": outcome.model,
        "promises": [
            {"model": promise.name, "parameters": json_value(promise.parameters)}
            for promise in outcome.claim.promise
        ],
        "policy": {"columns": json_value(outcome.claim.roles)},
        "claims": [verdict.claim for verdict in outcome.claim.verdicts],
        "verdict": {
            # Nobody has verified what only the mechanism can promise.
            "holds": None if outcome.by_construction else True,
            "by_construction": outcome.by_construction,
            "smallest": _smallest_count_of_records(outcome),
            "records": outcome.cost.published_records,
            "checks": [
                _check(verdict, "records" if outcome.claim.people is None else "people")
                for verdict in outcome.claim.verdicts
            ],
        },
        "measures": {"published": _published_measures(outcome), "loss": _published_losses(outcome)},
        "people": _people(outcome),
    }


def disagreements_with(
    certificate: Mapping[str, Any], file: Path, verdicts: Sequence[Verdict] = ()
) -> list[str]:
    """How the file disagrees with its certificate; empty when it is the certified file.

    With the verdicts of a check of the file, also how those disagree with what the certificate states:
    anybody can write another claim beside the right hash.
    """
    if certificate.get("format") != FORMAT:
        return [f"this is not a certificate that Shoal can read: its format is not {FORMAT!r}"]
    stated = certificate.get("file")
    if not isinstance(stated, Mapping):
        return ["the certificate does not say which file it is about: it has no 'file'"]
    actual = _fingerprint(file)
    disagreements = [
        f"the certificate is about a file with {words} {stated.get(key)!r}, this one has {actual[key]!r}"
        for key, words in (("name", "the name"), ("bytes", "the size in bytes"), ("sha256", "the SHA-256"))
        if stated.get(key) != actual[key]
    ]
    return disagreements + (_other_statements(certificate, verdicts) if verdicts else [])


def _other_statements(certificate: Mapping[str, Any], verdicts: Sequence[Verdict]) -> list[str]:
    claims = [verdict.claim for verdict in verdicts]
    smallest = min((verdict.smallest for verdict in verdicts if verdict.smallest is not None), default=None)
    verdict = certificate.get("verdict")
    stated = verdict if isinstance(verdict, Mapping) else {}
    found = [
        ("claims", certificate.get("claims"), claims),
        ("finds as the smallest support", stated.get("smallest"), smallest),
        ("says of the verdict", stated.get("holds"), all(verdict.holds for verdict in verdicts)),
    ]
    return [
        f"the certificate {words} {there!r}, the check of this file {here!r}"
        for words, there, here in found
        if there != here
    ]


def _fingerprint(file: Path) -> dict[str, JsonValue]:
    digest = hashlib.sha256()
    size = 0
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return {"name": file.name, "bytes": size, "sha256": digest.hexdigest()}


def _smallest_count_of_records(outcome: Outcome) -> int | None:
    """What a check of the file alone finds; the run's own check counts people where it can."""
    risk = risk_of(outcome.cost.class_sizes_after)
    if outcome.claim.people is not None and risk is not None:
        return risk.smallest
    return outcome.smallest


def _check(verdict: Verdict, counted: str) -> dict[str, JsonValue]:
    return {
        "claim": verdict.claim,
        "holds": None if verdict.by_construction else verdict.holds,
        "by_construction": verdict.by_construction,
        "smallest": verdict.smallest,
        "counted": counted,
        "figures": without_texts(verdict.figures),
        "if_missing_matched_everything": None
        if verdict.wildcard is None
        else without_texts(verdict.wildcard),
    }


def _published_measures(outcome: Outcome) -> dict[str, JsonValue]:
    """What anyone can compute from the published file again, who knows the algorithm."""
    attacks = {name: json_value(figures) for name, figures in outcome.claim.attack_figures.items()}
    risk = risk_of(outcome.cost.class_sizes_after)
    if risk is None:
        return attacks
    return attacks | {
        "classes": risk.classes,
        "smallest_class": risk.smallest,
        "largest_class": risk.largest,
        "unique_records": risk.unique,
        "highest_risk": _three_digits(risk.highest),
        "mean_risk": _three_digits(risk.mean),
    }


def _published_losses(outcome: Outcome) -> dict[str, JsonValue]:
    """Losses compare with the original, without noise: of differential privacy they would leave nothing."""
    return {} if outcome.by_construction else _rounded(outcome.cost.losses)


def _rounded(losses: Mapping[str, float]) -> dict[str, JsonValue]:
    return {name: json_value(_three_digits(loss)) for name, loss in losses.items()}


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def _people(outcome: Outcome) -> dict[str, JsonValue] | None:
    if outcome.claim.people is None:
        return None
    return {
        "subjects": outcome.claim.people.subjects,
        "smallest": outcome.claim.people.smallest,
        "note": "k counts rows. When the file was made, people were counted by their subject, which is not"
        " published, so this count cannot be repeated from the file.",
    }
