"""Run every benchmark of this folder, one process each; `make bench` calls this.

Long ones run in their short form here.
"""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
SHORT_FORM = {script: ["--quick"] for script in ("km.py", "relational.py", "relational_peers.py")}


def main() -> None:
    for script in sorted(FOLDER.glob("*.py")):
        if script.name != Path(__file__).name:
            print(f"\n== {script.name}", flush=True)
            subprocess.run([sys.executable, script, *SHORT_FORM.get(script.name, [])], check=True)


if __name__ == "__main__":
    main()
