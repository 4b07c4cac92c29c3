"""The adversaries; the command line, the docs and the tests iterate over them."""

from collections.abc import Callable, Sequence

from shoal.attack.absence import by_absence
from shoal.attack.exact_sets import by_whole_set
from shoal.attack.finding import Finding
from shoal.attack.items import by_items
from shoal.attack.links import Linked
from shoal.attack.values import by_values
from shoal.attack.values_and_items import by_values_and_items
from shoal.progress import Progress

# Somebody who knows something of each original record, at most so many items, and looks for it in the release
# and, for comparison, in the original itself. There is one finding per amount of knowledge; none where the
# data have nothing of that sort. An adversary knows the hierarchies and the original record, never the order
# of rows or the algorithm.
Adversary = Callable[[Linked, int, Progress], Sequence[Finding]]

ADVERSARIES: Sequence[Adversary] = (by_values, by_items, by_whole_set, by_absence, by_values_and_items)
