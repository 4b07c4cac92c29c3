"""Options that the algorithms for tables with sets share, declared once."""

from typing import Any

from shoal.algorithms.mixed.joint_search.first_clusters import CLUSTER, FIRST_CLUSTERINGS
from shoal.algorithms.parameters import NumberOrWord, OneOf, Printed, Within, parameter

FRONTIER = "frontier"
_SHARES = ("ncp", "lm", "tree")  # losses between 0 and 1, as delta is


def items_parameter() -> Any:
    """Declare how items are generalized."""
    return parameter(
        "auto",
        OneOf(("auto", "aa", "pcta")),
        "how items of a cluster are generalized: aa over a tree, pcta without; auto is aa if there is a tree",
    )


def closeness_parameter() -> Any:
    """Declare how close sets of clusters are."""
    return parameter(
        "btd",
        OneOf(("btd", "loss")),
        "how close items of clusters are: by the distance of their sets, or by the loss of their union, which"
        " is exact and slow",
    )


def first_parameter() -> Any:
    """Declare what gathers the clusters that are united then."""
    return parameter(
        CLUSTER,
        OneOf((CLUSTER, *FIRST_CLUSTERINGS)),
        "the algorithm that gathers the first clusters of like records",
        printed=Printed(CLUSTER),
    )


def measure_parameter() -> Any:
    """Declare how the loss in single values is measured."""
    return parameter(
        "ncp",
        OneOf(_SHARES),
        "the loss in single values that is kept low, and that delta bounds where it bounds that",
        printed=Printed("ncp"),
    )


def delta_parameter(what: str) -> Any:
    """Declare the bound."""
    return parameter(
        0.65,
        NumberOrWord(Within(0.0, 1.0), OneOf((FRONTIER,))),
        f"the largest {what} allowed; frontier tries several and reports what each costs",
        printed=Printed(0.65, ours=(FRONTIER,)),
    )
