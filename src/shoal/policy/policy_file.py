"""The policy file: what the data are, what is promised, how it is searched for, where it goes.

A policy is checked whole before any data are touched: unknown keys are errors that name the nearest
known one, and every problem is reported at once, with its line where it can be found.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    ValidationError,
    create_model,
)

from shoal.errors import BadInput, Problem, did_you_mean
from shoal.policy.environment import expanded, value_at
from shoal.policy.policy_text import policy_text
from shoal.policy.settings import Setting, with_settings
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Key

LARGEST_POLICY = 2**24  # bytes
MODEL_NAMES = tuple(name for name, model in MODELS.items() if model.named is not None)

_DURATION_UNITS = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0}
_SIZE_UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
}


def _quantity(text: object, units: Mapping[str, float], example: str) -> object:
    if not isinstance(text, str):
        return text
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*", text)
    if match is None or match[2] not in units:
        raise ValueError(f"must be a number with a unit, such as {example!r} (units: {', '.join(units)})")
    return float(match[1]) * units[match[2]]


def _positive(value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        raise ValueError("must be above 0")
    return value


def _seconds(value: object) -> object:
    return _quantity(value, _DURATION_UNITS, "10 min")


def _bytes(value: object) -> object:
    upper = value.upper() if isinstance(value, str) else value
    return _quantity(upper, _SIZE_UNITS, "4 GB")


def seconds_of(text: str) -> float:
    """A duration such as "10 min" in seconds; BadInput for anything else."""
    return _checked_quantity(_seconds, text)


def bytes_of(text: str) -> float:
    """A size such as "4 GB" in bytes; BadInput for anything else."""
    return _checked_quantity(_bytes, text)


def _checked_quantity(of: Callable[[object], object], text: str) -> float:
    try:
        return float(str(_positive(float(str(of(text))))))
    except ValueError as error:
        raise BadInput(Problem(f"{text!r} {error}")) from error


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    return value


Number = Annotated[float, PlainValidator(_number)]  # keeps 5 an integer: 5 and 5.0 are labelled differently


def _not_negative(value: int | None) -> int | None:
    if value is not None and value < 0:
        raise ValueError("must be 0 or more")
    return value


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class LongSection(_Section):
    """Where ids and items stand in a file with one item per line."""

    id: str
    item: str


class ChildSection(_Section):
    """A table of a database with one item per row."""

    table: str
    key: str
    item: str
    parent: str | None = None


class DataSection(_Section):
    """Where the data are and how they are written."""

    path: str | None = None
    url: str | None = None
    table: str | None = None
    query: str | None = None
    sets: dict[str, ChildSection] = {}
    missing: list[str] = [""]
    others: Literal["error", "insensitive", "drop"] = "error"
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    decimal: str = "."
    thousands: str = ""
    date_format: str | None = None
    subject: str | None = None
    long: LongSection | None = None


class HierarchySection(_Section):
    """A builder of a tree: exactly one of the recipes."""

    ranges: list[Number] | None = None
    start: Number = 0
    bottom: Number | None = None
    top: Number | None = None
    mask: Literal["right", "left"] | None = None
    dates: list[str] | None = None
    order: list[str] | None = None
    keep: list[str] | None = None
    prefixes: list[int | Literal["letters"]] | None = None
    continents: Literal[True] | None = None
    fanout: int | None = None
    digits: Literal[True] | None = None
    flat: Literal[True] | None = None

    def recipe(self) -> str:
        """The one recipe that is given; a ValueError says when it is not exactly one."""
        given = [name for name in RECIPES if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(f"a hierarchy takes exactly one of {', '.join(RECIPES)}, got {found}")
        return given[0]


RECIPES = ("ranges", "mask", "dates", "order", "keep", "prefixes", "continents", "fanout", "digits", "flat")


def _hierarchy(value: object) -> object:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return HierarchySection.model_validate(value)
    raise ValueError("must be the name of a file, or a recipe such as { fanout = 5 }")


class ColumnSection(_Section):
    """What one column means."""

    role: Literal["identifier", "quasi", "sensitive", "insensitive"]
    kind: Literal["category", "number", "date", "set"] = "category"
    hierarchy: Annotated[str | HierarchySection | None, PlainValidator(_hierarchy)] = None
    separator: str | None = None
    sensitive: list[str] = []
    multiset: bool = False
    item_weights: dict[str, Number] = {}
    missing: Literal["own", "reject"] = "own"
    unknown: Literal["error", "root", "suppress"] = "error"
    weight: Number = 1
    bounds: list[Number] | None = None
    min_level: int = 0
    max_level: int | None = None
    levels: list[int] = []
    format: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    unit: str | None = None
    pseudonym: bool = False
    publish_hierarchy: bool = False
    confirm: bool = False
    reason: str = ""


def _kind_of(key: Key) -> Any:
    """What a policy may say for a key of [privacy]."""
    if isinstance(key.kind, tuple):
        return Literal[key.kind] | None
    return (Number if key.kind is float else key.kind) | None


def _privacy_keys() -> dict[str, Any]:
    """All keys that some model takes, as the models declare them."""
    declared = [how for model in MODELS.values() for how in (model.named, model.beside) if how is not None]
    return {key.name: (_kind_of(key), None) for how in declared for key in how.keys}


if TYPE_CHECKING:

    class PrivacySection(_Section):
        """What is promised: the name of a model, and its keys."""

        model: str

else:
    PrivacySection = create_model(
        "PrivacySection", __base__=_Section, model=(Literal[MODEL_NAMES], ...), **_privacy_keys()
    )


def given_keys(privacy: PrivacySection) -> dict[str, Any]:
    """What stands under [privacy] beside the model."""
    given = {name: getattr(privacy, name) for name in privacy.model_fields_set if name != "model"}
    return {name: value for name, value in given.items() if value is not None}


class AlgorithmSection(BaseModel):
    """How the release is searched for; further keys are options that the algorithm checks itself."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    name: str = "auto"
    seed: Annotated[int | None, AfterValidator(_not_negative)] = None
    time_limit: Annotated[float | None, BeforeValidator(_seconds), AfterValidator(_positive)] = None
    on_limit: Literal["stop", "best"] = "stop"
    recoding: Literal["any", "global"] = "any"
    memory_limit: Annotated[float | None, BeforeValidator(_bytes), AfterValidator(_positive)] = None

    @property
    def options(self) -> dict[str, Any]:
        """The algorithm's own options."""
        return dict(self.model_extra or {})


