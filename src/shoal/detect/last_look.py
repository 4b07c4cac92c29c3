"""What reaches or numbers a person for sure, anywhere in a published text: the last look at a release.

A release is full of numbers: ranges, dates, codes, masked values. Only what is written as none of these is
written counts, or what check digits tell, so that no label stops a release by chance.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from stdnum import iban

from shoal.detect.identifiers import is_card, scheme

_EMAIL = r"[^\s@,;:<>()\[\]\"]{1,64}@[^\s@,;:<>()\[\]\"]+\.[^\W\d_]{2,}"
_IBAN = r"[A-Za-z]{2}\d{2} ?[0-9A-Za-z]{4} ?[0-9A-Za-z]{4} ?[0-9A-Za-z]{3}"
_CARD = r"\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}|3\d{3}[ -]\d{6}[ -]\d{4,5}|\d{15,19}"  # fewer may be any number
_ZEROS_FIRST = r"00[1-9]\d{7,13}"
_ABROAD = r"\+ ?\(?\d[0-9 ()./\-]{6}|00 ?[1-9][0-9 ()./\-]{6}"

# Numbers of people that their form tells from other codes, and of which check digits tell the rest.
_FORMED = (
    ("us.ssn", r"\d{3}-\d{2}-\d{4}"),
    ("be.nn", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}"),
    ("br.cnpj", r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}"),
    ("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}"),
    ("ch.ssn", r"756\.\d{4}\.\d{4}\.\d{2}"),
    ("cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[0-9Kk]"),
    ("cn.ric", r"\d{17}[0-9X]"),
    ("cz.rc", r"\d{6}/\d{3,4}"),
    ("es.dni", r"\d{8}-?[A-Z]"),
    ("es.nie", r"[XYZ]-?\d{7}-?[A-Z]"),
    ("fi.hetu", r"\d{6}[-+A]\d{3}[0-9A-Z]"),
    ("fr.nir", r"[12] \d{2} \d{2} \d{2} \d{3} \d{3} \d{2}"),
    ("gb.nhs", r"\d{3} \d{3} \d{4}"),
    ("it.codicefiscale", r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"),
    ("kr.rrn", r"\d{6}-\d{7}"),
    ("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d"),
    ("se.personnummer", r"(?:\d{2})?\d{6}[-+]\d{4}"),
    ("eu.vat", r"(?:AT|BE|DE|DK|ES|FI|FR|IT|NL|PL|SE) ?[0-9A-Z]{8,12}"),
)
# Telephone numbers without the code of a country, where nothing else is written in this way. Ranges of
# numbers or codes have two parts of one length, or none with a zero before it; postal codes have short ones.
_AT_HOME = (
    r"\((?:0\d{1,4}|\d{2,3})\)[ /\-]{0,3}\d{2,5}(?:[ ./\-]?\d{2,5}){1,3}",  # (555) 123-4567
    r"(?:\+?1[-. ])?[02-9]\d{2}[-. ]\d{3}[-. ]\d{4}",  # 555-123-4567
    r"0[1-9]\d{0,3}(?: ?/ ?| - | )\d{2,8}(?:[ \-]\d{2,5}){0,4}",  # 030 1234567
    r"0[1-9]\d{1,3}-\d{6,8}",  # 0171-1234567
    r"0[1-9](?:\.\d{2}){4}",  # 01.23.45.67.89
    r"0\d{1,3}-\d{1,4}-\d{4}|1[3-9]\d-\d{4}-\d{4}",  # 03-1234-5678
    r"3\d{2}[ /]\d{6,7}",  # 333 1234567
    r"[6789]\d{2} \d{2} \d{2} \d{2}",  # 612 34 56 78
    r"[78][- ]\(?\d{3}\)?[- ]\d{3}[- ]\d{2}[- ]\d{2}",  # 8-800-555-35-35
)
_NAMED = (
    r"(?i:tel|telefon|telephone|telefono|telefone|telefoon|phone|fon|fax|mobil|mobile|handy|gsm|cell|тел|телефон)"
    r"[.:]{0,2} ?[0-9(][0-9 ()/.\-]{4,}\d"
)
_DATE_OR_TIME = re.compile(
    r"(?<!\d)(?<!\d[-./])(?:\d{1,2}([-./])\d{1,2}\1(?:19|20)?\d{2}(?!\d|[-./]\d\d[-./])"
    r"|\d{1,2} \d{1,2} (?:19|20)\d{2}|(?:19|20)\d{2}([-./])\d{1,2}\2\d{1,2}"
    r"|(?:19|20)\d{2} ?[-–/] ?(?:19|20)\d{2}|\d{1,2}:\d{2}(?::\d{2})?)(?!\d)"
)
# As people write for +, with the code of a country parted from what follows.
_ZEROS = re.compile(r"(?<![\w+])(?<!\d[.,])00(?= ?(?:[17]|[2-9]\d{1,4})[ ()./\-])")
# Two codes of one length, as a range of them is labelled: 00495-72520.
_RANGE_OF_CODES = re.compile(r"(?<![\w+.,/-])(?:\d{4}-\d{4}|\d{5}-\d{5}|\d{6}-\d{6})(?![\w./-])")
_FEWEST_DIGITS, _MOST_DIGITS = 9, 15
_CHANCE = 0.5  # share of long digits with fitting check digits that is no chance


@dataclass(frozen=True, slots=True)
class _Kind:
    """What may stand in a text: `forms` sieve texts anywhere, `stands_in` decides about one that is left."""

    what: str
    forms: tuple[str, ...]
    stands_in: Callable[[str], bool]


def personal_values(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Texts in which something reaches or numbers a person for sure, with what it is."""
    listed = list(texts)
    found = {text: what for text in listed if (what := _sure(text)) is not None}
    found |= {text: "a number of a payment card" for text in _no_chance(listed, _CARD, is_card)}
    found |= {text: "a telephone number" for text in _no_chance(listed, _ZEROS_FIRST, _is_phone_abroad)}
    return list(found.items())


