"""Codes of classifications, and at which of their characters a class ends.

Codes with letters have a form of their own. Of digits the lists of valid classes tell: a classification uses
a small part of all numbers, all over their range, which no measurement does.
"""

import re
from collections.abc import Sequence

from shoal.detect.observed import FITS

CodeSystem = tuple[str, tuple[int, ...]]  # its name, and the lengths at which beginnings of codes are classes

_FORMS = (
    ("ICD-10 codes", re.compile(r"[A-TV-Z]\d{2}(\.[0-9A-Z]{1,4})?[!*+†]?"), (3, 1)),
    ("ICD-10 codes without a point", re.compile(r"[A-TV-Z]\d{2}[0-9]{0,2}"), (3, 1)),
    ("ATC codes", re.compile(r"[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}"), (5, 4, 3, 1)),
)
_ICD_9 = re.compile(r"(?:\d{3}|V\d{2}|E\d{3})(?:\.\d{1,2})?")
_ICD_9_PLAIN = re.compile(r"\d{3,5}|V\d{2,4}|E\d{3,4}")
_NACE_FORM = re.compile(r"(?P<section>[A-U])?(?P<division>\d{2})\.(?P<group>\d)\d?")
_DIGITS_AND_POINTS = re.compile(r"[A-Z]?\d{1,6}(\.\d{1,3})?")
_FEWEST = 20  # different codes of digits alone
_FEWEST_BRANCHES = 6  # of them, by their first two digits: a measurement stays in one range
_FEWEST_FORMED = 5
_LETTERED = 0.02

# What columns with classifications are called; national names of one mean the same first digits.
_NAMED = {
    "ISCO": (r"isco|ciuo|citp|ssyk|styrk|disco", (3, 2, 1)),
    "NAICS": (r"naics|scian", (4, 3, 2)),
    "SIC": (r"sic", (3, 2, 1)),
    "NACE": (
        r"nace|wz|ateco|naf|ape|cnae|pkd|sni|sbi|teaor|caen|noga|onace|oenace|okved|оквэд",
        (2, 1),
    ),
    "ICD9": (r"icd_?9|icd_?9_?cm|icd9cm", (3,)),
    "ISCED": (r"isced", (2, 1)),
    "KldB": (r"kldb", (4, 3, 2, 1)),
}


def _groups(listed: str) -> frozenset[str]:
    """Classes of three digits, from two digits each with those that may follow: `01:12` for 011 and 012."""
    parts = (entry.split(":") for entry in listed.split())
    return frozenset(first + last for first, following in parts for last in following)


# Sections of NACE (revision 2) with their divisions, and of each division the groups.
_NACE_SECTIONS = {
    "A": "01:1234567 02:1234 03:12",
    "B": "05:12 06:12 07:12 08:19 09:19",
    "C": "10:123456789 11:0 12:0 13:1239 14:123 15:12 16:12 17:12 18:12 19:12 20:123456 21:12 22:12"
    " 23:12345679 24:12345 25:12345679 26:12345678 27:123459 28:12349 29:123 30:12349 31:0 32:123459 33:12",
    "D": "35:123",
    "E": "36:0 37:0 38:123 39:0",
    "F": "41:12 42:129 43:1239",
    "G": "45:1234 46:12345679 47:123456789",
    "H": "49:12345 50:1234 51:12 52:12 53:12",
    "I": "55:1239 56:123",
    "J": "58:12 59:12 60:12 61:1239 62:0 63:19",
    "K": "64:1239 65:123 66:123",
    "L": "68:123",
    "M": "69:12 70:12 71:12 72:12 73:12 74:1239 75:0",
    "N": "77:1234 78:123 79:19 80:123 81:123 82:1239",
    "O": "84:123",
    "P": "85:123456",
    "Q": "86:129 87:1239 88:19",
    "R": "90:0 91:0 92:0 93:12",
    "S": "94:129 95:12 96:0",
    "T": "97:0 98:12",
    "U": "99:0",
}
_NACE = {group: section for section, listed in _NACE_SECTIONS.items() for group in _groups(listed)}
# Minor groups of ISCO-08.
_ISCO = _groups(
    "01:1 02:1 03:1 11:12 12:12 13:1234 14:123 21:123456 22:123456 23:12345 24:123 25:12 26:12345"
    " 31:12345 32:12345 33:12345 34:123 35:12 41:123 42:12 43:12 44:1 51:123456 52:1234 53:12 54:1 61:123"
    " 62:12 63:1234 71:123 72:123 73:12 74:12 75:1234 81:12345678 82:1 83:12345 91:12 92:1 93:123 94:1"
    " 95:12 96:12"
)
# Subsectors of NAICS, of 2012 to 2022.
_NAICS = _groups(
    "11:12345 21:123 22:1 23:678 31:123456 32:1234567 33:12345679 42:345 44:123456789 45:123456789"
    " 48:12345678 49:123 51:123456789 52:12345 53:123 54:1 55:1 56:12 61:1 62:1234 71:123 72:12 81:1234"
    " 92:12345678"
)


