"""The names of months and weekdays in the languages of Europe, whatever their case and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

# fmt: off
LANGUAGES = (
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "sk", "hu", "ro", "bg",
    "hr", "sl", "et", "lv", "lt", "el", "tr", "ru", "uk", "ca", "is",
)
# fmt: on
_WITH_MORE_NAMES = {"en": "en_GB", "de": "de_AT"}  # such as Sept and Jänner
_BEFORE_NAME = re.compile(r"^(?:de |d['\u2019])")  # in Catalan a part of the name


def folded(name: str) -> str:
    """A name without case, accents and a trailing point."""
    plain = unicodedata.normalize("NFKD", name.casefold().replace("ı", "i"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).rstrip(".")


def month_names(languages: Collection[str] | None = None) -> Mapping[str, int]:
    """The month that each folded name means; names on which the languages do not agree are left out."""
    meanings: dict[str, set[int]] = {}
    for language in LANGUAGES if languages is None else languages:
        for name, month in _months_of(language).items():
            meanings.setdefault(name, set()).add(month)
    return {name: months.pop() for name, months in meanings.items() if len(months) == 1}


def months_meant(names: Iterable[str]) -> Mapping[str, int]:
    """The month of each folded name of one column, as far as it is certain.

    Of the languages only those count that know all the names, if there are any: `listopad` is October in
    Croatian and November in Czech and Polish, but beside `kolovoz` it can only be Croatian.
    """
    distinct = set(names)
    known = {name for name in distinct if any(name in _months_of(language) for language in LANGUAGES)}
    fitting = [language for language in LANGUAGES if known <= _months_of(language).keys()]
    meant = month_names(fitting or LANGUAGES)
    return {name: meant[name] for name in known if name in meant}


@cache
def weekday_names() -> frozenset[str]:
    """All folded names of weekdays."""
    return frozenset(
        folded(name) for language in LANGUAGES for number, name in _names_in(language, "days") if number >= 0
    )


@cache
def _months_of(language: str) -> Mapping[str, int]:
    meanings: dict[str, set[int]] = {}
    for month, name in _names_in(language, "months"):
        meanings.setdefault(folded(_BEFORE_NAME.sub("", name)), set()).add(month)
    return {name: months.pop() for name, months in meanings.items() if len(months) == 1}


def _names_in(language: str, what: str) -> Iterator[tuple[int, str]]:
    from babel import Locale

    for locale in {language, _WITH_MORE_NAMES.get(language, language)}:
        widths = getattr(Locale.parse(locale), what)
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in widths[context][width].items():
                    if not any(letter.isdigit() for letter in name):
                        yield number, name
