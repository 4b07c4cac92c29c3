"""Algorithms, models and measures that other packages bring, by entry points.

A package declares them in its own metadata, for instance

    [project.entry-points."shoal.models"]
    my-model = "my_package:MyModel"

and from then on they are in the catalogues like our own. What such a class must have is the contract of
`privacy.model.Model`, `algorithms.interface.Algorithm` and `metrics.catalogue.Measure`; by `interface` it
says for which version of the contract it was written.
"""

import warnings
from importlib.metadata import EntryPoint, entry_points
from typing import Any

INTERFACE = 1  # what `interface` of an extension must be; it changes when a contract does


def extensions(group: str) -> list[Any]:
    """What installed packages declare in a group, in the order of the names.

    What cannot be used is left out with a warning: another package must not keep anybody from publishing.
    """
    points = sorted(entry_points(group=group), key=lambda point: point.name)
    return [found for point in points if (found := _loaded(point)) is not None]


def _loaded(point: EntryPoint) -> Any:
    try:
        found = point.load()
    except Exception as error:  # noqa: BLE001 - whatever somebody else's package does when it is imported
        return _left_out(point, f"cannot be loaded: {error!r}")
    interface, name = getattr(found, "interface", None), getattr(found, "name", None)
    if interface != INTERFACE:
        return _left_out(point, f"is written for interface {interface!r}, and this version takes {INTERFACE}")
    if name != point.name:
        return _left_out(point, f"calls itself {name!r}")
    return found


def _left_out(point: EntryPoint, why: str) -> None:
    package = point.dist.name if point.dist is not None else "a package"
    what = f"Shoal leaves out the extension {point.name!r} of {package} ({point.group}): it {why}"
    warnings.warn(what, stacklevel=2)
