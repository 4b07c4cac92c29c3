"""The commands about trees: build, lint, show, convert."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from shoal.cli import output
from shoal.cli.reporting import Json, reporting
from shoal.errors import BadInput, Problem
from shoal.hierarchy.binding import bind
from shoal.hierarchy.builders import LETTERS
from shoal.hierarchy.files import FileForm, HierarchyFile, convert, read_outline, write_hierarchy
from shoal.hierarchy.lint import LintFinding, Severity, lint
from shoal.hierarchy.show import describe, show
from shoal.hierarchy.source import TreeSource
from shoal.policy.plan import builder_of
from shoal.policy.policy_file import HierarchySection
from shoal.table.columns import Coded, Kind, Sets
from shoal.table.reading import ReadOptions, read_table
from shoal.table.roles import Quasi, QuasiSet

hierarchy = typer.Typer(help="Build, check, show and convert hierarchies.", no_args_is_help=True)

File = Annotated[
    Path, typer.Argument(help="A hierarchy: ARX matrix, Amnesia text or Amnesia JSON.", metavar="FILE")
]
ColumnName = Annotated[str, typer.Option("--column", help="The column of the data.")]
KindOption = Annotated[Kind, typer.Option("--kind", help="What the column's values are.")]
Separator = Annotated[str, typer.Option("--separator", help="What separates the items of a set.")]
MissingTokens = Annotated[list[str] | None, typer.Option("--missing", help="How a missing value is written.")]
DateFormat = Annotated[
    str | None, typer.Option("--date-format", help="How dates are written, such as %d.%m.%Y; else ISO 8601.")
]
Decimal = Annotated[str, typer.Option("--decimal", help="The decimal mark of numbers: . or ,")]
Thousands = Annotated[str, typer.Option("--thousands", help="What stands between thousands, if anything.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Such as utf-8 or cp1252; else found out.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="What is between cells; else found out.")]
Sheet = Annotated[str | None, typer.Option("--sheet", help="The sheet of an Excel file; else the first.")]
Form = Annotated[
    str | None, typer.Option("--form", help="arx, amnesia-text or amnesia-json; else by ending.")
]


@hierarchy.command()
@reporting
def build(
    data: Annotated[
        Path, typer.Argument(help="The data whose values the tree is built over.", metavar="DATA")
    ],
    out: Annotated[Path, typer.Argument(help="The file to write.", metavar="OUT")],
    *,
    column: ColumnName,
    kind: KindOption = Kind.CATEGORY,
    separator: Separator = " ",
    missing: MissingTokens = None,
    date_format: DateFormat = None,
    decimal: Decimal = ".",
    thousands: Thousands = "",
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    ranges: Annotated[
        str | None, typer.Option(help="Widths, each a multiple of the one before: 5,10,20")
    ] = None,
    start: Annotated[str, typer.Option(help="Where the ranges start.")] = "0",
    bottom: Annotated[str | None, typer.Option(help="Below this, numbers are not told apart.")] = None,
    top: Annotated[str | None, typer.Option(help="From this on, numbers are not told apart.")] = None,
    mask: Annotated[
        Literal["right", "left"] | None, typer.Option(help="Hide characters from the right or the left.")
    ] = None,
    dates: Annotated[str | None, typer.Option(help="Levels of dates: month,year,decade")] = None,
    order: Annotated[str | None, typer.Option(help="A scale, step by step: low,medium,high")] = None,
    keep: Annotated[
        str | None, typer.Option(help="Values that stand alone, the others share one label.")
    ] = None,
    prefixes: Annotated[
        str | None, typer.Option(help="Lengths of beginnings of codes: 3,1 or -3,letters")
    ] = None,
    continents: Annotated[bool, typer.Option("--continents", help="Countries by continent.")] = False,
    fanout: Annotated[int | None, typer.Option(help="Groups of this many, level by level.")] = None,
    digits: Annotated[bool, typer.Option("--digits", help="Prefixes of codes.")] = False,
    flat: Annotated[bool, typer.Option("--flat", help="Keep or suppress.")] = False,
    form: Form = None,
    as_json: Json = False,
) -> None:
    """Build a tree over the values of a column by one recipe, and write it to a file."""
    recipe: dict[str, Any] = {
        "ranges": None if ranges is None else [_number(width) for width in ranges.split(",")],
        "start": _number(start),
        "bottom": None if bottom is None else _number(bottom),
        "top": None if top is None else _number(top),
        "mask": mask,
        "dates": _parts(dates),
        "order": _parts(order),
        "keep": _parts(keep),
        "prefixes": None if prefixes is None else [_length(length) for length in prefixes.split(",")],
        "continents": continents or None,
        "fanout": fanout,
        "digits": digits or None,
        "flat": flat or None,
    }
    source = _source(recipe)
    if out.exists():
        raise BadInput(Problem("exists already", "choose another name for the tree", file=str(out)))
    role = _role(kind, separator, source)
    options = ReadOptions(
        missing=("", *(missing or ())),
        others="drop",
        date_format=date_format,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        delimiter=delimiter,
        sheet=sheet,
    )
    bound = bind(column, _read_column(data, column, role, options), role)
    write_hierarchy(bound.tree, out, form=_form(form))
    if as_json:
        output.show_json({"file": str(out), "values": bound.tree.leaf_count, "height": bound.tree.height})
        return
    output.show_notices(bound.notices)
    output.say(f"{out}: {describe(bound.tree)}")


@hierarchy.command("lint")
@reporting
def lint_file(
    file: File,
    *,
    data: Annotated[Path | None, typer.Option(help="Data whose values the tree must cover.")] = None,
    column: Annotated[str | None, typer.Option("--column", help="The column of the data.")] = None,
    kind: KindOption = Kind.CATEGORY,
    separator: Separator = " ",
    missing: MissingTokens = None,
    as_json: Json = False,
) -> int:
    """List every problem of a hierarchy file; exit code 2 when it cannot be used."""
    if (data is None) != (column is None):
        raise BadInput(Problem("--data and --column go together", "give both or neither"))
    values = None
    if data is not None and column is not None:
        options = ReadOptions(missing=("", *(missing or ())), others="drop")
        values = _read_column(data, column, _role(kind, separator, HierarchyFile(file)), options)
    findings = lint(
        HierarchyFile(file), values, name=column, separator=separator if kind is Kind.SET else None
    )
    if as_json:
        output.show_json({"file": str(file), "findings": [_finding(finding) for finding in findings]})
    elif not findings:
        output.say(f"{file}: no problems found")
    else:
        output.show_text("\n".join(map(str, findings)))
    unusable = any(finding.severity is Severity.ERROR for finding in findings)
    return output.BAD_INPUT if unusable else output.FINE


@hierarchy.command("show")
@reporting
def show_file(
    file: File,
    *,
    children: Annotated[int, typer.Option(help="Show at most this many children of a node.")] = 20,
    lines: Annotated[int, typer.Option(help="Show at most this many lines.")] = 500,
    as_json: Json = False,
) -> None:
    """Show a hierarchy as an indented tree."""
    tree = read_outline(file).tree()
    if as_json:
        parents = {
            tree.labels[node]: tree.labels[tree.parent(node)]
            for node in range(tree.root)
            if node != tree.missing
        }
        output.show_json(
            {
                "values": tree.leaf_count,
                "height": tree.height,
                "root": tree.labels[tree.root],
                "parents": parents,
            }
        )
        return
    output.say(f"{file}: {describe(tree)}")
    output.show_text(show(tree, children=children, lines=lines))


@hierarchy.command("convert")
@reporting
def convert_file(
    file: File,
    out: Annotated[Path, typer.Argument(help="The file to write.", metavar="OUT")],
    *,
    form: Form = None,
    as_json: Json = False,
) -> None:
    """Write a hierarchy in the form of another tool."""
    if out.exists():
        raise BadInput(Problem("exists already", "choose another name", file=str(out)))
    convert(file, out, form=_form(form))
    if as_json:
        output.show_json({"file": str(out)})
        return
    output.say(f"{out}: written")


def _role(kind: Kind, separator: str, source: TreeSource) -> Quasi | QuasiSet:
    if kind is Kind.SET:
        return QuasiSet(hierarchy=source, separator=separator)
    return Quasi(hierarchy=source, kind=kind)


def _read_column(data: Path, column: str, role: Quasi | QuasiSet, options: ReadOptions) -> Coded | Sets:
    values = read_table(data, {column: role}, options).table.column(column)
    assert isinstance(values, Coded | Sets)  # noqa: S101  (quasi-identifiers are always encoded)
    return values


def _source(recipe: dict[str, Any]) -> TreeSource:
    section = HierarchySection.model_validate(recipe)
    try:
        section.recipe()
    except ValueError as error:
        raise BadInput(Problem(str(error), "see --help")) from error
    return builder_of(section)


def _parts(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(Problem(f"{text!r} is not a number", "write ranges as in --ranges 5,10,20 --start 0"))
    return int(number) if number.is_integer() else number


def _length(text: str) -> float | str:
    return LETTERS if text.strip() == LETTERS else _number(text)


def _form(given: str | None) -> FileForm | None:
    return given  # type: ignore[return-value]  # write_hierarchy refuses what it does not know


def _finding(finding: LintFinding) -> dict[str, Any]:
    problem = finding.problem
    return {
        "severity": str(finding.severity),
        "what": problem.what,
        "remedy": problem.remedy,
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "value": problem.value,
    }
