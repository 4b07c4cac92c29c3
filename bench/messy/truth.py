"""What is true of a column that was made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

Harm = Literal["identifier", "free text", "harmless", "either"]
Kind = Literal["category", "number", "date", "set", "any"]
Value = float | date | None


@dataclass(frozen=True)
class Drawn:
    """Clean cells of a column; `values` are the numbers or days that they mean.

    A kind of "any" is one that a reader may see in several ways; what is then said must still be right.
    """

    texts: Sequence[str]
    values: Sequence[Value] | None = None
    kind: Kind = "category"
    decimal: str = "."
    thousands: str = ""
    date: str | None = None
    ambiguous: bool = False


@dataclass(frozen=True)
class ColumnTruth:
    """One column of a messy table.

    `values` has None for cells that are missing. `tells_people_apart` says that each person has a value of
    their own in all their rows, so that the column could name the subjects of the table.
    """

    name: str
    what: str
    harm: Harm
    kind: Kind
    decimal: str
    thousands: str
    date: str | None
    ambiguous: bool
    values: tuple[Value, ...] | None = None
    tells_people_apart: bool = False
