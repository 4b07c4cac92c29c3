"""What the REST interface takes and gives, as the OpenAPI document describes it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from shoal.privacy.verdict import Witness
from shoal.study.recommendation import Constraint
from shoal.web.service.editing import Dissolve, Edit, Group, Move, Rename


class Given(BaseModel):
    """Something that comes in: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class Told(BaseModel):
    """Something that goes out: of a thing of the service, what is meant for everybody."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, thing: object) -> Self:
        """The fields of a thing that are told."""
        return cls.model_validate(thing)


class ProblemOut(Told):
    """One thing that is wrong: where, what, and what to do."""

    what: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    column: str | None = None
    value: str | None = None


class ErrorOut(BaseModel):
    """Why a request was refused, after RFC 9457, with every problem."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    problems: list[ProblemOut] = []


class NameIn(Given):
    """A name for people."""

    name: str


class PickIn(Given):
    """A file of the allowed folder, by its path within it."""

    place: str


class StartIn(Given):
    """A data file of the project, by its id."""

    file: str


class FileOut(Told):
    """A file of a project."""

    id: str
    kind: Literal["data", "hierarchy"]
    name: str
    size: int
    created: float


class PolicyOut(BaseModel):
    """The settings of a project, the number of their version, and everything that is wrong with them."""

    version: int
    sections: dict[str, dict[str, Any]]
    problems: list[ProblemOut]


class ChangedOut(BaseModel):
    """What was changed, in words, and the settings after that; nothing if there was nothing to change."""

    changed: list[str]
    policy: PolicyOut


class RunIn(Given):
    """Anonymize with the settings of the project."""

    kind: Literal["run"] = "run"
    title: str | None = None


class ConstraintIn(Given):
    """What the recommended run of a comparison must keep."""

    loss: str = "ncp"
    risk: float | None = None
    seconds: float | None = None
    memory_mb: float | None = None

    def value(self) -> Constraint:
        """The same for the service."""
        return Constraint(**self.model_dump())


class ComparisonIn(Given):
    """Run algorithms and parameters side by side."""

    kind: Literal["comparison"]
    algorithms: list[str]
    sweep: dict[str, list[int | float | str | bool]] = {}
    constraint: ConstraintIn = ConstraintIn()
    title: str | None = None


class AttackIn(Given):
    """Attack the release of a finished run."""

    kind: Literal["attack"]
    run: str
    items: Annotated[int, Field(ge=1, le=10)] | None = None


class CheckIn(Given):
    """Check settings, hierarchies and data together, and estimate what a run costs."""

    kind: Literal["check"]


JobIn = Annotated[RunIn | ComparisonIn | AttackIn | CheckIn, Field(discriminator="kind")]


class FailureOut(Told):
    """Why a job has no result."""

    kind: str
    sentence: str
    problems: list[ProblemOut]


class JobOut(Told):
    """A job: its state, how far it is, and how it ended."""

    id: str
    project: str
    kind: Literal["run", "comparison", "attack", "check"]
    title: str
    state: Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
    created: float
    started: float | None
    ended: float | None
    stage: str
    done: float | None
    total: float | None
    note: str
    remaining: float | None
    ahead: int
    failure: FailureOut | None
    result: dict[str, Any] | None


class ExplainIn(Given):
    """A value: of a record by its row, or an item of a set by its text."""

    column: str
    row: int | None = None
    value: str | None = None


class ExplainedOut(Told):
    """What a value is published as in one part of the records, and why."""

    place: str
    published_as: str | None
    sentence: str


class RenameIn(Given):
    """Give an inner label another name."""

    edit: Literal["rename"]
    label: str
    to: str


class MoveIn(Given):
    """Hang a label under another."""

    edit: Literal["move"]
    label: str
    under: str


class GroupIn(Given):
    """Put labels under a new one."""

    edit: Literal["group"]
    labels: tuple[str, ...]
    name: str


class DissolveIn(Given):
    """Take an inner label out."""

    edit: Literal["dissolve"]
    label: str


_EDITS: Mapping[str, type[Edit]] = {"rename": Rename, "move": Move, "group": Group, "dissolve": Dissolve}
EditIn = Annotated[RenameIn | MoveIn | GroupIn | DissolveIn, Field(discriminator="edit")]


def edit_of(given: RenameIn | MoveIn | GroupIn | DissolveIn) -> Edit:
    """The same edit for the service."""
    return _EDITS[given.edit](**given.model_dump(exclude={"edit"}))


class EditsIn(Given):
    """Changes to the tree of a column, in their order."""

    edits: list[EditIn]
    name: str = "hierarchy.csv"


class FindingOut(Told):
    """Something wrong or unwise in a tree."""

    severity: str
    problem: ProblemOut


class TreeOut(Told):
    """A tree: node i is labels[i] under node parents[i]; the root is its own parent."""

    labels: list[str]
    parents: list[int]
    values: list[int]
    records: list[int]
    leaf_count: int
    height: int
    whole: bool
    notices: list[str]
    findings: list[FindingOut]


def _in_words(witness: Witness | None) -> str | None:
    return None if witness is None else witness.what


class VerdictOut(Told):
    """One promise, checked."""

    claim: str
    holds: bool
    evidence: str
    smallest: int | None
    witness: Annotated[str | None, BeforeValidator(_in_words)]


class VerifiedOut(Told):
    """What a published file shows."""

    holds: bool
    verdicts: list[VerdictOut]
    notices: list[str]
