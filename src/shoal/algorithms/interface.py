"""What every algorithm is: it decides, and never writes values, reads files or prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from shoal.engine.local import LocalData
from shoal.privacy.verdict import Model
from shoal.progress import Progress
from shoal.recoding.decision import Recoding


class Algorithm(Protocol):
    """A frozen dataclass whose fields are its parameters, declared with `algorithms.parameters`.

    `serves` lists the models whose promise the result keeps, `paper` and `guarantee` are sentences for
    people, `needs` says whether single rows must be seen or counts are enough.
    """

    name: ClassVar[str]
    serves: ClassVar[tuple[type[Model], ...]]
    paper: ClassVar[str]
    guarantee: ClassVar[str]
    needs: ClassVar[Literal["rows", "counts"]]

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Recoding:
        """Decide how the records are published so that every model holds.

        Leaves the data as they are; the same data and random numbers give the same decision. Raises
        Infeasible when no decision keeps the promise.
        """


@runtime_checkable
class DrawsNoise(Protocol):
    """An algorithm whose `find` takes the noise that protects from the operating system."""

    def find_repeatably(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Recoding:
        """The same with noise from the generator: for tests, never for publication."""
