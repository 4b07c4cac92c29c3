"""What the models about classes mean, in a few lines each, over lists of dictionaries.

A row is {"column": value}; None is a missing value. `people` names the person behind each row.
"""

from fractions import Fraction


def classes(rows, quasi):
    """The row numbers of each class, by the values that its rows share."""
    found = {}
    for number, row in enumerate(rows):
        found.setdefault(tuple(row[name] for name in quasi), []).append(number)
    return found


def supports(rows, quasi, people):
    """How many people stand in each class."""
    return {key: len({people[row] for row in members}) for key, members in classes(rows, quasi).items()}


def k_anonymity(rows, quasi, k, people):
    smallest = min(supports(rows, quasi, people).values())
    return smallest >= k, smallest


def wildcard_smallest(rows, quasi):
    """The fewest rows that any row agrees with wherever both have a value."""

    def compatible(one, other):
        return all(one[name] is None or other[name] is None or one[name] == other[name] for name in quasi)

    return min(sum(compatible(row, other) for other in rows) for row in rows)


def histogram(rows, column):
    """The values of some rows that are not missing, with their counts."""
    values = [row[column] for row in rows if row[column] is not None]
    return {value: values.count(value) for value in values}


def people_histogram(rows, column, people):
    """The values of some rows, with the number of people who have each."""
    pairs = {
        (row[column], person) for row, person in zip(rows, people, strict=True) if row[column] is not None
    }
    return histogram([{column: value} for value, _ in pairs], column)


def every_class(rows, quasi, column, people, holds):
    """Whether all classes are fine: holds(counts, size, counts in the table), in rows and in people."""
    per_row = list(range(len(rows)))
    return all(
        holds(
            people_histogram([rows[r] for r in members], column, [who[r] for r in members]),
            len({who[r] for r in members if rows[r][column] is not None}),
            people_histogram(rows, column, who),
        )
        for who in (per_row, people)
        for members in classes(rows, quasi).values()
    )


def frequency(counts, size, table, l):
    return size > 0 and all(count * l <= size for count in counts.values())


def distinct(counts, size, table, l):
    return size > 0 and len(counts) >= l


def entropy(counts, size, table, l):
    """Entropy >= log l, with both sides raised to the power of the size."""
    if size == 0:
        return False
    n = sum(counts.values())
    bound = Fraction(l) ** n
    for count in counts.values():
        bound *= count**count
    return n**n >= bound


def recursive(counts, size, table, l, c):
    ordered = sorted(counts.values(), reverse=True)
    return size > 0 and ordered[0] < c * sum(ordered[l - 1 :])


def equal_distance(counts, table):
    n, total = sum(counts.values()), sum(table.values())
    return sum(abs(Fraction(counts.get(v, 0), n) - Fraction(table[v], total)) for v in table) / 2


def ordered_distance(counts, table):
    """The cost of carrying the class's distribution to the table's, lowest earth to lowest hole first."""
    order = sorted(table)
    if len(order) == 1:
        return Fraction(0)
    earth = [Fraction(counts.get(v, 0), sum(counts.values())) for v in order]
    holes = [Fraction(table[v], sum(table.values())) for v in order]
    cost, i, j = Fraction(0), 0, 0
    while i < len(order) and j < len(order):
        carried = min(earth[i], holes[j])
        cost += carried * abs(i - j)
        earth[i] -= carried
        holes[j] -= carried
        if earth[i] == 0:
            i += 1
        else:
            j += 1
    return cost / (len(order) - 1)


def close(counts, size, table, t, distance):
    return size > 0 and {"equal": equal_distance, "ordered": ordered_distance}[distance](counts, table) <= t


def share_at_most(counts, size, table, alpha):
    return size > 0 and all(Fraction(count, size) <= alpha for count in counts.values())
