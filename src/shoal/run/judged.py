"""What every result tells about the release it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.privacy.verdict import Verdict
    from shoal.report.outcome import Outcome


class Judged:
    """A result with the facts of its run in `outcome`."""

    outcome: Outcome

    @property
    def verdict(self) -> Verdict:
        """The check of the main promise; `verdicts` has those of the promises beside it too."""
        return self.outcome.verdicts[0]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The independent check of each promise."""
        return self.outcome.verdicts

    @property
    def loss(self) -> dict[str, float]:
        """What the promise cost, by measure; lower is better."""
        return dict(self.outcome.losses)

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know."""
        return self.outcome.notices
