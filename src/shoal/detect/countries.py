"""Countries and their continents."""

import inspect
import json
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from shoal.detect.vocabulary import country_names, folded
from shoal.user_cache import kept

LANGUAGES = tuple(
    "en de fr es it pt nl sv da nb fi pl cs sk hu ro bg hr sl et lv lt el tr ru uk ca is ja zh ko ar".split()  # noqa: SIM905
)
# Codes of ISO 3166 by continent, as the statistics division of the United Nations groups them.
_CONTINENTS = {
    "Africa": "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG"
    " ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
    "Americas": "AG AI AR AW BB BL BM BO BQ BR BS BZ CA CL CO CR CU CW DM DO EC FK GD GF GL GP GT GY HN HT"
    " JM KN KY LC MF MQ MS MX NI PA PE PM PR PY SR SV SX TC TT US UY VC VE VG VI",
    "Asia": "AE AF AM AZ BD BH BN BT CN CY GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN"
    " MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE",
    "Europe": "AD AL AT AX BA BE BG BY CH CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT"
    " LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK",
    "Oceania": "AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM VU WF WS",
}
_ALSO = {
    "usa": "US",
    "u.s.a.": "US",
    "uk": "GB",
    "england": "GB",
    "scotland": "GB",
    "holland": "NL",
    "czech republic": "CZ",
}


def is_country(text: str) -> bool:
    """Whether a text is a country's name in one of many languages, or its code of three letters or two."""
    return _plain(text) in _continents() or folded(text) in country_names()


def continent_of(country: str) -> str | None:
    """The continent of a country, written as a code of ISO 3166 or as a name in one of many languages."""
    return _continents().get(_plain(country))


@cache
def _continents() -> dict[str, str]:
    known: dict[str, str] = json.loads(kept_names("continents", _continents_by_name))
    return known


def _continents_by_name() -> dict[str, str]:
    from babel import Locale
    from babel.core import get_global

    of_code = {code: name for name, codes in _CONTINENTS.items() for code in codes.split()}
    known = {_plain(code): continent for code, continent in of_code.items()}
    for long, codes in get_global("territory_aliases").items():
        if len(long) == 3 and len(codes) == 1 and codes[0] in of_code:
            known[_plain(long)] = of_code[codes[0]]
    for language in LANGUAGES:
        for code, name in Locale(language).territories.items():
            if code in of_code:
                known.setdefault(_plain(name), of_code[code])
    return known | {name: of_code[code] for name, code in _ALSO.items()}


def kept_names(name: str, make: Callable[[], object]) -> bytes:
    """What is made from names in all languages, as JSON: loading these takes a third of a second."""
    made_from = version("babel") + Path(inspect.getfile(make)).read_text(encoding="utf-8")
    return kept("words", name, made_from, lambda: json.dumps(make()).encode())


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
