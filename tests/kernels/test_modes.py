"""The tests of kernels once more: as plain Python, and compiled with checks of every index."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KERNELS = {
    "tables": ("grouping", "diversity", "itemset_supports", "sets"),
    "cuts": ("rare_itemsets", "set_supports", "set_recoding", "shares", "trees"),
    "mining": ("frequent_itemsets", "growable", "quest"),
}
# Hashes wrap around on purpose; only NumPy's scalars, which stand in for compiled integers, warn of it.
HASHES_MAY_WRAP = ("-W", "ignore:overflow encountered in scalar:RuntimeWarning")


@pytest.mark.parametrize(
    "kernels",
    [
        pytest.param(names, id=what, marks=() if what == "cuts" else pytest.mark.slow)
        for what, names in KERNELS.items()
    ],
)
@pytest.mark.parametrize(
    "mode", ["NUMBA_DISABLE_JIT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.slow)]
)
def test_kernels_pass_their_tests_in_other_modes(mode, kernels):
    tests = [str(HERE / f"test_{name}.py") for name in kernels]
    run_in(mode, tests)


@pytest.mark.slow
@pytest.mark.parametrize("data", ["values and sets", "release or seed"])
def test_every_algorithm_keeps_its_contract_uncompiled(data):
    """All kernels of all algorithms as plain Python, whose mistakes with types and indices are errors."""
    run_in("NUMBA_DISABLE_JIT", [str(HERE.parent / "contract" / "test_releases.py"), "-k", data])


def run_in(mode, arguments):
    """Run tests in another mode; compiled code is kept beside the usual one, for the mode is part of it."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *HASHES_MAY_WRAP, *arguments],
        env={**os.environ, mode: "1"},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
