"""What may be asked of data, wherever their rows are.

Verifiers, measures, notices and safety checks ask in these words only, so none can exist for data in one
place and not in another. `engine.local` answers from memory, `shoal.spark` from a cluster.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, Protocol, Self, TypeVar

import pyarrow as pa

from shoal.detect.observed import Observed
from shoal.engine.answers import (
    ClassSizes,
    Combinations,
    Facts,
    Guess,
    Histogram,
    Item,
    Judgement,
    Labels,
    Rarest,
    WeakestClass,
)
from shoal.recoding.disassociated import Disassociated
from shoal.table.roles import Role

MATCHES = 100_000  # values that are told at most of those that match
Wildcard = Mapping[str, bool | int | str | None]


class Question(StrEnum):
    """What a promise has to ask so that it can be checked; not every place can answer everything."""

    CLASSES = "classes"
    SENSITIVE_VALUES = "sensitive values within classes"
    DISTRIBUTIONS = "sensitive values of a class beside those of all rows"
    ITEMSETS = "itemsets"
    ITEMSETS_WITHIN_CLASSES = "itemsets within classes"
    GUESSES = "what items tell about sensitive ones"
    GUESSES_WITHIN_CLASSES = "what items tell about sensitive ones within classes"
    ABSENCE = "items that are absent"
    CLUSTERS = "clusters of chunks"


class Described(Protocol):
    """The columns of data, of which promises are worded."""

    @property
    def roles(self) -> Mapping[str, Role]:
        """What each column is to an adversary."""

    @property
    def row_count(self) -> int:
        """How many records there are."""

    @property
    def quasi(self) -> tuple[str, ...]:
        """Quasi-identifiers with single values."""

    @property
    def quasi_sets(self) -> tuple[str, ...]:
        """Quasi-identifiers with sets."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Sensitive columns with single values."""

    def with_role(self, *roles: type) -> tuple[str, ...]:
        """Columns of the given roles, in their order."""

    def held(self, column: str, labels: Collection[str]) -> set[str]:
        """Which of these labels a column of single values or of sets has."""


class Port(Described, Protocol):
    """Data whose quasi-identifiers, sets and sensitive values can be asked about."""

    answers: ClassVar[frozenset[Question]]

    def class_sizes(self, columns: Sequence[str], k: int) -> ClassSizes:
        """The classes of rows that agree on these columns; there must be rows. Sets agree without what is
        sensitive in them.
        """

    def missing_matched(self, k: int) -> Wildcard | None:
        """The weaker reading of missing values; None if no quasi-identifier has one."""

    def weakest_classes(
        self, judge: Callable[[Histogram], Judgement], within: Sequence[str]
    ) -> list[WeakestClass]:
        """For each sensitive column the weakest class of rows that agree on some columns."""

    def rarest_itemset(self, m: int, k: int, within: Sequence[str] = ()) -> Rarest:
        """The smallest support over all itemsets of at most m items among rows that agree on some columns."""

    def likeliest_guess(
        self, m: int, within: Sequence[str] = (), *, with_items: bool = False
    ) -> Guess | None:
        """The largest share of a sensitive item over all itemsets of 0..m items among rows that agree on some
        columns, or only among rows that have an item which is not sensitive. None when nothing sensitive
        occurs.
        """

    def rarest_facts(self, m: int, k: int) -> Facts | None:
        """What at most m facts about present and absent items fit the fewest records; None without items."""

    def rows_with_items(self, *, sensitive: bool = False) -> int:
        """How many rows have any item that is not sensitive, or any at all."""

    def most_held_sensitive(self) -> tuple[Item, int] | None:
        """The sensitive item that the most rows hold, and how many do; None if none occurs."""

    def item_count(self) -> int:
        """How many items the trees of the sets hold."""

    def people_count(self) -> int:
        """How many people there are: rows, unless several can belong to one person."""

    def combinations(self, columns: Sequence[str]) -> Combinations:
        """How many different combinations of values columns have that are published as they are."""

    def all_match(self, column: str, form: str) -> bool:
        """Whether every value of a column has the form of a regular expression."""

    def observed(self, column: str) -> Observed:
        """The values of a column, or the items of its sets, as detection sees them; many in a sample."""

    def matching(self, column: str, form: str) -> list[str]:
        """Values of a column, or items of its sets, in which a regular expression is found; some if many."""

    def is_ordered(self, column: str) -> bool:
        """Whether the values of a column are numbers or dates, numbered in their order."""

    def labels(self, columns: Sequence[str]) -> Mapping[str, Labels]:
        """The labels of columns of single values or of sets; an empty set is not missing."""

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column that is published as it is."""


class Mergeable(Protocol):
    """An answer about some rows that can be put together with one about others."""

    def merge(self, other: Self) -> Self:
        """The answer about both."""


Examination = TypeVar("Examination", bound=Mergeable)


class ClusterPort(Protocol):
    """A disassociated release, whose lines can be examined each on its own."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Terms that must not be learnt."""

    def all_terms(self) -> tuple[str, ...]:
        """Every term of the release, in order."""

    def terms_held(self, labels: Collection[str]) -> set[str]:
        """Which of these labels are terms of the release."""

    def examine(self, examine: Callable[[Disassociated], Examination]) -> Examination:
        """What an examination of all lines finds; findings of several blocks of lines are merged."""

    def spelled_twice(self) -> tuple[str, ...]:
        """Terms that differ only in how they are written: the first of them."""