def _sure(text: str) -> str | None:
    return next((kind.what for kind in _KINDS if kind.stands_in(text)), None)


def _no_chance(texts: Sequence[str], form: str, fits: Callable[[str], bool]) -> list[str]:
    """Texts with digits that fit a check, if most digits of that form do; numbers of things fit by chance."""
    held = {text: digits for text in texts if (digits := list(_pieces(form, text)))}
    fitting = [text for text, digits in held.items() if any(map(fits, digits))]
    return fitting if len(fitting) >= _CHANCE * len(held) else []


def _has_email(text: str) -> bool:
    return re.search(_EMAIL, text) is not None


def _has_iban(text: str) -> bool:
    """Account numbers, also where more words follow."""
    for begin in re.finditer(r"(?<![^\W_])[A-Za-z]{2}\d{2}(?= ?[0-9A-Za-z]{4})", text):
        words = text[begin.start() :][:60].split(" ")
        if any(iban.is_valid(re.sub(r"\W+$", "", "".join(words[:count]))) for count in range(1, 11)):
            return True
    return False


def _has_formed_number(text: str) -> bool:
    return any(scheme(name).is_valid(piece) for name, form in _FORMED for piece in _pieces(form, text))


def _has_phone(text: str) -> bool:
    """Telephone numbers with the code of a country or a word before them, or written as others are not."""
    if _has_phone_abroad(text):
        return True
    undated = _DATE_OR_TIME.sub("~", text)
    if any(len(_digits(piece)) >= 6 for piece in _pieces(_NAMED, undated)):
        return True
    return any(_is_at_home(piece) for form in _AT_HOME for piece in _pieces(form, undated))


def _has_phone_abroad(text: str) -> bool:
    if _ABROAD_FORM.search(text) is None:
        return False
    plus = _ZEROS.sub("+", _RANGE_OF_CODES.sub("~", text))
    from phonenumbers import PhoneNumberMatcher  # takes a while to load, and few texts need it

    return any(True for _ in PhoneNumberMatcher(plus, None))


def _is_phone_abroad(digits: str) -> bool:
    return _has_phone_abroad(f"+{digits.removeprefix('00')}")


def _is_at_home(piece: str) -> bool:
    groups = re.findall(r"\d+", piece)
    count = sum(map(len, groups))
    alike = len({len(group) for group in groups}) == 1  # a range or a list, but for pairs of digits
    return _FEWEST_DIGITS <= count <= _MOST_DIGITS and (not alike or (len(groups[0]), len(groups)) == (2, 5))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _pieces(form: str, text: str) -> Iterator[str]:
    """Where a form stands in a text, not within a longer number or word."""
    return (match[0] for match in _apart(form).finditer(text))


@cache
def _apart(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?<!\d[-.,/+ ])(?:{_ascii(form)})(?![^\W_])(?![-./ ]\d)")


def _ascii(form: str) -> str:
    """Arrow and Java know these digits only."""
    return form.replace(r"\d", "[0-9]")


_ABROAD_FORM = re.compile(_ascii(_ABROAD))
_KINDS = (
    _Kind("an e-mail address", ("@",), _has_email),
    _Kind("an account number (IBAN)", (_IBAN,), _has_iban),
    _Kind(
        "a number of a person or a firm with fitting check digits",
        tuple(form for _, form in _FORMED),
        _has_formed_number,
    ),
    _Kind("a telephone number", (_ABROAD, *_AT_HOME, _NAMED), _has_phone),
)
# Whatever `personal_values` finds, this finds, in the regular expressions of Arrow, Python and Java alike.
PERSONAL_FORM = "|".join(
    f"(?:{_ascii(form)})" for form in (_CARD, _ZEROS_FIRST, *(form for kind in _KINDS for form in kind.forms))
)
