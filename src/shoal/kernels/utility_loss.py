"""How much item combinations generalization adds to records (UL), and the union of two items that adds least.

A published word of n items stands for 2^n - 1 combinations, a record whose words have sigma items in all for
2^sigma - 1. Everything is kept relative to 2^sigma: the powers themselves are no floating-point numbers.
"""

import math
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.set_recoding import sort_unique

NO_WORD = -1

ROUNDING = 1e-12  # changes that differ by less are equal

_NEGLIGIBLE = 1100  # 2 to the minus this is 0 as a floating-point number


class WeightedWords(NamedTuple):
    """What items are published as: word n stands for sizes[n] items and matters weights[n]."""

    sizes: Ints
    weights: Floats


class Union(NamedTuple):
    """A word that two others would become."""

    size: int
    weight: float


class WordUnions(NamedTuple):
    """Items of some rows, of which some were united; words below the number of items are the items.

    Item i is published as word_of_item[i]. Word n is held by the rows pool[starts[n]:ends[n]], ascending, and
    only words of one family may be united. Row r has sigma[r] items under its words; added[r] / 2^sigma[r]
    is what its words stand for more than once, and `held` is all false between two uses.
    """

    sets: SetArrays
    word_of_item: Ints
    words: WeightedWords
    families: Ints
    pool: Ints
    starts: Ints
    ends: Ints
    sigma: Ints
    added: Floats
    held: Bools


@kernel
def half_to(power: int) -> float:
    """2 to the minus `power`."""
    return math.ldexp(1.0, -int(min(power, _NEGLIGIBLE)))  # without Numba only a plain int will do


@kernel
def stands_for(words: WeightedWords, word: int, sigma: int) -> float:
    """The combinations that a word stands for, relative to 2^sigma; a single item adds none."""
    size = words.sizes[word]
    return words.weights[word] * (half_to(sigma - size) - half_to(sigma)) if size > 1 else 0.0


@kernel
def measure_row(
    sets: SetArrays, row: int, word_of_item: Ints, words: WeightedWords, room: Ints
) -> tuple[int, float]:
    """The items under the words of a row, and what these stand for relative to 2 to that power."""
    end = 0
    for index in range(sets.starts[row], sets.starts[row + 1]):
        word = word_of_item[sets.items[index]]
        if word != NO_WORD:
            room[end] = word
            end += 1
    end = sort_unique(room, 0, end)
    sigma = 0
    for i in range(end):
        sigma += words.sizes[room[i]]
    added = 0.0
    for i in range(end):
        added += stands_for(words, room[i], sigma)
    return sigma, added


@kernel
def sum_of_losses(sets: SetArrays, word_of_item: Ints, words: WeightedWords) -> float:
    """The sum of UL over all rows: 0 for one that has no items, 1 for one whose items all vanished."""
    room = np.empty(len(word_of_item), dtype=np.int64)
    total = 0.0
    for row in range(len(sets.starts) - 1):
        if sets.starts[row] == sets.starts[row + 1]:
            continue
        sigma, added = measure_row(sets, row, word_of_item, words, room)
        total += added / (1.0 - half_to(sigma)) if sigma > 0 else 1.0
    return total


@kernel
def refresh(unions: WordUnions, rows: Ints) -> None:
    """Measure rows anew after a union."""
    room = np.empty(len(unions.word_of_item), dtype=np.int64)
    for row in rows:
        sigma, added = measure_row(unions.sets, row, unions.word_of_item, unions.words, room)
        unions.sigma[row] = sigma
        unions.added[row] = added


@kernel
def cheapest_partner(unions: WordUnions, word: int, candidates: Ints) -> tuple[int, float]:
    """The candidate whose union with a word adds least to the losses of all rows, and how much.

    The first of equals; NO_WORD if none is of the word's family. O(rows of all candidates), and once more the
    rows of the word for each size and weight that follow each other among the candidates.
    """
    sizes, weights = unions.words
    best, least = NO_WORD, np.inf
    for index in range(unions.starts[word], unions.ends[word]):
        unions.held[unions.pool[index]] = True
    known, alone = Union(0, 0.0), 0.0
    for other in candidates:
        if other == word or unions.families[other] != unions.families[word]:
            continue
        size = sizes[word] + sizes[other]
        union = Union(size, (sizes[word] * weights[word] + sizes[other] * weights[other]) / size)
        if union != known:
            known, alone = union, _change_of_all(unions, word, union)
        change = alone + _change_beside(unions, word, other, union)
        if change < least - ROUNDING:
            best, least = other, change
    for index in range(unions.starts[word], unions.ends[word]):
        unions.held[unions.pool[index]] = False
    return best, least


@kernel(part=True)
def _change_of_all(unions: WordUnions, word: int, union: Union) -> float:
    """What the rows of a word lose more if none of them holds the other one."""
    change = 0.0
    for index in range(unions.starts[word], unions.ends[word]):
        change += _change_of_one(unions, unions.pool[index], word, union)
    return change


@kernel(part=True)
def _change_beside(unions: WordUnions, word: int, other: int, union: Union) -> float:
    """What the rows of the other word add to that; those of the word are marked in `held`."""
    change = 0.0
    for index in range(unions.starts[other], unions.ends[other]):
        row = unions.pool[index]
        if unions.held[row]:
            change -= _change_of_one(unions, row, word, union)
            gone = stands_for(unions.words, word, unions.sigma[row])
            gone += stands_for(unions.words, other, unions.sigma[row])
            change += _change_of_both(unions, row, gone, union)
        else:
            change += _change_of_one(unions, row, other, union)
    return change


@kernel
def _change_of_one(unions: WordUnions, row: int, word: int, union: Union) -> float:
    """A row that holds one of two words gets the union of both for it, and items that it did not have."""
    sigma, added = unions.sigma[row], unions.added[row]
    grown = union.size - unions.words.sizes[word]
    others = (added - stands_for(unions.words, word, sigma)) * half_to(grown)
    more = union.weight * (half_to(sigma + grown - union.size) - half_to(sigma + grown))
    return (others + more) / (1.0 - half_to(sigma + grown)) - added / (1.0 - half_to(sigma))


@kernel(part=True)
def _change_of_both(unions: WordUnions, row: int, gone: float, union: Union) -> float:
    """A row that holds both words, which stood for `gone`, has the union for them."""
    sigma = unions.sigma[row]
    return (union.weight * (half_to(sigma - union.size) - half_to(sigma)) - gone) / (1.0 - half_to(sigma))
