"""What a recoding was decided for: without it, nobody could say what its numbers stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from shoal.hierarchy.tree import Hierarchy

if TYPE_CHECKING:
    from shoal.recoding.recoding import Recoding


@dataclass(frozen=True, slots=True)
class StatedModel:
    """A model of the promise by its name, with parameters as JSON has them."""

    model: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """The trees whose nodes a recoding numbers, and what it promises."""

    trees: Mapping[str, Hierarchy]
    promises: tuple[StatedModel, ...] = ()


class Savable:
    """A recoding that can be saved once it is part of a result, which gives it its basis."""

    __slots__ = ()

    basis: Basis | None

    def save(self, path: str | Path) -> Path:
        """Write the recoding to a file that `load_recoding` reads, for the publisher alone.

        It tells about original rows and may hold original values: it must not be published.
        """
        from shoal.recoding.recoding_file import save_recoding  # which knows all kinds of recodings

        if self.basis is None:
            raise ValueError("a recoding is saved with the result that it is part of")
        save_recoding(cast("Recoding", self), self.basis.trees, Path(path), self.basis.promises)
        return Path(path)
