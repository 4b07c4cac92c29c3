"""One family of errors: `except ShoalError` is enough for a caller, and every error keeps its fields."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


class ShoalError(Exception):
    """Anything that Shoal refuses or cannot do, in one readable sentence.

    Examples:
        >>> import shoal as sh
        >>> try:
        ...     sh.KAnonymity(k=0)
        ... except sh.ShoalError as error:
        ...     print(type(error).__name__)
        InvalidParameter
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors of other processes arrive with their sentence and fields, whatever they were made from."""
        return _remade, (type(self), self.args), self.__dict__


def _remade(kind: type[ShoalError], arguments: tuple[Any, ...]) -> ShoalError:
    return kind.__new__(kind, *arguments)


class InvalidParameter(ShoalError):
    """A parameter outside its range: who, which, what it must be, what it was.

    Args:
        owner: Who was given the parameter.
        name: Its name.
        value: What it was.
        must_be: What it must be, in words.

    Examples:
        >>> import shoal as sh
        >>> try:
        ...     sh.LDiversity(l=0.5)
        ... except sh.InvalidParameter as error:
        ...     print(error.owner, error.name, error.value)
        LDiversity l 0.5
    """

    def __init__(self, owner: str, name: str, value: object, must_be: str) -> None:
        self.owner, self.name, self.value, self.must_be = owner, name, value, must_be
        super().__init__(f"{owner}: {name} must be {must_be}, got {value!r}")


class NoPromise(InvalidParameter):
    """A parameter by which nothing would be promised: which, and why."""

    def __init__(self, owner: str, name: str, value: object, why: str, must_be: str) -> None:
        super().__init__(owner, name, value, must_be)
        self.args = (f"{owner}: {name} = {value} promises nothing: {why}; use {must_be}",)


class UnknownName(ShoalError):
    """A name that nobody knows; suggests the nearest and lists what is known."""

    def __init__(self, owner: str, what: str, name: str, known: Iterable[str]) -> None:
        self.owner, self.what, self.name, self.known = owner, what, name, tuple(known)
        super().__init__(f"{owner} has no {what} {name!r}{did_you_mean(name, self.known)}")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the input: where, what, and what to do about it."""

    what: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    column: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        place = ", ".join(
            part
            for part in (
                f"{self.file}:{self.line}" if self.file and self.line else self.file,
                f"line {self.line}" if self.line and not self.file else None,
                f"column {self.column!r}" if self.column is not None else None,
                f"value {self.value!r}" if self.value is not None else None,
            )
            if part
        )
        sentence = f"{place}: {self.what}" if place else self.what
        return f"{sentence}; {self.remedy}" if self.remedy else sentence


class BadInput(ShoalError):
    """Data, hierarchies or a policy that cannot be used as they are: all problems at once.

    Args:
        *problems: What is wrong, where, and what to do about it.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> try:
        ...     sh.read(pa.table({"age": [31]}), {"aeg": sh.Quasi(kind="number")})
        ... except sh.BadInput as error:
        ...     print(len(error.problems) > 0)
        True
    """

    def __init__(self, *problems: Problem) -> None:
        self.problems: Sequence[Problem] = problems
        super().__init__("\n".join(map(str, problems)))


class MissingExtra(ShoalError):
    """An optional part is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        self.feature, self.extra = feature, extra
        super().__init__(f"{feature} needs an optional part of Shoal: pip install 'shoal[{extra}]'")


class CannotVerify(ShoalError):
    """A promise that no file can prove, such as differential privacy."""


class NotFound(ShoalError):
    """Something asked for by its id or name is not there."""

    def __init__(self, what: str, name: str) -> None:
        self.what, self.name = what, name
        super().__init__(f"there is no {what} {name!r}")


class TooLarge(ShoalError):
    """More bytes than may be taken in."""


class OutputFailed(ShoalError):
    """The output could not be written; nothing of it was left behind."""


class Infeasible(ShoalError):
    """The promise cannot be met for this data.

    Args:
        sentence: Why.
        **figures: How far it got.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34]}), {"age": sh.Quasi(kind="number")})
        >>> try:
        ...     sh.anonymize(data, sh.KAnonymity(k=5))
        ... except sh.Infeasible as error:
        ...     print(error.figures)
        {'largest_k': 2, 'records': 2}
    """

    def __init__(self, sentence: str, **figures: Any) -> None:
        self.figures = figures
        super().__init__(sentence)


class LimitReached(ShoalError):
    """A time or memory limit was reached without a safe result.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34] * 50}), {"age": sh.Quasi(kind="number")})
        >>> try:
        ...     sh.anonymize(data, sh.KAnonymity(k=5), algorithm="mondrian", time_limit=1e-9)
        ... except sh.LimitReached:
        ...     print("nothing was found in that time")
        nothing was found in that time
    """


class Cancelled(LimitReached):
    """The user stopped the work."""


class PromiseBroken(ShoalError):
    """A release did not pass its own check, so it was not written.

    Args:
        sentence: What was to be written, and why it was not.
        verdict: What the check found.

    Examples:
        >>> import shoal as sh
        >>> verdict = sh.Verdict(holds=False, claim="satisfies k-anonymity with k=5", evidence="a class of 4")
        >>> sh.PromiseBroken("the written file does not keep its promise", verdict).verdict.evidence
        'a class of 4'
    """

    def __init__(self, sentence: str, verdict: object) -> None:
        self.verdict = verdict
        super().__init__(sentence)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Close a sentence about an unknown name with the nearest known one and the list of all."""
    if not known:
        return ""
    nearest = difflib.get_close_matches(name, known, n=1)
    takes = f"takes {', '.join(known)}"
    return f"; did you mean {nearest[0]!r}? It {takes}" if nearest else f"; it {takes}"
