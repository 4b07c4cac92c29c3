"""Generalization without a tree: items are united, the cheapest pair first, until no itemset is rare."""

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import share_limit
from shoal.kernels import utility_loss
from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays, frozen_sets, starts_of
from shoal.kernels.rare_itemsets import DONE, FOUND, Numbered, WantedSets, begin, found, lay_out, next_broken
from shoal.kernels.shares import share_exceeded
from shoal.kernels.utility_loss import (
    NO_WORD,
    ROUNDING,
    WeightedWords,
    cheapest_partner,
    refresh,
    sum_of_losses,
)
from shoal.progress import Progress

_STEPS_PER_SLICE = 50_000_000


class ItemUnions:
    """Items of some transactions and what they are published as while rare itemsets are mended.

    Words are numbered: the items first, then each union in the order in which it was made. Only items of one
    family can be united. `weights` say how much single items matter.
    """

    def __init__(
        self, transactions: Transactions, constraint: ItemConstraint, weights: Floats, families: Ints
    ) -> None:
        self._transactions, self._constraint = transactions, constraint
        self._limit = share_limit(transactions, constraint)
        self._no_limit = share_limit(transactions, ItemConstraint(1, 0))
        items = len(weights)
        self._items = items
        self._unions = _untouched(transactions, weights, families)
        self._next = items
        self._used = len(self._unions.pool) // 2
        self._gone: Bools = np.zeros(2 * items, dtype=np.bool_)
        self._gone[:items] = self._unions.starts[:items] == self._unions.ends[:items]
        self.in_time = True

    @property
    def word_of_item(self) -> Ints:
        """What each item is published as."""
        return self._unions.word_of_item

    @property
    def first_of_each(self) -> Ints:
        """The smallest item that each item is united with: its own number if with none."""
        words = self.word_of_item
        smallest = np.full(len(self._gone), self._items, dtype=np.int64)
        np.minimum.at(smallest, words, np.arange(self._items))
        return smallest[words]

    def loss_of(self, sets: SetArrays, left_out: Bools) -> float:
        """The sum of UL over these records, in which some items are left out."""
        words = np.where(left_out, NO_WORD, self.word_of_item)
        return sum_of_losses(sets, words, self._unions.words)

    def written_length(self, lengths: Ints) -> int:
        """The characters of all records when words are written as their items, which have these lengths."""
        of_words = np.bincount(self.word_of_item, lengths, minlength=len(self._gone))
        return int(np.dot(of_words, self._unions.ends - self._unions.starts))

    @property
    def union_count(self) -> int:
        """How many unions were made."""
        return self._next - self._items

    def mend(self, progress: Progress) -> bool:
        """Unite items until every set of at most m words keeps the promise; whether it does.

        For sizes 1..m in turn, rare sets are listed in lexicographic order and mended one by one, until
        nothing is left. Each is mended by the pair of words, one of them its own, whose union adds least to
        the loss, again and again. With diversity the sizes start again, because what was fine may break.
        `in_time` is False when time was up and everything was united.
        """
        largest = self._constraint.largest
        listed = np.zeros((largest + 1, len(self._gone)), dtype=np.bool_)
        left = 0
        moved = True
        while moved:
            unions_before = self._next
            for size in range(1, largest + 1):
                while not listed[size, living := self._living()].all():
                    left += self._mend_all(self._broken(size, living, ~listed[size], progress), progress)
                    if progress.expired():
                        return self._unite_everything()
                    listed[size, living] = True
            moved = self._next > unions_before and self._constraint.diverse_m > 0
        return left == 0 or self._is_safe()

    def _mend_all(self, broken: Iterator[tuple[int, ...]], progress: Progress) -> int:
        """Mend each of the listed sets; how many could not be mended."""
        left = 0
        for words in broken:
            left += not self._mended(words, progress)
            if progress.expired():
                break
        return left

    def _mended(self, words: Sequence[int], progress: Progress) -> bool:
        """Unite until the set is no longer rare; False if nothing helps, or time was up."""
        image = set(words)
        while self._breaks(image):
            progress.update(self._next - self._items, self._items, f"{self.union_count:,} unions")
            if progress.expired():
                return False
            word, partner = self._cheapest_pair(image)
            if partner == NO_WORD:
                return False
            image = (image - {word, partner}) | {self._unite([word, partner])}
        return True

    def _cheapest_pair(self, image: set[int]) -> tuple[int, int]:
        """A word of the image and its partner; NO_WORD if no word of the image has one."""
        living = self._living()
        best, least = (NO_WORD, NO_WORD), np.inf
        for word in sorted(image):
            partner, change = cheapest_partner(self._unions, word, living)
            if change < least - ROUNDING:
                best, least = (word, partner), change
        return best

    def _unite(self, words: Sequence[int]) -> int:
        """Put several words into one."""
        unions, union = self._unions, self._next
        rows = np.unique(np.concatenate([self._rows(word) for word in words]))
        if self._used + len(rows) > len(unions.pool):
            self._unions = unions = self._with_more_room(len(rows))
        unions.pool[self._used : self._used + len(rows)] = rows
        unions.starts[union], unions.ends[union] = self._used, self._used + len(rows)
        self._used += len(rows)
        sizes, weights = unions.words
        sizes[union] = sizes[words].sum()
        weights[union] = np.dot(sizes[words], weights[words]) / sizes[union]
        unions.families[union] = unions.families[words[0]]
        gone = np.zeros(len(self._gone), dtype=np.bool_)
        gone[words] = True
        mapping = unions.word_of_item
        mapping[gone[mapping]] = union
        self._gone |= gone
        refresh(unions, rows)
        self._next += 1
        return union

    def _with_more_room(self, wanted: int) -> utility_loss.WordUnions:
        """The same with the rows of living words only, and room for as many again."""
        unions, living = self._unions, self._living()
        rows = [self._rows(word) for word in living.tolist()]
        starts, ends = unions.starts.copy(), unions.ends.copy()
        ends[living] = np.cumsum([len(some) for some in rows])
        starts[living] = ends[living] - [len(some) for some in rows]
        self._used = int(ends[living].max(initial=0))
        room = np.empty(self._used + wanted, dtype=np.int64)
        return unions._replace(pool=np.concatenate((*rows, room)), starts=starts, ends=ends)

    def _living(self) -> Ints:
        return np.flatnonzero(~self._gone[: self._next])

    def _rows(self, word: int) -> Ints:
        return self._unions.pool[self._unions.starts[word] : self._unions.ends[word]]

    def _breaks(self, words: set[int]) -> bool:
        rows = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), map(self._rows, sorted(words)))
        if 0 < len(rows) < self._constraint.k_for(len(words)):
            return True
        return self._constraint.is_diverse(len(words)) and share_exceeded(self._limit, rows)

    def _is_safe(self) -> bool:
        everything = np.ones(len(self._gone), dtype=np.bool_)
        sizes = range(1, self._constraint.largest + 1)
        return all(next(self._broken(size, self._living(), everything), None) is None for size in sizes)

    def _unite_everything(self) -> bool:
        """One word per family, because time is up; whether that is safe."""
        self.in_time = False
        for family in np.unique(self._unions.families[self._living()]).tolist():
            living = self._living()
            mine = living[self._unions.families[living] == family].tolist()
            if len(mine) > 1:
                self._unite(mine)
        return self._is_safe()

    def _broken(
        self, size: int, living: Ints, fresh: Bools, progress: Progress | None = None
    ) -> Iterator[tuple[int, ...]]:
        """Sets of so many words, one of them fresh, that break the promise, but none with a word gone.

        All of them, or with `progress` those that there is time for.
        """
        number = np.full(len(self._gone), NO_WORD, dtype=np.int64)
        number[living] = np.arange(len(living))
        numbers = number[self.word_of_item]
        occurs = numbers != NO_WORD
        starts = starts_of(occurs)
        rows = np.flatnonzero(self._transactions.sizes >= size)
        laid = lay_out(self._transactions.sets, rows, frozen_sets(starts, numbers[occurs]), len(living))
        places, ones = np.arange(len(living)), np.ones(len(living), dtype=np.int64)
        what = np.stack((living, places, places, ones, fresh[living].astype(np.int64)))
        limit = self._limit if self._constraint.is_diverse(size) else self._no_limit
        wanted = WantedSets(size, lighter=False, k=self._constraint.k_for(size), limit=limit)
        rare = begin(laid, rows, Numbered(what, len(living), self._gone), wanted)
        while (state := next_broken(rare, _STEPS_PER_SLICE)) != DONE:
            if state == FOUND:
                yield tuple(living[found(rare)[0]].tolist())
            elif progress is not None and progress.expired():
                return


def _untouched(transactions: Transactions, weights: Floats, families: Ints) -> utility_loss.WordUnions:
    items, rows = len(weights), transactions.row_count
    index = transactions.index
    room = np.zeros(items, dtype=np.int64)
    unions = utility_loss.WordUnions(
        sets=transactions.sets,
        word_of_item=np.arange(items, dtype=np.int64),
        words=WeightedWords(
            np.concatenate((np.ones(items, dtype=np.int64), room)), np.concatenate((weights, np.zeros(items)))
        ),
        families=np.concatenate((families, room)),
        pool=np.concatenate((index.rows, np.empty(len(index.rows), dtype=np.int64))),
        starts=np.concatenate((index.starts[:-1], room)),
        ends=np.concatenate((index.starts[1:], room)),
        sigma=np.zeros(rows, dtype=np.int64),
        added=np.zeros(rows, dtype=np.float64),
        held=np.zeros(rows, dtype=np.bool_),
    )
    refresh(unions, np.arange(rows, dtype=np.int64))
    return unions
