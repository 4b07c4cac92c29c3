"""What a certificate says about the columns of a published file, so that a check needs no policy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from shoal.errors import BadInput, Problem, ShoalError
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.table.columns import Kind
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive

PSEUDONYM = "pseudonym"
TELLS_APART = "tells_apart"
_HELD_BY_NOBODY = "\0"  # stands for sensitive items of which none is published


Held = Callable[[str, Collection[str]], set[str]]


def published_roles(
    names: Iterable[str],
    roles: Mapping[str, Role],
    held: Held,
    tells_apart: Callable[[str], bool] = lambda _: False,
) -> dict[str, dict[str, Any]]:
    """The roles of published columns as a certificate states them.

    `held` tells which labels a published column of sets shows: a sensitive item that it does not is not
    named. `tells_apart` tells it of a column that is published untouched.
    """
    return {name: _stated(name, roles[name], held, tells_apart) for name in names}


def _stated(name: str, role: Role, held: Held, tells_apart: Callable[[str], bool]) -> dict[str, Any]:
    match role:
        case QuasiSet():
            stated = {"role": "quasi", "kind": str(Kind.SET), "separator": role.separator}
            return stated | ({"sensitive": sorted(held(name, role.sensitive))} if role.sensitive else {})
        case Quasi():
            return {"role": "quasi"}
        case Sensitive():
            return {"role": "sensitive", "kind": str(role.kind)}
        case Insensitive():
            return {"role": "insensitive", TELLS_APART: tells_apart(name)}
        case _:
            return {"role": PSEUDONYM}


def roles_of_certificate(certificate: Mapping[str, Any]) -> dict[str, Role]:
    """The roles under which the certified file is read; BadInput if the certificate does not say them."""
    try:
        return {name: _role(about) for name, about in certificate["policy"]["columns"].items()}
    except (KeyError, TypeError, AttributeError, ValueError, ShoalError) as error:
        raise _unusable("the roles of the columns") from error


def _role(about: Mapping[str, Any]) -> Role:
    match about["role"]:
        case "quasi" if about.get("kind") == Kind.SET:
            sensitive = tuple(about["sensitive"]) or (_HELD_BY_NOBODY,) if "sensitive" in about else ()
            return QuasiSet(separator=about["separator"], sensitive=sensitive)
        case "quasi":
            return Quasi()
        case "sensitive":
            return Sensitive(kind=Kind(about["kind"]))
        case "insensitive":
            return Insensitive(confirm=about[TELLS_APART])
        case "pseudonym":
            return Identifier(pseudonym=True)
        case other:
            raise ValueError(other)


def promise_of_certificate(certificate: Mapping[str, Any]) -> Promise:
    """The promises of a certificate; BadInput if it does not say them."""
    try:
        promise = Promise(_model(each) for each in certificate["promises"])
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError, ShoalError) as error:
        raise _unusable("what is promised") from error
    if not promise:
        raise _unusable("what is promised")
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
