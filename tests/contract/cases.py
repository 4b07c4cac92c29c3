"""Small data of every kind, and a promise for every model of the catalogue."""

from dataclasses import MISSING, fields
from pathlib import Path

import pyarrow as pa

import shoal as sh
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.table.roles import Quasi, QuasiSet

ITEMS = Path(__file__).with_name("items.csv")
K = 2
_PARAMETERS = {"k": K, "m": 1, "l": 1.2, "t": 0.9, "alpha": 0.9, "epsilon": 1.0}
_VALUES = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 80)),
    "zip": sh.Quasi(hierarchy=sh.mask_right()),
}
_ILLNESS = {"illness": sh.Sensitive()}


def promise_of(name):
    """The model with small parameters, after those that it is promised beside."""
    model = MODELS[name]
    needed = [each.name for each in fields(model) if each.default is MISSING]
    made = model(**{each: _PARAMETERS[each] for each in needed})
    if model.named is None and model.beside is not None:
        main = promise_of(sorted(model.beside.models)[0])
        return Promise((*main, made))
    return Promise((made,))


def served():
    """Every algorithm of ours with every model that it serves."""
    return [
        (name, model.name)
        for name, algorithm in ALGORITHMS.items()
        for model in algorithm.serves
        if _together(algorithm, promise_of(model.name))
    ]


def _together(algorithm, promise):
    return all(type(model) in algorithm.serves for model in promise)


def roles_of(promise, columns):
    """The roles of some of the columns, as far as the promise covers them."""
    covered = {role for model in promise for role in model.covers}
    sensitive = ("s",) if promise.diverse and Quasi not in covered else ()
    # A tree that is built from the data would tell which items occur, so new records need one from a file.
    tree = ITEMS if promise.form is Form.NEW_RECORDS else sh.fanout(2)
    basket = sh.QuasiSet(hierarchy=tree, sensitive=sensitive)
    roles = {
        **(_VALUES if Quasi in covered else {}),
        **({"items": basket} if QuasiSet in covered else {}),
        **(_ILLNESS if promise.diverse and Quasi in covered else {}),
    }
    return {name: role for name, role in roles.items() if name in columns}


def _table(ages, zips, sets, illnesses):
    return pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "zip": pa.array(zips, pa.string()),
            "items": pa.array(sets, pa.list_(pa.string())),
            "illness": pa.array(illnesses, pa.string()),
            "person": pa.array([f"p{row // 2}" for row in range(len(ages))]),
        }
    )


_SETS = [["a", "b"], ["a"], ["b", "c"], ["a", "c"], ["b"], ["a", "b", "d"], ["d", "c"], ["a", "s"]]
_ILL = ["flu", "cold", "gout"]


def _rows(count):
    return _table(
        [20 + 7 * row % 41 for row in range(count)],
        [f"1{row % 5}{row % 3}" for row in range(count)],
        [_SETS[row % 7] for row in range(count - 1)] + [_SETS[7]],
        [_ILL[row % 3] for row in range(count)],
    )


def _with_missing():
    table = _rows(24)
    ages = [None if row % 5 == 0 else age for row, age in enumerate(table["age"].to_pylist())]
    zips = [None if row % 7 == 0 else code for row, code in enumerate(table["zip"].to_pylist())]
    sets = [[] if row % 6 == 0 else items for row, items in enumerate(table["items"].to_pylist())]
    return _table(ages, zips, sets, table["illness"].to_pylist())


def _empty_column():
    table = _rows(12)
    return _table(
        [None] * 12, table["zip"].to_pylist(), table["items"].to_pylist(), table["illness"].to_pylist()
    )


def _one_huge_class():
    table = _rows(10)
    many = 190
    return _table(
        table["age"].to_pylist() + [33] * many,
        table["zip"].to_pylist() + ["111"] * many,
        table["items"].to_pylist() + [["a", "b"]] * many,
        table["illness"].to_pylist() + [_ILL[row % 3] for row in range(many)],
    )


TABLES = {
    "values and sets": _rows(40),
    "missing values and empty sets": _with_missing(),
    "a column without any value": _empty_column(),
    "as many records as k": _table([20, 31], ["100", "123"], [["a", "b"], ["c"]], ["flu", "cold"]),
    "one huge class": _one_huge_class(),
}
