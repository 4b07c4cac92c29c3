"""What took long to make, kept in the user's cache folder: compiled code, lists of words.

Nothing about anybody's data is ever kept here.
"""

import hashlib
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

_FOLDER = "SHOAL_CACHE"


def cache_folder(part: str) -> Path:
    """Where one part of Shoal keeps its things, by default in the user's cache folder."""
    given = os.environ.get(_FOLDER)
    return (Path(given) if given else user_cache_path("shoal", appauthor=False)) / part


def kept(part: str, name: str, made_from: str, make: Callable[[], bytes]) -> bytes:
    """What `make` gives, from the cache if it was made from the same before.

    What cannot be read or written is made each time.
    """
    digest = hashlib.sha256(made_from.encode()).hexdigest()[:16]
    file = cache_folder(part) / f"{name}-{digest}"
    with suppress(OSError):
        content = file.read_bytes()
        if hashlib.sha256(content[32:]).digest() == content[:32]:
            return content[32:]
    made = make()
    write_whole(file, hashlib.sha256(made).digest() + made)
    return made


def write_whole(file: Path, content: bytes) -> None:
    """Write a file of the cache so that it appears whole or not at all; what cannot be kept is not."""
    draft = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
    with suppress(OSError):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
