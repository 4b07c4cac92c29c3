"""Text files that were made smaller: by gzip, bzip2 or Zstandard, or as the only file of a zip archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyarrow as pa

from shoal.errors import BadInput, Problem

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
ZIP = ".zip"
_OF_MACOS = "__MACOSX/"
_ENCRYPTED = 1


def content_name(path: Path) -> str:
    """The name of what is in a file: without the ending of a compression, or the name in the archive."""
    if path.suffix.lower() in COMPRESSIONS:
        return path.with_suffix("").name
    return Path(_only_member(path).filename).name if path.suffix.lower() == ZIP else path.name


def open_uncompressed(path: Path) -> pa.NativeFile:
    """The bytes of what is in a file, from the beginning."""
    if path.suffix.lower() != ZIP:
        return pa.input_stream(str(path), compression=COMPRESSIONS.get(path.suffix.lower()))
    archive = zipfile.ZipFile(path)
    return pa.PythonFile(archive.open(_only_member(path)), mode="r")


def _only_member(path: Path) -> zipfile.ZipInfo:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
    except (zipfile.BadZipFile, OSError) as error:
        raise BadInput(Problem(f"is no readable zip archive: {error}", "pack it again", str(path))) from error
    members = [each for each in members if not each.filename.startswith(_OF_MACOS)]
    if len(members) != 1:
        what = f"holds {len(members)} files where one is read"
        raise BadInput(Problem(what, "unpack it and name the folder", file=str(path)))
    if members[0].flag_bits & _ENCRYPTED:
        raise BadInput(Problem("is encrypted", "unpack it first", file=str(path)))
    return members[0]
