"""Recoding of a table with sets: groups for the single values, and in them cuts for the items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.recoding.cuts import Cuts
from shoal.recoding.groups import Groups


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """One generalized record per group, and cuts for each set column.

    No record is suppressed, but items may be. Records of one part of a cut are in one group; records of a
    group may be in several parts, each of which keeps the promise alone.
    """

    groups: Groups
    cuts: tuple[Cuts, ...]
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
