"""Adversaries by brute force: everything that could be known, compared with every published record.

`covers[label]` is the set of original items or values that a label stands for. An item that no label in the
file stands for was suppressed everywhere and tells nothing.
"""

from fractions import Fraction
from itertools import chain, combinations

from tests.reference.disassociation import all_terms_of, simple_clusters
from tests.reference.originals import originals_of_line, support


def by_values(originals, published, covers):
    """Candidates of each original tuple; covers has one mapping per column."""
    return [
        sum(
            all(value in covers[j][label] for j, (value, label) in enumerate(zip(record, row, strict=True)))
            for row in published
        )
        for record in originals
    ]


def telling(record, published, covers):
    shown = {label for row in published for label in row}
    return sorted(item for item in record if any(item in covers[label] for label in shown))


def holds(row, item, covers):
    return any(item in covers[label] for label in row)


def by_items(record, published, covers, known, k):
    """Fewest candidates (0 if nothing fits), share of knowledge below k, mean chance of a right guess."""
    items = telling(record, published, covers)
    knowledge = list(combinations(items, min(known, len(items))))
    counts = [
        sum(all(holds(row, item, covers) for item in chosen) for row in published) for chosen in knowledge
    ]
    found = [count for count in counts if count > 0]
    below = Fraction(sum(count < k for count in found), len(counts))
    success = sum((Fraction(1, count) for count in found), Fraction(0)) / len(counts)
    return min(found, default=0), below, success


def by_exact_set(record, published, covers):
    items = telling(record, published, covers)
    return sum(
        all(holds(row, item, covers) for item in items)
        and all(any(item in covers[label] for item in items) for label in row)
        for row in published
    )


def by_facts(record, published, covers, known, universe):
    """The fewest candidates over all present items and absent items, `known` in all."""
    present = telling(record, published, covers)
    absent = sorted(set(universe) - set(record))
    facts = [(item, True) for item in present] + [(item, False) for item in absent]
    fewest = len(published)
    for chosen in chain.from_iterable(combinations(facts, size) for size in range(known + 1)):
        there = [item for item, is_there in chosen if is_there]
        gone = {item for item, is_there in chosen if not is_there}
        count = sum(
            all(holds(row, item, covers) for item in there) and all(covers[label] - gone for label in row)
            for row in published
        )
        if count:
            fewest = min(fewest, count)
    return fewest


def by_values_and_items(record, published, covers, known, k):
    """As by_items, among the published records whose labels fit the values; records are (values, set)."""
    values, items = record
    value_covers, item_covers = covers
    pool = [
        row_items
        for row_values, row_items in published
        if all(
            value in value_covers[j][label]
            for j, (value, label) in enumerate(zip(values, row_values, strict=True))
        )
    ]
    everything = [row_items for _, row_items in published]
    shown = telling(items, everything, item_covers)
    knowledge = list(combinations(shown, min(known, len(shown))))
    counts = [
        sum(all(holds(row, item, item_covers) for item in chosen) for row in pool) for chosen in knowledge
    ]
    found = [count for count in counts if count > 0]
    below = Fraction(sum(count < k for count in found), len(counts))
    success = sum((Fraction(1, count) for count in found), Fraction(0)) / len(counts)
    return min(found, default=0), below, success


def fitting(record, published, covers):
    """The published (colour, set, other) records that fit all of an original one but its last value."""
    colour, items, _ = record
    colour_covers, item_covers = covers
    known = telling(items, [row for _, row, _ in published], item_covers)
    return [
        row
        for row in published
        if colour in colour_covers[row[0]] and all(holds(row[1], item, item_covers) for item in known)
    ]


def by_intersection(record, one, other, covers):
    """The candidates of one release that could be the same record as some candidate of the other."""
    partners = fitting(record, other, covers)
    return sum(
        any(could_be_one(row, partner, covers[1]) for partner in partners)
        for row in fitting(record, one, covers)
    )


def could_be_one(row, partner, covers):
    def met(labels, others):
        return all(any(covers[label] & covers[other] for other in others) for label in labels)

    return row[2] == partner[2] and met(row[1], partner[1]) and met(partner[1], row[1])


def best_guess(published, secrets, covers, known, universe):
    """The largest share of a secret among the rows of one class that fit at most `known` items.

    Published rows are (class, set), secrets one value or None for each; shares are of those that are there.
    """
    shares = [Fraction(0)]
    for chosen in chain.from_iterable(combinations(universe, size) for size in range(known + 1)):
        for label in {label for label, _ in published}:
            told = [
                secret
                for (other, row), secret in zip(published, secrets, strict=True)
                if other == label and secret is not None and all(holds(row, item, covers) for item in chosen)
            ]
            shares += [Fraction(told.count(secret), len(told)) for secret in told]
    return max(shares)


def by_chunks(record, originals, known, k):
    """As by_items: candidates are the records that hold what is known in the most favourable original.

    `originals` are those of each line.
    """
    published = {term for line in originals for records in line for row in records for term in row}
    items = sorted(set(record) & published)
    knowledge = list(combinations(items, min(known, len(items))))
    counts = [
        sum(max(support(records, chosen) for records in line) for line in originals) for chosen in knowledge
    ]
    found = [count for count in counts if count > 0]
    below = Fraction(sum(count < k for count in found), len(counts))
    success = sum((Fraction(1, count) for count in found), Fraction(0)) / len(counts)
    return min(found, default=0), below, success


def filled_originals(line):
    """The originals in which every record holds something of its own simple cluster."""
    own = [
        set().union(*all_terms_of(simple)) for simple in simple_clusters(line) for _ in range(simple["size"])
    ]
    return [
        original
        for original in originals_of_line(line, up_to_order=True)
        if all(record & terms for record, terms in zip(original, own, strict=True))
    ]
