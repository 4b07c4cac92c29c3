"""`shoal query`: what readers of a published file can learn from it by counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output
from shoal.cli.reporting import Json, reporting
from shoal.errors import BadInput, Problem
from shoal.metrics.answers import Answer
from shoal.metrics.item_shares import ItemEstimator
from shoal.metrics.workloads import Query, read_workload
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import load_policy
from shoal.study.count import GroupCounts, count
from shoal.study.count_groups import ends_of_bands
from shoal.study.open_release import OpenedRelease, open_release
from shoal.study.query import Answers, Shape, ask, data_of, opened_with, refuse_clusters
from shoal.study.reconstruct import split_itemset
from shoal.study.release_query import has_codebook, only_set_column, supports
from shoal.study.true_counts import OriginalRecords
from shoal.table.roles import QuasiSet

_SHOWN = 20


@reporting
def query(
    file: Annotated[Path, typer.Argument(help="The published file.", metavar="FILE")],
    *,
    itemset: Annotated[
        list[str] | None, typer.Option(help='Items such as "a b" that are all held; repeatable.')
    ] = None,
    separator: Annotated[str, typer.Option(help="What stands between the items.")] = " ",
    policy: Annotated[
        Path | None,
        typer.Option(help="The policy of the release: answers beside the true counts of its data."),
    ] = None,
    value: Annotated[
        list[str] | None, typer.Option(help="column=value; of several of one column any counts.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Count by the values of this column; up to three columns.")
    ] = None,
    band: Annotated[
        list[str] | None, typer.Option(help="Ends of bands to count by, such as age=20,40,60.")
    ] = None,
    workload: Annotated[Path | None, typer.Option(help="A file of queries, one JSON object a line.")] = None,
    shape: Annotated[
        str | None, typer.Option(help="Draw queries about so many values and items, such as 2,1.")
    ] = None,
    queries: Annotated[int, typer.Option(min=1, help="How many queries of that shape.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed draws the same queries.")] = 0,
    sanity: Annotated[float, typer.Option(help="Errors are relative to this count or more.")] = 1.0,
    drop_empty: Annotated[
        bool, typer.Option("--drop-empty", help="Leave out queries that truly count nothing.")
    ] = False,
    estimator: Annotated[
        ItemEstimator | None,
        typer.Option(help="Count as papers do, who know the values of the original; see the docs."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how many records have certain values or hold an itemset, from the published file.

    The codebook beside the file says what labels stand for, and bounds are given. With a policy the true
    counts of its data stand beside them.
    """
    itemsets = [split_itemset(text, separator) for text in itemset or ()]
    values = _by_column("--value", value or ())
    if by or band:
        if workload is not None or shape is not None or estimator is not None:
            raise BadInput(
                Problem("--by makes a table of its own", "leave out --workload, --shape, --estimator")
            )
        bands = {
            name: ends_of_bands(",".join(texts)) for name, texts in _by_column("--band", band or ()).items()
        }
        _show_counts(
            file, _table(file, policy, _Question(values, itemsets, tuple(by or ()), bands)), as_json=as_json
        )
    elif policy is not None:
        plan = plan_of(load_policy(policy))
        asked = (
            _shape(shape, queries, seed) if shape is not None else _written(plan, values, itemsets, workload)
        )
        answers = ask(file, plan, asked, sanity=sanity, keep_empty=not drop_empty, estimator=estimator)
        _show_answers(file, answers, as_json=as_json)
    else:
        _refuse_without_policy(workload=workload, shape=shape, estimator=estimator)
        if values:
            _show_counts(file, _table(file, None, _Question(values, itemsets)), as_json=as_json)
        else:
            _show_bounds(file, supports(file, *itemsets), as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Question:
    """What the command line asks."""

    values: Mapping[str, tuple[str, ...]]
    itemsets: Sequence[Sequence[str]]
    by: tuple[str, ...] = ()
    bands: Mapping[str, Sequence[float | str]] = field(default_factory=dict)

    def counted(self, opened: OpenedRelease, original: OriginalRecords | None = None) -> GroupCounts:
        """The answer as a table."""
        where = dict(self.values)
        if self.itemsets:
            where[only_set_column(opened)] = tuple(item for items in self.itemsets for item in items)
        return count(opened, where, self.by, self.bands, original)


def _table(file: Path, policy: Path | None, question: _Question) -> GroupCounts:
    """Counts from the file alone, or with a policy beside those of its data."""
    if policy is not None:
        plan = plan_of(load_policy(policy))
        refuse_clusters(plan)
        data = data_of(plan)
        opened = opened_with(file, plan, data)
        return question.counted(opened, OriginalRecords.of(data, opened.codebook))
    if not has_codebook(file):
        what = "without codebook.json beside the file nobody knows its columns"
        raise BadInput(Problem(what, "name the policy with --policy"))
    return question.counted(open_release(file))


def _refuse_without_policy(**given: object) -> None:
    for name, what in given.items():
        if what:
            raise BadInput(Problem(f"--{name} needs to know the columns", "name the policy with --policy"))


def _shape(text: str, count: int, seed: int) -> Shape:
    numbers = text.split(",")
    if len(numbers) != 2 or not all(number.strip().isdecimal() for number in numbers):
        raise BadInput(Problem(f"a shape is two numbers, got {text!r}", "write one such as 2,1"))
    return Shape(int(numbers[0]), int(numbers[1]), count, seed)


def _written(
    plan: Plan,
    values: Mapping[str, tuple[str, ...]],
    itemsets: Sequence[Sequence[str]],
    workload: Path | None,
) -> list[Query]:
    """The queries of the command line: each itemset with all the values, or the values alone; and a file."""
    sets = [name for name, role in plan.roles.items() if isinstance(role, QuasiSet)]
    if itemsets and len(sets) != 1:
        raise BadInput(
            Problem(f"an itemset is of one set column, and there are {len(sets)}", "use --workload")
        )
    written = [Query(values, {sets[0]: tuple(items)}) for items in itemsets]
    if values and not itemsets:
        written = [Query(values)]
    return [*written, *(read_workload(workload) if workload else ())]


def _by_column(option: str, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    by_column: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, found, label = text.partition("=")
        if not found:
            raise BadInput(Problem(f"{option} is column=value, got {text!r}", "write one such as age=30"))
        by_column[name] = (*by_column.get(name, ()), label)
    return by_column


def _show_counts(file: Path, counted: GroupCounts, *, as_json: bool) -> None:
    rows = counted.rows()
    if as_json:
        output.show_json({"file": str(file), "counts": rows})
        return
    told = _BESIDE_TRUTH if counted.true is not None else _BOUNDS
    output.show_table(
        f"{file.name}: records",
        [*counted.by, *told.values()],
        [
            [_shown(row[name]) for name in (*counted.by, *told)]
            for row in rows
            if row["upper"] or row.get("true")
        ],
    )


_BOUNDS = {"lower": "at least", "expected": "expected", "upper": "at most"}
_BESIDE_TRUTH = {**_BOUNDS, "true": "true", "error": "error"}


def _shown(value: str | float) -> str | float:
    return f"{value:.4g}" if isinstance(value, float) else value


def _show_bounds(file: Path, answers: Sequence[Answer], *, as_json: bool) -> None:
    if as_json:
        output.show_json({"file": str(file), "answers": [asdict(answer) for answer in answers]})
        return
    output.show_notices(_unknown_terms(answer) for answer in answers if answer.unknown)
    output.show_table(
        f"{file.name}: {answers[0].records} records",
        ["itemset", "at least", "expected", "at most"],
        [
            (", ".join(answer.itemset), answer.lower, f"{answer.expected:.4g}", answer.upper)
            for answer in answers
        ],
    )


def _unknown_terms(answer: Answer) -> str:
    terms = ", ".join(map(repr, answer.unknown))
    return f"the file does not hold {terms}; terms that contain spaces need another --separator"


def _show_answers(file: Path, answers: Answers, *, as_json: bool) -> None:
    if as_json:
        output.show_json({"file": str(file), **asdict(answers)})
        return
    output.show_table(
        f"{file.name}: the first of {len(answers.asked)} queries",
        ["query", *(name for key, name in _BESIDE_TRUTH.items() if key != "error")],
        [
            (_in_words(each.query), _bound(each.lower), f"{each.expected:.4g}", _bound(each.upper), each.true)
            for each in answers.asked[:_SHOWN]
        ],
    )
    errors = answers.errors
    output.show_facts(
        "Average relative error",
        {
            "ARE": f"{errors.are:.4g}",
            "queries": errors.queries,
            "of which truly count nothing": errors.empty,
            "estimated so": answers.estimator,
        },
    )


def _bound(bound: int | None) -> str | int:
    return "" if bound is None else bound


def _in_words(query: Query) -> str:
    values = [f"{name}={' or '.join(labels)}" for name, labels in query.values.items()]
    items = [f"{name} holds {', '.join(labels)}" for name, labels in query.items.items()]
    return " and ".join((*values, *items)) or "all records"
