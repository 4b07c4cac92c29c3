"""What a certificate says about the columns of a published file, so that a check needs no policy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from shoal.engine.port import Question
from shoal.errors import BadInput, Problem, ShoalError
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.table.columns import Kind
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive

PSEUDONYM = "pseudonym"


def published_roles(
    names: Iterable[str], roles: Mapping[str, Role], held: Callable[[str, Collection[str]], set[str]]
) -> dict[str, dict[str, Any]]:
    """The roles of published columns as a certificate states them.

    `held` tells which labels a published column of sets shows: a sensitive item that it does not is not
    named.
    """
    return {name: _stated(name, roles[name], held) for name in names}


def _stated(name: str, role: Role, held: Callable[[str, Collection[str]], set[str]]) -> dict[str, Any]:
    kind = str(getattr(role, "kind", Kind.CATEGORY))
    match role:
        case QuasiSet():
            sensitive = sorted(held(name, role.sensitive)) if role.sensitive else []
            return {"role": "quasi", "kind": kind, "separator": role.separator, "sensitive": sensitive}
        case Quasi():
            return {"role": "quasi", "kind": kind}
        case Sensitive():
            return {"role": "sensitive", "kind": kind}
        case Insensitive():
            return {"role": "insensitive", "kind": kind, "confirmed": role.confirm}
        case _:
            return {"role": PSEUDONYM, "kind": kind}


def roles_of_certificate(certificate: Mapping[str, Any]) -> dict[str, Role]:
    """The roles under which the certified file is read; BadInput if the certificate does not say them."""
    try:
        return {name: _role(about) for name, about in certificate["policy"]["columns"].items()}
    except (KeyError, TypeError, AttributeError, ValueError, ShoalError) as error:
        raise _unusable("the roles of the columns") from error


def _role(about: Mapping[str, Any]) -> Role:
    kind = Kind(about["kind"])
    match about["role"]:
        case "quasi" if kind is Kind.SET:
            return QuasiSet(separator=about["separator"], sensitive=tuple(about["sensitive"]))
        case "quasi":
            return Quasi(kind=kind)
        case "sensitive":
            return Sensitive(kind=kind)
        case "insensitive":
            return Insensitive(confirm=about["confirmed"])
        case "pseudonym":
            return Identifier(pseudonym=True)
        case other:
            raise ValueError(other)


def promise_of_certificate(certificate: Mapping[str, Any]) -> Promise:
    """The promises of a certificate; BadInput if it does not say them, or if they need more than the file."""
    try:
        promise = Promise(_model(each) for each in certificate["promises"])
    except (KeyError, TypeError, AttributeError, ValueError, ShoalError) as error:
        raise _unusable("what is promised") from error
    if not promise:
        raise _unusable("what is promised")
    if any(Question.ABSENCE in model.asks for model in promise):
        what = "facts of absence are checked with the hierarchies, which no certificate holds"
        raise BadInput(Problem(what, "name the policy with --policy"))
    return promise


def _model(promise: Mapping[str, Any]) -> Model:
    parameters = {
        name: Fraction(value) if isinstance(value, str) and _is_fraction(value) else value
        for name, value in promise["parameters"].items()
    }
    return MODELS[promise["model"]](**parameters)


def _is_fraction(text: str) -> bool:
    numerator, slash, denominator = text.partition("/")
    return bool(slash) and numerator.isdigit() and denominator.isdigit()


def _unusable(what: str) -> BadInput:
    return BadInput(Problem(f"the certificate does not say {what}", "name the policy with --policy"))
