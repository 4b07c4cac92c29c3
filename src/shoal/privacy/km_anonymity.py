from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.engine.answers import Rarest
from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port, Question
from shoal.errors import Infeasible, InvalidParameter
from shoal.kernels.arrays import Bools
from shoal.privacy.items import READING, check_sets, itemset_in_words
from shoal.privacy.model import SETS, K, Key, M, Model, Named
from shoal.privacy.negative_knowledge import too_few_empty, verify_with_absence
from shoal.privacy.parameters import check_k, check_whole
from shoal.privacy.verdict import Verdict, Witness, counted, verdict_without_records


@dataclass(frozen=True, slots=True)
class KmAnonymity(Model):
    """Every set of at most m items that occurs in a record occurs in at least k records.

    Nobody who knows up to m items of a person can single out fewer than k records. It says nothing about
    somebody who knows more items, or which items are absent. Sensitive items are not counted: they are what
    must not be learnt, not what is known. Records without items pass, unless their emptiness can be known.
    Defined by Terrovitis, Mamoulis and Kalnis, Local and global recoding methods for anonymizing set-valued
    data, VLDB Journal 20(1), 2011.

    Args:
        k: In how many records such a set occurs at least.
        m: How many items somebody knows at most.
        negative: It counts as well what is known to be absent: to know that of a published item takes as many
            facts as it stands for items, and whatever takes at most m facts fits no record or at least k.

    Raises:
        InvalidParameter: k or m is out of its range.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"bought": [["tea", "figs"], ["tea"], ["figs"]]})
        >>> columns = {"bought": sh.QuasiSet()}
        >>> [sh.verify(published, columns, sh.KmAnonymity(k=2, m=m))[0].holds for m in (1, 2)]
        [True, False]
    """

    name: ClassVar[str] = "km-anonymity"
    questions: ClassVar[frozenset[Question]] = frozenset({Question.ITEMSETS})
    covers: ClassVar[frozenset[type]] = SETS
    bounded: ClassVar[bool] = True
    named: ClassVar[Named | None] = Named(
        knowledge="Some of a person's items",
        keys=(
            K,
            M,
            Key(
                name="negative",
                help="Somebody may also know which items are absent",
                kind=bool,
                stricter="larger",
            ),
        ),
        make=lambda given: KmAnonymity(given["k"], given["m"], given.get("negative", False)),
    )

    k: int
    m: int
    negative: bool = False

    def __post_init__(self) -> None:
        check_k("KmAnonymity", self.k)
        check_whole("KmAnonymity", "m", self.m)
        if not isinstance(self.negative, bool):
            raise InvalidParameter("KmAnonymity", "negative", self.negative, "true or false")

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "Take a reader who knows up to {m} items of a person's set. If any row of the file fits these"
            " items, at least {k} do."
        )

    @property
    def asks(self) -> frozenset[Question]:
        """What a check has to ask of data."""
        return frozenset({Question.ABSENCE}) if self.negative else self.questions

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        negative = " and negative knowledge" if self.negative else ""
        return (
            f"satisfies k^m-anonymity with k={self.k}, m={self.m}{negative} on {', '.join(data.quasi_sets)}"
        )

    def holds_for(self, support: int) -> bool:
        """Whether an itemset that occurs this often is frequent enough."""
        return support >= self.k

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        check_sets(self.name, data)
        reason = self.too_few_with_items(data.rows_with_items(), data.row_count)
        return too_few_empty(data, self.k, self.m) if reason is None and self.negative else reason

    def too_few_with_items(self, with_items: int, records: int) -> Infeasible | None:
        """Why so few records with any item cannot keep the promise; None if they can, or there are none."""
        if with_items == 0 or self.holds_for(with_items):
            return None
        return Infeasible(
            f"k^m-anonymity with k={self.k} cannot be met: only {counted(with_items, 'record')} "
            f"{'has' if with_items == 1 else 'have'} any item, so k can be at most {with_items}",
            largest_k=with_items,
            records=records,
        )

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        return data.rows_with_rare_itemsets(self.m, self.k)

    def verify(self, data: Port) -> Verdict:
        """Find the rarest itemset of the released sets."""
        check_sets(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        if self.negative:
            return verify_with_absence(data, self.claim(data), self.k, self.m)
        rarest = data.rarest_itemset(self.m, self.k)
        figures = {"records": data.row_count, "itemsets_below_k": rarest.below_k}
        if rarest.support is None:
            evidence = "no record has an item that must be counted"
            return Verdict(holds=True, claim=self.claim(data), evidence=evidence, figures=figures)
        holds = self.holds_for(rarest.support)
        words = rarest_in_words(data, rarest)
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"the rarest set of at most {counted(self.m, 'item')}: {words}; {READING}",
            smallest=rarest.support,
            witness=None if holds else Witness.of(f"{words}, fewer than k={self.k}", rarest.where),
            figures=figures,
        )


def rarest_in_words(data: Described, rarest: Rarest) -> str:
    """The rarest itemset and where it occurs: '{beer, wine} occurs in 3 records'."""
    return f"{itemset_in_words(data, rarest.itemset)} occurs in {counted(rarest.support or 0, 'record')}"
