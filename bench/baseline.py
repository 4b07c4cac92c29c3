"""What code for the common processor of wheels costs beside code for this one: `python bench/baseline.py`.

Each search runs in processes of its own, in turn, compiled for both before; compared is the least processor
time of the search itself. A ratio of 1.10 means that code of a wheel takes a tenth longer.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from shoal.kernels.compile import _BASELINES

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
REPEATS = 3
ADULT = ("age", "education", "marital-status", "race", "sex", "native-country", "workclass", "salary-class")
SEARCHES = {
    "mondrian": ("adult", "sh.KAnonymity(10)", {}),
    "hilbert": ("adult", "sh.KAnonymity(10)", {"local_search": False}),
    "kanon-cf": ("adult", "sh.KAnonymity(10)", {"block": 5000}),
    "agglomerative": ("adult", "sh.KAnonymity(10)", {"block": 2000}),
    "aa": ("sets", "sh.KmAnonymity(5, 3)", {}),
    "lra": ("sets", "sh.KmAnonymity(5, 2)", {}),
    "itemwise": ("sets", "sh.KmAnonymity(5, 2)", {}),
    "partition": ("sets", "sh.SetKAnonymity(5)", {}),
    "disassociation": ("sets", "sh.Disassociation(5, 2)", {}),
}
PROGRAM = (
    f"ADULT = {ADULT!r}"
    + """
import json, sys, time
import shoal as sh
data, promise, algorithm, options, folder = sys.argv[1:]
if data == "adult":
    roles = {name: sh.Quasi(hierarchy=sh.flat()) for name in ADULT}
    roles["age"] = sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 40))
    source = folder + "/adult.csv.gz"
else:
    roles = {"items": sh.QuasiSet(hierarchy=sh.fanout(5))}
    source = folder + "/bms_webview2.txt.gz"
read = sh.read(source, roles, options=sh.ReadOptions(others="drop"))
times = []
for _ in range(2):
    began = time.process_time()
    sh.anonymize(read, eval(promise), algorithm=algorithm, seed=1, **json.loads(options))
    times.append(time.process_time() - began)
print(json.dumps(min(times)))
"""
)


def seconds(name: str, cache: Path, environment: dict[str, str]) -> float:
    data, promise, options = SEARCHES[name]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, data, promise, name, json.dumps(options), str(DATA)],
        env=os.environ | {"SHOAL_CACHE": str(cache)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    baseline = {"NUMBA_CPU_NAME": _BASELINES[platform.machine()], "NUMBA_CPU_FEATURES": ""}
    with tempfile.TemporaryDirectory() as name:
        caches = {"native": Path(name) / "native", "baseline": Path(name) / "baseline"}
        print("| search | native, s | baseline, s | ratio |\n| --- | --- | --- | --- |")
        for search in SEARCHES:
            least = {"native": float("inf"), "baseline": float("inf")}
            for _ in range(REPEATS):
                for kind, environment in {"native": {}, "baseline": baseline}.items():
                    least[kind] = min(least[kind], seconds(search, caches[kind], environment))
            native, common = least["native"], least["baseline"]
            print(f"| {search} | {native:.2f} | {common:.2f} | {common / native:.2f} |", flush=True)


if __name__ == "__main__":
    main()
