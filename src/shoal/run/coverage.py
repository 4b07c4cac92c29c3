"""Whether the model covers what an adversary could know: every quasi-identifier."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive

_COVERS_BOTH = 'use model = "k-km-anonymity", which covers both'
_SET_MODELS = ("km-anonymity", "set-k-anonymity", "disassociation")

Finding = tuple[str | None, str, str]  # the column, if it is about one; what is wrong; what to do


def coverage_problems(model: str, roles: Mapping[str, Role], *, wants_diversity: bool) -> list[Finding]:
    """Columns that the model leaves open, and promises about columns that are not there."""
    quasi = [name for name, role in roles.items() if isinstance(role, Quasi)]
    sets = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
    findings: list[Finding] = []
    if model == "k-anonymity":
        findings += [
            (name, f"k-anonymity does not cover the set column {name!r}", _COVERS_BOTH) for name in sets
        ]
        if not quasi:
            findings.append(
                (None, "k-anonymity needs a column of role quasi", "say which columns could be known")
            )
    if model in _SET_MODELS:
        findings += [
            (name, f"{model} does not cover the quasi-identifier {name!r}", _COVERS_BOTH) for name in quasi
        ]
    if model in (*_SET_MODELS, "k-km-anonymity") and not sets:
        findings.append(
            (None, f"{model} needs a column of role quasi and kind set", "say which column holds the sets")
        )
    if model == "k-km-anonymity" and not quasi:
        what = "k-km-anonymity needs a quasi-identifier with single values"
        findings.append((None, what, 'for sets alone use model = "km-anonymity"'))
    if wants_diversity and not _has_sensitive(roles):
        what = "l, t and alpha protect sensitive values, and nothing is sensitive"
        findings.append((None, what, 'give a column role = "sensitive", or a set column `sensitive = [...]`'))
    return findings


def _has_sensitive(roles: Mapping[str, Role]) -> bool:
    return any(
        isinstance(role, Sensitive) or (isinstance(role, QuasiSet) and bool(role.sensitive))
        for role in roles.values()
    )
