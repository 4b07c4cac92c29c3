"""Promises that protect little: they are made only by somebody who says so in writing."""

from collections.abc import Mapping
from typing import Any

from shoal.errors import Problem

USUAL = {"k": 3, "l": 2}  # below, one more thing that a reader knows may tell people apart


def weak_parts(privacy: Mapping[str, Any]) -> tuple[str, ...]:
    """The numbers of [privacy] that are below the usual ones, such as 'k = 2'."""
    return tuple(
        f"{name} = {privacy[name]}"
        for name, least in USUAL.items()
        if isinstance(privacy.get(name), int | float) and privacy[name] < least
    )


def unconfirmed(privacy: Mapping[str, Any], written: object) -> Problem | None:
    """What is wrong if a weak promise is not confirmed; a confirmation names each number that it is about."""
    said = "".join(str(written or "").split()).lower()
    missing = [part for part in weak_parts(privacy) if "".join(part.split()) not in said]
    if not missing:
        return None
    parts = " and ".join(missing)
    usual = " and ".join(f"{name} = {USUAL[name]}" for name in (part.partition(" ")[0] for part in missing))
    return Problem(
        f"{parts} protects people less than {usual}, the least that is usual",
        f"choose more, or confirm it in writing: a sentence that names {parts} and says why",
    )


def confirmed(privacy: Mapping[str, Any], written: str) -> tuple[str, ...]:
    """That a weak promise was made knowingly, for the publisher's own report; nothing if it was not said."""
    weak = weak_parts(privacy)
    if not weak or not written or unconfirmed(privacy, written) is not None:
        return ()
    return (f"{' and '.join(weak)} was confirmed in writing: {written}",)
