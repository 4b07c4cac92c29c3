"""What every algorithm is: it decides, and never writes values, reads files or prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from shoal.algorithms.parameters import check_parameters, leave_out_additions
from shoal.engine.local import LocalData
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.recoding import Recoding


@dataclass(frozen=True, slots=True)
class Distribution:
    """How an algorithm can be run where no machine holds all rows, and which models it serves there.

    By `counts` it decides on the driver as on one machine, and only counting is distributed. By `blocks` of
    rows, `parts` that are compared with one cut for all, or `clusters` of chunks, it is run on each block.
    """

    by: Literal["counts", "blocks", "parts", "clusters"]
    serves: tuple[type[Model], ...]


class Algorithm:
    """A frozen dataclass whose fields are its parameters, declared with `algorithms.parameters`.

    `serves` lists the models whose promise the result keeps, `paper` and `guarantee` are sentences for
    people, `distributed` says how it can be run on a cluster. `auto` tries them in the order of `turn`, and
    one without a turn never: another one loses less in no more time. `needs_trees` says whether every
    quasi-identifier must have one, `heeds_absence` whether it keeps a promise against somebody who knows
    which items are absent, `recodes_globally` whether every value and every item has one label in all of
    the records.
    """

    __slots__ = ()

    name: ClassVar[str]
    serves: ClassVar[tuple[type[Model], ...]]
    paper: ClassVar[str]
    guarantee: ClassVar[str]
    distributed: ClassVar[Distribution | None] = None
    turn: ClassVar[int | None] = 9
    needs_trees: ClassVar[bool] = False
    heeds_absence: ClassVar[bool] = True
    recodes_globally: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse bad values of parameters; `as_printed` leaves out what the paper does not have."""
        check_parameters(self)
        leave_out_additions(self)

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Recoding:
        """Decide how the records are published so that every model holds.

        Leaves the data as they are; the same data and random numbers give the same recoding. Raises
        Infeasible when no recoding keeps the promise.
        """
        raise NotImplementedError


@runtime_checkable
class DrawsNoise(Protocol):
    """An algorithm whose `find` takes the noise that protects from the operating system."""

    def find_repeatably(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> Recoding:
        """The same with noise from the generator: for tests, never for publication."""
