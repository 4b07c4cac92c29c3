"""`classwise` on INFORMS with classes of so many records: what values and items lose.

    python bench/class_sizes.py [--sizes 25,50,75] [--keep]

k = 25, m = 2; items united by PCTA, or going down the tree in each class. Every release is verified.
"""

from __future__ import annotations

import argparse

import shoal as sh
from auto import data_of
from measuring.kept_tables import offer_to_keep, printed_table

COLUMNS = ("class size", "classes", "NCP", "UL, united", "sum", "UL, itemwise", "NCP of items, itemwise")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="25,50,75,100,150,300")
    offer_to_keep(parser)
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    data = data_of("informs-rt")
    with printed_table("classwise-sizes", COLUMNS) as add_row:
        for size in sizes:
            found = {
                items: sh.anonymize(
                    data, sh.KKmAnonymity(25, 2), algorithm="classwise", class_size=size, items=items, seed=0
                )
                for items in ("pcta", "itemwise")
            }
            united, itemwise = (100 * found[items].loss["ul"] for items in found)
            ncp = 100 * found["pcta"].loss["ncp"]
            add_row(
                size,
                int(found["pcta"].outcome.provenance.figures["classes"]),
                f"{ncp:.1f}",
                f"{united:.1f}",
                f"{ncp + united:.1f}",
                f"{itemwise:.1f}",
                f"{100 * found['itemwise'].loss['item_ncp']:.1f}",
            )


if __name__ == "__main__":
    main()
