"""What the REST interface takes and gives, as the OpenAPI document describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from shoal.errors import Problem
from shoal.hierarchy.lint import LintFinding
from shoal.privacy.verdict import Verdict
from shoal.run.verification import FileVerification
from shoal.study.comparison import Constraint
from shoal.web.service.editing import Dissolve, Edit, Group, Move, Rename
from shoal.web.service.files import StoredFile
from shoal.web.service.jobs import Job


class Given(BaseModel):
    """Something that comes in: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class ProblemOut(BaseModel):
    """One thing that is wrong: where, what, and what to do."""

    what: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    column: str | None = None
    value: str | None = None

    @classmethod
    def of(cls, problem: Problem) -> ProblemOut:
        """A problem of the service."""
        return cls(**asdict(problem))


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


class FileOut(BaseModel):
    """A file of a project."""

    id: str
    kind: Literal["data", "hierarchy"]
    name: str
    size: int
    created: float

    @classmethod
    def of(cls, file: StoredFile) -> FileOut:
        """A file of the service, without where it lies."""
        return cls(id=file.id, kind=file.kind, name=file.name, size=file.size, created=file.created)


class PolicyOut(BaseModel):
    """The settings of a project, and everything that is wrong with them."""

    sections: dict[str, dict[str, Any]]
    problems: list[ProblemOut]


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
        return Constraint(loss=self.loss, risk=self.risk, seconds=self.seconds, memory_mb=self.memory_mb)


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


JobIn = Annotated[RunIn | ComparisonIn | AttackIn, Field(discriminator="kind")]


class FailureOut(BaseModel):
    """Why a job has no result."""

    kind: str
    sentence: str
    problems: list[ProblemOut]


class JobOut(BaseModel):
    """A job: its state, how far it is, and how it ended."""

    id: str
    project: str
    kind: Literal["run", "comparison", "attack"]
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

    @classmethod
    def of(cls, job: Job) -> JobOut:
        """A job of the service."""
        fields = {name: getattr(job, name) for name in cls.model_fields if name not in ("failure", "result")}
        failure = None if job.failure is None else FailureOut(**job.failure.as_dict())
        return cls(**fields, failure=failure, result=None if job.result is None else dict(job.result))


class ExplainIn(Given):
    """A value: of a record by its row, or an item of a set by its text."""

    column: str
    row: int | None = None
    value: str | None = None


class ExplainedOut(BaseModel):
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
    labels: list[str]
    name: str


class DissolveIn(Given):
    """Take an inner label out."""

    edit: Literal["dissolve"]
    label: str


EditIn = Annotated[RenameIn | MoveIn | GroupIn | DissolveIn, Field(discriminator="edit")]


def edit_of(given: RenameIn | MoveIn | GroupIn | DissolveIn) -> Edit:
    """The same edit for the service."""
    match given:
        case RenameIn():
            return Rename(given.label, given.to)
        case MoveIn():
            return Move(given.label, given.under)
        case GroupIn():
            return Group(tuple(given.labels), given.name)
        case DissolveIn():
            return Dissolve(given.label)


class EditsIn(Given):
    """Changes to the tree of a column, in their order."""

    edits: list[EditIn]
    name: str = "hierarchy.csv"


class FindingOut(BaseModel):
    """Something wrong or unwise in a tree."""

    severity: str
    problem: ProblemOut

    @classmethod
    def of(cls, finding: LintFinding) -> FindingOut:
        """A finding of the service."""
        return cls(severity=str(finding.severity), problem=ProblemOut.of(finding.problem))


class TreeOut(BaseModel):
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


class VerdictOut(BaseModel):
    """One promise, checked."""

    claim: str
    holds: bool
    evidence: str
    smallest: int | None
    witness: str | None

    @classmethod
    def of(cls, verdict: Verdict) -> VerdictOut:
        """A verdict of the verifier."""
        witness = None if verdict.witness is None else verdict.witness.what
        return cls(
            claim=verdict.claim,
            holds=verdict.holds,
            evidence=verdict.evidence,
            smallest=verdict.smallest,
            witness=witness,
        )


class VerifiedOut(BaseModel):
    """What a published file shows."""

    holds: bool
    verdicts: list[VerdictOut]
    notices: list[str]

    @classmethod
    def of(cls, found: FileVerification) -> VerifiedOut:
        """What the verifier found."""
        verdicts = [VerdictOut.of(verdict) for verdict in found.verdicts]
        return cls(holds=found.holds, verdicts=verdicts, notices=list(found.notices))
