"""The one door to Numba.

Numba keys its cache by the source of a kernel's own file, so a kernel that calls another file keeps running
old machine code after an edit or an upgrade. Compiled code is therefore kept in a folder named by the digest
of all kernel sources; where that folder cannot be written nothing is cached at all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast, overload

import numba

P = ParamSpec("P")
R = TypeVar("R")

_STALE_AFTER_SECONDS = 90 * 24 * 3600


def _user_cache_folder() -> Path:
    given = os.environ.get("SHOAL_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "shoal" / "kernels"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/shoal/kernels").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "shoal" / "kernels"


def _digest_of_kernel_sources() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _usable(folder: Path) -> bool:
    # Numba falls back silently to __pycache__ when its folder cannot be written, which reopens the hole.
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


_CACHE_ROOT = _user_cache_folder()
_CACHE_DIR = _CACHE_ROOT / _digest_of_kernel_sources()
_CACHING = _usable(_CACHE_DIR)


@contextmanager
def _numba_caching_in(folder: Path) -> Iterator[None]:
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)  # read when a kernel is declared, not when it runs
    try:
        yield
    finally:
        config.CACHE_DIR = before


@overload
def kernel(func: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def kernel(*, parallel: bool = ..., part: bool = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def kernel(
    func: Callable[P, R] | None = None, /, *, parallel: bool = False, part: bool = False
) -> Callable[P, R] | Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function with Numba: no GIL, honest cache, no fastmath.

    A `part` of one other kernel is compiled within that one only. Otherwise each kernel is compiled together
    with all those that it calls, again and again where calls are nested.
    """

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        with _numba_caching_in(_CACHE_DIR):
            dispatcher: Any = numba.njit(
                cache=_CACHING, parallel=parallel, nogil=True, inline="always" if part else "never"
            )(function)
        return cast("Callable[P, R]", dispatcher)

    return compiled if func is None else compiled(func)


def compiled_before() -> bool:
    """Whether this machine has compiled these kernels already, so that a first run can say why it waits."""
    return _CACHING and any(_CACHE_DIR.rglob("*.nbc"))


def remove_stale_caches() -> None:
    """Delete compiled code of other versions that nobody has used for three months."""
    if not _CACHE_ROOT.is_dir():
        return
    for folder in _CACHE_ROOT.glob("[0-9a-f]" * 16):
        if folder != _CACHE_DIR and time.time() - folder.stat().st_mtime > _STALE_AFTER_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
