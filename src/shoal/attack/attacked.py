"""All that was found in a release."""

from dataclasses import dataclass

from shoal.attack.finding import Finding
from shoal.attack.homogeneity import Confidence
from shoal.attack.journalist import Journalist


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """What all adversaries found, and whether that is within the promise.

    `findings` has one entry per adversary and amount of knowledge, `confidences` the best guesses of
    sensitive values, `journalist` the risk of who does not know whether a person is in the file; None for
    sets alone. `weaknesses` are sentences on what no count of candidates shows.
    """

    k: int
    m: int | None
    records: int
    published_records: int
    findings: tuple[Finding, ...]
    confidences: tuple[Confidence, ...]
    journalist: Journalist | None
    weaknesses: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[Finding, ...]:
        """What was promised and is not true: knowledge within the promise with fewer than k candidates."""
        return tuple(finding for finding in self.findings if finding.promised and finding.after.below_k > 0)
