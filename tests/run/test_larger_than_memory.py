"""A table whose texts would not fit into the memory is read, anonymized and checked part by part."""

import json
import subprocess

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.commands import process

ROWS, PARTS = 50_000_000, 100
BYTES_PER_CELL, BESIDE = 4, 1_000  # MB
DISTINCT = {"age": 74, "work": 9, "school": 16, "family": 7, "job": 15, "kin": 6, "origin": 5, "sex": 2}
POLICY = """
[data]
path = "data"
[columns]
age = {{ role = "quasi", kind = "number", hierarchy = {{ ranges = [5, 10, 20, 40] }} }}
work = {{ role = "quasi", hierarchy = {{ fanout = 3 }} }}
school = {{ role = "quasi", hierarchy = {{ fanout = 4 }} }}
family = {{ role = "quasi", hierarchy = {{ fanout = 3 }} }}
job = {{ role = "quasi", hierarchy = {{ fanout = 4 }} }}
kin = {{ role = "quasi", hierarchy = {{ flat = true }} }}
origin = {{ role = "quasi", hierarchy = {{ flat = true }} }}
sex = {{ role = "quasi", hierarchy = {{ flat = true }} }}
[privacy]
model = "k-anonymity"
k = 10
[algorithm]
name = "{algorithm}"
[output]
path = "published.parquet"
"""


def write_parts(folder, rows, parts):
    """Parts of like size, in which few values are frequent; only texts and the numbers of ages."""
    rng = np.random.default_rng(7)
    folder.mkdir()
    for number in range(parts):
        drawn = {
            name: (count * rng.random(rows // parts) ** 2).astype(np.int64)
            for name, count in DISTINCT.items()
        }
        columns = {
            name: pa.array(codes + 17)
            if name == "age"
            else pa.array([f"{name} {each}" for each in range(DISTINCT[name])]).take(pa.array(codes))
            for name, codes in drawn.items()
        }
        parquet.write_table(pa.table(columns), folder / f"part-{number:03}.parquet")


@pytest.mark.slow  # mondrian several minutes, auto more than an hour; 3 GB of memory, 1 GB of disk
@pytest.mark.parametrize("algorithm", ["mondrian", "auto"])
def test_a_folder_of_fifty_million_rows_takes_four_bytes_per_cell_and_a_gigabyte(tmp_path, algorithm):
    write_parts(tmp_path / "data", ROWS, PARTS)
    (tmp_path / "policy.toml").write_text(POLICY.format(algorithm=algorithm))
    words = ("run", tmp_path / "policy.toml", "--log", tmp_path / "log.jsonl")
    done = subprocess.run(process(*words), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "policy-out" / "result.json").read_text())
    assert result["records"] == ROWS
    assert result["verdict"]["holds"]
    *_, end = map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines())
    cells = ROWS * len(DISTINCT)
    assert end["peak_memory_mb"] < BYTES_PER_CELL * cells / 1e6 + BESIDE
