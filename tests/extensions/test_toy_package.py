"""A model, an algorithm and a measure of another package, installed as pip installs them, in every place."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("toy package")  # which share runs that take long

TOY = Path(__file__).parent / "toy"
POINTS = """\
[shoal.models]
share-anonymity = shoal_toy_model:ShareAnonymity

[shoal.algorithms]
one-cluster = shoal_toy_algorithm:OneCluster

[shoal.measures]
columns_touched = shoal_toy_measure:COLUMNS
"""
POLICY = """\
[data]
path = "people.csv"

[columns]
age = { role = "quasi", kind = "number", hierarchy = { ranges = [10, 50] } }
sex = { role = "quasi", hierarchy = { flat = true } }

[privacy]
model = "share-anonymity"
parts = 2

[algorithm]
name = "auto"
"""


def installed(folder, points=POINTS):
    """What `pip install --target` leaves of a package: its modules, and its metadata."""
    shutil.copytree(TOY, folder)
    metadata = folder / "shoal_toy-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shoal-toy\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(points)
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))}


@pytest.fixture(scope="module", name="place")
def folder_with_data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    rows = [f"{age},{sex}" for age in range(20, 60) for sex in ("f", "m")]
    (folder / "people.csv").write_text("age,sex\n" + "\n".join(rows) + "\n")
    (folder / "policy.toml").write_text(POLICY)
    return folder, installed(folder / "site")


def shoal(place, *arguments, code=0):
    folder, environment = place
    done = subprocess.run(
        [sys.executable, "-c", "from shoal.cli.main import main; main()", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def python(place, program):
    folder, environment = place
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture(scope="module", name="release")
def released(place):
    shoal(place, "run", "policy.toml", "--out", "out")
    return place[0] / "out"


def test_a_policy_runs_and_its_certificate_names_the_promise(place, release):
    certificate = json.loads((release / "certificate.json").read_text())
    assert certificate["promises"] == [{"model": "share-anonymity", "parameters": {"parts": 2}}]
    assert certificate["claims"] == ["satisfies share-anonymity with parts=2 on age, sex"]
    result = json.loads((release / "result.json").read_text())
    assert (result["algorithm"], result["loss"]["columns_touched"]) == ("one-cluster", 2)
    assert "Whoever knows age and sex of a person" in (release / "report.html").read_text()


def test_the_release_is_verified_by_policy_and_by_certificate(place, release):
    shoal(place, "verify", str(release / "published.csv"), "--policy", "policy.toml")
    shoal(place, "verify", str(release / "published.csv"), "--certificate", str(release / "certificate.json"))
    told = shoal(place, "verify", "people.csv", "--policy", "policy.toml", "--json", code=1)
    assert "the smallest class has 1 of 80 records" in told


def test_it_is_compared_and_its_keys_are_swept(place):
    told = shoal(
        place, "compare", "policy.toml", "--algorithms", "one-cluster", "--sweep", "parts=1,2", "--json"
    )
    assert '"one-cluster"' in told


def test_it_is_listed_checked_and_asked_for_on_the_page(place):
    listed = json.loads(shoal(place, "algorithms", "--json"))
    names = [each["name"] for each in (listed["algorithms"] if isinstance(listed, dict) else listed)]
    assert "one-cluster" in names
    assert "one-cluster" in shoal(place, "check", "policy.toml")
    asked = "fitting_answers({'a': {'role': 'quasi'}})"
    form = python(place, f"from shoal.web.pages.promise import fitting_answers; print({asked})")
    assert "All the single values, whatever the file's size" in form


def test_what_its_keys_may_be_is_known_to_the_policy(place):
    folder, _ = place
    (folder / "wrong.toml").write_text(POLICY.replace("parts = 2", "k = 2"))
    done = shoal(place, "check", "wrong.toml", "--json", code=2)
    assert "share-anonymity takes no 'k'; it takes parts" in done


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("share-anonymity = shoal_toy_model:Nothing", "cannot be loaded"),
        ("other-name = shoal_toy_model:ShareAnonymity", "calls itself 'share-anonymity'"),
        ("int = builtins:int", "is written for interface None, and this version takes 1"),
    ],
)
def test_an_extension_that_does_not_fit_is_left_out_by_name(tmp_path, line, sentence):
    environment = installed(tmp_path / "site", f"[shoal.models]\n{line}\n")
    done = subprocess.run(
        [sys.executable, "-c", "from shoal.privacy.catalogue import MODELS; print(*MODELS)"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert sentence in done.stderr
    assert "share-anonymity" not in done.stdout


def test_auto_tries_what_another_package_brings_beside_our_own(place):
    program = (
        "import shoal as sh\n"
        "data = sh.read('people.csv', {'age': sh.Quasi(kind='number', hierarchy=sh.ranges(10, 50)),"
        " 'sex': sh.Quasi(hierarchy=sh.flat())})\n"
        "print(*sh.anonymize(data, sh.KAnonymity(2), seed=1).outcome.provenance.figures['tried'])"
    )
    assert python(place, program).split() == [
        "kanon-cf",
        "agglomerative",
        "hilbert",
        "mondrian",
        "one-cluster",
    ]
