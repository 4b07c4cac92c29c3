"""What all records that fit have in common: a sensitive value is learned without finding the right record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.engine.local import LocalData


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """The sensitive item or value that can be guessed best by somebody with some knowledge.

    `known` says what is known in words, `because` the very labels that tell most. Of the `knowing` published
    records that fit, `holding` show the sensitive one.
    """

    known: str
    items: int | None
    because: tuple[str, ...]
    sensitive: str
    holding: int
    knowing: int

    @property
    def share(self) -> float:
        """How likely the guess is right."""
        return self.holding / self.knowing


def confidences(published: LocalData, most: int) -> Sequence[Confidence]:
    """The best guess from all single values, and beside 0, 1, .. `most` items, from the release alone.

    Published labels count: somebody whose knowledge fits several labels is never more confident than with the
    most telling of them.
    """
    sets = published.joined_sets()
    classes = published.classes(published.quasi)
    values = f"the values of {', '.join(published.quasi)}" if published.quasi else "nothing"
    found = []
    for items in range(most + 1 if published.quasi_sets else 1):
        guess = sets.likeliest_guess(items, classes)
        if guess is None:
            return ()
        some = f"up to {items} items" if items > 1 else f"up to {items} item"
        known = some if values == "nothing" else f"{values} and {some}"
        found.append(
            Confidence(
                known=known if items else values,
                items=items if published.quasi_sets else None,
                because=tuple(item.label for item in guess.known),
                sensitive=f"{guess.sensitive.column} = {guess.sensitive.label}",
                holding=guess.holding,
                knowing=guess.knowing,
            )
        )
    return found
