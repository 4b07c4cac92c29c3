"""What every adversary is: a name, what it needs, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from shoal.attack.finding import Finding
from shoal.attack.links import Linked
from shoal.progress import Progress


class Adversary(Protocol):
    """Somebody who knows something of each original record and looks for it in the release.

    `find` gives one finding per amount of knowledge; none where the data have nothing of that sort. An
    adversary knows the hierarchies and the original record, never the order of rows or the algorithm.
    """

    name: ClassVar[str]

    def find(self, linked: Linked, progress: Progress) -> Sequence[Finding]:
        """Attack the release, and the original itself for comparison."""
