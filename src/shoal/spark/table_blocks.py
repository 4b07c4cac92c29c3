"""Tables, with sets or without, divided as Mondrian would and searched block by block."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.relational.clustering.ends import Ends, derived_ends_notice, ends_of
from shoal.algorithms.relational.hilbert.algorithm import Hilbert
from shoal.algorithms.relational.mondrian.algorithm import Mondrian
from shoal.algorithms.within_levels import asks_for_levels
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Floats
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.spark.block_tasks import NUMBERS, sample_numbers
from shoal.spark.blocks import PublishRows, rows_searched_at_once, search_blocks
from shoal.spark.classes import quoted
from shoal.spark.data import SparkData, SparkFound
from shoal.spark.divide import Division, Size, divide_table
from shoal.spark.table_cuts import CutColumn
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Role

_WITHOUT_TREES = (Mondrian, Hilbert)


@dataclass(frozen=True, eq=False)
class _Numbers:
    """What all rows tell about a column of numbers without a tree."""

    sample: Floats
    ends: Ends


@dataclass(frozen=True, eq=False)
class DividedTable:
    """A table whose rows were divided, with ends of ranges that all blocks share."""

    data: SparkData
    numbers: Mapping[str, _Numbers]
    division: Division
    most: int


def divided_table(data: SparkData, k: int, progress: Progress, *, least: int = 0) -> DividedTable:
    """Divide the rows into blocks; without a `least` size, into such that are worth a task of their own."""
    progress.stage("dividing the rows into blocks")
    most = rows_searched_at_once(data)
    numbers = _sample_numbers(data)
    searched = replace(data, roles=_with_ends(data.roles, numbers))
    size = Size(most, max(k, least or most // 4))
    division = divide_table(searched, _cut_columns(data, numbers), size, progress)
    return DividedTable(searched, numbers, division, most)


def search_table(
    data: SparkData, task: PublishRows, progress: Progress, divided: DividedTable | None = None
) -> SparkFound:
    """Divide the rows, if nobody has yet, search each block as on one machine, and publish what was decided.

    Mondrian goes on from cuts of its own, unless they leave rows that are not diverse or levels are hidden.
    """
    algorithm, promise = task.algorithm, Promise(task.models)
    if not isinstance(algorithm, _WITHOUT_TREES):
        _refuse_without_trees(algorithm, data)
    as_mondrian = isinstance(algorithm, Mondrian) and not promise.diverse and not asks_for_levels(data.roles)
    if divided is None or (as_mondrian and divided.division.block_count > 1):
        divided = divided_table(data, promise.k, progress, least=promise.k if as_mondrian else 0)
    searched, numbers, division = divided.data, divided.numbers, divided.division
    progress.stage(f"searching {division.block_count:,} blocks with {algorithm.name}")
    measured_as = _with_extent(data.roles, numbers)
    task = replace(task, reader=searched.reader, boxes=division.boxes, measured_as=measured_as)
    found = search_blocks(searched, division, task, divided.most)
    notices = (
        *found.notices(),
        *derived_ends_notice({name: each.ends for name, each in numbers.items()}),
        _how_it_differs(algorithm, divided, exact=as_mondrian and not numbers),
    )
    return found.released(data, division, notices)


def _refuse_without_trees(algorithm: Algorithm, data: SparkData) -> None:
    if without := [name for name in data.quasi if name not in data.trees]:
        remedy = "give it one, such as { ranges = [5, 10, 20] } or { fanout = 5 }"
        what = f"{algorithm.name} needs a hierarchy for it"
        raise BadInput(*(Problem(what, remedy, column=name) for name in without))


def _sample_numbers(data: SparkData) -> dict[str, _Numbers]:
    """Some numbers of each column without a tree, with its ends; BadInput for columns that can have none."""
    without_tree = {
        name: role for name, role in data.roles.items() if isinstance(role, Quasi) and name not in data.trees
    }
    if problems := [
        Problem("a category without a hierarchy cannot be generalized", _GIVE_A_TREE, column=name)
        for name, role in without_tree.items()
        if role.kind is Kind.CATEGORY
    ]:
        raise BadInput(*problems)
    if not without_tree:
        return {}
    sampling = partial(sample_numbers, data.reader.only(*without_tree))
    rows = data.frame.select(*map(quoted, without_tree)).mapInArrow(sampling, NUMBERS).collect()
    found = {}
    for name, role in without_tree.items():
        own = [row for row in rows if row.name == name]
        sample = np.sort(np.array([row.number for row in own], dtype=np.float64))
        distinct = np.unique(sample)
        _refuse_outside(name, role, distinct)
        ends = ends_of(Kind(role.kind), distinct, role.bounds, whole=all(row.whole for row in own))
        found[name] = _Numbers(sample, ends)
    return found


_GIVE_A_TREE = "give it one, such as a file or { flat = true }"


def _refuse_outside(name: str, role: Quasi, numbers: Floats) -> None:
    if role.bounds is not None and len(numbers):
        for number in (float(numbers[0]), float(numbers[-1])):
            if not role.bounds[0] <= number <= role.bounds[1]:
                what = f"{number:g} is outside the declared bounds"
                raise BadInput(Problem(what, "widen the bounds or correct the values", column=name))


def _cut_columns(data: SparkData, numbers: Mapping[str, _Numbers]) -> list[CutColumn]:
    columns = []
    for name in data.quasi:
        role = data.roles[name]
        weight = role.weight if isinstance(role, Quasi) else 1.0
        if name in data.trees:
            columns.append(CutColumn.with_tree(name, data.trees[name], weight))
        elif len(np.unique(numbers[name].sample)) > 1:
            columns.append(CutColumn.with_numbers(name, numbers[name].sample, numbers[name].ends, weight))
    return columns


def _with_ends(roles: Mapping[str, Role], numbers: Mapping[str, _Numbers]) -> dict[str, Role]:
    """The roles with the ends of all rows, so that ranges of different blocks have the same."""
    return _bounded(roles, {name: (each.ends.lower, each.ends.upper) for name, each in numbers.items()})


def _with_extent(roles: Mapping[str, Role], numbers: Mapping[str, _Numbers]) -> dict[str, Role]:
    """The roles with the extent of the numbers of all rows, by which losses are measured."""
    return _bounded(
        roles,
        {
            name: (float(each.sample[0]), float(each.sample[-1]))
            for name, each in numbers.items()
            if len(each.sample)
        },
    )


def _bounded(roles: Mapping[str, Role], bounds: Mapping[str, tuple[float, float]]) -> dict[str, Role]:
    bounded = dict(roles)
    for name, (lower, upper) in bounds.items():
        role = roles[name]
        if isinstance(role, Quasi) and role.bounds is None and lower < upper:
            bounded[name] = replace(role, bounds=(lower, upper))
    return bounded


def _how_it_differs(algorithm: Algorithm, divided: DividedTable, *, exact: bool) -> str:
    division, most, block = divided.division, divided.most, getattr(algorithm, "block", 0)
    within = f", which it cut further into blocks of about {block:,}" if block else ""
    if division.block_count == 1:
        return (
            f"all rows fitted one block of at most {most:,}{within}, so {algorithm.name} ran as on one"
            " machine"
        )
    if exact and not division.dealt:
        return (
            f"the first cuts, into {division.block_count:,} blocks, were found from counts of all rows:"
            " they and what follows are those of one machine"
        )
    dealt = (
        f" {division.dealt_rows:,} rows of blocks that no cut divides were dealt out by turns;"
        if division.dealt
        else ""
    )
    return (
        f"the rows were divided near medians into {division.block_count:,} blocks of at most {most:,}, and"
        f" {algorithm.name} searched each alone{within};{dealt} the promise holds for each and so for all,"
        " and the loss can be higher than on one machine, because no cluster crosses a border"
    )
