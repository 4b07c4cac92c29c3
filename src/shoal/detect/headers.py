"""What the name of a column says, in the languages of Europe and a few others."""

import re
import tomllib
from enum import StrEnum
from functools import cache
from importlib.resources import files

from shoal.detect.vocabulary import folded


class Says(StrEnum):
    """What a column is called after."""

    PERSON = "a person's name"
    EMAIL = "an e-mail address"
    PHONE = "a telephone number"
    ADDRESS = "an address"
    NUMBER = "a number of a person or a document"
    ONLINE = "a name or an address in a network"
    TEXT = "free text"
    BIRTH = "a date of birth"
    DATE = "a date"
    POSTAL = "a postal code"
    PLACE = "a place"
    JOB = "an occupation"
    THING = "a thing or a kind of it"
    LATITUDE = "a latitude"
    LONGITUDE = "a longitude"
    AGE = "an age"
    SENSITIVE = "something that nobody should learn about a person"


_IDENTIFYING = re.compile(
    r"(^|_)(id|ids|nr|no|num|nummer|number|numero|numer|cislo|szam|numar|broj|numarasi|номер|αριθμος|番号|编号|번호|"
    r"key|hash|token|identifier|identifikator|identifiant|identificador|identificativo|kennung|identyfikator|"
    r"azonosito|tunnus|tunniste|pid|uid|sid|rowid|index|pk)(_|$)"
)
_OF_A_KIND = re.compile(
    r"(^|_)(type|typ|types|kind|class|group|segment|model|brand|status|category|level|count|anzahl|total|flag|year|of)(_|$)"
)
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def says(name: str) -> frozenset[Says]:
    """What the name of a column says, all of it."""
    joined = spelled(name)
    parts = set(joined.split("_"))
    found = {what for what, words in _words().items() for word in words if _stands_in(word, joined, parts)}
    if _IDENTIFYING.search(joined) and not _OF_A_KIND.search(joined):
        found.add(Says.NUMBER)
    if _OF_A_KIND.search(joined):
        found -= {Says.PERSON, Says.NUMBER, Says.ADDRESS, Says.PHONE, Says.ONLINE, Says.EMAIL, Says.TEXT}
        found.add(Says.THING)
    return frozenset(found)


@cache
def _words() -> dict[Says, list[str]]:
    text = (files("shoal.detect") / "column_words.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text)
    return {what: [folded(word) for word in listed[what.name.lower()].split()] for what in Says}


def spelled(name: str) -> str:
    """A column's name in lower case, without accents, its words joined by `_`."""
    return re.sub(r"[\W_]+", "_", folded(_BOUNDARY.sub("_", name))).strip("_")


def _stands_in(word: str, joined: str, parts: set[str]) -> bool:
    if word.startswith("="):
        return joined == word[1:]
    if word.startswith("*"):
        return any(part.endswith(word[1:]) for part in parts)
    if word.endswith("*"):
        stem = word[:-1]
        return any(part.startswith(stem) for part in parts) or joined.startswith(stem)
    if "_" in word:
        return f"_{word}_" in f"_{joined}_"
    if not word.isascii():
        return word in joined
    return word in parts or joined == word
