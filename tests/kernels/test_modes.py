"""The tests of kernels once more: as plain Python, and compiled with checks of every index."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = [
    str(HERE / name) for name in ("test_grouping.py", "test_diversity.py", "test_itemsets.py", "test_sets.py")
]
# Hashes wrap around on purpose; only NumPy's scalars, which stand in for compiled integers, warn of it.
HASHES_MAY_WRAP = ("-W", "ignore:overflow encountered in scalar:RuntimeWarning")


@pytest.mark.parametrize("mode", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_kernels_pass_their_tests_in_other_modes(mode, tmp_path):
    environment = {**os.environ, mode: "1", "SHOAL_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *HASHES_MAY_WRAP, *TESTS],
        env=environment,
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
