"""Addresses of files on other machines."""

from __future__ import annotations

import glob
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from shoal.errors import BadInput, Problem

SCHEMES = ("abfs", "abfss", "az", "gcs", "gs", "s3", "sftp", "ssh")


def is_remote(path: str) -> bool:
    """Whether a path is an address on another machine."""
    return "://" in path


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file, a folder or a pattern on another machine; credentials come from where its driver looks."""

    url: str = field(repr=False)

    def __post_init__(self) -> None:
        if urlsplit(self.url).password:
            what = "an address with a password would be seen by everybody who sees the policy"
            raise BadInput(Problem(what, "leave it out; keys of the system are used"))

    def __str__(self) -> str:
        return self.where

    def refuse_unknown(self) -> None:
        """Raise BadInput for a kind of storage that only others read, such as Spark."""
        if self.scheme not in SCHEMES:
            what = f"addresses that begin with {self.scheme}:// are not read"
            raise BadInput(Problem(what, f"it takes {', '.join(f'{each}://' for each in SCHEMES)}"))

    @property
    def scheme(self) -> str:
        """What kind of storage it is."""
        return self.url.partition("://")[0].lower()

    @property
    def where(self) -> str:
        """What it is called in messages."""
        split = urlsplit(self.url)
        return f"{self.scheme}://{split.netloc.rpartition('@')[2]}{split.path}"

    @property
    def name(self) -> str:
        """The name of the file."""
        return PurePosixPath(urlsplit(self.url).path).name or "data"

    @property
    def is_pattern(self) -> bool:
        """Whether it names many files by a pattern."""
        return glob.has_magic(self.url)

    def fixed_part(self, path: str) -> str:
        """The deepest folder of a path of its storage that is no pattern."""
        parts = path.split("/")
        return "/".join(parts[: next(place for place, part in enumerate(parts) if glob.has_magic(part))])
