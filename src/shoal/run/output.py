"""A folder of files that appears whole or not at all, also when the process is killed."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace as replaced
from pathlib import Path

from filelock import lock_descriptor

from shoal.errors import BadInput, OutputFailed, Problem
from shoal.policy.output_names import MARK

_LISTED = 5
_LOCK = "lock"


def _nobody_listens(output: Path) -> None:
    """Outputs that are begun are told to nobody, unless another process looks after this one."""


on_begin: Callable[[Path], object] = _nobody_listens


@contextmanager
def folder_that_appears_whole(final: Path, *, replace: bool) -> Iterator[Path]:
    """Give a fresh folder beside `final`, and rename it to `final` when the block ends well.

    When the block fails nothing is left behind; when the process is killed, a hidden folder stays that the
    next run for the same `final` removes. An existing folder is replaced only if asked, and only if it is
    an earlier output.
    """
    _restore_retired(final)
    refuse_unusable(final, replace=replace)
    on_begin(final)
    try:
        _remove_leftovers(final)
        final.parent.mkdir(parents=True, exist_ok=True)
        hidden, lock = _hidden_folder(final)
    except OSError as error:
        raise OutputFailed(
            f"{final}: the output folder cannot be written: {_reason(error)}; choose another with --out"
        ) from error
    partial = hidden / f"{final.name}.new"
    try:
        with lock:
            partial.mkdir()
            yield partial
            _note_files(partial)
            partial.chmod(0o755)
            _fsync(partial)
            _move_into_place(partial, final, replace=replace)
    except OSError as error:
        raise OutputFailed(
            f"{final}: the output could not be written: {_reason(error)}; nothing was left behind"
        ) from error
    except OutputFailed as error:
        told = str(error).replace(str(partial), str(final))  # nobody knows the hidden folder
        raise OutputFailed(f"{told}; nothing was left behind") from error
    except BadInput as error:
        raise BadInput(*(_seen_from_outside(each, partial, final) for each in error.problems)) from error
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


@contextmanager
def file_that_appears_whole(final: Path) -> Iterator[Path]:
    """Give a name in a fresh folder beside `final`, and move the file to `final` when the block ends well."""
    _remove_leftovers(final)
    on_begin(final)
    try:
        hidden, lock = _hidden_folder(final)
        try:
            with lock:
                yield hidden / final.name
                (hidden / final.name).replace(final)
        finally:
            shutil.rmtree(hidden, ignore_errors=True)
    except OSError as error:
        raise OutputFailed(f"{final}: cannot be written: {_reason(error)}; choose another name") from error


@contextmanager
def folder_for_a_while(name: str) -> Iterator[Path]:
    """Give a private folder for files that must not outlive the block, nor a process that is looked after."""
    final = Path(tempfile.gettempdir()) / f"{name}-{secrets.token_hex(8)}"
    on_begin(final)
    try:
        hidden, lock = _hidden_folder(final)
    except OSError as error:
        raise OutputFailed(f"{final.parent}: cannot be written: {_reason(error)}; set TMPDIR") from error
    try:
        with lock:
            yield hidden
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def remove_unfinished(final: Path) -> None:
    """Remove what a killed process left of an output; one that it was replacing gets its name back."""
    _restore_retired(final)
    _remove_leftovers(final)


def refuse_unusable(final: Path, *, replace: bool, sources: Iterable[Path] = ()) -> None:
    """Say early what would make the output fail late; `sources` are files that must not be replaced."""
    if final.is_symlink() or (final.exists() and not final.is_dir()):
        raise BadInput(Problem("exists and is not a folder", "choose another with --out", file=str(final)))
    _refuse_unwritable(final)
    if final.is_dir() and any(final.iterdir()):
        if not replace:
            remedy = "add --replace, or choose another folder with --out"
            raise BadInput(Problem("exists already", remedy, file=str(final)))
        if not (final / MARK).is_file():
            what = f"was not written by shoal (it has no {MARK}), so it is not replaced"
            raise BadInput(Problem(what, "choose another folder with --out", file=str(final)))
        for source in sources:
            if source.resolve().is_relative_to(final.resolve()):
                what = f"holds {source}, which this run reads, so it is not replaced"
                raise BadInput(Problem(what, "choose another folder with --out", file=str(final)))
        if foreign := _foreign_files(final):
            listed = ", ".join(foreign[:_LISTED]) + (", ..." if len(foreign) > _LISTED else "")
            what = f"holds files that shoal did not write ({listed}), so it is not replaced"
            raise BadInput(Problem(what, "move them, or choose another folder with --out", file=str(final)))


def _refuse_unwritable(final: Path) -> None:
    above = next(folder for folder in (final, *final.absolute().parents) if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        reason = "no folder" if not above.is_dir() else "a folder that you may not write to"
        what = f"the output folder cannot be written, because {above} is {reason}"
        raise BadInput(Problem(what, "choose another with --out", file=str(final)))


def _seen_from_outside(problem: Problem, partial: Path, final: Path) -> Problem:
    file = None if problem.file is None else problem.file.replace(str(partial), str(final))
    return replaced(problem, file=file, what=problem.what.replace(str(partial), str(final)))


def _note_files(folder: Path) -> None:
    """Let an output say which files it consists of, so that nothing else is ever deleted with it."""
    mark = folder / MARK
    if mark.is_file():
        told = json.loads(mark.read_text(encoding="utf-8"))
        text = json.dumps({**told, "files": _files_in(folder)}, indent=2, ensure_ascii=False)
        mark.write_text(text + "\n", encoding="utf-8")


def is_whole(final: Path) -> bool:
    """Whether a folder holds the files of an output and nothing else."""
    try:
        told = json.loads((final / MARK).read_text(encoding="utf-8")).get("files")
    except (OSError, ValueError, AttributeError):
        return False
    return bool(told == _files_in(final))


def _foreign_files(final: Path) -> list[str]:
    try:
        own = json.loads((final / MARK).read_text(encoding="utf-8")).get("files")
    except (OSError, ValueError, AttributeError):
        own = []
    return [] if own is None else sorted(set(_files_in(final)).difference(own))  # earlier versions told none


def _files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def _move_into_place(partial: Path, final: Path, *, replace: bool) -> None:
    if not (replace and final.exists()):
        try:
            partial.rename(final)  # which fails if there is a folder with files
        except OSError as error:
            if not final.exists():
                raise
            what = "was made by somebody else while this run was under way"
            raise BadInput(Problem(what, "choose another folder with --out", file=str(final))) from error
    else:
        retired = partial.with_name(final.name)
        final.rename(retired)
        try:
            partial.rename(final)
        except OSError:
            retired.rename(final)
            raise
    _fsync(final.parent)


def _hidden_prefix(final: Path) -> str:
    return f".{final.name}.partial-"


def _hidden_folder(final: Path) -> tuple[Path, contextlib.ExitStack]:
    """A hidden folder and a lock in it, which the system lets go of however the process ends.

    What is locked is a file of its own, because not every system locks folders or renames what is open.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_hidden_prefix(final), dir=final.parent))
        with contextlib.suppress(FileNotFoundError), contextlib.ExitStack() as lock:
            handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            lock.callback(os.close, handle)
            if _locked(handle) and folder.exists():  # nobody took it for a leftover before it was locked
                return folder, lock.pop_all()


def _locked(handle: int) -> bool:
    try:
        return lock_descriptor(handle, blocking=False)
    except OSError:  # not every file system locks
        return True


def _leftovers(final: Path) -> Iterator[Path]:
    for leftover in final.parent.glob(f"{glob.escape(_hidden_prefix(final))}*"):
        if not _is_in_use(leftover):
            yield leftover


def _restore_retired(final: Path) -> None:
    """Give an earlier output its name back if the process was killed while it was being replaced."""
    for leftover in _leftovers(final):
        if (leftover / final.name / MARK).is_file() and not final.exists():
            (leftover / final.name).rename(final)


def _remove_leftovers(final: Path) -> None:
    for leftover in _leftovers(final):
        shutil.rmtree(leftover, ignore_errors=True)


def _is_in_use(folder: Path) -> bool:
    try:
        handle = os.open(folder / _LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        return not lock_descriptor(handle, blocking=False)
    except OSError:
        return True
    finally:
        os.close(handle)


def _fsync(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every file system syncs folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
