"""Equal rows, by dictionary."""


def group_rows(rows):
    """The class of each row and the first row of each class, numbered by first appearance."""
    number_of = {}
    for row in rows:
        number_of.setdefault(tuple(row), len(number_of))
    class_of_row = [number_of[tuple(row)] for row in rows]
    return class_of_row, [class_of_row.index(number) for number in range(len(number_of))]


def members(class_of_row, class_count):
    return [[row for row, at in enumerate(class_of_row) if at == c] for c in range(class_count)]
