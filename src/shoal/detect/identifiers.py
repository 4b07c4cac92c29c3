"""Values that name, reach or number a person, by what they are and not by being unique."""

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

from stdnum import iban, luhn

_EMAIL = re.compile(r"[^\s@,;:<>()\[\]\"]{1,64}@[^\s@,;:<>()\[\]\"]+\.[^\W\d_]{2,}")
_URL = re.compile(r"(?:https?://|www\.)\S+|[a-z0-9\-]+(?:\.[a-z0-9\-]+)+/\S+", re.I)
_MAC = re.compile(r"[0-9a-f]{2}([:\-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}", re.I)
_UUID = re.compile(r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?", re.I)
_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{10,}", re.I)
_PAIR = re.compile(r"[(\[]?\s*[+-]?\d{1,3}[.,]\d{3,}\s*[,; /]\s*[+-]?\d{1,3}[.,]\d{3,}\s*[)\]]?")
_HANDLE = re.compile(r"@[\w.]{2,}")
_PHONE = re.compile(r"(?=(?:\D*\d){7})[+(]?\+?[\d(][\d\s().\-/]{5,}\d(?:\s?(?:x|ext\.?|доп\.?)\s?\d+)?", re.I)
_CARD = re.compile(r"\d{4}([ -]?)\d{4}\1\d{4}\1\d{1,7}|3\d{3}[ -]?\d{6}[ -]?\d{4,5}|\d{11,19}")
_FEWEST_DIGITS = 7
_TRIED = 60
_FIT_CHECKS = 0.7

# Numbers with check digits that belong to a person or an account, as modules of python-stdnum.
_SCHEMES = (
    "al.nipt ar.cuit at.vnr at.uid at.tin au.tfn au.abn be.nn be.vat bg.egn bg.pnf bg.vat br.cpf"
    " br.cnpj ca.sin ch.ssn ch.vat cl.rut cn.ric co.nit cu.ni cy.vat cz.rc cz.dic de.idnr de.stnr de.vat"
    " dk.cpr dk.cvr do.cedula ec.ci ee.ik ee.kmkr es.dni es.nie es.nif es.cif fi.hetu fi.alv fr.nir"
    " fr.nif fr.siren fr.siret fr.tva gb.nhs gb.utr gb.vat gr.amka gr.vat hr.oib hu.anum id.npwp ie.pps"
    " ie.vat il.idnr in_.aadhaar in_.pan is_.kennitala it.codicefiscale it.iva jp.cn jp.in_ kr.rrn"
    " lt.asmens lt.pvm lu.tva mc.tva mk.edb mt.vat mx.curp mx.rfc my.nric nl.bsn nl.btw no.fodselsnummer"
    " no.mva no.orgnr nz.ird pl.pesel pl.nip pl.regon pt.cc pt.nif ro.cnp ro.cf rs.pib ru.inn"
    " se.personnummer se.vat si.emso si.ddv sk.rc sk.dph tr.tckimlik tr.vkn tw.ubn ua.rntrc us.ssn"
    " us.itin za.idnr isbn eu.vat lei isin"
)
_HARDLY_CHECKED = frozenset({"us.ssn", "us.itin", "de.stnr", "dk.cpr", "my.nric"})  # told by their form alone


def is_email(text: str) -> bool:
    """An e-mail address."""
    return _EMAIL.fullmatch(text) is not None


def is_network_address(text: str) -> bool:
    """An address of a machine in a network."""
    if _MAC.fullmatch(text):
        return True
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_phone(text: str) -> bool:
    """Digits as telephone numbers are written, with a sign that they are no count."""
    if not _PHONE.fullmatch(text) or not 7 <= sum(map(str.isdigit, text)) <= 20:
        return False
    return bool(re.search(r"[+()\-/ x]|^0|\..*\.", text))


def is_iban(text: str) -> bool:
    """An account number with fitting check digits."""
    return text[:2].isalpha() and bool(iban.is_valid(text))


def is_card(text: str) -> bool:
    """A number of a payment card with a fitting check digit."""
    if not _CARD.fullmatch(text):
        return False
    digits = re.sub(r"\D", "", text)
    return 12 <= len(digits) <= 19 and digits[0] in "23456" and bool(luhn.is_valid(digits))


@dataclass(frozen=True, slots=True)
class Recognized:
    """A kind of identifier, and how it is told by one value; `surely` if even a few values tell."""

    what: str
    fits: Callable[[str], bool]
    surely: bool = True


def _matching(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


RECOGNIZED = (
    Recognized("e-mail addresses", is_email),
    Recognized("network addresses", is_network_address),
    Recognized("UUIDs", _matching(_UUID)),
    Recognized("web addresses", _matching(_URL)),
    Recognized("account numbers (IBAN)", is_iban),
    Recognized("pairs of coordinates", _matching(_PAIR)),
    Recognized("names in social media", _matching(_HANDLE)),
    Recognized("numbers of payment cards", is_card, surely=False),
    Recognized("hexadecimal device numbers", _matching(_HEX), surely=False),
    Recognized("telephone numbers", is_phone, surely=False),
)


def checked_number(values: Sequence[str]) -> tuple[str, float] | None:
    """The numbering scheme whose check digits most values fit, and the share that fits."""
    some = values[:: max(len(values) // _TRIED, 1)][:_TRIED]
    candidates = [value for value in some if sum(map(str.isdigit, value)) >= _FEWEST_DIGITS]
    if len(candidates) < max(0.7 * len(some), 5):
        return None
    separated = any(not value.isalnum() for value in candidates)
    best: tuple[str, float] | None = None
    for name in _SCHEMES.split():
        if name in _HARDLY_CHECKED and not separated:
            continue
        share = sum(map(scheme(name).is_valid, candidates)) / len(candidates)
        if share >= _FIT_CHECKS and (best is None or share > best[1]):
            best = (_title(scheme(name), name), share)
    return best


@cache
def scheme(name: str) -> ModuleType:
    """How python-stdnum checks the numbers of a scheme, such as `us.ssn`."""
    return import_module(f"stdnum.{name}")


def _title(module: ModuleType, name: str) -> str:
    first = (module.__doc__ or name).strip().splitlines()[0]
    return first.rstrip(".")
