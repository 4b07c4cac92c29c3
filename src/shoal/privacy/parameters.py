"""How models check their own parameters, in one form of sentence."""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.errors import InvalidParameter, NoPromise

Number = int | float | Fraction

_LARGEST_KERNEL_INTEGER = 2**63 - 1
_LARGEST_WHOLE = 2**53  # more records than any file has, and far from where kernels would overflow


def check_whole(owner: str, name: str, value: object, least: int = 1) -> None:
    """Refuse anything but an integer of at least `least`; True is not a number."""
    if type(value) is not int or value < least:
        raise InvalidParameter(owner, name, value, f"an integer of {least} or more")
    if value > _LARGEST_WHOLE:
        raise InvalidParameter(owner, name, value, f"an integer of at most {_LARGEST_WHOLE:,}")


def check_k(owner: str, k: object) -> None:
    """Refuse anything but an integer of 2 or more."""
    if k == 1 and not isinstance(k, bool):
        raise NoPromise(owner, "k", k, "every record may be alone", "5 or more")
    check_whole(owner, "k", k, least=2)


def check_l(owner: str, l: object) -> None:
    """Refuse anything but a number above 1."""
    if l == 1 and not isinstance(l, bool):
        raise NoPromise(owner, "l", l, "everybody may have the same sensitive value", "2 or more")
    check_number(owner, "l", l, "a number above 1", least=1)


def check_share(owner: str, name: str, share: object, why: str) -> None:
    """Refuse anything but a number between 0 and 1; `why` 1 promises nothing."""
    must_be = "a number above 0 and below 1"
    if share == 1 and not isinstance(share, bool):
        raise NoPromise(owner, name, share, why, must_be)
    check_number(owner, name, share, must_be, most=1)


def check_choice(owner: str, name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse anything but one of the choices."""
    if value not in choices:
        raise InvalidParameter(owner, name, value, f"one of {', '.join(map(repr, choices))}")


def exact(value: Number) -> Fraction:
    """The number a user meant: a float stands for its shortest decimal, so 0.1 is one tenth."""
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def check_number(
    owner: str, name: str, value: object, must_be: str, *, least: int | None = None, most: int | None = None
) -> None:
    """Refuse anything but a finite number above 0, or from `least` on, and up to `most`.

    The number must also be a fraction that kernels can hold.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidParameter(owner, name, value, must_be)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidParameter(owner, name, value, must_be)
    too_low = value <= 0 if least is None else value < least
    if too_low or (most is not None and value > most):
        raise InvalidParameter(owner, name, value, must_be)
    fraction = exact(value)
    if max(fraction.numerator, fraction.denominator) > _LARGEST_KERNEL_INTEGER:
        raise InvalidParameter(owner, name, value, f"{must_be}, written with at most 18 digits")
