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


@pytest.mark.parametrize("kernels", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("mode", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_kernels_pass_their_tests_in_other_modes(mode, kernels, tmp_path):
    tests = [str(HERE / f"test_{name}.py") for name in kernels]
    environment = {**os.environ, mode: "1", "SHOAL_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *HASHES_MAY_WRAP, *tests],
        env=environment,
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
