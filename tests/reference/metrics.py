"""What each measure means, record by record, on plain lists.

A tree is a dict child -> parent. A published cell is the label of a node, a pair (lo, hi), None for a missing
value or SUPPRESSED; a published record is a list of cells, or SUPPRESSED as a whole.
"""

from collections import Counter
from fractions import Fraction
from math import log2

SUPPRESSED = "(suppressed)"


class TreeColumn:
    def __init__(self, parents, values, numbers=None):
        self.parents, self.values, self.numbers = parents, values, numbers
        self.root = next(iter(set(parents.values()) - set(parents)))
        self.domain = [node for node in parents if node not in parents.values()]

    def covered(self, cell):
        return [leaf for leaf in self.domain if cell == leaf or cell in above(self.parents, leaf)]

    def hides_all(self, cell):
        return cell in (self.root, SUPPRESSED)

    def width(self, cell):
        if self.numbers is None:
            return None
        everything = [self.numbers[leaf] for leaf in self.domain]
        here = [self.numbers[leaf] for leaf in self.covered(cell)]
        return share_of_width(min(here), max(here), min(everything), max(everything))

    def height_share(self, cell):
        return Fraction(height(self.parents, cell), height(self.parents, self.root))


class RangeColumn:
    def __init__(self, values, bounds=None):
        self.values, self.bounds = values, bounds
        self.domain = sorted({value for value in values if value is not None})

    def covered(self, cell):
        return self.domain if cell == SUPPRESSED else [v for v in self.domain if cell[0] <= v <= cell[1]]

    def hides_all(self, cell):
        return cell == SUPPRESSED

    def width(self, cell):
        everything = self.domain + list(self.bounds or ())
        if not everything:
            return 0
        low, high = min(everything), max(everything)
        here = (low, high) if cell == SUPPRESSED else cell
        return share_of_width(max(here[0], low), min(here[1], high), low, high)

    def height_share(self, cell):
        return 1 if cell == SUPPRESSED or cell[0] < cell[1] else 0


def above(parents, node):
    while node in parents:
        node = parents[node]
        yield node


def height(parents, node):
    below = [child for child, parent in parents.items() if parent == node]
    return 1 + max(height(parents, child) for child in below) if below else 0


def share_of_width(low, high, domain_low, domain_high):
    return 0 if domain_low == domain_high else (high - low) / (domain_high - domain_low)


def cell_cost(measure, column, cell):
    if cell is None:
        return 0
    if measure == "tree":
        return column.height_share(cell)
    if measure in ("entropy", "monotone_entropy"):
        inside = originals_behind(column, cell)
        bits = -sum(n / len(inside) * log2(n / len(inside)) for n in Counter(inside).values())
        known = [v for v in column.values if v in column.domain or v is None]
        return bits * len(inside) / max(len(known), 1) if measure == "monotone_entropy" else bits
    width = column.width(cell)
    if width is not None:
        return width
    n, all_values = len(column.covered(cell)), len(column.domain)
    if n == 1:
        return 0
    return Fraction(n, all_values) if measure == "ncp" else Fraction(n - 1, all_values - 1)


def originals_behind(column, cell):
    inside = column.covered(cell)
    return [v for v in column.values if v in inside or (v is None and column.hides_all(cell))]


def column_cost(measure, column, cells):
    """Mean over records; `cells` has one cell per record, "gone" where the record is suppressed."""
    return sum(
        suppressed_record_cost(measure, column) if cell == "gone" else cell_cost(measure, column, cell)
        for cell in cells
    ) / max(len(cells), 1)


def suppressed_record_cost(measure, column):
    if measure in ("entropy", "monotone_entropy"):
        return cell_cost(measure, column, getattr(column, "root", SUPPRESSED))
    return 1


def table_cost(measure, columns, published, weights):
    """`published` holds one list of cells per column."""
    if measure != "ncp" or not any(weights):
        weights = [1] * len(columns)
    return sum(
        weight / sum(weights) * column_cost(measure, column, cells)
        for weight, column, cells in zip(weights, columns, published, strict=True)
    )


def ambiguity(columns, published):
    """AM as an exact fraction."""
    records = list(zip(*published, strict=True))
    total = 0
    for record in records:
        combinations = 1
        for column, cell in zip(columns, record, strict=True):
            if cell == "gone":
                combinations *= max(len(column.domain), 1)
            elif cell is not None:
                combinations *= max(len(column.covered(cell)), 1)
        total += combinations
    return Fraction(total, len(records))


def discernibility(published):
    records = list(zip(*published, strict=True))
    return sum(len(records) if "gone" in record else records.count(record) for record in records)


def average_class_size(published, k):
    records = list(zip(*published, strict=True))
    classes = {record for record in records if "gone" not in record}
    return Fraction(len(records), max(len(classes), 1) * k)


def item_ncp(parents, occurrences):
    """`occurrences` holds per record one pair (item, published node or SUPPRESSED) per original item."""
    column = TreeColumn(parents, [])
    costs = [
        1 if node == SUPPRESSED else cell_cost("ncp", column, node)
        for record in occurrences
        for _, node in record
    ]
    return Fraction(sum(costs), max(len(costs), 1))


def utility_loss(parents, occurrences, weights=None):
    column = TreeColumn(parents, [])
    losses = []
    for record in occurrences:
        published = {node for _, node in record if node != SUPPRESSED}
        stands_for = {node: len(column.covered(node)) for node in published}
        if not record:
            losses.append(0)
        elif not published:
            losses.append(1)
        else:
            lost = sum(
                (2**n - 1) * (weights[node] if weights else 1) for node, n in stands_for.items() if n > 1
            )
            losses.append(Fraction(lost) / (2 ** sum(stands_for.values()) - 1))
    return Fraction(sum(losses), max(len(losses), 1))
