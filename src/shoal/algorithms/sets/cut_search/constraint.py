"""What the models ask of every itemset, in the form in which searches for a cut ask it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import BadInput, Problem
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.privacy.model import Model
from shoal.privacy.parameters import exact


@dataclass(frozen=True, slots=True)
class ItemConstraint:
    """Sets of at most m items that occur must occur k times; shares of sensitive items are at most 1/l.

    `diverse_m` is how many items the shares are counted for: 0 without l. With `negative`, somebody may also
    know that items are absent.
    """

    k: int
    m: int
    l: Fraction = Fraction(1)
    diverse_m: int = 0
    negative: bool = False

    @classmethod
    def of(cls, models: Sequence[Model]) -> ItemConstraint:
        """The constraint of all the given models together."""
        counting = [model for model in models if isinstance(model, KmAnonymity)]
        diverse = [model for model in models if isinstance(model, LmDiversity)]
        negative = any(model.negative for model in counting)
        if negative and diverse:
            raise BadInput(
                Problem(
                    "l^m-diversity is not defined for somebody who knows what is absent",
                    "promise it without negative knowledge, or k^m-anonymity alone",
                )
            )
        return cls(
            k=max((model.k for model in counting), default=1),
            m=max((model.m for model in counting), default=0),
            l=max((exact(model.l) for model in diverse), default=Fraction(1)),
            diverse_m=max((model.m for model in diverse), default=0),
            negative=negative,
        )

    @classmethod
    def of_classes(cls, models: Sequence[Model]) -> ItemConstraint:
        """What the models of tables with sets ask of the items of each class."""
        joint = [model for model in models if isinstance(model, KKmAnonymity | KLmDiversity)]
        diverse = [model for model in joint if isinstance(model, KLmDiversity)]
        return cls(
            k=max(model.k for model in joint),
            m=max(model.m for model in joint),
            l=max((exact(model.l) for model in diverse), default=Fraction(1)),
            diverse_m=max((model.m for model in diverse), default=0),
        )

    @property
    def largest(self) -> int:
        """The most facts that somebody may know."""
        return max(self.m, self.diverse_m)

    def k_for(self, weight: int) -> int:
        """How many rows must hold a set of so many facts."""
        return self.k if weight <= self.m else 1

    def is_diverse(self, weight: int) -> bool:
        """Whether shares matter for sets of so many items."""
        return weight <= self.diverse_m

    def known_at_most(self, m: int) -> ItemConstraint:
        """The same for somebody who knows no more than m facts."""
        return ItemConstraint(self.k, min(self.m, m), self.l, min(self.diverse_m, m), self.negative)
