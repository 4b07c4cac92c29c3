"""Postal codes: of which country, and at which of its characters a region ends."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from shoal.detect.observed import FITS, masked
from shoal.detect.vocabulary import folded

Cuts = tuple[int | str, ...]  # as the recipe `prefixes` takes them


@dataclass(frozen=True, slots=True)
class PostalSystem:
    """How the codes of a country look, and where a beginning of one is a region, from small to large.

    `telling` is a form that other codes and numbers do not have, `plain` also one that others have: it counts
    where the column is `called` as in that country, or some codes have the telling form. `lands` are codes of
    the country that stand before its postal codes.
    """

    country: str
    cuts: Cuts
    plain: str
    telling: str | None = None
    called: str = ""
    lands: str = ""


@dataclass(frozen=True, slots=True)
class PostalCodes:
    """The country of a column of postal codes, None if nothing tells it, and why."""

    country: str | None
    cuts: Cuts | None
    why: str


_SYSTEMS = (
    PostalSystem(
        "the United Kingdom",
        (-2, -3, "letters"),  # sector, outward code, area: the inward code always has three characters
        r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}",
        telling=r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}",
        called="postcode post_code postal_code zip",
        lands="GB UK",
    ),
    PostalSystem("Canada", (3, 1), r"[A-Z]\d[A-Z][ -]?\d[A-Z]\d", telling=r"[A-Z]\d[A-Z] ?\d[A-Z]\d"),
    PostalSystem(
        "Ireland",
        (3, 1),
        r"[A-Z]\d[\dW] ?[A-Z\d]{4}",
        telling=r"[A-Z]\d[\dW] [A-Z\d]{4}",
        called="eircode postcode",
    ),
    PostalSystem("the Netherlands", (4, 2, 1), r"\d{4} ?[A-Z]{2}", telling=r"\d{4} ?[A-Z]{2}", lands="NL"),
    PostalSystem("the United States", (3, 1), r"\d{5}", called="zip zipcode zip_code zip5 zip_5"),
    PostalSystem(
        "the United States",
        (5, 3, 1),
        r"\d{5}(?:-?\d{4})?",
        telling=r"\d{5}-\d{4}",
        called="zip zipcode zip_code zip4 zip_4",
    ),
    PostalSystem(
        "Brazil",
        (5, 3, 2, 1),
        r"\d{5}-?\d{3}",
        telling=r"\d{5}-\d{3}",
        called="cep codigo_postal",
        lands="BR",
    ),
    PostalSystem("Portugal", (4, 2, 1), r"\d{4}(?:-?\d{3})?", telling=r"\d{4}-\d{3}", lands="P PT"),
    PostalSystem(
        "Japan", (3, 2, 1), r"〒?\d{3}-?\d{4}", telling=r"\d{3}-\d{4}|〒\d{3}-?\d{4}", called="郵便番号"
    ),
    PostalSystem(
        "Poland",
        (2, 1),
        r"\d{2}-?\d{3}",
        telling=r"\d{2}-\d{3}",
        called="kod_pocztowy kodpocztowy",
        lands="PL",
    ),
    PostalSystem("Sweden", (3, 2, 1), r"\d{3} ?\d{2}", called="postnummer postnr postnumret", lands="S SE"),
    PostalSystem(
        "Czechia or Slovakia", (3, 2, 1), r"\d{3} ?\d{2}", called="psc smerovaci_cislo", lands="CZ SK"
    ),
    PostalSystem("Greece", (3, 2, 1), r"\d{3} ?\d{2}", called="τκ ταχυδρομικος_κωδικας", lands="GR EL ΤΚ TK"),
    PostalSystem("Sweden, Czechia, Slovakia or Greece", (3, 2, 1), r"\d{3} ?\d{2}", telling=r"\d{3} \d{2}"),
    PostalSystem("Germany", (3, 2, 1), r"\d{5}", called="plz postleitzahl", lands="D DE"),
    PostalSystem("France", (3, 2), r"\d{5}", called="code_postal codepostal cp", lands="F FR"),
    PostalSystem("Italy", (3, 2, 1), r"\d{5}", called="cap", lands="I IT"),
    PostalSystem(
        "Spain or Mexico",
        (3, 2),
        r"\d{5}",
        called="codigo_postal codigopostal cod_postal codpostal",
        lands="E ES MX",
    ),
    PostalSystem("Finland", (3, 2, 1), r"\d{5}", called="postinumero", lands="FI FIN"),
    PostalSystem("Croatia or Serbia", (3, 2, 1), r"\d{5}", called="postanski_broj", lands="HR RS"),
    PostalSystem("Turkey", (3, 2), r"\d{5}", called="posta_kodu", lands="TR"),
    PostalSystem("Ukraine", (3, 2), r"\d{5}", called="поштовий_індекс індекс", lands="UA"),
    PostalSystem("South Korea", (3, 2), r"\d{5}", called="우편번호"),
    PostalSystem("Lithuania or Estonia", (3, 2, 1), r"\d{5}", lands="LT EE"),
    PostalSystem("India", (3, 2, 1), r"\d{3} ?\d{3}", called="pincode", lands="IN"),
    PostalSystem("China", (4, 3, 2), r"\d{6}", called="邮编 邮政编码", lands="CN"),
    PostalSystem("Russia", (3, 1), r"\d{6}", called="индекс почтовый_индекс", lands="RU"),
    PostalSystem("Romania", (3, 2, 1), r"\d{6}", called="cod_postal codpostal", lands="RO"),
    PostalSystem(
        "Austria or Switzerland", (2, 1), r"\d{4}", called="plz postleitzahl npa", lands="A AT CH FL"
    ),
    PostalSystem("Denmark or Norway", (2, 1), r"\d{4}", called="postnummer postnr", lands="DK NO N"),
    PostalSystem("Hungary", (2, 1), r"\d{4}", called="iranyitoszam irsz", lands="H HU"),
    PostalSystem(
        "Belgium, Luxembourg or another country with four digits",
        (2, 1),
        r"\d{4}",
        called="code_postal codepostal cp postcode zip postal_code codigo_postal cod_postal пощенски_код",
        lands="B BE L LU LV SI BG MD AZ AU NZ",
    ),
)
_LAND = re.compile(r"(?:[A-Z]{1,3}|ΤΚ)[ -](?=[A-Z]{0,2}\d)|(?:LV|LT|ΤΚ)(?=\d)")
_LANDS = frozenset(" ".join(each.lands for each in _SYSTEMS).split())
_LETTERS_OF_OTHERS = frozenset("EHINPS")  # also before numbers of patients: the name of the column must help
_ANY_TELLING = re.compile("|".join(f"(?:{each.telling})" for each in _SYSTEMS if each.telling) + r"|\d{5}")
_SOME = 0.05  # share of codes in a telling form, or after a country, that tells where they are from
_MANY = 0.3  # share that tells that they are postal codes


def are_postal_codes(values: Sequence[str]) -> bool:
    """Whether values have the form of postal codes that no other code has."""
    if not values:
        return False
    land, codes = _parted(values, _LANDS - _LETTERS_OF_OTHERS)
    return _share(codes, _ANY_TELLING) >= FITS or any(
        _fits(codes, each) and (_is_of_land(each, land) or _telling_share(codes, each) >= _MANY)
        for each in _SYSTEMS
    )


def postal_codes(values: Sequence[str], name: str) -> PostalCodes:
    """The country of the postal codes in a column, whose name is spelled in lower case and with `_`."""
    land, codes = _parted(values, _LANDS)
    fitting = [each for each in _SYSTEMS if _fits(codes, each)]
    named = next((each for each in fitting if _is_of_land(each, land) or _is_called(each, name)), None)
    formed = next((each for each in fitting if _telling_share(codes, each) >= _SOME), None)
    system = named or formed
    if system is None:
        return PostalCodes(None, None, _why_untold(codes))
    why = _why(system, land, name, masked(codes[0]))
    if any(land and not value.upper().startswith(land) for value in values):
        return PostalCodes(system.country, None, f"{why}; masked, since only some have {land.strip(' -')!r}")
    cuts = tuple(cut + len(land) if isinstance(cut, int) and cut > 0 else cut for cut in system.cuts)
    return PostalCodes(system.country, cuts, why)


def _parted(values: Sequence[str], lands: frozenset[str]) -> tuple[str, list[str]]:
    """The code of the one country that stands before codes, all or some, and the codes without it."""
    texts = [value.upper() for value in values]
    found = Counter(match[0] if (match := _LAND.match(text)) else "" for text in texts)
    land = max(found, key=lambda each: (each != "", found[each]))
    enough = found[land] >= _SOME * len(texts) and found[land] + found[""] >= FITS * len(texts)
    if land.rstrip(" -") not in lands or not enough:
        return "", texts
    return land, [text.removeprefix(land) for text in texts]


def _fits(codes: Sequence[str], system: PostalSystem) -> bool:
    return _share(codes, _compiled(system.plain)) >= FITS


def _telling_share(codes: Sequence[str], system: PostalSystem) -> float:
    return _share(codes, _compiled(system.telling)) if system.telling else 0.0


def _is_of_land(system: PostalSystem, land: str) -> bool:
    return land.rstrip(" -") in system.lands.split()


def _is_called(system: PostalSystem, name: str) -> bool:
    words = _called(system)
    return any(f"_{word}_" in f"_{name}_" or (not word.isascii() and word in name) for word in words)


@cache
def _called(system: PostalSystem) -> tuple[str, ...]:
    return tuple(folded(word) for word in system.called.split())


def _why(system: PostalSystem, land: str, name: str, shape: str) -> str:
    if _is_of_land(system, land):
        how = f"{land.rstrip(' -')!r} stands before them"
    elif _is_called(system, name):
        how = "by their form and the name of the column"
    else:
        how = f"by their form, such as {shape}"
    return f"taken for postal codes of {system.country}, {how}"


def _why_untold(codes: Sequence[str]) -> str:
    lengths = sorted({len(code) for code in codes if code.isdecimal()})
    if all(map(str.isdecimal, codes)) and len(lengths) > 1:
        return (
            f"postal codes of {' and '.join(map(str, lengths))} digits: zeros may be lost at the beginning of"
            " some; they are masked digit by digit"
        )
    return (
        "nothing tells the country of these postal codes; they are masked character by character: say"
        " prefixes with the lengths at which regions end"
    )


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form)


def _share(values: Sequence[str], form: re.Pattern[str]) -> float:
    return sum(form.fullmatch(value) is not None for value in values) / max(len(values), 1)
