"""Coverage-guided fuzzing of one target, where atheris is installed (`pip install atheris`).

python -m tests.campaign.fuzz "data .parquet" -max_total_time=60
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

try:
    import atheris  # type: ignore[import-untyped]
except ImportError:
    sys.exit("this needs atheris: pip install atheris; without it test_fuzz.py does what hypothesis can")

with atheris.instrument_imports(include=["shoal"]):
    from tests.campaign.fuzz_targets import TARGETS, seeds


def main() -> None:
    """Fuzz the named target; further words go to libFuzzer."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"name a target: {', '.join(TARGETS)}")
    target = sys.argv[1]
    corpus = Path(tempfile.mkdtemp(prefix="corpus-"))
    for number, content in enumerate(seeds(target)):
        (corpus / str(number)).write_bytes(content)
    atheris.Setup([sys.argv[0], str(corpus), *sys.argv[2:]], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
