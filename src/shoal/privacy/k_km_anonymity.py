from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.engine.answers import ClassSizes, Rarest
from shoal.engine.local import LocalData
from shoal.engine.port import Described, Port, Question
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools
from shoal.privacy.items import ONE_IN_L, READING, check_sets, too_few_records
from shoal.privacy.km_anonymity import rarest_in_words
from shoal.privacy.model import BOTH, K, L, M, Model, Named
from shoal.privacy.parameters import check_k, check_whole
from shoal.privacy.verdict import Verdict, Witness, counted, verdict_without_records


@dataclass(frozen=True, slots=True)
class KKmAnonymity(Model):
    """Whoever knows all single values of a person and up to m of the items finds at least k records.

    Every class of records that agree on the quasi-identifiers with single values has at least k records, and
    every set of at most m items that occurs in a class occurs in at least k of its records. k-anonymity of
    the one part and k^m-anonymity of the other do not imply it. A missing value is a value of its own.
    Sensitive items are not counted. Defined by Poulis, Loukides, Gkoulalas-Divanis and Skiadopoulos,
    Anonymizing data with relational and transaction attributes, ECML PKDD 2013.

    Args:
        k: How many records are found at least.
        m: How many items somebody knows at most.

    Raises:
        InvalidParameter: k or m is out of its range.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> published = pa.table({"age": ["30-39"] * 3, "codes": [["401", "250"], ["401"], ["250"]]})
        >>> columns = {"age": sh.Quasi(), "codes": sh.QuasiSet()}
        >>> [sh.verify(published, columns, sh.KKmAnonymity(k=2, m=m))[0].holds for m in (1, 2)]
        [True, False]
    """

    name: ClassVar[str] = "k-km-anonymity"
    questions: ClassVar[frozenset[Question]] = frozenset({Question.CLASSES, Question.ITEMSETS_WITHIN_CLASSES})
    covers: ClassVar[frozenset[type]] = BOTH
    bounded: ClassVar[bool] = True
    named: ClassVar[Named | None] = Named(
        knowledge="All the single values, and some of the items",
        keys=(K, M, L),
        make=lambda given: _joint(given),  # noqa: PLW0108 - which stands below
        sensitive=ONE_IN_L,
    )

    k: int
    m: int

    def __post_init__(self) -> None:
        check_k("KKmAnonymity", self.k)
        check_whole("KKmAnonymity", "m", self.m)

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "Take a reader who knows all single values of a person in the columns {values}, and up to {m}"
            " items of {sets}. If any row fits, at least {k} do."
        )

    def claim(self, data: Described) -> str:
        """The promise in words, for these columns."""
        return (
            f"satisfies (k,k^m)-anonymity with k={self.k}, m={self.m}"
            f" on {', '.join((*data.quasi, *data.quasi_sets))}"
        )

    def holds_for(self, support: int) -> bool:
        """Whether a class, or an itemset within a class, of this many records is large enough."""
        return support >= self.k

    def infeasible(self, data: Port) -> Infeasible | None:
        """Why no release of these data can keep the promise; None if one can."""
        check_sets(self.name, data)
        return too_few_records("(k,k^m)-anonymity", self.k, data.row_count)

    def rows_to_leave_out(self, data: LocalData) -> Bools:
        """Rows of a release that have to go so that the promise can hold."""
        small = data.rows_of_small_classes(data.quasi, self.k)
        return small | data.rows_with_rare_itemsets(self.m, self.k, data.quasi)

    def verify(self, data: Port) -> Verdict:
        """Find the smallest class and the rarest itemset within a class."""
        check_sets(self.name, data)
        if data.row_count == 0:
            return verdict_without_records(self.claim(data))
        classes = data.class_sizes(data.quasi, self.k)
        rarest = data.rarest_itemset(self.m, self.k, data.quasi)
        smallest, found = classes.sizes.smallest, classes.weakest
        words = f"class {found.in_words()} has {counted(smallest, 'record')}"
        if rarest.support is not None and rarest.support < smallest:
            smallest, found = rarest.support, rarest.where
            words = f"{rarest_in_words(data, rarest)} of class {found.in_words()}"
        holds = self.holds_for(smallest)
        support = f"the smallest support in {counted(classes.sizes.class_count, 'class')}"
        return Verdict(
            holds=holds,
            claim=self.claim(data),
            evidence=f"{support}: {words}; {READING}",
            smallest=smallest,
            witness=None if holds else Witness.of(f"{words}, fewer than k={self.k}", found),
            figures=_figures(data, classes, rarest, self.k),
        )


def _joint(given: Mapping[str, Any]) -> Model:
    from shoal.privacy.k_lm_diversity import KLmDiversity

    k, m, l = given["k"], given["m"], given.get("l")
    return KKmAnonymity(k, m) if l is None else KLmDiversity(k, l, m)


def _figures(data: Port, classes: ClassSizes, rarest: Rarest, k: int) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "records": data.row_count,
        "classes": classes.sizes.class_count,
        "smallest_class": classes.sizes.smallest,
        "smallest_itemset_in_a_class": rarest.support,
        "itemsets_below_k": rarest.below_k,
    }
    # Of the single values only: items of records that could match are not looked into.
    wildcard = data.missing_matched(k)
    if wildcard is not None:
        figures["smallest_class_if_missing_matched_all"] = wildcard["smallest"]
    return figures
