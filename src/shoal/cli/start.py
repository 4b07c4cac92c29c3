"""The first thing that runs: a small process that looks after the one that works, where systems can fork.

What needs no looking after, or looks after itself, runs in place.
"""

from __future__ import annotations

import os
import sys

_LOOKS_AFTER_ITSELF = "serve"


def main() -> None:
    """Run the command line under supervision."""
    if sys.platform == "win32" or not hasattr(os, "fork") or _LOOKS_AFTER_ITSELF in sys.argv[1:2]:
        from shoal.cli.main import main as command_line

        command_line()
    else:
        from shoal.cli.supervision import supervised

        supervised()
