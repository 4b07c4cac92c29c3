from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from shoal.engine.port import Described, Question
from shoal.errors import CannotVerify
from shoal.privacy.model import SETS, Form, Key, Model, Named
from shoal.privacy.parameters import Number, check_number
from shoal.privacy.verdict import Verdict


@dataclass(frozen=True, slots=True)
class DifferentialPrivacy(Model):
    r"""One person more or less in the data changes the odds of any release at most by a factor exp(epsilon).

    A property of the mechanism that made a file, which no file can prove. Defined by Dwork, McSherry, Nissim,
    Smith, Calibrating noise to sensitivity in private data analysis, TCC 2006.

    Args:
        epsilon: How much the odds may change; less protects more.

    Raises:
        InvalidParameter: epsilon is no number above 0.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     items = Path(folder, "items.csv")
        ...     _ = items.write_text("tea,*\nfigs,*\n")
        ...     baskets = pa.table({"bought": [["tea"]] * 500})
        ...     data = sh.read(baskets, {"bought": sh.QuasiSet(hierarchy=items)})
        ...     sh.anonymize(data, sh.DifferentialPrivacy(epsilon=5)).verdict.by_construction
        True
    """

    name: ClassVar[str] = "differential-privacy"
    questions: ClassVar[frozenset[Question]] = frozenset()
    covers: ClassVar[frozenset[type]] = SETS
    form: ClassVar[Form] = Form.NEW_RECORDS
    named: ClassVar[Named | None] = Named(
        knowledge="Anything: publish new records that depend little on any one person",
        keys=(
            Key(
                name="epsilon",
                help="How much may depend on one person, the smaller the less (epsilon)",
                kind=float,
                needed=True,
                safe=1.0,
                least=0.1,
                most=5,
                step=0.1,
                stricter="smaller",
            ),
        ),
        make=lambda given: DifferentialPrivacy(given["epsilon"]),
    )

    epsilon: Number

    def __post_init__(self) -> None:
        check_number("DifferentialPrivacy", "epsilon", self.epsilon, "a number above 0")

    @property
    def meaning(self) -> str:
        """The promise for people who know no theory."""
        return (
            "Adding or removing one person changes the chance of any published result at most by a factor of"
            " e^{epsilon}. This follows from how the file was made and cannot be checked from the file."
        )

    def claim(self, data: Described) -> str:  # noqa: ARG002 - it is about all columns
        """The promise in words."""
        return f"was made with differential privacy, epsilon={self.epsilon}"

    def judge_release(self, data: Described) -> Verdict:
        """What can be said of a release that was just made with such a mechanism."""
        return Verdict(
            holds=True,
            claim=self.claim(data),
            evidence="this follows from how the file was made; it was not checked, and no file can show it",
            by_construction=True,
        )

    def verify(self, data: Described) -> NoReturn:  # noqa: ARG002
        """No file can show it."""
        raise CannotVerify(
            "Differential privacy cannot be checked from a file: it is a property of how the file was made, "
            "and the same file could have been made with or without it; ask who made the file, and compare "
            "its SHA-256 with the one in its certificate"
        )
