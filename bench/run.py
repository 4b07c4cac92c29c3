"""Run every benchmark of this folder, one process each; `make bench` calls this.

Long ones run in their short form here. All are run, and the exit code is 1 if one of them missed a target.
"""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
SHORT_FORM = {"additions.py": ["--data", "bms_webview1"]} | {
    script: ["--quick"]
    for script in (
        "disassociation.py",
        "disassociation_loss.py",
        "km.py",
        "km_published.py",
        "limits.py",
        "relational.py",
        "relational_peers.py",
        "rt.py",
        "topdown.py",
    )
}


def main() -> int:
    missed = []
    for script in sorted(FOLDER.glob("*.py")):
        if script.name != Path(__file__).name:
            print(f"\n== {script.name}", flush=True)
            words = [sys.executable, script, *SHORT_FORM.get(script.name, [])]
            if subprocess.run(words, check=False).returncode:
                missed.append(script.name)
    print(f"\nMissed a target: {', '.join(missed)}" if missed else "\nAll targets are met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
