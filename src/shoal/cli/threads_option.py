"""`--threads`: how many of a machine's cores a command may use."""

from __future__ import annotations

from typing import Annotated

import typer

Threads = Annotated[
    int | None,
    typer.Option(
        help="How many threads may work at once; what comes out does not depend on it.",
        min=1,
        show_default="all cores",
    ),
]
