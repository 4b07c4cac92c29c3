"""Whether the models cover what an adversary could know: every quasi-identifier."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.privacy.model import BOTH, Form, Model
from shoal.privacy.promise import Promise
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive

_COVERS_BOTH = 'use model = "k-km-anonymity", which covers both'

Finding = tuple[str | None, str, str]  # the column, if it is about one; what is wrong; what to do


def coverage_problems(promise: Promise, roles: Mapping[str, Role]) -> list[Finding]:
    """Columns that the models leave open, and promises about columns that are not there."""
    if promise.form is Form.NEW_RECORDS:  # no record of anybody is published
        return []
    findings: list[Finding] = []
    joint = next((model for model in promise if model.covers == BOTH), None)
    for model in [joint] if joint is not None else _one_of_each_kind(promise):
        findings += _open_columns(model, roles)
    if promise.diverse and not _has_sensitive(roles):
        what = "l, t and alpha protect sensitive values, and nothing is sensitive"
        findings.append((None, what, 'give a column role = "sensitive", or a set column `sensitive = [...]`'))
    return findings


def _one_of_each_kind(promise: Promise) -> list[Model]:
    return list({model.covers: model for model in reversed(promise)}.values())[::-1]


def _open_columns(model: Model, roles: Mapping[str, Role]) -> list[Finding]:
    quasi = [name for name, role in roles.items() if isinstance(role, Quasi)]
    sets = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
    findings: list[Finding] = []
    if QuasiSet not in model.covers:
        what = f"{model.name} does not cover the set column"
        findings += [(name, f"{what} {name!r}", _COVERS_BOTH) for name in sets]
    if Quasi not in model.covers:
        what = f"{model.name} does not cover the quasi-identifier"
        findings += [(name, f"{what} {name!r}", _COVERS_BOTH) for name in quasi]
    if Quasi in model.covers and not quasi:
        findings.append(_without_values(model))
    if QuasiSet in model.covers and not sets:
        what = f"{model.name} needs a column of role quasi and kind set"
        findings.append((None, what, "say which column holds the sets"))
    return findings


def _without_values(model: Model) -> Finding:
    if model.covers == BOTH:
        what = f"{model.name} needs a quasi-identifier with single values"
        return None, what, 'for sets alone use model = "km-anonymity"'
    return None, f"{model.name} needs a column of role quasi", "say which columns could be known"


def _has_sensitive(roles: Mapping[str, Role]) -> bool:
    return any(
        isinstance(role, Sensitive) or (isinstance(role, QuasiSet) and bool(role.sensitive))
        for role in roles.values()
    )
