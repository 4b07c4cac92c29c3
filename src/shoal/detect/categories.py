"""Categories that have an order or a list of their own."""

import json
import re
from collections.abc import Sequence
from functools import cache

from shoal.detect.countries import LANGUAGES, is_country, kept_names
from shoal.detect.vocabulary import folded

# From little to much; a column is on a scale if all its values are steps of it.
_SCALES = (
    "xxs|xs|s|m|l|xl|xxl|xxxl",
    "a+|a|a-|b+|b|b-|c+|c|c-|d+|d|d-|e|f",
    "i|ii|iii|iv|v|vi|vii|viii|ix|x",
    "very low|low|medium|moderate|high|very high",
    "niedrig|mittel|hoch",
    "faible|moyen|eleve",
    "bajo|medio|alto",
    "basso|medio|alto",
    "laag|midden|hoog",
    "very poor|poor|fair|good|very good|excellent",
    "sehr schlecht|schlecht|mittel|gut|sehr gut",
    "strongly disagree|disagree|neutral|neither agree nor disagree|agree|strongly agree",
    "stimme gar nicht zu|stimme nicht zu|teils teils|stimme zu|stimme voll zu",
    "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
    "never|rarely|seldom|sometimes|often|usually|always",
    "nie|selten|manchmal|oft|haufig|immer",
    "jamais|rarement|parfois|souvent|toujours",
    "nunca|raramente|rara vez|a veces|a menudo|siempre",
    "none|primary|elementary|middle|secondary|high school|some college|vocational|college|bachelor|bachelors|"
    "graduate|master|masters|doctorate|phd",
    "preschool|1st-4th|5th-6th|7th-8th|9th|10th|11th|12th|hs-grad|some-college|assoc-voc|assoc-acdm|bachelors|"
    "masters|prof-school|doctorate",
    "kein abschluss|hauptschule|realschule|mittlere reife|abitur|ausbildung|bachelor|master|diplom|promotion|"
    "doktor",
    "none|mild|moderate|severe|critical|fatal",
    "minor|moderate|major|extreme",
    "child|teen|teenager|young adult|adult|senior|elderly",
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "mon|tue|wed|thu|fri|sat|sun",
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag",
    "january|february|march|april|may|june|july|august|september|october|november|december",
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
    "januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember",
    "winter|spring|summer|autumn|fall",
)
_BAND = re.compile(
    r"(?:(?P<below><=?|under|unter|bis|up to|moins de|menos de|meno di)\s*(?P<most>\d+(?:[.,]\d+)?)"
    r"|(?:>=?|over|uber|ab|plus de|mas de|oltre)\s*(?P<least>\d+(?:[.,]\d+)?)"
    r"|(?P<low>\d+(?:[.,]\d+)?)\s*(?:-|–|to|bis|a|\.\.)\s*(?P<high>\d+(?:[.,]\d+)?)"
    r"|(?P<from>\d+(?:[.,]\d+)?)\s*"
    r"(?:\+|and over|and older|and above|und alter|u\.a\.|et plus|y mas|e oltre))"
    r"(?:\s*(?:years?|yrs?|jahre?|ans|anos|anni|jaar))?"
)
_MONTH = re.compile(r"(?:1[89]|20)\d{2}[-/.](?:0[1-9]|1[0-2])")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?")
MOST_ORDERED = 60
_MONTHS = 12
_FEWEST_COUNTRIES = 0.6  # every list has names of its own


def order_of(values: Sequence[str]) -> tuple[str, ...] | None:
    """The values of an ordered scale or of bands such as `<18`, `18-24`, `65+`, in their order."""
    if not 3 <= len(values) <= MOST_ORDERED:
        return None
    return _order_on_scale(values) or _order_of_bands(values) or _order_in_the_calendar(values)


def are_times(values: Sequence[str]) -> bool:
    """Whether values are times of day."""
    return len(values) > 0 and _share(values, _TIME) >= 0.95


def are_months(values: Sequence[str]) -> bool:
    """Whether values are months of years, such as 1949-04."""
    return len(values) > 0 and _share(values, _MONTH) >= 0.95


def are_countries(values: Sequence[str]) -> bool:
    """Whether values are names of countries, in any of many languages."""
    return len(values) > 2 and sum(map(is_country, values)) / len(values) >= _FEWEST_COUNTRIES


def _share(values: Sequence[str], form: re.Pattern[str]) -> float:
    return sum(form.fullmatch(value) is not None for value in values) / max(len(values), 1)


def _order_on_scale(values: Sequence[str]) -> tuple[str, ...] | None:
    spelled = {re.sub(r"[\s_.]+", " ", folded(value)).strip(): value for value in values}
    for scale in _SCALES:
        steps = scale.split("|")
        if len(spelled) == len(values) and spelled.keys() <= set(steps):
            return tuple(spelled[step] for step in steps if step in spelled)
    return None


def _order_in_the_calendar(values: Sequence[str]) -> tuple[str, ...] | None:
    """Months or days of the week, long or short, in one of many languages."""
    if len(values) > _MONTHS:
        return None
    spelled = {folded(value).rstrip("."): value for value in values}
    for names in _calendars():
        if len(spelled) == len(values) and spelled.keys() <= names.keys():
            return tuple(sorted(values, key=lambda value: names[folded(value).rstrip(".")]))
    return None


@cache
def _calendars() -> list[dict[str, int]]:
    """Where each name of a month stands in the year, and each day in the week, language by language."""
    calendars: list[dict[str, int]] = json.loads(kept_names("calendars", _calendars_by_language))
    return calendars


def _calendars_by_language() -> list[dict[str, int]]:
    from babel import Locale

    calendars = []
    for language in LANGUAGES:
        locale = Locale(language)
        for names in (locale.months, locale.days):
            calendars += [
                {folded(name).rstrip("."): index for index, name in names[use][width].items()}
                for use in ("format", "stand-alone")
                for width in ("wide", "abbreviated")
            ]
    return calendars


def _order_of_bands(values: Sequence[str]) -> tuple[str, ...] | None:
    begins: list[tuple[float, float, str]] = []
    for value in values:
        found = _BAND.fullmatch(folded(value).strip())
        if found is None:
            return None
        bound = {
            name: float(text.replace(",", "."))
            for name, text in found.groupdict().items()
            if text and name != "below"
        }
        if "most" in bound:
            begins.append((float("-inf"), bound["most"], value))
        elif "low" in bound:
            if bound["low"] >= bound["high"]:
                return None  # a month such as 1949-04
            begins.append((bound["low"], bound["high"], value))
        else:
            begins.append((bound.get("least", bound.get("from", 0.0)), float("inf"), value))
    return tuple(value for *_, value in sorted(begins))
