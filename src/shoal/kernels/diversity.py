"""Whether the sensitive values of a class are diverse enough: exact in integers wherever there are any.

A rule is four integers: kind, numerator, denominator, l. The threshold is numerator / denominator; l
is the rank from which a recursive rule counts the rarer values. Comparisons never multiply what
could overflow; where a number cannot be held, the answer is "does not hold".
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.kernels.compile import kernel

FREQUENCY, DISTINCT, ENTROPY, RECURSIVE, CLOSE_EQUAL, CLOSE_ORDERED = range(6)

ENTROPY_MARGIN = 1e-9
_LARGEST = 2**63 - 1


class SensitiveCounts(NamedTuple):
    """The sensitive values of all classes.

    Class c has the values[starts[c]:starts[c + 1]], ascending, with those counts; shares of them are shares
    of sizes[c]. totals[v] is the count of value v in the whole table.
    """

    sizes: Ints
    starts: Ints
    values: Ints
    counts: Ints
    totals: Ints


@kernel
def at_most(a: int, b: int, c: int, d: int) -> bool:
    """Whether a / b <= c / d, exactly; a and c are 0 or more, b and d are 1 or more.

    Compares continued fractions, so that no product can overflow. O(log).
    """
    while True:
        whole_left, whole_right = a // b, c // d
        if whole_left != whole_right:
            return whole_left < whole_right
        rest_left, rest_right = a - whole_left * b, c - whole_right * d
        if rest_left == 0:
            return True
        if rest_right == 0:
            return False
        a, b, c, d = d, rest_right, b, rest_left


@kernel
def count_from_rank(counts: Ints, rank: int) -> int:
    """Add up all counts but the rank - 1 largest. Reads only. O(rank * len(counts))."""
    if rank > len(counts):
        return 0
    left = counts.copy()
    total = left.sum()
    for _ in range(rank - 1):
        largest = left.argmax()
        total -= left[largest]
        left[largest] = 0
    return total


@kernel
def entropy(counts: Ints) -> float:
    """The entropy of the counts, which are 1 or more, in nats."""
    size = counts.sum()
    weighted = 0.0
    for count in counts:
        weighted += count * np.log(count)
    return np.log(size) - weighted / size


@kernel
def excess(values: Ints, counts: Ints, totals: Ints) -> int:
    """Total variation between class and table, times the sizes of both, which must fit.

    Only values of the class can be more frequent in it than in the table, and the excess of those is the
    total variation.
    """
    size, table_size = counts.sum(), totals.sum()
    above = 0
    for index in range(len(values)):
        difference = counts[index] * table_size - totals[values[index]] * size
        if difference > 0:
            above += difference
    return above


@kernel
def work(values: Ints, counts: Ints, totals: Ints) -> tuple[int, int, int]:
    """Earth mover's work between class and table along the values that occur in the table, in order.

    One step costs 1. Returns (whole, rest, steps): the work is whole + rest / (size of class * size of
    table), and no work could be more than `steps`. Twice the product of the sizes must fit.
    """
    size, table_size = counts.sum(), totals.sum()
    unit = size * table_size
    whole = rest = carried = index = 0
    steps = -1
    for value in range(len(totals)):
        if totals[value] == 0:
            continue
        whole += rest // unit
        rest %= unit
        rest += abs(carried)
        steps += 1
        carried -= totals[value] * size
        if index < len(values) and values[index] == value:
            carried += counts[index] * table_size
            index += 1
    return whole + rest // unit, rest % unit, steps


@kernel(part=True)
def entropy_holds(numerator: int, denominator: int, counts: Ints) -> bool:
    """Whether the entropy is at least log(numerator / denominator), with a margin unless counts are equal."""
    if counts.min() == counts.max():
        return at_most(numerator, denominator, len(counts), 1)
    margin = ENTROPY_MARGIN + 1e-14 * len(counts)
    return entropy(counts) >= np.log(numerator) - np.log(denominator) + margin


@kernel(part=True)
def recursive_holds(numerator: int, denominator: int, rank: int, counts: Ints) -> bool:
    """Whether the largest count is less than numerator / denominator times the counts from rank on."""
    rarer = count_from_rank(counts, rank)
    return rarer > 0 and not at_most(numerator, denominator, counts.max(), rarer)


@kernel(part=True)
def equal_holds(numerator: int, denominator: int, values: Ints, counts: Ints, totals: Ints) -> bool:
    """Whether the total variation between class and table is at most numerator / denominator."""
    size, table_size = counts.sum(), totals.sum()
    if size > _LARGEST // table_size:
        return False
    return at_most(excess(values, counts, totals), size * table_size, numerator, denominator)


@kernel(part=True)
def ordered_holds(numerator: int, denominator: int, values: Ints, counts: Ints, totals: Ints) -> bool:
    """Whether the work, divided by the largest possible one, is at most numerator / denominator."""
    size, table_size = counts.sum(), totals.sum()
    if size > _LARGEST // 2 // table_size:
        return False
    whole, rest, steps = work(values, counts, totals)
    if steps == 0:
        return True
    while numerator > _LARGEST // steps:  # rounds the threshold down, against the publisher
        numerator //= 2
        denominator = denominator // 2 + 1
    allowed = numerator * steps
    if whole != allowed // denominator:
        return whole < allowed // denominator
    return at_most(rest, size * table_size, allowed % denominator, denominator)


@kernel(part=True)
def closeness_holds(rule: Ints, values: Ints, counts: Ints, totals: Ints) -> bool:
    """Whether a class is as close to the table as the rule, of a closeness kind, asks."""
    if rule[0] == CLOSE_EQUAL:
        return equal_holds(rule[1], rule[2], values, counts, totals)
    return ordered_holds(rule[1], rule[2], values, counts, totals)


@kernel
def sized_class_holds(rule: Ints, size: int, values: Ints, counts: Ints, totals: Ints) -> bool:
    """Whether a class satisfies a rule, where shares of values are shares of `size`.

    `values` ascend: the codes of the sensitive values that occur in the class; `counts` are theirs, 1 or
    more; totals[v] is the count of value v in the whole table; `size` is less than the sum of the counts when
    one person can have several values. A class without values does not hold. Exact, but an entropy within
    ENTROPY_MARGIN of its threshold holds only when all counts are equal. Reads only. O(len(values)), for
    closeness O(len(totals)).
    """
    kind, numerator, denominator = rule[0], rule[1], rule[2]
    if len(counts) == 0:
        return False
    if kind == FREQUENCY:
        return at_most(counts.max(), size, denominator, numerator)
    if kind == DISTINCT:
        return at_most(numerator, denominator, len(counts), 1)
    if kind == ENTROPY:
        return entropy_holds(numerator, denominator, counts)
    if kind == RECURSIVE:
        return recursive_holds(numerator, denominator, rule[3], counts)
    return closeness_holds(rule, values, counts, totals)


@kernel
def classes_hold(rule: Ints, classes: SensitiveCounts) -> Bools:
    """Mark the classes that satisfy a rule. Reads only."""
    holds = np.empty(len(classes.sizes), dtype=np.bool_)
    for c in range(len(holds)):
        part = slice(classes.starts[c], classes.starts[c + 1])
        holds[c] = sized_class_holds(
            rule, classes.sizes[c], classes.values[part], classes.counts[part], classes.totals
        )
    return holds


@kernel
def class_figure(  # noqa: PLR0911 - one for each kind
    rule: Ints, size: int, values: Ints, counts: Ints, totals: Ints
) -> float:
    """What a class reaches, rounded, in the terms of its rule's threshold. Reads only.

    Size / largest count, number of values, exponential of the entropy, largest count / count of the rarer
    values (infinite without any), or distance. NaN for a class without values.
    """
    kind = rule[0]
    if len(counts) == 0:
        return np.nan
    if kind == FREQUENCY:
        return size / counts.max()
    if kind == DISTINCT:
        return np.float64(len(counts))
    if kind == ENTROPY:
        return np.exp(entropy(counts))
    if kind == RECURSIVE:
        rarer = count_from_rank(counts, rule[3])
        return counts.max() / rarer if rarer > 0 else np.inf
    unit = counts.sum() * np.float64(totals.sum())
    if kind == CLOSE_EQUAL:
        return excess(values, counts, totals) / unit
    whole, rest, steps = work(values, counts, totals)
    return (whole + rest / unit) / max(steps, 1)


@kernel
def class_figures(rule: Ints, classes: SensitiveCounts) -> Floats:
    """The figure of each class. Reads only."""
    figures = np.empty(len(classes.sizes), dtype=np.float64)
    for c in range(len(figures)):
        part = slice(classes.starts[c], classes.starts[c + 1])
        figures[c] = class_figure(
            rule, classes.sizes[c], classes.values[part], classes.counts[part], classes.totals
        )
    return figures


@kernel(part=True)
def shortfall(rule: Ints, figure: float) -> float:
    """How far a figure is on the wrong side of its rule's threshold; infinite for a NaN."""
    threshold = rule[1] / rule[2]
    higher_is_better = rule[0] in (FREQUENCY, DISTINCT, ENTROPY)
    if np.isnan(figure):
        return np.inf
    return max(0.0, threshold - figure if higher_is_better else figure - threshold)
