"""What every result tells about the release it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.metrics.tasks.usefulness import Usefulness
    from shoal.privacy.promise import Promise
    from shoal.privacy.verdict import Verdict
    from shoal.report.outcome import Outcome


class Judged:
    """A result with the facts of its run in `outcome`."""

    outcome: Outcome

    @property
    def verdict(self) -> Verdict:
        """The check of the main promise; `verdicts` has those of the promises beside it too."""
        return self.outcome.claim.verdicts[0]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The independent check of each promise."""
        return self.outcome.claim.verdicts

    @property
    def models(self) -> Promise:
        """What was promised."""
        return self.outcome.claim.promise

    @property
    def loss(self) -> dict[str, float]:
        """What the promise cost, by measure; lower is better."""
        return dict(self.outcome.cost.losses)

    @property
    def usefulness(self) -> Usefulness | None:
        """How useful the release is for the target that was named; None if none was."""
        return self.outcome.cost.usefulness

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know."""
        return self.outcome.provenance.notices
