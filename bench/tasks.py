"""What models learn from a release: accuracy and AUC on untouched original records, by algorithm and k.

    python bench/tasks.py [--tables adult,nursery] [--k 5,10,50] [--algorithms kanon-cf,mondrian,full-domain]
                          [--keep]

The sensitive column of each table is predicted from its quasi-identifiers (`measuring/tables.py`). Printed
are the AUC of both models trained on the original and on the release, the shift with its 95 % interval, and
the seconds that measuring took.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import TABLES, frame

COLUMNS = (
    *("data", "algorithm", "k", "model", "AUC", "of the original", "shift, 95 %", "accuracy"),
    *("of the original", "always the most frequent", "seconds"),
)


def measured(name: str, algorithm: str, k: int) -> Iterator[list[object]]:
    """A row for each model."""
    table = TABLES[name]
    columns = {**table.quasi, table.sensitive: sh.Insensitive(confirm=True)}
    data = sh.read(frame(name).select([*columns]), columns)
    result = sh.anonymize(data, sh.KAnonymity(k), algorithm=algorithm, seed=0, target=table.sensitive)
    found = result.usefulness
    assert found is not None
    for model in found.models:
        release, original = found.score(model), found.score(model, "original")
        shift = release.shift["auc"]
        scores = [release.accuracy.mean, original.accuracy.mean, found.majority]
        yield [
            *(name, f"`{algorithm}`", k, model, f"{release.auc.mean:.3f}", f"{original.auc.mean:.3f}"),
            f"{shift.low:+.3f} to {shift.high:+.3f}",
            *(f"{score:.3f}" for score in scores),
            f"{found.seconds:.1f}",
        ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default="adult")
    parser.add_argument("--k", default="5,10,50")
    parser.add_argument("--algorithms", default="kanon-cf,mondrian,full-domain")
    offer_to_keep(parser)
    asked = parser.parse_args()
    algorithms, ks = asked.algorithms.split(","), map(int, asked.k.split(","))
    with printed_table("tasks", COLUMNS) as add_row:
        for name, algorithm, k in itertools.product(asked.tables.split(","), algorithms, ks):
            for row in measured(name, algorithm, k):
                add_row(*row)


if __name__ == "__main__":
    main()
