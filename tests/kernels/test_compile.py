"""Compiled code is kept by the digest of all kernel sources, in a small package of its own."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.kernels import compile as compiling

CALLEE = "from mini.compile import kernel\n\n\n@kernel\ndef step(x):\n    return x + {step}\n"
CALLER = (
    "from mini.callee import step\nfrom mini.compile import kernel\n\n\n"
    "@kernel\ndef twice(x):\n    return step(step(x))\n"
)
PROGRAM = (
    "from mini import compile as c; from mini.caller import twice\n"
    "before = c.compiled_before(); print(before, twice(1), c._CACHING)"
)


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A package of two kernels behind our own door to Numba, one calling the other across files."""
    package = tmp_path / "mini"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(compiling.__file__, package / "compile.py")
    (package / "callee.py").write_text(CALLEE.format(step=1))
    (package / "caller.py").write_text(CALLER)
    return package


def run(package: Path, cache: Path) -> list[str]:
    """A fresh process: whether code was compiled before, the result of twice(1), whether it caches."""
    environment = {**os.environ, "SHOAL_CACHE": str(cache), "PYTHONPATH": str(package.parent)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_editing_only_a_callee_recompiles_its_callers(mini, tmp_path):
    cache = tmp_path / "cache"
    assert run(mini, cache) == ["False", "3", "True"]
    assert run(mini, cache) == ["True", "3", "True"]
    (mini / "callee.py").write_text(CALLEE.format(step=100))
    assert run(mini, cache) == ["False", "201", "True"]
    folders = [folder.name for folder in cache.iterdir()]
    assert len(folders) == 2
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in folders)
    assert not list(mini.rglob("*.nb[ci]")), "nothing may stay beside the sources"


def test_a_folder_that_cannot_be_used_means_no_caching(mini, tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    assert run(mini, in_the_way / "cache") == ["False", "3", "False"]
    assert not list(tmp_path.rglob("*.nb[ci]"))


def test_only_old_folders_named_by_a_digest_are_removed(tmp_path, monkeypatch):
    names = {"current": "0" * 16, "old": "1" * 16, "young": "2" * 16, "foreign": "notes", "longer": "3" * 17}
    folders = {what: tmp_path / name for what, name in names.items()}
    for what, folder in folders.items():
        folder.mkdir()
        (folder / "kernel.nbc").touch()
        age = 3600 if what == "young" else 400 * 24 * 3600
        os.utime(folder, (time.time() - age,) * 2)
    monkeypatch.setattr(compiling, "_CACHE_ROOT", tmp_path)
    monkeypatch.setattr(compiling, "_CACHE_DIR", folders["current"])
    compiling.remove_stale_caches()
    assert {what for what, folder in folders.items() if folder.exists()} == names.keys() - {"old"}


def test_removing_stale_caches_needs_no_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "_CACHE_ROOT", tmp_path / "absent")
    compiling.remove_stale_caches()
    assert not (tmp_path / "absent").exists()


def test_the_cache_setting_of_others_is_left_alone():
    import numba

    before = numba.config.CACHE_DIR
    compiling.kernel(lambda x: x)
    assert before == numba.config.CACHE_DIR
