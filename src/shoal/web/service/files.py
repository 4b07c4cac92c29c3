"""Files of a project: taken in piece by piece, kept under their ids, never changed afterwards."""

from __future__ import annotations

import os
import stat
import time
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from shoal.errors import BadInput, NotFound, Problem, TooLarge
from shoal.table.reading import COMPRESSIBLE, FORMATS
from shoal.web.service.stopping import refuse_if_cancelled
from shoal.web.service.store import Store, checked_id, new_id

FileKind = Literal["data", "hierarchy"]

DATA_ENDINGS = (*FORMATS, *(f"{ending}.gz" for ending in COMPRESSIBLE))
HIERARCHY_ENDINGS = (".csv", ".txt", ".json")
_PIECE = 2**20
_LONGEST_NAME = 120
_LISTED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file of a project: `name` is for people, `path` is where its bytes are."""

    id: str
    kind: FileKind
    name: str
    size: int
    created: float
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A file of the folder that the server may read; `place` is its path within that folder."""

    place: str
    size: int


class Files:
    """Take in, list and remove files. `folder` is the one that files may be picked from, if any."""

    def __init__(self, store: Store, most_bytes: int, folder: Path | None = None) -> None:
        self._store, self._most_bytes = store, most_bytes
        self._folder = None if folder is None else folder.resolve()

    @property
    def most_bytes(self) -> int:
        """The largest file that is taken in."""
        return self._most_bytes

    @contextmanager
    def receive(
        self, project: str, name: str, kind: FileKind = "data", *, announced: int | None = None
    ) -> Iterator[Upload]:
        """Take in a file: `upload.write(piece)` in the block, and `upload.stored` after it.

        Refused before anything is written: an unusable name, an ending that is not read, an `announced` size
        above the limit. Refused on the way: more bytes than allowed, also after unpacking. The file belongs
        to the project when the block ends well; else nothing is left. A name that is taken gets a number.
        """
        folder = self._folder_of(project)
        endings = DATA_ENDINGS if kind == "data" else HIERARCHY_ENDINGS
        with self.receive_briefly(name, announced=announced, endings=endings) as upload:
            yield upload
            upload.end()
            upload.stored = self._keep(project, folder, upload, kind)

    @contextmanager
    def receive_briefly(
        self, name: str, *, announced: int | None = None, endings: Sequence[str] = DATA_ENDINGS
    ) -> Iterator[Upload]:
        """Take in a file that is gone after the block; after `upload.end()` it is at `upload.path`."""
        plain = checked_file_name(name, endings)
        self._refuse_large(announced)
        path = self._store.incoming / f"{new_id()}{ending_of(plain)}"
        try:
            with path.open("xb") as stream:
                yield Upload(stream, plain, path, self._most_bytes)
        finally:
            path.unlink(missing_ok=True)

    def add(self, project: str, name: str, pieces: Iterable[bytes], kind: FileKind = "data") -> StoredFile:
        """Take in a file whose pieces are at hand."""
        with self.receive(project, name, kind) as upload:
            for piece in pieces:
                upload.write(piece)
        return upload.done

    def pick(self, project: str, place: str) -> StoredFile:
        """Copy a file of the allowed folder into the project."""
        source = self._within_folder(place)
        handle = os.open(source, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as stream:  # noqa: PTH123 - by its handle, so that it cannot be exchanged
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise BadInput(Problem(f"{place!r} is no file", "choose a file of the list"))
            self._refuse_large(status.st_size)
            return self.add(project, source.name, _pieces_of(stream))

    def offered(self) -> list[Offered]:
        """The data files in the allowed folder and below; none if no folder was allowed."""
        if self._folder is None:
            return []
        found = []
        for parent, folders, names in os.walk(self._folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(parent) / name
                if name.lower().endswith(DATA_ENDINGS) and path.is_file() and not path.is_symlink():
                    found.append(Offered(place=str(path.relative_to(self._folder)), size=path.stat().st_size))
            if len(found) >= _LISTED:
                break
        return found[:_LISTED]

    def all(self, project: str, kind: FileKind | None = None) -> list[StoredFile]:
        """The files of a project, the oldest first."""
        folder = self._folder_of(project)
        rows = self._store.rows("SELECT * FROM files WHERE project = ? ORDER BY created", project)
        return [_stored(row, folder) for row in rows if kind in (None, row["kind"])]

    def get(self, project: str, file: str) -> StoredFile:
        """One file by its id; NotFound if the project has none."""
        folder = self._folder_of(project)
        row = self._store.row(
            "SELECT * FROM files WHERE project = ? AND id = ?", project, checked_id("file", file)
        )
        if row is None:
            raise NotFound("file", file)
        return _stored(row, folder)

    def named(self, project: str, name: str) -> StoredFile:
        """One file by its name; NotFound if the project has none."""
        folder = self._folder_of(project)
        row = self._store.row("SELECT * FROM files WHERE project = ? AND name = ?", project, name)
        if row is None:
            raise NotFound("file", name)
        return _stored(row, folder)

    def remove(self, project: str, file: str) -> None:
        """Remove a file for good."""
        stored = self.get(project, file)
        self._store.change("DELETE FROM files WHERE id = ?", stored.id)
        stored.path.unlink(missing_ok=True)

    def _folder_of(self, project: str) -> Path:
        folder = self._store.project_folder(project)
        if self._store.row("SELECT 1 FROM projects WHERE id = ? AND NOT deleted", project) is None:
            raise NotFound("project", project)
        return folder / "files"

    def _refuse_large(self, size: int | None) -> None:
        if size is not None and size > self._most_bytes:
            raise too_large(self._most_bytes)

    def _within_folder(self, place: str) -> Path:
        if self._folder is None:
            raise BadInput(Problem("no folder was allowed", "start the server with --folder, or upload"))
        refused = BadInput(Problem(f"{place!r} is no file of the allowed folder", "choose one of the list"))
        try:
            path = (self._folder / place).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise refused from None
        if not path.is_relative_to(self._folder) or not path.is_file():
            raise refused
        return path

    def _keep(self, project: str, folder: Path, upload: Upload, kind: FileKind) -> StoredFile:
        name, size = upload.name, upload.path.stat().st_size
        file, ending = new_id(), ending_of(name)
        target = folder / f"{file}{ending}"
        with self._store.changing() as connection:
            taken = {
                row["name"]
                for row in connection.execute("SELECT name FROM files WHERE project = ?", (project,))
            }
            connection.execute(
                "INSERT INTO files (id, project, kind, name, ending, size, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (file, project, kind, _free_name(name, ending, taken), ending, size, time.time()),
            )
            upload.path.rename(target)
        return self.get(project, file)


class Upload:
    """A file that is arriving."""

    def __init__(self, stream: IO[bytes], name: str, path: Path, most_bytes: int) -> None:
        self.name, self.path = name, path
        self._stream, self._most_bytes, self._size = stream, most_bytes, 0
        self._unpacking = Unpacking(most_bytes) if name.lower().endswith(".gz") else None
        self.stored: StoredFile | None = None

    def write(self, piece: bytes) -> None:
        """Take the next piece; TooLarge when there are more bytes than allowed."""
        self._size += len(piece)
        if self._size > self._most_bytes:
            raise too_large(self._most_bytes)
        if self._unpacking is not None:
            self._unpacking.count(piece)
        self._stream.write(piece)

    def end(self) -> None:
        """Nothing more comes: the file is on the disk, and not empty, cut off or an archive too large."""
        if self._size == 0:
            raise BadInput(Problem("is empty", "give a file with records", file=self.name))
        if self._unpacking is not None:
            self._unpacking.end()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        _refuse_unpacking(self.path, self.name, self._most_bytes)

    @property
    def done(self) -> StoredFile:
        """The file as it is kept; only after it has arrived."""
        if self.stored is None:
            raise RuntimeError("the file has not arrived yet")
        return self.stored


class Unpacking:
    """Counts what a gzip file unpacks to, without keeping it."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._size = most_bytes, 0
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def count(self, piece: bytes) -> None:
        """Unpack a piece; TooLarge when it becomes more than allowed."""
        try:
            while piece:
                if self._member.eof:
                    self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
                self._size += len(self._member.decompress(piece, _PIECE))
                if self._size > self._most_bytes:
                    raise too_large(self._most_bytes)
                piece = self._member.unconsumed_tail or self._member.unused_data
        except zlib.error as error:
            raise BadInput(
                Problem(f"is no gzip file: {error}", "compress it again, or send it plain")
            ) from error

    def end(self) -> None:
        """Refuse a file that was cut off."""
        if not self._member.eof:
            raise BadInput(Problem("the gzip file ends too early", "send it whole"))


def too_large(most_bytes: int) -> TooLarge:
    """The error for more bytes than allowed."""
    return TooLarge(
        f"files of more than {most_bytes / 1e6:,.0f} MB, unpacked or not, are not taken in;"
        " start the server with a larger --max-upload, or use the command line"
    )


def checked_file_name(name: str, endings: Sequence[str]) -> str:
    """A plain name with an ending that is read; what could be a path is refused, not mended."""
    text = unicodedata.normalize("NFC", name)
    if (
        not text.isprintable()
        or len(text) > _LONGEST_NAME
        or text != text.strip()
        or text.startswith(".")
        or any(mark in text for mark in '/\\:\0"<>|?*')
    ):
        what = f"{name[:_LONGEST_NAME]!r} cannot be the name of a file here"
        raise BadInput(Problem(what, "use a plain name without / \\ : and the like"))
    if not text.lower().endswith(tuple(endings)):
        what = f"{text!r} has an ending that is not read"
        raise BadInput(Problem(what, f"it takes {' '.join(endings)}"))
    return text


def ending_of(name: str) -> str:
    """The ending that tells the format, with .gz where it is compressed."""
    lower = name.lower()
    return max((ending for ending in DATA_ENDINGS if lower.endswith(ending)), key=len, default="")


def _pieces_of(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        refuse_if_cancelled()
        yield piece


def _refuse_unpacking(path: Path, name: str, most_bytes: int) -> None:
    """A workbook is an archive; what its parts would unpack to counts, too."""
    if ending_of(name) != ".xlsx":
        return
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise BadInput(Problem(f"is no workbook: {error}", "save it as .xlsx again", file=name)) from error
    if unpacked > most_bytes:
        raise too_large(most_bytes)


def _free_name(name: str, ending: str, taken: set[str]) -> str:
    stem = name[: len(name) - len(ending)]
    numbered = (f"{stem}-{number}{name[len(stem) :]}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)


def _stored(row: object, folder: Path) -> StoredFile:
    fields = dict(row)  # type: ignore[call-overload]
    known = {name: fields[name] for name in ("id", "kind", "name", "size", "created")}
    return StoredFile(**known, path=folder / f"{fields['id']}{fields['ending']}")
