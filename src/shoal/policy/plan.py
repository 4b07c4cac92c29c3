"""From the words of a policy to the frozen values that a run works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shoal.algorithms.search import Limits, Search
from shoal.errors import BadInput, InvalidParameter, Problem, ShoalError, did_you_mean
from shoal.hierarchy.builders import (
    continents,
    dates,
    digits,
    fanout,
    flat,
    keep,
    mask_left,
    mask_right,
    order,
    prefixes,
    ranges,
)
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.source import TreeSource
from shoal.metrics.tasks.usefulness import Task
from shoal.policy.coverage import coverage_problems
from shoal.policy.databases import data_table, database_problems, output_table
from shoal.policy.output_names import (
    PUBLISHED_ENDINGS,
    SPREADSHEET_ENDINGS,
    formula_problems,
    name_problems,
    partition_name_problems,
)
from shoal.policy.policy_file import (
    ColumnSection,
    DataSection,
    HierarchySection,
    Misfit,
    PolicyFile,
    given_keys,
)
from shoal.policy.promise import promise_of
from shoal.policy.weak_promise import confirmed
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.recoding.disassociated_file import ENDINGS
from shoal.table.columns import Kind
from shoal.table.database import DatabaseTable
from shoal.table.dialect import PLAIN, Dialect
from shoal.table.parts import parts_of
from shoal.table.reading import LongForm, ReadOptions
from shoal.table.remote_file import RemoteFile, is_remote
from shoal.table.roles import HierarchySource, Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive

KEEPS_ORDER = "subrecords in the order of the original tell which of them belong together"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a run needs to know, checked; making one touches no data."""

    data_path: Path | DatabaseTable | RemoteFile
    roles: Mapping[str, Role]
    models: Promise
    read_options: ReadOptions = field(default_factory=ReadOptions)
    subject: str | None = None
    search: Search = field(default_factory=Search)
    output_path: str = "published.csv"
    output_table: DatabaseTable | None = None
    neutralize_formulas: bool = False
    partitioned: bool = False
    dialect: Dialect = PLAIN
    policy_text: str = ""
    task: Task | None = None
    confirmed: tuple[str, ...] = ()

    def sources(self) -> tuple[Path, ...]:
        """The files that a run reads."""
        data = parts_of(self.data_path) if isinstance(self.data_path, Path) else ()
        return (*data, *self.hierarchy_files())

    def hierarchy_files(self) -> tuple[Path, ...]:
        """The files that hierarchies are in."""
        trees = (getattr(role, "hierarchy", None) for role in self.roles.values())
        return tuple(tree.path for tree in trees if isinstance(tree, HierarchyFile))


def plan_of(file: PolicyFile) -> Plan:
    """Translate a policy; BadInput lists all its problems."""
    policy, problems = file.policy, list[Problem]()
    roles: dict[str, Role] = {}
    for name, column in policy.columns.items():
        try:
            roles[name] = _role(column, file)
        except Misfit as misfit:
            problems.append(file.problem(f"column {name!r}: {misfit}", at=("columns", name)))
        except ShoalError as error:
            problems.append(file.problem(f"column {name!r}: {error}", at=("columns", name)))
    models = Promise()
    try:
        models = promise_of(policy.privacy)
        if len(roles) == len(policy.columns):
            findings = coverage_problems(models, roles)
            problems += [
                file.problem(what, remedy, at=("columns", name) if name else ("privacy",))
                for name, what, remedy in findings
            ]
    except (Misfit, ShoalError) as error:
        problems.append(file.problem(str(error), at=("privacy", getattr(error, "name", ""))))
    problems += _subject_problems(policy.data.subject, file)
    problems += database_problems(file)
    try:
        data_source(file)
    except BadInput as error:
        found = (file.problem(each.what, each.remedy, at=("data", "path")) for each in error.problems)
        problems += found if policy.data.url is None else ()
    problems += _target_problems(policy.report.target, file)
    options = ReadOptions()
    try:
        options = read_options_of(policy.data)
    except InvalidParameter as error:
        problems.append(
            file.problem(
                f"data.{error.name} must be {error.must_be}, got {error.value!r}", at=("data", error.name)
            )
        )
    clusters = bool(models) and models.form is Form.CLUSTERS
    default_path = "published.jsonl" if clusters else "published.csv"
    output_path = default_path if policy.output.path is None else policy.output.path
    problems += _output_problems(output_path, roles, file, clusters=clusters)
    dialect = _dialect(output_path, file, problems)
    if problems:
        raise BadInput(*problems)
    return Plan(
        roles=roles,
        models=models,
        data_path=data_source(file),
        output_table=output_table(file),
        read_options=options,
        subject=policy.data.subject,
        search=Search(
            algorithm=policy.algorithm.name,
            options=policy.algorithm.options,
            seed=policy.algorithm.seed,
            recoding=policy.algorithm.recoding,
            limits=Limits(
                time=policy.algorithm.time_limit,
                memory=policy.algorithm.memory_limit,
                on_limit=policy.algorithm.on_limit,
            ),
            keep_order=policy.output.keep_order,
        ),
        output_path=output_path,
        neutralize_formulas=policy.output.neutralize_formulas,
        partitioned=policy.output.partitioned,
        dialect=dialect,
        policy_text=file.text,
        task=None if policy.report.target is None else Task(target=policy.report.target),
        confirmed=confirmed(given_keys(policy.privacy), policy.report.weak_promise),
    )


