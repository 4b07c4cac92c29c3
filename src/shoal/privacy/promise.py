"""Several models that are promised together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, cast

from shoal.errors import InvalidParameter
from shoal.json_values import json_value
from shoal.privacy.model import Form, Model
from shoal.recoding.basis import StatedModel
from shoal.table.roles import QuasiSet

_SMALLEST_K = 2


class Promise(tuple[Model, ...]):
    """The models of a policy, the main one first."""

    __slots__ = ()

    @classmethod
    def of(cls, models: Model | Sequence[Model]) -> Promise:
        """One or several models; there must be one."""
        given: Any = models
        promise = cls([given] if isinstance(given, Model) else given if isinstance(given, Sequence) else ())
        if not promise or not all(isinstance(model, Model) for model in promise):
            raise InvalidParameter("Shoal", "models", models, "one or more models, such as KAnonymity(k=5)")
        return promise

    @property
    def main(self) -> Model:
        """What the others stand beside."""
        return self[0]

    @property
    def k(self) -> int:
        """Among how many records everybody hides; 1 if nothing promises that."""
        return max((model.hides_among for model in self), default=1)

    @property
    def notices(self) -> tuple[str, ...]:
        """What whoever makes this promise should know about it."""
        if self.k != _SMALLEST_K:
            return ()
        return (
            f"k = {_SMALLEST_K} hides each person behind one other, who knows which record is not theirs;"
            " 5 or more is usual",
        )

    @property
    def m(self) -> int | None:
        """Up to how many items somebody may know; None where no model has such a bound."""
        return max((model.items_known for model in self if model.items_known is not None), default=None)

    @property
    def diverse(self) -> bool:
        """Whether something is promised about sensitive values."""
        return any(model.diverse for model in self)

    @property
    def fewest_stars(self) -> int:
        """How many suppressed records it takes to publish them as rows of `*`; fewer are left out."""
        # What is sensitive of such records is `*`, which is not diverse: then they are left out.
        protects_values = self.diverse or any(model.class_constraint() is not None for model in self)
        return sys.maxsize if protects_values else self.k

    @property
    def form(self) -> Form:
        """What a release consists of that keeps it."""
        return self.main.form

    @property
    def covers_sets(self) -> bool:
        """Whether a model covers quasi-identifiers with sets."""
        return any(QuasiSet in model.covers for model in self)

    @property
    def stated(self) -> tuple[StatedModel, ...]:
        """The models as files state them."""
        return tuple(
            StatedModel(model.name, cast("dict[str, Any]", json_value(model.parameters))) for model in self
        )

    def __str__(self) -> str:
        return " with ".join(model.name for model in self)