class ReportSection(_Section):
    """What the report for the publisher tells beside the rest."""

    target: str | None = None
    weak_promise: str = ""


class OutputSection(_Section):
    """Where the published file goes."""

    path: str | None = None
    url: str | None = None
    table: str | None = None
    keep_order: bool = False
    neutralize_formulas: bool = False
    partitioned: bool = False
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    bom: bool | None = None


class Policy(_Section):
    """A whole policy file."""

    data: DataSection
    columns: dict[str, ColumnSection]
    privacy: PrivacySection
    algorithm: AlgorithmSection = AlgorithmSection()
    report: ReportSection = ReportSection()
    output: OutputSection = OutputSection()


class Misfit(Exception):
    """A key that does not go with the rest of its section, or one that is lacking."""


@dataclass(frozen=True, slots=True)
class Written:
    """What somebody wrote as a policy: where its keys stand, and its values before variables got theirs."""

    text: str
    file: str
    settings: Sequence[Setting] = ()
    content: Mapping[str, Any] = field(default_factory=dict)

    def problem(
        self, what: str, remedy: str = "", *, at: Sequence[str] = (), column: str | None = None
    ) -> Problem:
        """A problem at a key path, which the command line or a line of the file has given."""
        for setting in reversed(self.settings):
            if setting.path == tuple(at[: len(setting.path)]):
                return Problem(what, remedy, file=setting.words, column=column)
        return Problem(what, remedy, file=self.file, line=_line_of(self.text, at), column=column)


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy, its text as it counts, and how it was written: later problems point to its lines."""

    policy: Policy
    path: Path
    text: str
    written: Written | None = None

    def problem(self, what: str, remedy: str = "", *, at: Sequence[str] = ()) -> Problem:
        """A problem at a key path such as ("columns", "age")."""
        written = self.written or Written(self.text, str(self.path))
        return written.problem(what, remedy, at=at)

    def as_in_file(self, *path: str) -> Any:
        """What the file itself says for a key, whatever the command line says; None if it says nothing."""
        return value_at(tomllib.loads(self.text if self.written is None else self.written.text), path)

    def beside(self, name: str) -> Path:
        """A path of the policy, which is relative to the policy file."""
        return self.path.parent / name


def load_policy(path: Path, settings: Sequence[Setting] = ()) -> PolicyFile:
    """Read a policy file, with other values for some keys; BadInput lists everything that is wrong with it.

    Variables of the environment that its texts name get their values; the text that is kept has the names.
    """
    if path.is_dir():
        raise BadInput(Problem("is a folder, not a policy file", "name the .toml file", file=str(path)))
    if path.exists() and not path.is_file():
        raise BadInput(Problem("is not a regular file", "save the policy to a file", file=str(path)))
    try:
        if path.stat().st_size > LARGEST_POLICY:
            raise BadInput(Problem("is too large for a policy", "name the .toml file", file=str(path)))
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadInput(Problem("there is no such policy file", "check the path", file=str(path))) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            Problem(f"cannot be read: {error}", "check that it is a UTF-8 text file", file=str(path))
        ) from error
    content = with_settings(_content(text, str(path)), settings)
    written = Written(text, str(path), settings, content)
    policy = _checked(_with_variables(content, written), written)
    return PolicyFile(policy, path, _text_that_counts(written) if settings else text, written)


def parse_policy(text: str, *, file: str = "policy") -> Policy:
    """Check the text of a policy; it takes nothing from the environment."""
    content = _content(text, file)
    return _checked(content, Written(text, file, (), content))


def _content(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(_syntax_problem(text, str(error), file)) from error
    except (RecursionError, ValueError) as error:
        what = "holds brackets within brackets without end, or a number of thousands of digits"
        raise BadInput(Problem(what, "write a policy as `shoal profile --policy` does", file=file)) from error


def _with_variables(content: Mapping[str, Any], written: Written) -> dict[str, Any]:
    filled, missing = expanded(content, os.environ)
    if missing:
        raise BadInput(
            *(
                written.problem(
                    f"{'.'.join(path)} names the environment variable {name!r}, which is not set",
                    "set it, or write $${...} for the text itself",
                    at=path,
                )
                for path, name in missing
            )
        )
    return filled


def _checked(content: Mapping[str, Any], written: Written) -> Policy:
    try:
        policy = Policy.model_validate(content)
    except ValidationError as error:
        raise BadInput(*(_problem(detail, written) for detail in error.errors())) from error
    if policy.data.path is None and policy.data.url is None:
        raise BadInput(written.problem("data.path is missing", "add it to the policy", at=("data",)))
    if problems := _recipe_problems(policy, written):
        raise BadInput(*problems)
    return policy


def _text_that_counts(written: Written) -> str:
    """A policy that the command line has changed, as a policy file of its own."""
    said = ", ".join(dict.fromkeys(setting.words for setting in written.settings))
    try:
        return f"# {Path(written.file).name} with {said}\n\n{policy_text(written.content)}"
    except TypeError as error:
        raise BadInput(Problem(f"is no policy: {error}", "give plain values", file=written.file)) from error


def _syntax_problem(text: str, message: str, file: str) -> Problem:
    place = re.search(r"\(at line (\d+)", message)
    line = int(place[1]) if place else None
    what = re.sub(r"\s*\(at .*\)$", "", message)
    if "overwrite" in what.lower() and line is not None:
        key = text.splitlines()[line - 1].split("=")[0].strip().strip("\"'")
        return Problem(
            f"{key!r} is given twice",
            "a column has one role: keep one of the two lines",
            file=file,
            line=line,
        )
    return Problem(f"is not valid TOML: {what}", "correct the line", file=file, line=line)


def _problem(detail: Mapping[str, Any], written: Written) -> Problem:
    path = tuple(str(part) for part in detail["loc"])
    where = ".".join(path)
    match detail["type"]:
        case "extra_forbidden":
            known = _known_keys(path[:-1])
            section = ".".join(path[:-1]) or "policy"
            hint = did_you_mean(path[-1], known)
            return written.problem(f"unknown key {path[-1]!r} in [{section}]{hint}", at=path)
        case "missing":
            return written.problem(f"{where} is missing", "add it to the policy", at=path)
        case _:
            what = str(detail["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
            verb = "" if what.startswith("must") else "must be "
            given, as_written = detail["input"], value_at(written.content, path)
            of_variable = isinstance(as_written, str) and "${" in as_written
            shown = as_written if of_variable else given  # what a variable holds is told to nobody
            remedy = "a variable is a text; give other values with --set" if of_variable else ""
            return written.problem(f"{where} {verb}{what}, got {shown!r}", remedy, at=path)


def _known_keys(path: Sequence[str]) -> tuple[str, ...]:
    section: type[BaseModel] = Policy
    sections: dict[str, type[BaseModel]] = {
        "data": DataSection,
        "columns": ColumnSection,
        "privacy": PrivacySection,
        "report": ReportSection,
        "output": OutputSection,
        "hierarchy": HierarchySection,
        "long": LongSection,
        "sets": ChildSection,
    }
    for part in path:
        section = sections.get(part, section)
    return tuple(section.model_fields)


def _line_of(text: str, path: Sequence[str]) -> int | None:
    """The line of the deepest key of a path that can be found; None when none can."""
    section, found = "", None
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.fullmatch(r"\s*\[+([^\]]+)\]+\s*(#.*)?", line)
        if header:
            section = header[1].strip().replace('"', "")
            if path and section == path[0]:
                found = found or number
            continue
        key = line.split("=")[0].strip().strip("\"'")
        full = (*section.split("."), key) if section else (key,)
        if key and full == tuple(path[: len(full)]):
            found = number
    return found


def _recipe_problems(policy: Policy, written: Written) -> list[Problem]:
    problems = []
    for name, column in policy.columns.items():
        if isinstance(column.hierarchy, HierarchySection):
            try:
                column.hierarchy.recipe()
            except ValueError as error:
                problems.append(written.problem(str(error), at=("columns", name), column=name))
    return problems
