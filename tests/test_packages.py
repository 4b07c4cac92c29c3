"""A wheel and an sdist, installed where nothing else is."""

import os
import pickle
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest

from start import ALGORITHMS, write_data, write_policy

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
# Kernels that are given both what a table holds, which nobody can write to, and what was just made.
FOR_BOTH = {
    "distinct.distinct_in_groups",
    "grouping.group_rows",
    "grouping.group_sets",
    "grouping.members",
    "rare_itemsets._lay_rows",
    "set_supports.node_supports",
    "set_supports.rows_of_leaves",
    "take._add_sizes",
    "take._copy_rows",
    "take._number_groups",
    "take.preorder",
}

pytestmark = pytest.mark.xdist_group("packages")  # which share a wheel that takes long


def run(*words: object, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make wheel` makes, from this environment and elsewhere."""
    folder = tmp_path_factory.mktemp("wheel")
    places = [f"BIN={BIN}", f"COMPILED={folder / 'compiled'}", f"DIST={folder / 'dist'}"]
    run("make", "--old-file=.venv/ready", "wheel", *places, MAKEFLAGS="")
    (file,) = (folder / "dist").iterdir()
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a new environment with the wheel."""
    return in_a_new_environment(wheel, tmp_path_factory.mktemp("installed"))


def in_a_new_environment(package: Path, folder: Path) -> Path:
    run(sys.executable, "-m", "venv", folder / "venv")
    scripts = folder / "venv" / "bin"
    run(scripts / "python", "-m", "pip", "install", "--quiet", package, PYTHONPATH="")
    return scripts


def assert_the_demo_runs(scripts: Path, folder: Path) -> None:
    shoal = {"SHOAL_CACHE": str(folder / "cache"), "PYTHONPATH": ""}
    run(scripts / "shoal", "demo", folder / "demo", **shoal)
    assert list((folder / "demo").glob("*/certificate.json"))
    told = run(scripts / "python", "-c", "import shoal, sys; print(shoal.__file__)", **shoal)
    assert str(scripts.parent) in told


@pytest.mark.slow
def test_the_demo_runs_from_an_sdist_in_a_new_environment(tmp_path):
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path / "dist")
    (package,) = (tmp_path / "dist").iterdir()
    assert_the_demo_runs(in_a_new_environment(package, tmp_path), tmp_path)


@pytest.mark.slow
def test_the_demo_runs_from_a_wheel_in_a_new_environment(installed, tmp_path):
    assert_the_demo_runs(installed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_wheel_has_all_machine_code_of_a_first_run(algorithm, installed, tmp_path):
    write_data(tmp_path)
    policy = write_policy(tmp_path, algorithm)
    run(installed / "shoal", "run", policy, SHOAL_CACHE=str(tmp_path / "cache"), PYTHONPATH="")
    assert (tmp_path / f"{algorithm}-out").exists()
    assert [file.name for file in (tmp_path / "cache").rglob("*.nbc")] == []


@pytest.mark.slow
def test_kernels_are_compiled_for_one_kind_of_arguments(wheel):
    signatures = defaultdict(set)
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            if name.endswith(".nbc"):
                _, function, _, signature, *_ = pickle.loads(packed.read(name))  # noqa: S301 - made above
                kernel = f"{function.modname}.{function.qualname}".removeprefix("shoal.kernels.")
                signatures[kernel].add(str(signature.args))
    assert len(signatures) > 100
    several = {kernel for kernel, found in signatures.items() if len(found) > 1}
    assert several == FOR_BOTH, sorted(several ^ FOR_BOTH)
    assert all(len(set(map(as_if_writable, signatures[kernel]))) == 1 for kernel in FOR_BOTH)


def as_if_writable(arguments: str) -> str:
    return arguments.replace("readonly ", "").replace("'C', True", "'C', False")
