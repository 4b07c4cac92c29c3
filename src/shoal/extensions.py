"""Algorithms, models and measures that other packages bring, by entry points.

A package declares them in its own metadata, for instance

    [project.entry-points."shoal.models"]
    my-model = "my_package:MyModel"

and from then on they are in the catalogues like our own. What such a class must have is the contract of
`privacy.model.Model`, `algorithms.interface.Algorithm` and `metrics.catalogue.Measure`; by `interface` it
says for which version of the contract it was written.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from shoal.errors import BadInput, Problem

INTERFACE = 1  # what `interface` of an extension must be; it changes when a contract does


def extensions(group: str) -> list[Any]:
    """What installed packages declare in a group, in the order of the names; BadInput for what cannot be."""
    return [_loaded(point) for point in sorted(entry_points(group=group), key=lambda point: point.name)]


def _loaded(point: EntryPoint) -> Any:
    try:
        found = point.load()
    except Exception as error:
        raise _unusable(point, f"cannot be loaded: {error!r}") from error
    if getattr(found, "interface", None) != INTERFACE:
        given = getattr(found, "interface", None)
        raise _unusable(point, f"is written for interface {given!r}, and this version takes {INTERFACE}")
    if getattr(found, "name", None) != point.name:
        raise _unusable(point, f"calls itself {getattr(found, 'name', None)!r}")
    return found


def _unusable(point: EntryPoint, what: str) -> BadInput:
    package = point.dist.name if point.dist is not None else "a package"
    remedy = f"upgrade {package}, or uninstall it"
    return BadInput(Problem(f"the extension {point.name!r} of {package} ({point.group}) {what}", remedy))