def data_source(file: PolicyFile) -> Path | DatabaseTable | RemoteFile:
    """Where the data of a policy are."""
    path = file.policy.data.path
    if path is not None and is_remote(path):
        return RemoteFile(path)
    return data_table(file) or file.beside(path or "")


def _output_problems(
    path: str, roles: Mapping[str, Role], file: PolicyFile, *, clusters: bool
) -> Iterator[Problem]:
    output = file.policy.output
    for found in (
        *name_problems(path, ENDINGS if clusters else PUBLISHED_ENDINGS),
        *_form_problems(path, roles),
    ):
        yield file.problem(found.what, found.remedy, at=("output", "path"))
    if clusters and output.keep_order:
        yield file.problem(KEEPS_ORDER, "set keep_order = false", at=("output", "keep_order"))
    if clusters and output.table is not None:
        what = "disassociated data are clusters, not a table"
        yield file.problem(what, "leave output.table out", at=("output", "table"))
    for found in formula_problems(path) if output.neutralize_formulas else ():
        yield file.problem(found.what, found.remedy, at=("output", "neutralize_formulas"))
    for found in partition_name_problems(path) if output.partitioned else ():
        yield file.problem(found.what, found.remedy, at=("output", "partitioned"))


def _dialect(path: str, file: PolicyFile, problems: list[Problem]) -> Dialect:
    """How published text is written; adds to the problems."""
    output = file.policy.output
    try:
        dialect = Dialect(
            delimiter=output.delimiter, decimal=output.decimal, encoding=output.encoding, bom=output.bom
        )
    except InvalidParameter as error:
        what = f"output.{error.name} must be {error.must_be}, got {error.value!r}"
        problems.append(file.problem(what, at=("output", error.name)))
        return PLAIN
    if dialect != PLAIN and not path.endswith(SPREADSHEET_ENDINGS):
        what = f"delimiter, decimal, encoding and bom are for delimited text, and {path!r} is none"
        problems.append(file.problem(what, f"use one of {', '.join(SPREADSHEET_ENDINGS)}", at=("output",)))
    return dialect


def read_options_of(data: DataSection) -> ReadOptions:
    """How a policy says that its data are written."""
    return ReadOptions(
        missing=tuple(data.missing),
        delimiter=data.delimiter,
        quote=data.quote,
        encoding=data.encoding,
        others=data.others,
        sheet=data.sheet,
        long=LongForm(data.long.id, data.long.item) if data.long else None,
        decimal=data.decimal,
        thousands=data.thousands,
        date_format=data.date_format,
    )


def _subject_problems(subject: str | None, file: PolicyFile) -> list[Problem]:
    columns = file.policy.columns
    if subject is None or (subject in columns and columns[subject].role == "identifier"):
        return []
    remedy = 'give it role = "identifier"'
    if subject in columns:
        what = f"the subject column {subject!r} must have the role identifier"
        return [file.problem(what, remedy, at=("columns", subject))]
    what = f"the subject column {subject!r} is not under [columns]{did_you_mean(subject, tuple(columns))}"
    return [file.problem(what, remedy, at=("data", "subject"))]


def _target_problems(target: str | None, file: PolicyFile) -> list[Problem]:
    policy = file.policy
    if target is None or (target not in policy.columns and policy.data.others == "insensitive"):
        return []
    if target not in policy.columns:
        what = f"the target {target!r} is not under [columns]{did_you_mean(target, tuple(policy.columns))}"
        return [file.problem(what, at=("report", "target"))]
    if policy.columns[target].role == "identifier":
        what = f"the target {target!r} is an identifier, which nobody predicts"
        return [file.problem(what, "name another column", at=("report", "target"))]
    return []


