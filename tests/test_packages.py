"""A wheel and an sdist, installed where nothing else is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


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


@pytest.mark.slow
@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_the_demo_runs_in_a_new_environment(target, tmp_path):
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", tmp_path / "dist")
    (package,) = (tmp_path / "dist").iterdir()
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    scripts = tmp_path / "venv" / "bin"
    run(scripts / "python", "-m", "pip", "install", "--quiet", package, PYTHONPATH="")
    shoal = {"SHOAL_CACHE": str(tmp_path / "cache"), "PYTHONPATH": ""}
    run(scripts / "shoal", "demo", tmp_path / "demo", **shoal)
    assert list((tmp_path / "demo").glob("*/certificate.json"))
    told = run(scripts / "python", "-c", "import shoal, sys; print(shoal.__file__)", **shoal)
    assert str(tmp_path) in told
