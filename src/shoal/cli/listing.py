"""`shoal algorithms`: what there is."""

from __future__ import annotations

from shoal.algorithms.catalogue import describe_algorithms
from shoal.cli import output, words
from shoal.cli.reporting import Json, reporting


@reporting
def algorithms(*, as_json: Json = False) -> None:
    """List the algorithms, what they promise and the papers they come from."""
    rows = describe_algorithms()
    if as_json:
        output.show_json({"algorithms": rows})
        return
    output.show_table("Algorithms", *words.algorithms(rows))
