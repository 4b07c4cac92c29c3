"""How often intervals from imputed copies of a release cover what the original says.

    python bench/imputation.py [--runs 200] [--first 0] [--records 500] [--k 10] [--algorithms mondrian]

Drawn are ages, sexes and regions, and an income that depends on age and sex. Ages, sexes and regions are
generalized; the income is published as it is. Each run draws new data, anonymizes them, draws copies from the
published folder and combines them by the rules of Rubin (1987). Printed is in how many runs the 95 % interval
for a quantity holds its value in the original, how far the estimate is off on average, and how wide the
interval is, both in standard errors of the original.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table

COPIES = 10
COLUMNS = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 40)),
    "sex": sh.Quasi(hierarchy=sh.flat()),
    "region": sh.Quasi(hierarchy=sh.mask_right()),
    "income": sh.Insensitive(confirm=True),
}


def drawn(records: int, rng: np.random.Generator) -> pd.DataFrame:
    """People whose income rises with their age and differs between the sexes."""
    age = np.clip(rng.gamma(9, 5, records).round(), 18, 90).astype(int)
    sex = rng.choice(["f", "m"], records)
    region = rng.choice(["11", "12", "13", "21", "22", "31"], records, p=[0.3, 0.2, 0.1, 0.2, 0.1, 0.1])
    income = 1000 + 40 * age + np.where(sex == "m", 400, 0) + rng.normal(0, 600, records)
    return pd.DataFrame({"age": age, "sex": sex, "region": region, "income": income.round(2)})


def quantities(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Each quantity and its variance: the mean age, the share of men, and coefficients of a regression."""
    is_man = (frame["sex"] == "m").to_numpy(float)
    age, count = frame["age"].to_numpy(float), len(frame)
    features = np.column_stack((np.ones(count), age, is_man))
    inverse = np.linalg.inv(features.T @ features)
    found = inverse @ features.T @ frame["income"].to_numpy(float)
    rest = frame["income"].to_numpy(float) - features @ found
    variances = np.diag(inverse) * (rest @ rest) / (count - 3)
    return {
        "mean age": (age.mean(), age.var(ddof=1) / count),
        "share of men": (is_man.mean(), is_man.var(ddof=1) / count),
        "income by age": (found[1], variances[1]),
        "income by sex": (found[2], variances[2]),
    }


def combined(copies: list[dict[str, tuple[float, float]]]) -> dict[str, sh.Combined]:
    """Each quantity over all copies."""
    return {
        name: sh.combine([copy[name][0] for copy in copies], [copy[name][1] for copy in copies])
        for name in copies[0]
    }


def one_run(algorithm: str, records: int, k: int, seed: int) -> Mapping[str, tuple[bool, float, float]]:
    """Of each quantity whether it is covered, how far the estimate is off, and half the interval."""
    original = drawn(records, np.random.default_rng(seed))
    result = sh.anonymize(sh.read(original, COLUMNS), sh.KAnonymity(k), algorithm=algorithm, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        opened = sh.open_release(result.save(Path(folder) / "out"))
        copies = [quantities(copy) for copy in opened.imputed(COPIES, seed)]
    found, true = combined(copies), quantities(original)
    return {
        name: (
            each.low <= true[name][0] <= each.high,
            (each.estimate - true[name][0]) / true[name][1] ** 0.5,
            (each.high - each.low) / 2 / true[name][1] ** 0.5,
        )
        for name, each in found.items()
    }


def coverage(algorithm: str, records: int, k: int, seeds: range) -> dict[str, tuple[float, float, float]]:
    """The means of `one_run`."""
    found = []
    for seed in seeds:
        print(f"\r{algorithm}: run {len(found) + 1} of {len(seeds)}", end="", file=sys.stderr, flush=True)
        found.append(one_run(algorithm, records, k, seed))
    print(file=sys.stderr)
    return {
        name: tuple(float(np.mean([run[name][part] for run in found])) for part in range(3))
        for name in found[0]
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first run")
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--algorithms", default="mondrian")
    offer_to_keep(parser)
    asked = parser.parse_args()
    with printed_table("imputation", ["algorithm", "quantity", "covered", "off", "interval"]) as add_row:
        for algorithm in asked.algorithms.split(","):
            seeds = range(asked.first, asked.first + asked.runs)
            for name, (covered, off, reach) in coverage(algorithm, asked.records, asked.k, seeds).items():
                add_row(algorithm, name, f"{covered:.1%}", f"{off:+.2f}", f"{reach:.2f}")


if __name__ == "__main__":
    main()
