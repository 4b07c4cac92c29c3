"""A promise of another package: one file, and its line among the entry points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.engine.port import Described, Port
from shoal.privacy.model import Key, Model, Named
from shoal.privacy.parameters import check_whole
from shoal.privacy.verdict import Verdict, Witness, verdict_without_records

PARTS = Key(
    name="parts", help="A class is at least one in so many of all (parts)", needed=True, safe=2, most=9
)


@dataclass(frozen=True, slots=True)
class ShareAnonymity(Model):
    """Every class holds at least one in `parts` of all records."""

    interface: ClassVar[int] = 1
    name: ClassVar[str] = "share-anonymity"
    named: ClassVar[Named | None] = Named(
        knowledge="All the single values, whatever the file's size",
        keys=(PARTS,),
        make=lambda given: ShareAnonymity(given["parts"]),
    )

    parts: int

    def __post_init__(self) -> None:
        check_whole("ShareAnonymity", "parts", self.parts)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return "Whoever knows {quasi} of a person is left with one in {parts} of all records, or more."

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        return f"satisfies share-anonymity with parts={self.parts} on {', '.join(data.quasi)}"

    def verify(self, data: Port) -> Verdict:
        """Compare the smallest class with all records."""
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        found = data.class_sizes(data.quasi, 1)
        holds = found.sizes.smallest * self.parts >= data.row_count
        evidence = f"the smallest class has {found.sizes.smallest} of {data.row_count} records"
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=evidence,
            smallest=found.sizes.smallest,
            witness=None if holds else Witness.of(evidence, found.weakest),
            figures={"records": data.row_count, "classes": found.sizes.class_count},
        )
