"""A million rows from table to verified table, and from a folder of Parquet files, beside file to file.

    python bench/databases.py [--rounds 3] [--keep]

Who publishes a table gets the file beside it, so that this is done as well. All take turns, and the least
of each counts.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.postgres import WITHOUT_POSTGRES, has_postgres, running_server

from measuring.kept_tables import offer_to_keep, printed_table

ROWS, PARTS = 1_000_000, 10
MOST = {"postgresql": 2.0, "duckdb": 1.2, "folder": 1.2}
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


@dataclass(frozen=True)
class Took:
    """Seconds on the clock, and of processors in the processes of the run, a server's not among them."""

    clock: float
    processors: float


def run(policy: Path) -> Took:
    words = ["-c", "from shoal.cli.start import main; main()", "run", str(policy), "--quiet", "--replace"]
    began, before = time.perf_counter(), _processors()
    subprocess.run([sys.executable, *words], check=True, env=os.environ)
    return Took(time.perf_counter() - began, _processors() - before)


def _processors() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def least(runs: Sequence[Took]) -> Took:
    """What a machine that does nothing else comes nearest to."""
    return Took(min(each.clock for each in runs), min(each.processors for each in runs))


@contextmanager
def postgres_with(table: pa.Table) -> Iterator[str | None]:
    """The URL of a server that has the table, if there can be one."""
    if not has_postgres():
        print(WITHOUT_POSTGRES)
        yield None
        return
    import adbc_driver_postgresql.dbapi

    with running_server() as server:
        with adbc_driver_postgresql.dbapi.connect(server.url()) as connection:
            connection.cursor().adbc_ingest("people", table, mode="create")
            connection.commit()
        yield server.url()


def policies(folder: Path, table: pa.Table, server: str | None) -> dict[str, Path]:
    """From a file or a folder of files to a file, and from a table to a table and the same file."""
    import duckdb

    parquet.write_table(table, folder / "people.parquet")
    (folder / "people").mkdir()
    for number in range(PARTS):
        part = table.slice(number * ROWS // PARTS, ROWS // PARTS)
        parquet.write_table(part, folder / "people" / f"part-{number}.parquet")
    with duckdb.connect(folder / "people.duckdb") as connection:
        connection.register("arrow", table)
        connection.execute("CREATE TABLE people AS SELECT * FROM arrow")
    urls = {"duckdb": "duckdb:///people.duckdb", "postgresql": server}
    paths = {"files": "people.parquet", "folder": "people"}
    texts = {
        kind: POLICY.format(data=f'path = "{path}"', output='path = "published.parquet"')
        for kind, path in paths.items()
    }
    for kind, url in urls.items():
        if url is not None:
            output = 'path = "published.parquet"\ntable = "published"'
            texts[kind] = POLICY.format(data=f'url = "{url}"\ntable = "people"', output=output)
    for kind, text in texts.items():
        (folder / f"{kind}.toml").write_text(text)
    return {kind: folder / f"{kind}.toml" for kind in texts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    offer_to_keep(parser)
    rounds = parser.parse_args().rounds
    table = people(ROWS)
    with tempfile.TemporaryDirectory() as folder, postgres_with(table) as server:
        chosen = policies(Path(folder), table, server)
        runs = [{kind: run(policy) for kind, policy in chosen.items()} for _ in range(rounds)]
    found = {kind: least([each[kind] for each in runs]) for kind in chosen}
    files = found["files"]
    heads = ("from and to", "s on the clock", "times files", "s of its processors", "times files", "at most")
    with printed_table("databases", heads) as add_row:
        for kind, took in found.items():
            times = (took.clock / files.clock, took.processors / files.processors)
            beside = [f"{each:.2f}" if kind in MOST else "" for each in times]
            most = f"{MOST[kind]:g}" if kind in MOST else ""
            add_row(kind, f"{took.clock:.1f}", beside[0], f"{took.processors:.1f}", beside[1], most)


if __name__ == "__main__":
    main()
