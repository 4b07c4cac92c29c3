"""The examples of pipelines work as they stand."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import COLUMNS, PATIENTS, Hospital

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


@pytest.fixture
def hospital(tmp_path):
    hospital = Hospital(tmp_path)
    hospital.write_policy(COLUMNS, algorithm='name = "mondrian"')
    return hospital


@pytest.fixture
def shell(tmp_path):
    """An environment in which `shoal` is the one that is tested."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "shoal"
    program.write_text(f"#!{sys.executable}\nfrom shoal.cli.start import main\nmain()\n")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}


def ran(words, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_publishes_each_file_once(hospital, shell):
    (hospital.folder / "data").mkdir()
    for day in ("monday", "tuesday"):
        hospital.write(f"data/{day}.csv", PATIENTS)
    words = ["make", "-f", str(EXAMPLES / "make" / "Makefile")]
    ran(words, cwd=hospital.folder, env=shell)
    results = sorted(hospital.folder.glob("releases/*/result.json"))
    assert [path.parent.name for path in results] == ["monday", "tuesday"]
    assert "shoal run" not in ran(words, cwd=hospital.folder, env=shell)
    hospital.write("data/monday.csv", PATIENTS)
    assert ran(words, cwd=hospital.folder, env=shell).count("shoal run") == 1
    ran([*words, "verify"], cwd=hospital.folder, env=shell)


@pytest.mark.slow
def test_the_tour_needs_no_network(tmp_path, shell):
    alone = ["unshare", "--net", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("this system gives nobody a network of their own")
    told = json.loads(ran([*alone, "shoal", "demo", str(tmp_path / "tour"), "--json"], env=shell))
    assert all(each["verdict"]["holds"] for each in told["releases"])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dbt") is None, reason="dbt is not installed: pip install dbt-duckdb")
def test_dbt_builds_a_published_table(hospital):
    shutil.copytree(EXAMPLES / "dbt", hospital.folder / "dbt")
    hospital.write("dbt/data.csv", PATIENTS)
    ran(["dbt", "run", "--profiles-dir", "."], cwd=hospital.folder / "dbt")
    import duckdb

    with duckdb.connect(hospital.folder / "dbt" / "hospital.duckdb") as connection:
        smallest = "SELECT min(n) FROM (SELECT count(*) AS n FROM published GROUP BY age, sex)"
        assert connection.sql(smallest).fetchall()[0][0] >= 2


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dagster") is None, reason="Dagster is not installed: pip install dagster")
def test_dagster_makes_a_release_of_an_asset(hospital):
    hospital.write("data.csv", PATIENTS)
    words = [
        "dagster",
        "asset",
        "materialize",
        "-f",
        str(EXAMPLES / "dagster" / "release.py"),
        "--select",
        "release",
    ]
    ran(words, env={**os.environ, "HOSPITAL": str(hospital.folder)})
    assert (hospital.folder / "release" / "certificate.json").is_file()
