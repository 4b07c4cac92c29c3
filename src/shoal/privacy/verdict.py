"""The answer of a verifier: holds or not, with the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.engine.answers import NamedRows
from shoal.kernels.arrays import Ints

ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Witness:
    """What breaks the promise, in words, and where it stands: rows count from 1, without the header."""

    what: str
    rows: tuple[int, ...]
    row_count: int

    @classmethod
    def at(cls, what: str, rows: Ints) -> Witness:
        """A witness at the given row positions, which count from 0; only the first rows are listed."""
        return cls(what, tuple(int(row) + 1 for row in rows[:ROWS_SHOWN]), len(rows))

    @classmethod
    def of(cls, what: str, found: NamedRows) -> Witness:
        """A witness that data named, wherever they are."""
        return cls(what, cls.at(what, found.rows).rows, found.count)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a release keeps a promise.

    Args:
        holds: Whether it does.
        claim: The promise in words, with its parameters and columns.
        evidence: What was found.
        smallest: The smallest support found (rows of a class, of an itemset, of equal sets); None where
            nothing occurs that could be counted or the model counts nothing.
        witness: What breaks the promise, and in which rows.
        figures: Whatever else the verdict rests on.
        wildcard: What the weaker reading, a missing value matches every value, would say; it never decides.
        by_construction: Nothing was checked: the promise follows from how the release was made.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"city": ["Bonn", "Bonn", "Ulm"]})
        >>> (verdict,) = sh.verify(published, {"city": sh.Quasi()}, sh.KAnonymity(k=2))
        >>> verdict.holds, verdict.smallest, verdict.witness.rows
        (False, 1, (3,))
    """

    holds: bool
    claim: str
    evidence: str
    smallest: int | None = None
    witness: Witness | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    wildcard: Mapping[str, Any] | None = None
    by_construction: bool = False


def verdict_without_records(claim: str) -> Verdict:
    """An empty release shows nothing, so it keeps no promise."""
    return Verdict(holds=False, claim=claim, evidence="there are no records", figures={"records": 0})


def counted(count: int, what: str) -> str:
    """A number with its noun: '1 record', '3 records', '2 classes', '5 people'."""
    plural = {"class": "classes", "person": "people"}.get(what, f"{what}s")
    return f"{count:,} {what if count == 1 else plural}"


class Verdicts(tuple[Verdict, ...]):
    """One verdict per promise; true only if there are some and all of them hold.

    Args:
        iterable: The verdicts.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"city": ["Bonn", "Bonn", "Ulm"]})
        >>> sh.verify(published, {"city": sh.Quasi()}, sh.KAnonymity(k=2)).holds
        False
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return self.holds

    @property
    def holds(self) -> bool:
        """Whether every promise is kept."""
        return len(self) > 0 and all(verdict.holds for verdict in self)
