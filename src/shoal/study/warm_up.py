"""Compiling what releases need before anybody waits for it: small invented data through every algorithm.

What a run compiles depends on its data (trees or none, missing values, several columns); what was left out
here is compiled by the first run that needs it.
"""

import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import csv

from shoal.algorithms.catalogue import ALGORITHMS
from shoal.errors import Infeasible, LimitReached, MissingExtra
from shoal.hierarchy.builders import fanout, mask_right, ranges
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.run.api import anonymize, read, verify
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive

_ROWS, _ITEMS = 300, 40
_SECONDS = 900.0  # which searches of so few rows never take, but compiling on a busy machine can
_PARAMETERS = {"k": 3, "l": 1.2, "t": 0.9, "alpha": 0.9, "epsilon": 1.0}
_ONE_ITEM = ("lgr-literal",)  # which keep no promise against who knows more
_WITHOUT_TREES = ("mondrian", "hilbert")
_VALUES: dict[str, Role] = {
    "age": Quasi(kind=Kind.NUMBER, hierarchy=ranges(5, 10, 20, 80)),
    "zip": Quasi(hierarchy=mask_right()),
}
_BARE: dict[str, Role] = {"age": Quasi(kind=Kind.NUMBER), "height": Quasi(kind=Kind.NUMBER)}


class WarmUpTask(NamedTuple):
    """One algorithm under one promise, on columns with or without trees."""

    algorithm: str
    model: str
    trees: bool = True
    known: int = 2  # items, where the model has such a number


def tasks() -> list[WarmUpTask]:
    """All that is run, the longest to compile first."""
    served = [
        WarmUpTask(name, model.name)
        for name, algorithm in ALGORITHMS.items()
        for model in algorithm.serves
        if all(type(each) in algorithm.serves for each in _promise(WarmUpTask(name, model.name)))
    ]
    bare = [WarmUpTask(name, "k-anonymity", trees=False) for name in _WITHOUT_TREES]
    served = [task._replace(known=1) if task.algorithm in _ONE_ITEM else task for task in served]
    return sorted([*served, *bare], key=lambda task: task.algorithm not in ("kanon-cf", "classwise"))


def warm_up(progress: Progress, processes: int | None = None) -> int:
    """Compile in as many processes as there are cores; the number of runs that were made."""
    waiting = tasks()
    progress.stage("compiling")
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes or os.cpu_count() or 1, mp_context=spawn) as pool:
        running = [pool.submit(run_one, task) for task in waiting]
        for done, finished in enumerate(as_completed(running), start=1):
            finished.result()
            progress.update(done, len(waiting))
    return len(waiting)


def run_one(task: WarmUpTask) -> None:
    """Release and verify invented data, as a run would; a promise that they cannot keep compiles, too.

    An algorithm whose libraries are not installed has nothing to compile here.
    """
    promise = _promise(task)
    with tempfile.TemporaryDirectory() as folder, suppress(Infeasible, LimitReached, MissingExtra):
        roles = _roles(promise, Path(folder), trees=task.trees)
        file = Path(folder) / "data.csv"
        csv.write_csv(_table().select(list(roles)), file)
        data = read(file, roles)
        result = anonymize(data, list(promise), algorithm=task.algorithm, time_limit=_SECONDS)
        result.save(Path(folder) / "out")
        if promise.form is Form.ROWS:
            verify(result.frame, roles, list(promise))


def _promise(task: WarmUpTask) -> Promise:
    """A model with small parameters, after those that it is promised beside."""
    model = MODELS[task.model]
    needed = [each.name for each in fields(model) if each.default is MISSING]  # type: ignore[arg-type]
    known = _PARAMETERS | {"m": task.known}
    made = model(**{each: known[each] for each in needed})
    if model.named is None and model.beside is not None:
        return Promise((*_promise(task._replace(model=sorted(model.beside.models)[0])), made))
    return Promise((made,))


def _roles(promise: Promise, folder: Path, *, trees: bool) -> dict[str, Any]:
    covered = {role for model in promise for role in model.covers}
    tree = _tree_file(folder) if promise.form is Form.NEW_RECORDS else fanout(3)
    sensitive = ("i1",) if promise.diverse and Quasi not in covered else ()
    return {
        **((_VALUES if trees else _BARE) if Quasi in covered else {}),
        **({"items": QuasiSet(hierarchy=tree, sensitive=sensitive)} if QuasiSet in covered else {}),
        **({"illness": Sensitive()} if promise.diverse and Quasi in covered else {}),
    }


def _tree_file(folder: Path) -> Path:
    # New records need a tree that is not built from the data.
    file = folder / "items.csv"
    lines = (f"i{item};group {item // 4};chapter {item // 16};*\n" for item in range(_ITEMS))
    file.write_text("".join(lines), encoding="utf-8")
    return file


def _table() -> pa.Table:
    rows = range(_ROWS)
    return pa.table(
        {
            "age": pa.array([None if row % 31 == 0 else 20 + 7 * row % 53 for row in rows], pa.int64()),
            "zip": pa.array([f"1{row % 5}{row % 3}" for row in rows]),
            "height": pa.array([1.5 + (row * row) % 47 / 100 for row in rows]),
            "items": pa.array([_items(row) for row in rows]),
            "illness": pa.array([("flu", "cold", "gout", "asthma")[row * row % 11 % 4] for row in rows]),
        }
    )


def _items(row: int) -> str:
    """Few items in many records and many in few, so that all steps of a search have something to do."""
    return " ".join(
        sorted({f"i{(row * step) % (3 + row * step % _ITEMS)}" for step in range(1, 2 + row % 5)})
    )
