"""A release in an object store, which has no folders that could be renamed.

What may be published is stored under names of its own, read back, compared with what was verified here, and
then given its names. `result.json` is the first to go and the last to come: a release is whole where it is.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, OutputFailed, Problem, ShoalError
from shoal.policy.output_names import INTERNAL, MARK
from shoal.run.remote import opened_storage, reason_of
from shoal.table.remote_file import RemoteFile

SCHEMES = ("abfs", "abfss", "az", "gcs", "gs", "s3")
_REMEDY = "choose another with --out"


@dataclass(frozen=True, slots=True)
class _Store:
    """The storage of an address, and its names of things there."""

    system: Any
    folder: str

    @property
    def fresh_folder(self) -> str:
        """A folder beside it that nobody else uses."""
        parent, _, name = self.folder.rpartition("/")
        return f"{parent}/.{name}.partial-{secrets.token_hex(8)}"

    def names(self) -> list[str]:
        """What is stored in the folder."""
        self.system.invalidate_cache()
        return [path[len(self.folder) + 1 :] for path in self.system.find(self.folder)]

    def remove(self, folder: str, names: Sequence[str]) -> None:
        """Remove what is there of these names."""
        for name in names:
            if self.system.exists(f"{folder}/{name}"):
                self.system.rm_file(f"{folder}/{name}")


def refuse_unusable_address(target: RemoteFile, *, replace: bool) -> None:
    """Say early what would make the output fail late."""
    with _storage_errors(target):
        _earlier(_store(target), target, replace=replace)


def send_release(folder: Path, target: RemoteFile, *, replace: bool) -> None:
    """Store the files of a release but those for the publisher alone."""
    with _storage_errors(target):
        store = _store(target)
        earlier = _earlier(store, target, replace=replace)
        files = _public_files(folder)
        fresh = store.fresh_folder
        try:
            for name, content in files.items():
                _stored(store, f"{fresh}/{name}", content)
            store.remove(store.folder, [MARK])
            for name in files:
                store.system.mv(f"{fresh}/{name}", f"{store.folder}/{name}")
            store.remove(store.folder, [name for name in earlier if name not in files])
        except BaseException:
            store.system.invalidate_cache()
            store.remove(fresh, list(files))
            if MARK not in store.names():
                store.remove(store.folder, [*earlier, *files])
            raise


def _store(target: RemoteFile) -> _Store:
    if target.scheme not in SCHEMES:
        what = f"releases are not written to addresses that begin with {target.scheme}://"
        remedy = f"it takes {', '.join(f'{each}://' for each in SCHEMES)}; or write here, and copy the folder"
        raise BadInput(Problem(what, remedy))
    system, path = opened_storage(target)
    if "/" not in path.strip("/") or target.is_pattern:
        raise BadInput(Problem("is no folder in a bucket", "name one: s3://bucket/folder", target.where))
    return _Store(system, path.rstrip("/"))


def _earlier(store: _Store, target: RemoteFile, *, replace: bool) -> list[str]:
    """The files of an earlier release that may be replaced; BadInput for anything else that is there."""
    found = store.names()
    if found and not replace:
        remedy = "add --replace, or choose another folder with --out"
        raise BadInput(Problem("exists already", remedy, file=target.where))
    if found and MARK not in found:
        what = f"was not written by shoal (it has no {MARK}), so it is not replaced"
        raise BadInput(Problem(what, _REMEDY, file=target.where))
    own = json.loads(store.system.cat_file(f"{store.folder}/{MARK}"))["files"] if found else []
    if foreign := sorted(set(found).difference(own)):
        what = f"holds files that shoal did not write ({', '.join(foreign[:5])}), so it is not replaced"
        raise BadInput(Problem(what, f"move them, or {_REMEDY}", file=target.where))
    return found


def _public_files(folder: Path) -> dict[str, bytes | Path]:
    """What may be published, and last what says which files that are, and nothing else that a run found."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    public = {name: path for name, path in named.items() if name.split("/")[0] not in (INTERNAL, MARK)}
    mark = json.dumps({"files": sorted((*public, MARK))}, indent=2, ensure_ascii=False)
    return {**public, MARK: f"{mark}\n".encode()}


def _stored(store: _Store, path: str, content: bytes | Path) -> None:
    """Store a file, and read it back."""
    if isinstance(content, Path):
        store.system.put_file(str(content), path)
        with content.open("rb") as here:
            digest = hashlib.file_digest(here, "sha256").digest()
    else:
        store.system.pipe_file(path, content)
        digest = hashlib.sha256(content).digest()
    with store.system.open(path, "rb") as there:
        if hashlib.file_digest(there, "sha256").digest() != digest:
            raise OSError("what was read back is not what was written")


@contextmanager
def _storage_errors(target: RemoteFile) -> Iterator[None]:
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:  # noqa: BLE001 - every kind of storage has errors of its own
        told = f"{target.where}: the release could not be stored: {reason_of(error)}"
        raise OutputFailed(f"{told}; check the address and your credentials") from None
