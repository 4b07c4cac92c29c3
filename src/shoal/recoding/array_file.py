"""Arrays beside a JSON header in one file: a `.npz` that is read without running anything in it.

`numpy.load` reads it, too. Members are stored as they are, not compressed, so that no file can ask for more
memory than it takes on the disk.
"""

import io
import math
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from shoal.errors import BadInput, OutputFailed, Problem
from shoal.kernels.arrays import Bools, Floats, Ints, Items, SetArrays, frozen_sets

_HEADER = "header"
_ENDING = ".npy"
_KINDS = ("<i8", "<f8", "|b1", "|u1")
_ROWS_AT_ONCE = 2**18
_DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    OverflowError,
    RuntimeError,
    struct.error,
    zipfile.BadZipFile,
)

Array = Ints | Items | Floats | Bools


class Arrays:
    """The arrays of a file by their names; ValueError for one that is missing or is not what is asked for."""

    def __init__(self, members: Mapping[str, np.ndarray]) -> None:
        self._members = members

    def ints(self, name: str, *, shape: tuple[int, ...] | None = None, least: int, below: int) -> Ints:
        """Numbers from `least` on, but less than `below`; any number of them unless a shape is given."""
        found = self._array(name, np.int64, shape)
        if found.size and not least <= found.min() <= found.max() < below:
            raise ValueError(f"{name} holds numbers outside of {least}..{below - 1}")
        return found

    def table(self, name: str) -> Ints:
        """Numbers in rows and columns, of which nothing else is known yet."""
        found = self._member(name)
        if found.ndim != 2:
            raise ValueError(f"{name} has no rows and columns")
        return found

    def floats(self, name: str, *, shape: tuple[int, ...]) -> Floats:
        """Numbers of any size."""
        return self._array(name, np.float64, shape)

    def bools(self, name: str, *, shape: tuple[int, ...] | None = None) -> Bools:
        """Marks."""
        return self._array(name, np.bool_, shape)

    def starts(self, name: str, *, end: int, count: int | None = None) -> Ints:
        """Where each of `count` ranges begins that follow each other, and where the last one ends."""
        found = self.ints(name, shape=None if count is None else (count + 1,), least=0, below=end + 1)
        if len(found) == 0 or found[0] != 0 or found[-1] != end or (np.diff(found) < 0).any():
            raise ValueError(f"{name} does not divide what it should")
        return found

    def sets(self, name: str, *, below: int, count: int | None = None) -> SetArrays:
        """Sets of numbers less than `below`."""
        items = self.ints(f"{name}.items", least=0, below=below)
        return frozen_sets(self.starts(f"{name}.starts", end=len(items), count=count), items)

    def _array(self, name: str, kind: type, shape: tuple[int, ...] | None) -> np.ndarray:
        found = self._member(name)
        if found.dtype != kind or (found.ndim != 1 if shape is None else found.shape != shape):
            raise ValueError(f"{name} is {found.dtype} of shape {found.shape}, which does not fit the rest")
        return found

    def _member(self, name: str) -> np.ndarray:
        if name not in self._members:
            raise ValueError(f"{name} is missing")
        return self._members[name]


def write_array_file(path: Path, header: str, arrays: Mapping[str, Array]) -> None:
    """Write a header and arrays; equal content gives equal bytes."""
    members: dict[str, np.ndarray] = {_HEADER: np.frombuffer(header.encode(), dtype=np.uint8), **arrays}
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for name, array in members.items():
                with archive.open(zipfile.ZipInfo(name + _ENDING), "w", force_zip64=True) as member:
                    npy.write_array_header_1_0(member, _described(array))
                    for first in range(0, len(array), _ROWS_AT_ONCE):
                        member.write(_wide(array[first : first + _ROWS_AT_ONCE]).tobytes())
    except OSError as error:
        raise OutputFailed(f"{path}: cannot be written: {error}") from error


def read_array_file(path: Path) -> tuple[bytes, Arrays]:
    """The header and the arrays, which nobody can write to; BadInput for a file that is not of this form."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {
                info.filename.removesuffix(_ENDING): _array_of(_stored(archive, info))
                for info in archive.infolist()
            }
        return members.pop(_HEADER).tobytes(), Arrays(members)
    except _DAMAGED as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> BadInput:
    """What to say of a file that cannot be read."""
    reason = str(error).partition("\n")[0] or type(error).__name__
    return BadInput(Problem(f"is no file of arrays that can be read: {reason}", file=str(path)))


def _described(array: np.ndarray) -> dict[str, object]:
    return {**npy.header_data_from_array_1_0(_wide(array[:1])), "shape": array.shape}


def _wide(array: np.ndarray) -> np.ndarray:
    """Numbers with the one type that their kind has in a file."""
    kind = {"i": np.int64, "f": np.float64, "b": np.bool_, "u": np.uint8}[array.dtype.kind]
    return np.ascontiguousarray(array, dtype=kind)


def _stored(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise ValueError(f"{info.filename} is compressed")
    return archive.read(info)


def _array_of(content: bytes) -> np.ndarray:
    stream = io.BytesIO(content)
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("an array is not of version 1.0")
    shape, in_columns, kind = npy.read_array_header_1_0(stream)
    if kind.str not in _KINDS or in_columns or len(shape) > 2:
        raise ValueError(f"an array is of {kind}, and only plain numbers are read")
    data = content[stream.tell() :]
    if math.prod(shape) * kind.itemsize != len(data):
        raise ValueError("an array is not as long as it says")
    return np.frombuffer(data, dtype=kind).reshape(shape)
