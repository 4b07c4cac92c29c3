"""What every promise is: a frozen value that describes itself and checks a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Literal, cast

import numpy as np

from shoal.engine.port import Question
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools, Ints
from shoal.privacy.verdict import Verdict
from shoal.table.roles import Quasi, QuasiSet

VALUES: frozenset[type] = frozenset({Quasi})
SETS: frozenset[type] = frozenset({QuasiSet})
BOTH = VALUES | SETS


class Form(StrEnum):
    """What a release consists of that keeps a promise."""

    ROWS = "rows"
    CLUSTERS = "clusters"
    NEW_RECORDS = "new records"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of [privacy] in a policy, for people and for forms.

    `kind` is what may be written there: int, float, bool, or one of several words. `safe` is what a form
    suggests; `least`, `most` and `step` are those of its slider. A key that is not `needed` asks for more.
    `stricter` says which values promise more; without it different values cannot be compared.
    """

    name: str
    help: str
    kind: type[int] | type[float] | type[bool] | tuple[str, ...] = int
    needed: bool = False
    safe: float | None = None
    least: float = 1
    most: float = 100
    step: float = 1
    stricter: Literal["larger", "smaller"] | None = None


K = Key(
    name="k",
    help="A person hides among at least so many (k)",
    needed=True,
    safe=5,
    least=2,
    stricter="larger",
)
M = Key(
    name="m",
    help="Somebody knows up to so many items of a person (m)",
    needed=True,
    safe=2,
    least=1,
    most=5,
    stricter="larger",
)
L = Key(name="l", help="At most one in so many (l)", kind=float, safe=2, least=2, most=10, stricter="larger")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """How a promise is asked for by `model = "..."` in a policy.

    `knowledge` says what somebody may know against whom it holds, `sensitive` what its key l promises about
    sensitive values, if it has one. `make` takes the keys that were given.
    """

    knowledge: str
    keys: tuple[Key, ...]
    make: Callable[[Mapping[str, Any]], Model]
    sensitive: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """How a promise is added to that of a named model: by its first key; the others say more about it."""

    models: frozenset[str]
    keys: tuple[Key, ...]
    make: Callable[[Mapping[str, Any]], Model]
    sensitive: str = ""


class Model:
    """A promise, described once: searches, policies, reports, pages and other engines read it here.

    A subclass is a frozen dataclass whose fields are its parameters, and which refuses bad ones when it is
    made. `covers` are the roles of the columns that somebody may know without finding anybody. `meaning` is
    the promise for people who know no theory, with its parameters and {quasi}, {values}, {sets}, {sensitive}
    in braces. `diverse` promises limit what is learnt of sensitive values; `bounded` ones hold against who
    knows so many items and no more. `named` and `beside` say how a policy asks for it.
    """

    __slots__ = ()

    name: ClassVar[str]
    covers: ClassVar[frozenset[type]] = VALUES
    questions: ClassVar[frozenset[Question]] = frozenset({Question.CLASSES})
    form: ClassVar[Form] = Form.ROWS
    bounded: ClassVar[bool] = False
    named: ClassVar[Named | None] = None
    beside: ClassVar[Beside | None] = None

    @property
    def meaning(self) -> str:
        """A paragraph for people; empty where the claim must do."""
        return ""

    @property
    def asks(self) -> frozenset[Question]:
        """What a check has to ask of data: `questions`, unless parameters say otherwise."""
        return self.questions

    @property
    def diverse(self) -> bool:
        """Whether something is promised about sensitive values."""
        return False

    @property
    def hides_among(self) -> int:
        """k: among how many records everybody hides; 1 where that is not promised."""
        return int(self.parameters.get("k", 1))

    @property
    def items_known(self) -> int | None:
        """m: up to how many items somebody may know; None where the promise has no such bound."""
        return self.parameters.get("m")

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with; parameters that were not given are left out."""
        values = {part.name: getattr(self, part.name) for part in fields(cast("Any", self))}
        return {name: value for name, value in values.items() if value is not None}

    def class_constraint(self) -> Ints | None:
        """What kernels ask of the sensitive values of a class: kind, numerator, denominator, rank."""
        return None

    def infeasible(self, data: Any) -> Infeasible | None:  # noqa: ARG002
        """Why no release of these data can keep the promise; None if one can."""
        return None

    def claim(self, data: Any) -> str:
        """The promise in words, for these columns: 'satisfies ... with k=5 on age, zip'."""
        raise NotImplementedError

    def verify(self, data: Any) -> Verdict:
        """Check released data, from published values alone."""
        raise NotImplementedError

    def rows_to_leave_out(self, data: Any) -> Bools:
        """Rows of a release that have to go so that the promise can hold; none where nobody can tell."""
        return np.zeros(data.row_count, dtype=np.bool_)

    def judge_release(self, data: Any) -> Verdict:
        """What can be said of a release that was just made: what a check finds, if one is possible."""
        return self.verify(data)
