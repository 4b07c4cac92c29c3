"""What the command line says about results: names and figures, ready to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.metrics.catalogue import MEASURES, in_headlines
from shoal.report.wording import with_options

if TYPE_CHECKING:  # each command brings what it talks about
    from shoal.explain.items import Explanation
    from shoal.privacy.verdict import Verdict
    from shoal.report.outcome import Outcome
    from shoal.run.verification import FileVerification
    from shoal.study.check import Checked
    from shoal.study.profile import Profile

Rows = list[tuple[object, ...]]
_MOST_SENTENCES = 5


def outcome(facts: Outcome) -> dict[str, object]:
    """The summary of a run."""
    promises = {
        f"promise {place}" if place > 1 else "promise": verdict.claim
        for place, verdict in enumerate(facts.claim.verdicts, start=1)
    }
    seconds = facts.provenance.seconds
    summary: dict[str, object] = {
        **promises,
        "verdict": _verdict(facts),
        "smallest support": facts.smallest,
        "records": f"{facts.cost.records} read, {facts.cost.published_records} published,"
        f" {facts.cost.suppressed_records} suppressed",
        "algorithm": with_options(facts.provenance.algorithm, facts.provenance.options),
        **_losses(facts.cost.losses),
        "time": f"{seconds['total']:.2f} s, of which search {seconds['algorithm']:.2f} s",
    }
    if facts.claim.people is not None:
        summary["people"] = (
            f"{facts.claim.people.subjects}; the smallest class holds {facts.claim.people.smallest} of them"
            " (k counts rows in the file)"
        )
    for finding in facts.claim.attacks.words:
        name, _, words = finding.partition(": ")
        summary[name.lower()] = words
    if not facts.claim.publishable:
        summary["publishable"] = "no: the order of the rows was kept or can be repeated"
    return summary


def _losses(losses: Mapping[str, float]) -> dict[str, object]:
    """The measures that sum up a release: NCP, or how well its combinations of items are kept."""
    return {MEASURES[name].label: _percent(loss) for name, loss in in_headlines(losses).items()}


def _verdict(facts: Outcome) -> str:
    if not facts.holds:
        return "DOES NOT HOLD"
    return "by construction, not checked" if facts.by_construction else "holds, checked on the published file"


def examples(facts: Outcome) -> tuple[list[str], Rows]:
    """Original rows above the same rows as published."""
    rows: Rows = []
    for before, after in facts.changes.examples[:4]:
        rows += [("original", *before), ("published", *after)]
    return ["", *facts.changes.columns], rows


def checked(found: FileVerification) -> list[tuple[str, dict[str, object]]]:
    """What `verify` found, promise by promise."""
    parts: list[tuple[str, dict[str, object]]] = []
    for verdict in found.verdicts:
        facts: dict[str, object] = {
            "promise": verdict.claim,
            "verdict": "holds" if verdict.holds else "BROKEN",
            "evidence": verdict.evidence,
        }
        if verdict.smallest is not None:
            facts["smallest support"] = verdict.smallest
        if verdict.witness is not None:
            facts["witness"] = verdict.witness.what
            if verdict.witness.row_count:
                facts["in rows"] = _rows(verdict.witness.rows, verdict.witness.row_count)
        if verdict.wildcard is not None:
            facts["if missing matched all"] = _wildcard(verdict.wildcard)
        parts.append((found.file.name if isinstance(found.file, Path) else str(found.file), facts))
    if found.certificate is not None:
        agrees = "; ".join(found.disagreements) or "yes: every field is what the file gives"
        parts.append(("certificate", {"agrees": agrees, "digest": found.certificate.get("digest")}))
    if found.codebook_disagreements:
        parts.append(("codebook", {"does not fit the file": _first_few(found.codebook_disagreements)}))
    return parts


def _first_few(sentences: Sequence[str]) -> str:
    more = len(sentences) - _MOST_SENTENCES
    return "; ".join(sentences[:_MOST_SENTENCES]) + (f"; and {more} more" if more > 0 else "")


def checked_json(found: FileVerification) -> dict[str, Any]:
    """The same for machines."""
    return {
        "file": str(found.file),
        "holds": found.holds,
        "smallest": min((v.smallest for v in found.verdicts if v.smallest is not None), default=None),
        "verdicts": [verdict_json(verdict) for verdict in found.verdicts],
        "certificate": None
        if found.certificate is None
        else {"agrees": not found.disagreements, "disagreements": list(found.disagreements)},
        "codebook_disagreements": list(found.codebook_disagreements),
        "notices": list(found.notices),
    }


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict for machines."""
    witness = verdict.witness
    return {
        "claim": verdict.claim,
        "holds": verdict.holds,
        "evidence": verdict.evidence,
        "smallest": verdict.smallest,
        "witness": None
        if witness is None
        else {"what": witness.what, "rows": list(witness.rows), "row_count": witness.row_count},
        "figures": dict(verdict.figures),
        "wildcard": None if verdict.wildcard is None else dict(verdict.wildcard),
    }


