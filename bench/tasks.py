"""What models learn from a release: accuracy and AUC on untouched original records, by algorithm and k.

    python bench/tasks.py [--tables adult,nursery] [--k 5,10,50] [--algorithms kanon-cf,mondrian,full-domain]

The sensitive column of each table is predicted from its quasi-identifiers (`measuring/tables.py`). Printed
are the AUC of both models trained on the original and on the release, the shift with its 95 % interval, and
the seconds that measuring took.
"""

from __future__ import annotations

import argparse

import shoal as sh
from measuring.tables import TABLES, frame


def measured(name: str, algorithm: str, k: int) -> list[str]:
    """A line for each model."""
    table = TABLES[name]
    columns = {**table.quasi, table.sensitive: sh.Insensitive(confirm=True)}
    data = sh.read(frame(name).select([*columns]), columns)
    result = sh.anonymize(data, sh.KAnonymity(k), algorithm=algorithm, seed=0, target=table.sensitive)
    found = result.usefulness
    assert found is not None
    lines = []
    for model in found.models:
        release, original = found.score(model), found.score(model, "original")
        shift = release.shift["auc"]
        lines.append(
            f"{name:10} {algorithm:12} {k:4} {model:9} {original.auc.mean:8.3f} {release.auc.mean:8.3f}"
            f" {release.auc.mean / original.auc.mean:6.3f} {shift.mean:+7.3f} ({shift.low:+.3f} to"
            f" {shift.high:+.3f}) {original.accuracy.mean:8.3f} {release.accuracy.mean:8.3f}"
            f" {found.majority:8.3f} {found.seconds:7.1f}"
        )
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default="adult")
    parser.add_argument("--k", default="5,10,50")
    parser.add_argument("--algorithms", default="kanon-cf,mondrian,full-domain")
    asked = parser.parse_args()
    print(
        "table      algorithm       k model      AUC of original, release, ratio and shift"
        "     accuracy of both, majority, seconds"
    )
    for name in asked.tables.split(","):
        for k in map(int, asked.k.split(",")):
            for algorithm in asked.algorithms.split(","):
                print(*measured(name, algorithm, k), sep="\n", flush=True)


if __name__ == "__main__":
    main()