KEYS_OF_ROLE = {
    "identifier": {"pseudonym"},
    "quasi": {
        "kind",
        "hierarchy",
        "missing",
        "unknown",
        "weight",
        "bounds",
        "min_level",
        "max_level",
        "levels",
        "format",
        "decimal",
        "thousands",
        "unit",
        "publish_hierarchy",
        "confirm",
        "reason",
    },
    "quasi set": {
        "kind",
        "hierarchy",
        "separator",
        "sensitive",
        "multiset",
        "unknown",
        "weight",
        "item_weights",
        "publish_hierarchy",
        "min_level",
        "max_level",
        "levels",
        "confirm",
        "reason",
    },
    "sensitive": {
        "kind",
        "hierarchy",
        "missing",
        "format",
        "decimal",
        "thousands",
        "unit",
        "confirm",
        "reason",
    },
    "insensitive": {"kind", "confirm", "reason", "separator", "unit"},
}


def _role(column: ColumnSection, file: PolicyFile) -> Role:
    is_set = column.kind == "set"
    role = "quasi set" if column.role == "quasi" and is_set else column.role
    for key in sorted(column.model_fields_set - {"role"} - KEYS_OF_ROLE[role]):
        kind = f" of kind {column.kind}" if role.startswith("quasi") else ""
        takes = ", ".join(sorted(KEYS_OF_ROLE[role]))
        raise Misfit(f"a column of role {column.role}{kind} takes no {key!r}; it takes {takes}")
    source = _hierarchy_source(column.hierarchy, file)
    kind = Kind(column.kind)
    match role:
        case "identifier":
            return Identifier(pseudonym=column.pseudonym)
        case "quasi set":
            return QuasiSet(
                hierarchy=source,
                separator=column.separator or " ",
                sensitive=tuple(column.sensitive),
                unknown=column.unknown,
                weight=float(column.weight),
                multiset=column.multiset,
                item_weights=column.item_weights,
                publish_hierarchy=column.publish_hierarchy,
                min_level=column.min_level,
                max_level=column.max_level,
                levels=tuple(column.levels),
                confirm=column.confirm,
                reason=column.reason,
            )
        case "quasi":
            if kind is Kind.CATEGORY and source is None:
                raise Misfit(
                    "a quasi-identifier of kind category needs a hierarchy, for example { flat = true }"
                )
            return Quasi(
                hierarchy=source,
                kind=kind,
                missing=column.missing,
                unknown=column.unknown,
                weight=float(column.weight),
                bounds=_bounds(column.bounds),
                min_level=column.min_level,
                max_level=column.max_level,
                levels=tuple(column.levels),
                date_format=column.format,
                publish_hierarchy=column.publish_hierarchy,
                confirm=column.confirm,
                reason=column.reason,
                decimal=column.decimal,
                thousands=column.thousands,
                unit=column.unit,
            )
        case "sensitive":
            if is_set:
                raise Misfit(
                    'a set cannot be sensitive as a whole; give it role = "quasi" and list its sensitive'
                    " items under `sensitive`"
                )
            return Sensitive(
                kind=kind,
                missing=column.missing,
                hierarchy=source,
                date_format=column.format,
                decimal=column.decimal,
                thousands=column.thousands,
                unit=column.unit,
                confirm=column.confirm,
                reason=column.reason,
            )
        case _:
            return Insensitive(
                confirm=column.confirm, reason=column.reason, separator=column.separator, unit=column.unit
            )


def _bounds(given: list[int | float] | None) -> tuple[float, float] | None:
    if given is None:
        return None
    if len(given) != 2:
        raise Misfit(f"bounds must be two numbers, the smaller first, got {given!r}")
    return float(given[0]), float(given[1])


def _hierarchy_source(given: str | HierarchySection | None, file: PolicyFile) -> HierarchySource | None:
    if isinstance(given, HierarchySection):
        return builder_of(given)
    return None if given is None else HierarchyFile(file.beside(given))


def builder_of(section: HierarchySection) -> TreeSource:
    """The builder of the one recipe that a section gives."""
    makers: dict[str, Callable[[], TreeSource]] = {
        "ranges": lambda: ranges(
            *(section.ranges or ()), start=section.start, bottom=section.bottom, top=section.top
        ),
        "mask": mask_left if section.mask == "left" else mask_right,
        "dates": lambda: dates(*(section.dates or ())),
        "order": lambda: order(*(section.order or ())),
        "keep": lambda: keep(*(section.keep or ())),
        "prefixes": lambda: prefixes(*(section.prefixes or ())),
        "continents": continents,
        "fanout": lambda: fanout(section.fanout or 0),
        "digits": digits,
        "flat": flat,
    }
    return makers[section.recipe()]()


def _form_problems(published: str, roles: Mapping[str, Role]) -> list[Problem]:
    """Whether the columns fit into the form of the published file."""
    shown = [role for role in roles.values() if not isinstance(role, Identifier) or role.pseudonym]
    lines = published.removesuffix(".gz").endswith((".txt", ".dat"))
    if lines and not (len(shown) == 1 and isinstance(shown[0], QuasiSet)):
        what = f"a file of lines such as {published!r} holds one column of sets and nothing else"
        return [Problem(what, "write .csv or .parquet")]
    return []
