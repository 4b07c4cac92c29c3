"""Tables with sets by definition: distances of sets, losses of clusters, and slow searches on plain lists."""

from fractions import Fraction
from itertools import combinations


def btd(a, b):
    return Fraction(len(a ^ b) + 1, len(a & b) + 1) * len(a | b)


def btd_of(sets):
    """Of a cluster: the largest one over its pairs."""
    return max((btd(a, b) for a, b in combinations(sets, 2)), default=Fraction(0))


def record_loss(items, word_of, weight_of=None):
    """UL of a record; word_of[item] is the frozen set of items that the item is published as, or None."""
    words = {word_of[item] for item in items} - {None}
    if not items:
        return Fraction(0)
    if not words:
        return Fraction(1)
    weights = weight_of or {}
    lost = sum(
        (2 ** len(word) - 1) * sum(Fraction(weights.get(item, 1)) for item in word) / len(word)
        for word in words
        if len(word) > 1
    )
    return Fraction(lost, 2 ** sum(map(len, words)) - 1)


def total_loss(sets, word_of, weight_of=None):
    return sum(record_loss(items, word_of, weight_of) for items in sets)


def pcta(sets, k, m, items):
    """Unite items as PCTA does, rare sets in lexicographic order of the order of words; None if it cannot."""
    order = {frozenset([item]): place for place, item in enumerate(items)}
    word_of = {item: frozenset([item]) for item in items}

    def support(words):
        return sum(words <= {word_of[item] for item in record} for record in sets)

    def mend(words):
        while 0 < support(words) < k:
            best = None
            occurring = sorted({word_of[item] for record in sets for item in record}, key=order.get)
            for word in sorted(words, key=order.get):
                for other in occurring:
                    if other == word:
                        continue
                    union = word | other
                    trial = {item: union if item in union else of for item, of in word_of.items()}
                    cost = total_loss(sets, trial) - total_loss(sets, word_of)
                    key = (round(cost, 9), order[word], order[other])
                    best = min(best, (key, word, other)) if best else (key, word, other)
            if best is None:
                return False
            _, word, other = best
            union = word | other
            order[union] = len(order)
            word_of.update(dict.fromkeys(union, union))
            words = frozenset(words - {word, other} | {union})
        return True

    for size in range(1, m + 1):
        while True:
            occurring = sorted({word_of[item] for record in sets for item in record}, key=order.get)
            rare = [set_ for set_ in combinations(occurring, size) if 0 < support(frozenset(set_)) < k]
            if not rare:
                break
            for words in rare:
                if all(word in word_of.values() for word in words) and not mend(frozenset(words)):
                    return None
    return word_of
