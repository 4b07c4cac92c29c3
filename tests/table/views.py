"""Tables as plain Python values, for comparisons."""

from shoal.table.columns import Carried, Coded


def values(column):
    if isinstance(column, Coded):
        return [column.domain.label(int(code)) for code in column.codes]
    if isinstance(column, Carried):
        return column.values.to_pylist()
    starts, items = column.arrays
    labels = column.domain.texts()
    return [[labels[item] for item in items[starts[row] : starts[row + 1]]] for row in range(len(column))]


def plain(table):
    return {name: values(column) for name, column in table.columns.items()}
