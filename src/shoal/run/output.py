"""A folder of files that appears whole or not at all, also when the process is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import BadInput, OutputFailed, Problem

MARK = "result.json"


@contextmanager
def folder_that_appears_whole(final: Path, *, replace: bool) -> Iterator[Path]:
    """Give a fresh folder beside `final`, and rename it to `final` when the block ends well.

    When the block fails nothing is left behind; when the process is killed, a hidden folder stays that the
    next run for the same `final` removes. An existing folder is replaced only if asked, and only if it is
    an earlier output.
    """
    refuse_unusable(final, replace=replace)
    try:
        _remove_leftovers(final)
        final.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{final.name}.partial-{os.getpid()}-", dir=final.parent))
    except OSError as error:
        raise OutputFailed(
            f"{final}: the output folder cannot be written: {_reason(error)}; choose another with --out"
        ) from error
    try:
        yield partial
        partial.chmod(0o755)
        _fsync(partial)
        _move_into_place(partial, final)
    except OSError as error:
        raise OutputFailed(
            f"{final}: the output could not be written: {_reason(error)}; nothing was left behind"
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def refuse_unusable(final: Path, *, replace: bool) -> None:
    """Say early what would make the output fail late."""
    if final.is_symlink() or (final.exists() and not final.is_dir()):
        raise BadInput(Problem("exists and is not a folder", "choose another with --out", file=str(final)))
    if final.is_dir() and any(final.iterdir()):
        if not replace:
            raise BadInput(
                Problem(
                    "exists already", "add --replace, or choose another folder with --out", file=str(final)
                )
            )
        if not (final / MARK).is_file():
            what = f"was not written by shoal (it has no {MARK}), so it is not replaced"
            raise BadInput(Problem(what, "choose another folder with --out", file=str(final)))


def _move_into_place(partial: Path, final: Path) -> None:
    if not final.exists():
        partial.rename(final)
    else:
        retired = Path(tempfile.mkdtemp(prefix=f".{final.name}.partial-{os.getpid()}-", dir=final.parent))
        final.rename(retired / final.name)
        partial.rename(final)
        shutil.rmtree(retired, ignore_errors=True)
    _fsync(final.parent)


def _remove_leftovers(final: Path) -> None:
    for leftover in final.parent.glob(f".{final.name}.partial-*-*"):
        owner = leftover.name.removeprefix(f".{final.name}.partial-").split("-")[0]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(leftover, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _fsync(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every file system syncs folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
