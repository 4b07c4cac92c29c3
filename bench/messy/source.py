"""Where cells come from: a generator with a seed, Faker in a language, and what the language writes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

from babel import Locale
from faker import Faker
from faker.providers import BaseProvider

from messy.truth import Drawn, Harm
from messy.words import Words, in_language


def babel_locale(locale: str) -> Locale:
    return Locale.parse({"no_NO": "nb_NO"}.get(locale, locale))


@dataclass(frozen=True)
class Source:
    """All chance of one table; the same seed gives the same table."""

    locale: str
    rng: random.Random
    fake: Faker

    @classmethod
    def of(cls, locale: str, seed: int) -> Source:
        rng = random.Random(f"{locale} {seed}")
        fake = _faker(locale)
        fake.seed_instance(rng.getrandbits(64))
        random.seed(rng.getrandbits(64))  # some parts of Faker draw from here, whatever seed they were given
        return cls(locale, rng, fake)

    @property
    def babel(self) -> Locale:
        return babel_locale(self.locale)

    @property
    def country(self) -> str:
        return self.locale.rpartition("_")[2]

    def words(self, words: Words) -> tuple[str, ...]:
        return in_language(words, self.locale)

    def pool(self, draw: Callable[[], str], size: int) -> list[str]:
        """Few different values, as the people of one table have few different towns."""
        return list(dict.fromkeys(draw() for _ in range(size)))


@lru_cache(maxsize=2)
def _faker(locale: str) -> Faker:
    fake = Faker(locale, use_weighting=False)
    fake.add_provider(_DaysThatStay)
    return fake


class _DaysThatStay(BaseProvider):
    """Days that are not counted back from today, for all that Faker makes of days."""

    def date_time(self, *_: object, **__: object) -> datetime:
        return datetime(1950, 1, 1) + timedelta(self.random_int(0, 20_000))

    def date_object(self, *_: object, **__: object) -> date:
        return self.date_time().date()

    def date_of_birth(self, *_: object, **__: object) -> date:
        return self.date_object()

    def year(self) -> str:
        return f"{self.date_time():%Y}"

    def date(self, pattern: str = "%Y-%m-%d", **_: object) -> str:
        return self.date_time().strftime(pattern)


@dataclass(frozen=True)
class Recipe:
    """How to make a column of some kind, one value for each person or for each row."""

    what: str
    harm: Harm
    make: Callable[[Source, int], Drawn]
    per_person: bool = True


def each(draw: Callable[[Source], str]) -> Callable[[Source, int], Drawn]:
    """A column of which every cell is drawn in the same way."""
    return lambda source, count: Drawn([draw(source) for _ in range(count)])


def one_of(words: Callable[[Source], Sequence[str]]) -> Callable[[Source, int], Drawn]:
    """A column of which every cell is one of a few values."""
    return lambda source, count: Drawn(source.rng.choices(words(source), k=count))


def one_of_these(words: Sequence[str]) -> Callable[[Source, int], Drawn]:
    """The same for values that no language changes."""
    return lambda source, count: Drawn(source.rng.choices(words, k=count))
