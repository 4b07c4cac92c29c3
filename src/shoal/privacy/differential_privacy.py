from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from shoal.engine.local import LocalData
from shoal.errors import CannotVerify
from shoal.privacy.parameters import Number, check_number
from shoal.privacy.verdict import Verdict


@dataclass(frozen=True, slots=True)
class DifferentialPrivacy:
    """One person more or less in the data changes the odds of any release at most by a factor exp(epsilon).

    A property of the mechanism that made a file. Defined by Dwork, McSherry, Nissim, Smith, Calibrating
    noise to sensitivity in private data analysis, TCC 2006.
    """

    name: ClassVar[str] = "differential-privacy"

    epsilon: Number

    def __post_init__(self) -> None:
        check_number("DifferentialPrivacy", "epsilon", self.epsilon, "a number above 0")

    def claim(self, data: LocalData) -> str:  # noqa: ARG002 - it is about all columns
        """The promise in words."""
        return f"was made with differential privacy, epsilon={self.epsilon}"

    def by_construction(self, data: LocalData) -> Verdict:
        """What can be said of a release that was just made with such a mechanism."""
        return Verdict(
            holds=True,
            claim=self.claim(data),
            evidence="this follows from how the file was made; it was not checked, and no file can show it",
            by_construction=True,
        )

    def verify(self, data: LocalData) -> NoReturn:  # noqa: ARG002
        """No file can show it."""
        raise CannotVerify(
            "Differential privacy cannot be checked from a file: it is a property of how the file was made, "
            "and the same file could have been made with or without it; ask who made the file, and compare "
            "its SHA-256 with the one in its certificate"
        )
