"""Whether rows may be published as one class: enough of them, enough people, diverse sensitive values."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.diversity import sized_class_holds


class ClassConstraint(NamedTuple):
    """What every class must satisfy: at least k rows, k being 1 or more, and people; and the rules.

    `people[r]` numbers the person behind row r from 0 without gaps; it is empty when each row is a person of
    its own. sensitive[r, c] is a code of sensitive column c, missing[c] the code of its missing value.
    rules[i] is one rule of `kernels.diversity`, asked of every sensitive column. Value v of
    column c occurs row_totals[total_starts[c] + v] times in the table, in so many rows and in so many people.
    """

    k: int
    people: Ints
    people_count: int
    sensitive: Ints
    missing: Ints
    rules: Ints
    total_starts: Ints
    row_totals: Ints
    people_totals: Ints


@kernel
def count_distinct(values: Ints) -> int:
    """How many different values there are; sorts them in place."""
    values.sort()
    count = 0
    for index in range(len(values)):
        if index == 0 or values[index] != values[index - 1]:
            count += 1
    return count


@kernel(part=True)
def tally(pairs: Ints, people_count: int) -> tuple[Ints, Ints, Ints]:
    """Count rows and people of each value from pairs value * people_count + person, sorting them in place.

    Returns the values, ascending, in how many pairs each occurs, and in how many different ones.
    """
    pairs.sort()
    values = np.empty(len(pairs), dtype=np.int64)
    rows = np.zeros(len(pairs), dtype=np.int64)
    people = np.zeros(len(pairs), dtype=np.int64)
    count = 0
    for index in range(len(pairs)):
        value = pairs[index] // people_count
        if count == 0 or values[count - 1] != value:
            values[count] = value
            count += 1
        rows[count - 1] += 1
        if index == 0 or pairs[index] != pairs[index - 1]:
            people[count - 1] += 1
    return values[:count], rows[:count], people[:count]


@kernel(part=True)
def column_holds(constraint: ClassConstraint, column: int, rows: Ints) -> bool:
    """Whether the values of one sensitive column satisfy all rules, counted in rows and in people."""
    count_people = len(constraint.people) > 0
    pairs = np.empty(len(rows), dtype=np.int64)
    persons = np.empty(len(rows), dtype=np.int64)
    present = 0
    for row in rows:
        value = constraint.sensitive[row, column]
        if value != constraint.missing[column]:
            persons[present] = constraint.people[row] if count_people else 0
            pairs[present] = value * constraint.people_count + persons[present]
            present += 1
    values, row_counts, people_counts = tally(pairs[:present], constraint.people_count)
    person_count = count_distinct(persons[:present])
    totals = slice(constraint.total_starts[column], constraint.total_starts[column + 1])
    for index in range(len(constraint.rules)):
        rule = constraint.rules[index]
        if not sized_class_holds(rule, present, values, row_counts, constraint.row_totals[totals]):
            return False
        if count_people and not sized_class_holds(
            rule, person_count, values, people_counts, constraint.people_totals[totals]
        ):
            return False
    return True


@kernel
def rows_hold(constraint: ClassConstraint, rows: Ints) -> bool:
    """Whether the rows may be published as one class. Reads only. O(m log m) for m rows."""
    if len(rows) < constraint.k:
        return False
    if len(constraint.people) > 0 and count_distinct(constraint.people[rows]) < constraint.k:
        return False
    if len(constraint.rules) > 0:
        for column in range(constraint.sensitive.shape[1]):
            if not column_holds(constraint, column, rows):
                return False
    return True


@kernel
def classes_admissible(constraint: ClassConstraint, starts: Ints, rows: Ints) -> Bools:
    """Mark the classes that may be published: class c holds rows[starts[c]:starts[c + 1]]."""
    holds = np.empty(len(starts) - 1, dtype=np.bool_)
    for c in range(len(holds)):
        holds[c] = rows_hold(constraint, rows[starts[c] : starts[c + 1]])
    return holds
