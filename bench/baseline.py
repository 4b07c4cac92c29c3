"""What code for the common processor of wheels costs beside code for this one: `python bench/baseline.py`.

Each search runs in processes of its own, in turn, compiled for both before; compared is the least processor
time of the search itself. A ratio of 1.10 means that code of a wheel takes a tenth longer. The exit code is 1
where a search is above that: its kernels should be compiled anew on the machine that runs them.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring.kept_tables import offer_to_keep, printed_table
from shoal.kernels.compile import _BASELINES

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
REPEATS = 3
MOST = 1.10
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
    "lgr": ("sets", "sh.SetKAnonymity(5)", {}),
    "disassociation": ("sets", "sh.Disassociation(5, 2)", {}),
    "rmerge-rt": ("both", "sh.KKmAnonymity(5, 2)", {}),
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
elif data == "sets":
    roles = {"items": sh.QuasiSet(hierarchy=sh.fanout(5))}
    source = folder + "/bms_webview2.txt.gz"
else:
    roles = {name: sh.Quasi(hierarchy=sh.flat()) for name in ("DOBYY", "SEX", "RACEX", "EDUCYEAR")}
    roles["ICD9"] = sh.QuasiSet(hierarchy=sh.fanout(5))
    source = folder + "/informs2005_rt.csv.gz"
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="searches, separated by commas")
    offer_to_keep(parser)
    only = parser.parse_args().only
    searches = only.split(",") if only else list(SEARCHES)
    baseline = {"NUMBA_CPU_NAME": _BASELINES[platform.machine()], "NUMBA_CPU_FEATURES": ""}
    above = []
    columns = ["search", "native, s", "common, s", "ratio"]
    with tempfile.TemporaryDirectory() as name, printed_table("baseline", columns) as add_row:
        caches = {"native": Path(name) / "native", "common": Path(name) / "common"}
        for search in searches:
            least = dict.fromkeys(caches, float("inf"))
            for _ in range(REPEATS):
                for kind, environment in {"native": {}, "common": baseline}.items():
                    least[kind] = min(least[kind], seconds(search, caches[kind], environment))
            ratio = least["common"] / least["native"]
            add_row(search, *(f"{each:.2f}" for each in (least["native"], least["common"], ratio)))
            if ratio > MOST:
                above.append(search)
    sys.exit(f"above {MOST}: {', '.join(above)}" if above else 0)


if __name__ == "__main__":
    main()
