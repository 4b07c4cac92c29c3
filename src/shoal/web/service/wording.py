"""What people read: their names of files in the places of stored paths, problems as plain values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, Infeasible, Problem, ShoalError

_STORED = re.compile(r"[0-9a-f]{24}\b")


@dataclass(frozen=True, slots=True)
class Names:
    """The names that people gave to stored files, by path."""

    by_path: Mapping[str, str]

    def knows(self, name: str) -> bool:
        """Whether a file has this name."""
        return name in self.by_path.values()

    def path_of(self, name: str) -> str:
        """The path of the file with this name."""
        return next(path for path, given in self.by_path.items() if given == name)

    def shown(self, text: str) -> str:
        """A text with names in the places of paths."""
        for path, name in self.by_path.items():
            text = text.replace(path, name)
            if _STORED.match(Path(path).name):  # any other file name might be a word of the sentence
                text = text.replace(Path(path).name, name)
        return text

    def problems(self, error: BadInput) -> tuple[Problem, ...]:
        """The problems of an error, in the words of people."""
        return tuple(self.problem(problem) for problem in error.problems)

    def failure(self, error: ShoalError) -> Failure:
        """What an error says, in the words of people."""
        if isinstance(error, BadInput):
            return Failure.of(BadInput(*self.problems(error)))
        return Failure(type(error).__name__, self.shown(str(error)))

    def problem(self, problem: Problem) -> Problem:
        """A problem, in the words of people."""
        return replace(
            problem,
            what=self.shown(problem.what),
            remedy=self.shown(problem.remedy),
            file=None if problem.file is None else self.shown(problem.file),
        )


class Refused(ShoalError):
    """An error of another process: its kind by name, and its sentence."""

    def __init__(self, kind: str, sentence: str) -> None:
        self.kind = kind
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something did not work: the kind of error, one sentence, and all problems if there are several."""

    kind: str
    sentence: str
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, error: ShoalError) -> Failure:
        """What an error says."""
        problems: Sequence[Problem] = error.problems if isinstance(error, BadInput) else ()
        return cls(getattr(error, "kind", type(error).__name__), str(error), tuple(problems))

    def error(self) -> ShoalError:
        """The error again, in this process."""
        if self.problems:
            return BadInput(*self.problems)
        return Infeasible(self.sentence) if self.kind == "Infeasible" else Refused(self.kind, self.sentence)

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "problems": [asdict(problem) for problem in self.problems],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Failure:
        """From plain values."""
        return cls(
            content["kind"], content["sentence"], tuple(Problem(**each) for each in content["problems"])
        )
