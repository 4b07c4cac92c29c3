"""Data on other machines: files that fsspec opens, copied to a private folder while they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, MissingExtra, Problem
from shoal.run.output import folder_for_a_while
from shoal.table.reading import Loaded
from shoal.table.remote_file import RemoteFile

_OVER_SSH = ("sftp", "ssh")
_SSH_PORT = 22


@contextmanager
def at_hand(source: Any) -> Iterator[Any]:
    """The source, or a copy of it while the block runs if it is elsewhere; problems name what it was."""
    if not isinstance(source, RemoteFile):
        yield source
        return
    with folder_for_a_while("shoal-remote") as folder:
        copy = _copied(source, folder)
        try:
            yield copy
        except BadInput as error:
            raise BadInput(*(_seen_from_outside(each, copy, source) for each in error.problems)) from error


def named_as(loaded: Loaded, copy: Any, source: Any) -> Loaded:
    """What was read from a copy, called by the name of what was copied."""
    if not isinstance(source, RemoteFile):
        return loaded
    told = tuple(notice.replace(str(copy), source.where) for notice in loaded.notices)
    return replace(loaded, notices=told, source=replace(loaded.source, where=source.where))


def opened_storage(address: RemoteFile) -> tuple[Any, str]:
    """The file system of an address, and what it is called there."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra("data on other machines", "remote") from error
    try:
        system, path = fsspec.core.url_to_fs(address.url)
    except ImportError as error:
        raise MissingExtra(f"addresses that begin with {address.scheme}://", "remote") from error
    if address.scheme in _OVER_SSH:
        _refuse_unknown_host(system, address)
    return system, path


def _refuse_unknown_host(system: Any, address: RemoteFile) -> None:
    """What fsspec connects to may be anybody: the key of a host must be among those that its user knows."""
    from paramiko import HostKeys

    known = HostKeys()
    with suppress(OSError):
        known.load(str(Path("~/.ssh/known_hosts").expanduser()))
    transport = system.client.get_transport()
    port = transport.getpeername()[1]
    name = system.host if port == _SSH_PORT else f"[{system.host}]:{port}"
    if not known.check(name, transport.get_remote_server_key()):
        what = f"{name} has a key that is not in ~/.ssh/known_hosts"
        raise BadInput(Problem(what, "connect to it once with ssh, and compare its key", address.where))


def reason_of(error: Exception) -> str:
    """What a kind of storage says about a failure, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _copied(source: RemoteFile, folder: Path) -> Path:
    source.refuse_unknown()
    try:
        system, path = opened_storage(source)
        found = sorted(system.glob(path)) if source.is_pattern else [path]
        if not source.is_pattern and not system.isdir(path):
            copy = folder / source.name
            system.get_file(path, str(copy))
            return copy
        base = path if not source.is_pattern else source.fixed_part(path)
        files = found if source.is_pattern else sorted(system.find(path))
        for file in files:
            copy = folder / "parts" / file[len(base) :].lstrip("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(file, str(copy))
    except (MissingExtra, BadInput):
        raise
    except Exception as error:  # noqa: BLE001 - every kind of storage has errors of its own
        what = f"cannot be fetched: {reason_of(error)}"
        raise BadInput(Problem(what, "check the address and your credentials", source.where)) from None
    if not files:
        raise BadInput(Problem("matches no files", "check the address", file=source.where))
    return folder / "parts"


def _seen_from_outside(problem: Problem, copy: Path, source: RemoteFile) -> Problem:
    file = None if problem.file is None else problem.file.replace(str(copy), source.where)
    return replace(problem, file=file, what=problem.what.replace(str(copy), source.where))