def code_system(values: Sequence[str]) -> CodeSystem | None:
    """The system of codes with letters that all values follow."""
    texts = [value.upper() for value in values]
    if len(texts) < 3 or len({text[:1] for text in texts}) < 2:
        return None
    if len(texts) >= _FEWEST_FORMED and _nace_share(texts, lettered=True) >= FITS:
        return "NACE codes", (5, 3, 1)
    for name, form, lengths in _FORMS:
        if _share(texts, form) >= FITS:
            return name, lengths
    return None


def digit_system(values: Sequence[str]) -> CodeSystem | None:
    """The system of codes of digits that values are from beyond chance; None for what may be numbers."""
    texts = [value.upper() for value in values]
    if len(texts) < _FEWEST_FORMED:
        return None
    if _are_icd_9(texts):
        return "ICD-9 codes", (3,)
    branches = {text[:2] for text in texts}
    zeros = any(text.startswith("0") for text in texts)
    if len(branches) < _FEWEST_BRANCHES or len(texts) < (_FEWEST_FORMED if zeros else _FEWEST):
        return None
    if _nace_share(texts, lettered=False) >= FITS:
        return "NACE codes", (4, 2)
    return _listed_digits(texts) if len(texts) >= _FEWEST else None


def named_system(name: str, values: Sequence[str]) -> CodeSystem | None:
    """A classification that a column is named after, if its values are digits, maybe with points."""
    for system, (called, lengths) in _NAMED.items():
        if re.search(rf"(^|_)({called})(_|\d|$)", name) and _share(values, _DIGITS_AND_POINTS) >= 0.9:
            return f"codes of {system}", lengths
    return None


def _are_icd_9(texts: Sequence[str]) -> bool:
    """Codes beside V and E codes, or with zeros before them and points in some: numbers have neither."""
    lettered = sum(text[:1] in ("V", "E") for text in texts) / len(texts)
    if _LETTERED <= lettered < 0.5:
        return _share(texts, _ICD_9) >= FITS or _share(texts, _ICD_9_PLAIN) >= FITS
    zeros = sum(text.startswith("0") for text in texts) / len(texts)
    finer = {len(text.partition(".")[2]) for text in texts}
    return zeros >= _LETTERED and len(finer) > 1 and _share(texts, _ICD_9) >= FITS


def _nace_share(texts: Sequence[str], *, lettered: bool) -> float:
    """The share of texts in a group of NACE, under the letter of its section if they have letters."""
    fitting = 0
    for text in texts:
        if found := _NACE_FORM.fullmatch(text):
            section = _NACE.get(found["division"] + found["group"])
            fitting += section is not None and found["section"] == (section if lettered else None)
    return fitting / len(texts)


def _listed_digits(texts: Sequence[str]) -> CodeSystem | None:
    """Codes of four to six digits that begin with classes of a list, as one number of ten does by chance."""
    if not all(text.isdecimal() and text.isascii() and 4 <= len(text) <= 6 for text in texts):
        return None
    if all(len(text) == 4 for text in texts) and _begun(texts, _ISCO) >= FITS:
        return "ISCO codes", (3, 2, 1)
    return ("NAICS codes", (4, 3, 2)) if _begun(texts, _NAICS) >= FITS else None


def _begun(texts: Sequence[str], groups: frozenset[str]) -> float:
    return sum(text[:3] in groups for text in texts) / len(texts)


def _share(values: Sequence[str], form: re.Pattern[str]) -> float:
    return sum(form.fullmatch(value) is not None for value in values) / max(len(values), 1)
