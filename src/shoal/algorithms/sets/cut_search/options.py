"""Options that the algorithms for sets share, declared once."""

from typing import Any

from shoal.algorithms.parameters import Printed, Within, YesOrNo, parameter


def minimal_parameter(of: str = "") -> Any:
    """Declare whether cuts are made minimal."""
    return parameter(
        default=True,
        rule=YesOrNo(),
        help=f"{of}expand nodes again where the promise allows it: less loss, but more exposed to downcoding",
        printed=Printed(value=False),
    )


def exchanges_parameter() -> Any:
    """Declare how many exchanges are tried to make a minimal cut cheaper."""
    return parameter(
        default=10,
        rule=Within(0),
        help="of a minimal cut, how many of the dearest nodes are tried in exchange for others",
        printed=Printed(0),
    )


def threads_parameter() -> Any:
    """Declare how many parts are searched at the same time."""
    return parameter(
        default=0,
        rule=Within(0),
        help="how many parts are searched at the same time; 0 means one per processor",
    )


def memory_parameter() -> Any:
    """Declare how much memory the parts must fit into."""
    return parameter(
        default=0.0,
        rule=Within(0.0),
        help="bytes that the whole program may take; 0 means as many as there are",
    )
