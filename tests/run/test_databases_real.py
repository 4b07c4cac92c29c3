"""Real data from table to verified table in PostgreSQL, where they are at hand (SHOAL_DATA)."""

import os
from pathlib import Path

import adbc_driver_postgresql.dbapi
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv

from tests.cli.commands import shoal
from tests.postgres import WITHOUT_POSTGRES, has_postgres, running_server

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
pytestmark = pytest.mark.slow

ADULT = """
[data]
url = "{url}"
table = "adult"
others = "drop"
[columns]
age = {{ role = "quasi", kind = "number", hierarchy = {{ ranges = [5, 10, 20, 40] }} }}
education = {{ role = "quasi", hierarchy = {{ flat = true }} }}
sex = {{ role = "quasi", hierarchy = {{ flat = true }} }}
occupation = {{ role = "sensitive" }}
[privacy]
model = "k-anonymity"
k = 10
[algorithm]
name = "mondrian"
[output]
table = "adult_published"
"""
INFORMS = """
[data]
url = "{url}"
table = "informs"
others = "drop"
sets = {{ codes = {{ table = "diagnoses", key = "person", parent = "id", item = "code" }} }}
[columns]
id = {{ role = "identifier" }}
DOBYY = {{ role = "quasi", kind = "number", hierarchy = {{ ranges = [5, 10, 20, 40] }} }}
SEX = {{ role = "quasi", hierarchy = {{ flat = true }} }}
RACEX = {{ role = "quasi", hierarchy = {{ flat = true }} }}
codes = {{ role = "quasi", kind = "set", hierarchy = {{ digits = true }} }}
[privacy]
model = "k-km-anonymity"
k = 10
m = 2
[algorithm]
name = "classwise"
time_limit = "3 min"
on_limit = "best"
[output]
table = "informs_published"
"""


@pytest.fixture(scope="module")
def server():
    if not has_postgres():
        pytest.skip(WITHOUT_POSTGRES)
    with running_server() as running:
        yield running


def real(name: str) -> pa.Table:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not there: set SHOAL_DATA")
    return csv.read_csv(DATA / name)


def load(server, **tables: pa.Table) -> None:
    with adbc_driver_postgresql.dbapi.connect(server.url()) as connection, connection.cursor() as cursor:
        for name, table in tables.items():
            cursor.adbc_ingest(name, table, mode="create")
        connection.commit()


def published(server, tmp_path, policy: str) -> dict:
    path = tmp_path / "policy.toml"
    path.write_text(policy.format(url=server.url()))
    done = shoal("run", path, "--json")
    assert done.code == 0, done.out
    verified = shoal("verify", "--policy", path)
    assert verified.code == 0, verified.out
    return done.json


def test_adult_from_table_to_table(server, tmp_path):
    adult = real("adult_48842.csv.gz")
    load(server, adult=adult)
    told = published(server, tmp_path, ADULT)
    assert told["records"] == adult.num_rows
    smallest = server.psql(
        "SELECT min(n) FROM (SELECT count(*) AS n FROM adult_published GROUP BY age, education, sex) x"
    )
    assert int(smallest) >= 10
    assert int(server.psql("SELECT count(*) FROM adult_published")) == told["published_records"]


def test_informs_with_diagnoses_in_a_child_table(server, tmp_path):
    informs = real("informs2005_rt.csv.gz")
    ids = pa.array(np.arange(informs.num_rows))
    codes = pc.split_pattern(informs["ICD9"].cast(pa.string()), pattern=" ").combine_chunks()
    people = pc.list_parent_indices(codes)
    diagnoses = pa.table({"person": ids.take(people), "code": pc.list_flatten(codes)})
    load(server, informs=informs.drop_columns("ICD9").append_column("id", ids), diagnoses=diagnoses)
    told = published(server, tmp_path, INFORMS)
    assert told["records"] == informs.num_rows
    grouped = 'SELECT count(*) AS n FROM informs_published GROUP BY "DOBYY", "SEX", "RACEX"'
    assert int(server.psql(f"SELECT min(n) FROM ({grouped}) x")) >= 10