def check(found: Checked) -> dict[str, object]:
    """What `check` found."""
    return {
        "records": found.records,
        "quasi-identifiers": ", ".join(found.columns),
        "algorithm": found.algorithm,
        "estimated time": _estimate(found),
        "estimated memory": f"{found.memory_mb:.0f} MB",
    }


def _estimate(found: Checked) -> str:
    if found.seconds is None:
        return "not known"
    if found.is_guess:
        return f"{found.seconds:.2f} s, a guess"
    return "less than a minute" if found.is_brief else f"{found.seconds:.0f} s"


def check_json(found: Checked) -> dict[str, Any]:
    """The same for machines."""
    return {
        "problems": [],
        "notices": list(found.notices),
        "records": found.records,
        "columns": list(found.columns),
        "algorithm": found.algorithm,
        "estimated_seconds": found.seconds,
        "estimate_is_guess": found.is_guess,
        "estimated_memory_mb": found.memory_mb,
    }


def profile_columns(found: Profile) -> tuple[list[str], Rows]:
    """One row per column of a profiled file."""
    heads = ["column", "kind", "distinct", "missing", "unique records", "suggested role", "because"]
    rows: Rows = [
        (
            c.name,
            c.kind,
            c.distinct,
            c.missing,
            _percent(c.unique_share),
            c.role,
            "; ".join((c.reason, *c.notes)),
        )
        for c in found.columns
    ]
    return heads, rows


def _in_words(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return "a tabulator" if value == "\t" else value
    return ", ".join(value)


def profile_reading(found: Profile) -> dict[str, object]:
    """What was found out about a file beside its columns."""
    how = {name: value for name, value in asdict(found.read_as).items() if value}
    tokens = [repr(token) for token in found.missing if token]
    return {
        **{name: _in_words(value) for name, value in how.items()},
        "missing values": ", ".join(["empty cells", *tokens]),
        "rows of one person": f"share {found.subject!r}" if found.subject else "none were found",
    }


def profile_uniqueness(found: Profile) -> tuple[list[str], Rows]:
    """How unique records are on one, two and all columns that could be known."""
    rows: Rows = [(" + ".join(names), _percent(share)) for names, share in found.uniqueness]
    return ["who knows these columns", "can single out this share of the records"], rows


def profile_json(found: Profile) -> dict[str, Any]:
    """A profile for machines."""
    return {
        "records": found.records,
        "columns": [
            {
                "name": c.name,
                "kind": c.kind,
                "distinct": c.distinct,
                "missing": c.missing,
                "unique_share": c.unique_share,
                "role": c.role,
                "reason": c.reason,
                "looks_like": c.looks_like,
                "decimal": c.decimal,
                "thousands": c.thousands,
                "date_format": c.date_format,
                "separator": c.separator,
                "ambiguous": c.ambiguous,
                "suspicious": c.suspicious,
                "notes": list(c.notes),
                "hierarchy": dict(c.recipe),
            }
            for c in found.columns
        ],
        "missing": list(found.missing),
        "subject": found.subject,
        "read_as": asdict(found.read_as),
        "uniqueness": [{"columns": list(names), "unique_share": share} for names, share in found.uniqueness],
        "notices": list(found.notices),
    }


def algorithms(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], Rows]:
    """One row per algorithm."""
    heads = ["algorithm", "serves", "guarantee", "options", "paper"]
    return heads, [
        (row["name"], ", ".join(row["models"]), row["guarantee"], _options(row["parameters"]), row["paper"])
        for row in rows
    ]


def explanation_json(found: Explanation) -> dict[str, Any]:
    """An explanation for machines."""
    reason = found.reason
    return {
        "part": found.part,
        "published_as": found.published_as,
        "sentence": found.sentence(),
        "reason": None
        if reason is None
        else {"itemset": list(reason.itemset), "absent": list(reason.absent), "support": reason.support},
    }


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _rows(shown: Sequence[int], count: int) -> str:
    listed = ", ".join(map(str, shown))
    return f"{listed} and {count - len(shown)} more" if count > len(shown) else listed


def _wildcard(reading: Mapping[str, Any]) -> str:
    if "smallest" not in reading:
        return str(reading.get("reason", "not computed"))
    verdict = "would hold" if reading["holds"] else "would not hold"
    return f"{verdict} (smallest {reading['smallest']}); this weaker reading never decides"


def _options(parameters: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{declared['name']} = {declared['default']!r}: {declared['help']}" for declared in parameters
    )
