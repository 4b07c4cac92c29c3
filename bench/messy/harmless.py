"""Columns that do not name anybody alone: numbers, categories and sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from babel.dates import get_day_names, get_month_names
from babel.numbers import get_decimal_symbol, get_group_symbol

from messy import words
from messy.source import Recipe, Source, each, one_of, one_of_these
from messy.truth import Drawn

_NO_BREAK_SPACES = ("\u00a0", "\u202f")


def _decimals(low: float, high: float, places: int) -> Callable[[Source, int], Drawn]:
    """Numbers with the local decimal mark; some offices write a point anywhere."""

    def make(source: Source, count: int) -> Drawn:
        mark = source.rng.choice((_decimal_mark(source),) * 4 + (".",))
        values = [round(source.rng.uniform(low, high), places) for _ in range(count)]
        texts = [f"{value:.{places}f}".replace(".", mark) for value in values]
        return Drawn(texts, values, kind="number", decimal=mark)

    return make


def _incomes(source: Source, count: int) -> Drawn:
    """Thousands marked as the country does; with its currency, a column need not be read as numbers."""
    values = [round(source.rng.lognormvariate(10.3, 0.9) / 10) * 10.0 for _ in range(count)]
    decimal, thousands = _decimal_mark(source), _thousands_mark(source)
    form = source.rng.choice(("whole", "whole", "cents", "currency"))
    texts = [_grouped(value, 2 if form == "cents" else 0, decimal, thousands) for value in values]
    if form == "currency":
        sign = source.rng.choice(("{} €", "${}", "{} EUR"))
        texts = [sign.format(text) for text in texts]
    kind = "any" if form == "currency" else "number"
    return Drawn(texts, values, kind=kind, decimal=decimal, thousands=thousands)


def _grouped(value: float, places: int, decimal: str, thousands: str) -> str:
    marks = str.maketrans({",": thousands, ".": decimal})
    return f"{value:,.{places}f}".translate(marks)


def _decimal_mark(source: Source) -> str:
    return get_decimal_symbol(source.babel)


def _thousands_mark(source: Source) -> str:
    mark = get_group_symbol(source.babel)
    return source.rng.choice((" ", "\u00a0")) if mark in _NO_BREAK_SPACES else mark


def _percents(source: Source, count: int) -> Drawn:
    drawn = _decimals(0, 100, 1)(source, count)
    if source.rng.random() < 0.5:
        return drawn
    texts = [f"{text} %" for text in drawn.texts]
    return Drawn(texts, drawn.values, kind="any", decimal=drawn.decimal)


def _whole(low: int, high: int, *, kind: str = "number") -> Callable[[Source, int], Drawn]:
    def make(source: Source, count: int) -> Drawn:
        values = [source.rng.randint(low, high) for _ in range(count)]
        return Drawn([str(value) for value in values], [float(value) for value in values], kind=kind)

    return make


def _measurements(source: Source, count: int) -> Drawn:
    unit = source.rng.choice(("mg", "ml", "mmol/l", "kg"))
    return Drawn([f"{source.rng.randint(1, 40) * 5} {unit}" for _ in range(count)])


def _sexes(source: Source) -> Sequence[str]:
    local = source.words(words.SEX)
    return source.rng.choice((("M", "F"), ("m", "w", "d"), local, local, ("1", "2")))


def _booleans(source: Source) -> Sequence[str]:
    local = source.words(words.YES_NO)
    return source.rng.choice((local, local, ("0", "1"), ("true", "false"), ("Y", "N")))


def _cities(source: Source) -> Sequence[str]:
    return words.CITIES.get(source.locale) or source.pool(source.fake.city, 30)


def _regions(source: Source) -> Sequence[str]:
    known = words.REGIONS.get(source.locale)
    return known or source.pool(source.fake.administrative_unit, 15)


def _months(source: Source) -> Sequence[str]:
    width = source.rng.choice(("wide", "abbreviated"))
    return list(get_month_names(width, context="stand-alone", locale=source.babel).values())


def _weekdays(source: Source) -> Sequence[str]:
    width = source.rng.choice(("wide", "abbreviated"))
    return list(get_day_names(width, context="stand-alone", locale=source.babel).values())


def _symptoms(source: Source, count: int) -> Drawn:
    separator = source.rng.choice(("|", ";", ", ", ","))
    known = source.words(words.SYMPTOMS)
    texts = [separator.join(source.rng.sample(known, source.rng.randint(1, 4))) for _ in range(count)]
    return Drawn(texts, kind="set")


def _clock(source: Source) -> str:
    return f"{source.rng.randint(6, 22):02}:{source.rng.randint(0, 59):02}"


def _from_pool(method: str, size: int) -> Callable[[Source, int], Drawn]:
    """Values of one of Faker's methods, of which a table has few."""
    return one_of(lambda source: source.pool(getattr(source.fake, method), size))


