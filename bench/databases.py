"""A million rows from table to verified table, beside file to file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.postgres import WITHOUT_POSTGRES, has_postgres, running_server

ROWS = 1_000_000
MOST = {"postgresql": 2.0, "duckdb": 1.2}
POLICY = """
[data]
{data}
[columns]
age = {{ role = "quasi", kind = "number", hierarchy = {{ ranges = [5, 10, 20] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "right" }} }}
sex = {{ role = "quasi", hierarchy = {{ flat = true }} }}
job = {{ role = "quasi", hierarchy = {{ flat = true }} }}
ill = {{ role = "sensitive" }}
[privacy]
model = "k-anonymity"
k = 10
[algorithm]
name = "mondrian"
[output]
{output}
"""


def people(rows: int) -> pa.Table:
    draw = np.random.default_rng(1)
    return pa.table(
        {
            "age": draw.integers(18, 90, rows),
            "zip": pa.array(draw.integers(10_000, 10_500, rows)).cast(pa.string()),
            "sex": pa.array(["f", "m"]).take(pa.array(draw.integers(0, 2, rows))),
            "job": pa.array(list("abcdefghijklmnopqrstuvwxyz")).take(pa.array(draw.integers(0, 26, rows))),
            "ill": pa.array(list("ABCDEFGHIJKLMNOPQRST")).take(pa.array(draw.integers(0, 20, rows))),
        }
    )


def seconds(folder: Path, name: str, data: str, output: str) -> float:
    policy = folder / f"{name}.toml"
    policy.write_text(POLICY.format(data=data, output=output))
    best = []
    for _ in range(2):
        began = time.perf_counter()
        words = ["-c", "from shoal.cli.start import main; main()", "run", str(policy), "--quiet", "--replace"]
        subprocess.run([sys.executable, *words], check=True, env=os.environ)
        best.append(time.perf_counter() - began)
    return min(best)


def main() -> None:
    import duckdb

    table = people(ROWS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parquet.write_table(table, folder / "people.parquet")
        files = seconds(folder, "files", 'path = "people.parquet"', 'path = "published.parquet"')
        found = {"files": files}
        with duckdb.connect(folder / "people.duckdb") as connection:
            connection.register("arrow", table)
            connection.execute("CREATE TABLE people AS SELECT * FROM arrow")
        data, output = 'url = "{}"\ntable = "people"', 'path = "published.parquet"\ntable = "published"'
        found["duckdb"] = seconds(folder, "duckdb", data.format("duckdb:///people.duckdb"), output)
        if has_postgres():
            import adbc_driver_postgresql.dbapi

            with running_server() as server:
                with adbc_driver_postgresql.dbapi.connect(server.url()) as connection:
                    connection.cursor().adbc_ingest("people", table, mode="create")
                    connection.commit()
                found["postgresql"] = seconds(folder, "postgresql", data.format(server.url()), output)
        else:
            print(WITHOUT_POSTGRES)
    print(json.dumps({kind: round(took, 2) for kind, took in found.items()}))
    for kind, most in MOST.items():
        if kind in found:
            print(f"{kind}: {found[kind] / files:.2f} times as long as from file to file (at most {most})")


if __name__ == "__main__":
    main()
