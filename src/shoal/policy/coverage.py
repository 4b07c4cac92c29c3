"""Whether the models cover what an adversary could know: every quasi-identifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.privacy.set_k_anonymity import SetKAnonymity, SetLDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.privacy.verdict import Model
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive

_OF_VALUES = (KAnonymity, LDiversity, TCloseness, AlphaKAnonymity)
_OF_SETS = (KmAnonymity, LmDiversity, SetKAnonymity, SetLDiversity, Disassociation)
_OF_BOTH = (KKmAnonymity, KLmDiversity)
_COVERS_BOTH = 'use model = "k-km-anonymity", which covers both'

Finding = tuple[str | None, str, str]  # the column, if it is about one; what is wrong; what to do


def coverage_problems(models: Sequence[Model], roles: Mapping[str, Role]) -> list[Finding]:
    """Columns that the models leave open, and promises about columns that are not there."""
    quasi = [name for name, role in roles.items() if isinstance(role, Quasi)]
    sets = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
    findings: list[Finding] = []
    joint = next((model for model in models if isinstance(model, _OF_BOTH)), None)
    if joint is not None:
        if not quasi:
            what = f"{joint.name} needs a quasi-identifier with single values"
            findings.append((None, what, 'for sets alone use model = "km-anonymity"'))
        if not sets:
            findings.append(_no_sets(joint))
    else:
        findings += _one_sided(models, quasi, sets)
    if protects_sensitive(models) and not _has_sensitive(roles):
        what = "l, t and alpha protect sensitive values, and nothing is sensitive"
        findings.append((None, what, 'give a column role = "sensitive", or a set column `sensitive = [...]`'))
    return findings


def protects_sensitive(models: Sequence[Model]) -> bool:
    """Whether something is promised about sensitive values."""
    return any(getattr(model, name, None) is not None for model in models for name in ("l", "t", "alpha"))


def _one_sided(models: Sequence[Model], quasi: Sequence[str], sets: Sequence[str]) -> list[Finding]:
    findings: list[Finding] = []
    of_values = next((model for model in models if isinstance(model, _OF_VALUES)), None)
    of_sets = next((model for model in models if isinstance(model, _OF_SETS)), None)
    if of_values is not None:
        what = f"{of_values.name} does not cover the set column"
        findings += [(name, f"{what} {name!r}", _COVERS_BOTH) for name in sets]
        if not quasi:
            what = f"{of_values.name} needs a column of role quasi"
            findings.append((None, what, "say which columns could be known"))
    if of_sets is not None:
        what = f"{of_sets.name} does not cover the quasi-identifier"
        findings += [(name, f"{what} {name!r}", _COVERS_BOTH) for name in quasi]
        if not sets:
            findings.append(_no_sets(of_sets))
    return findings


def _no_sets(model: Model) -> Finding:
    return None, f"{model.name} needs a column of role quasi and kind set", "say which column holds the sets"


def _has_sensitive(roles: Mapping[str, Role]) -> bool:
    return any(
        isinstance(role, Sensitive) or (isinstance(role, QuasiSet) and bool(role.sensitive))
        for role in roles.values()
    )