def _any_kind(make: Callable[[Source, int], Drawn]) -> Callable[[Source, int], Drawn]:
    return lambda source, count: Drawn(make(source, count).texts, kind="any")


NUMBERS = (
    Recipe("age", "harmless", _whole(0, 95)),
    Recipe("weight", "harmless", _decimals(42, 130, 1)),
    Recipe("height", "harmless", _whole(148, 204)),
    Recipe("income", "harmless", _incomes),
    Recipe("percent", "harmless", _percents, per_person=False),
    Recipe("count", "harmless", _whole(0, 12), per_person=False),
    Recipe("score", "harmless", _whole(0, 100), per_person=False),
    Recipe("lab value", "harmless", _decimals(0.05, 9.9, 3), per_person=False),
    Recipe("change", "harmless", _decimals(-9, 9, 1), per_person=False),
    Recipe("amount", "harmless", _decimals(1, 900, 2), per_person=False),
)

CATEGORIES = (
    Recipe("sex", "harmless", _any_kind(one_of(_sexes))),
    Recipe("boolean", "harmless", _any_kind(one_of(_booleans))),
    Recipe("blood group", "harmless", one_of_these(words.BLOOD)),
    Recipe("marital status", "harmless", one_of(lambda source: source.words(words.MARITAL))),
    Recipe("education", "harmless", one_of(lambda source: source.words(words.EDUCATION))),
    Recipe("age band", "harmless", one_of_these(words.AGE_BANDS)),
    Recipe("opinion", "harmless", one_of(lambda source: source.words(words.LIKERT)), per_person=False),
    Recipe("diagnosis", "harmless", one_of_these(words.ICD10), per_person=False),
    Recipe("ATC code", "harmless", one_of_these(words.ATC), per_person=False),
    Recipe(
        "department", "harmless", one_of(lambda source: source.words(words.DEPARTMENTS)), per_person=False
    ),
    Recipe("city", "harmless", one_of(_cities)),
    Recipe("region", "harmless", one_of(_regions)),
    Recipe("country", "harmless", _from_pool("country", 25)),
    Recipe("country code", "harmless", _from_pool("country_code", 20)),
    Recipe("postal code", "harmless", _any_kind(_from_pool("postcode", 120))),
    Recipe("job", "harmless", _from_pool("job", 40)),
    Recipe("product category", "harmless", one_of_these(words.PRODUCTS), per_person=False),
    Recipe("currency code", "harmless", one_of_these(words.CURRENCIES), per_person=False),
    Recipe("language code", "harmless", one_of_these(words.LANGUAGES)),
    Recipe("colour", "harmless", _from_pool("color_name", 15)),
    Recipe("month", "harmless", one_of(_months), per_person=False),
    Recipe("weekday", "harmless", one_of(_weekdays), per_person=False),
    Recipe("year", "harmless", _any_kind(_whole(1990, 2024)), per_person=False),
    Recipe("time of day", "harmless", _any_kind(each(_clock)), per_person=False),
    Recipe("grade", "harmless", one_of_these(words.GRADES)),
    Recipe("size", "harmless", one_of_these(words.SIZES)),
    Recipe("set of symptoms", "harmless", _symptoms, per_person=False),
)

EITHER = (
    Recipe("latitude", "either", each(lambda source: f"{source.rng.uniform(-60, 70):.5f}")),
    Recipe("longitude", "either", each(lambda source: f"{source.rng.uniform(-170, 170):.5f}")),
    Recipe("company", "either", _from_pool("company", 60)),
    Recipe("measurement", "either", _measurements, per_person=False),
)
