"""Options that the algorithms for tables with sets share, declared once."""

from typing import Any

from shoal.algorithms.parameters import NumberOrWord, OneOf, Printed, Within, parameter

FRONTIER = "frontier"


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


def delta_parameter(what: str) -> Any:
    """Declare the bound."""
    return parameter(
        0.65,
        NumberOrWord(Within(0.0, 1.0), OneOf((FRONTIER,))),
        f"the largest {what} allowed; frontier tries several and reports what each costs",
        printed=Printed(0.65, ours=(FRONTIER,)),
    )
