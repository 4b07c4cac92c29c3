"""How far counts from a release of Adult alone are off, and what it takes that they are not.

    python bench/counting.py [--weights 1 3 10] [--k 10] [--algorithm kanon-cf]

Income by age band and education, of releases with eight quasi-identifiers in which the detail of age and
education matters so many times as much as that of the other six. Printed are, for the cells of more than 500
records, how many are within 3 % of the original, how far they are off on average and at most, and whether
the bounds hold; and what is lost in all eight columns.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace

import pandas as pd

import shoal as sh
from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import TABLES, frame

COUNTED = ("age", "education")
INCOME = "salary-class"
ENDS = [15, 20, 30, 40, 50, 60, 70, 95]
LARGE = 500


def columns(weight: float) -> dict[str, sh.Role]:
    """The roles of Adult's columns, for a publisher to whom what is counted matters so much."""
    quasi: dict[str, sh.Role] = dict(TABLES["adult"].quasi)
    for name in COUNTED:
        role = quasi[name]
        assert isinstance(role, sh.Quasi)
        quasi[name] = replace(role, weight=weight, publish_hierarchy=name == "education")
    return {**quasi, INCOME: sh.Insensitive()}


def original_cells() -> pd.Series:
    """How many people of the original are in each cell that is large."""
    people = frame("adult").to_pandas()
    starts = pd.cut(people["age"].astype(int), ENDS, right=False, labels=ENDS[:-1]).astype(int)
    counts = people.groupby([starts, "education", INCOME]).size()
    return counts[counts > LARGE]


def counted_cells(release: sh.OpenedRelease) -> pd.DataFrame:
    """The same from the release."""
    counts = release.count(by=["age", "education", INCOME], bands={"age": ENDS})
    counts["age"] = counts["age"].astype(str).str.split("-").str[0].astype(int)
    return counts.set_index(["age", "education", INCOME])


def main() -> None:
    """Print a row for each weight."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--weights", type=float, nargs="+", default=[1, 3, 10])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--algorithm", default="kanon-cf")
    offer_to_keep(parser)
    given = parser.parse_args()
    large = original_cells()
    names = ["weight", "within 3 % of the original", "off on average", "at most", "bounds hold", "LM"]
    with printed_table("counting", names) as add_row:
        for weight in given.weights:
            data = sh.read(frame("adult"), columns(weight), options=sh.ReadOptions(others="drop"))
            result = sh.anonymize(data, sh.KAnonymity(given.k), algorithm=given.algorithm, seed=1)
            with tempfile.TemporaryDirectory() as folder:
                found = counted_cells(sh.open_release(result.save(f"{folder}/release"))).loc[large.index]
            off = ((found["expected"] - large) / large).abs()
            hold = bool(((found["lower"] <= large) & (large <= found["upper"])).all())
            add_row(
                f"{weight:g}",
                f"{(off <= 0.03).sum()} of {len(off)}",
                f"{off.mean():.1%}",
                f"{off.max():.1%}",
                "yes" if hold else "no",
                f"{result.loss['lm']:.2%}",
            )


if __name__ == "__main__":
    main()
