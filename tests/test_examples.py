"""The examples of pipelines work as they stand."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import duckdb
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
    program.write_text(
        f"#!{sys.executable}\nfrom shoal.cli.start import main\nif __name__ == '__main__':\n    main()\n"
    )
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


@pytest.fixture
def installed(tmp_path):
    """Installs a tool beside Shoal as people do, and gives an environment in which both are found."""

    def install(*requirements):
        folder = tmp_path / "tools"
        venv.create(folder, with_pip=True)
        words = [folder / "bin" / "pip", "install", "--quiet", *requirements, ROOT]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"{requirements[0]} cannot be installed here: {done.stderr[-200:]}")
        return {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    return install


@pytest.mark.slow
def test_dbt_builds_a_published_table(hospital, installed):
    # Later ones fetch a part of themselves from elsewhere while they are installed.
    environment = installed("dbt-duckdb", "dbt-core<1.11")
    shutil.copytree(EXAMPLES / "dbt", hospital.folder / "dbt")
    hospital.write("dbt/data.csv", PATIENTS)
    ran(["dbt", "run", "--profiles-dir", "."], cwd=hospital.folder / "dbt", env=environment)
    with duckdb.connect(hospital.folder / "dbt" / "hospital.duckdb") as connection:
        smallest = "SELECT min(n) FROM (SELECT count(*) AS n FROM published GROUP BY age, sex)"
        assert connection.sql(smallest).fetchall()[0][0] >= 2


@pytest.mark.slow
def test_dagster_makes_a_release_of_an_asset(hospital, installed):
    environment = {**installed("dagster"), "HOSPITAL": str(hospital.folder)}
    hospital.write("data.csv", PATIENTS)
    words = ["dagster", "asset", "materialize", "-f", EXAMPLES / "dagster" / "release.py"]
    ran([*words, "--select", "release"], env=environment)
    assert (hospital.folder / "release" / "certificate.json").is_file()


@pytest.mark.slow
def test_airflow_publishes_and_verifies_the_file_of_a_day(hospital, installed):
    environment = {
        **installed("apache-airflow"),
        "HOSPITAL": str(hospital.folder),
        "AIRFLOW_HOME": str(hospital.folder / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(EXAMPLES / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }
    hospital.write("2026-01-31.csv", PATIENTS)
    ran(["airflow", "db", "migrate"], env=environment)
    ran(["airflow", "dags", "test", "release", "2026-01-31"], env=environment)
    assert (hospital.folder / "releases" / "2026-01-31" / "certificate.json").is_file()
