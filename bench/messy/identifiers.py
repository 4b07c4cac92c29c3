"""Columns that name a person, and free text, which may."""

from __future__ import annotations

import re
from collections.abc import Callable

import phonenumbers

from messy.national_ids import national_id
from messy.source import Recipe, Source, each
from messy.truth import Drawn
from messy.words import REMARKS

Make = Callable[[Source, int], Drawn]


def _full_names(source: Source, count: int) -> Drawn:
    form = source.rng.choice(("plain", "plain", "family first", "titles"))
    return Drawn([_full_name(source, form) for _ in range(count)])


def _full_name(source: Source, form: str) -> str:
    if form == "family first":
        return f"{source.fake.last_name()}, {source.fake.first_name()}"
    title = source.rng.choice(("Dr. ", "Prof. ", "", "", "", "")) if form == "titles" else ""
    return title + source.fake.name()


def _phones(source: Source, count: int) -> Drawn:
    if source.rng.random() < 0.5:
        return Drawn([source.fake.phone_number() for _ in range(count)])
    code = phonenumbers.country_code_for_region(source.country)
    pattern = source.rng.choice((f"+{code} %# ### ####", f"+{code}%########", f"00{code}-%##-#######"))
    return Drawn([source.fake.numerify(pattern) for _ in range(count)])


def _like(*patterns: str) -> Make:
    """One of these patterns for the whole column; % is a digit but 0, # any digit, ? a letter."""

    def make(source: Source, count: int) -> Drawn:
        pattern = source.rng.choice(patterns)
        return Drawn([source.fake.bothify(pattern).upper() for _ in range(count)])

    return make


def _vat_id(source: Source) -> str:
    if hasattr(source.fake, "vat_id"):
        return source.fake.vat_id()
    return source.fake.numerify(f"{source.country}%########")


def _in_fours_or_not(draw: Callable[[Source], str]) -> Make:
    def make(source: Source, count: int) -> Drawn:
        spaced = source.rng.random() < 0.5
        codes = [draw(source) for _ in range(count)]
        return Drawn([re.sub(r"(.{4})(?=.)", r"\1 ", code) for code in codes] if spaced else codes)

    return make


def _personal_page(source: Source) -> str:
    return f"https://{source.fake.domain_name()}/~{source.fake.user_name()}"


def _street(source: Source) -> str:
    return _one_line(source.fake.street_address())


def _full_address(source: Source) -> str:
    return _one_line(source.fake.address())


def _one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", ", ", text)


def _handle(source: Source) -> str:
    return f"@{source.fake.user_name()}"


def _hex(source: Source) -> str:
    return f"{source.rng.getrandbits(64):016x}"


def _coordinates(source: Source) -> str:
    return f"{source.rng.uniform(-60, 70):.5f}, {source.rng.uniform(-170, 170):.5f}"


def _prefixed_numbers(source: Source, count: int) -> Drawn:
    pattern = source.rng.choice(("P-{:06}", "PAT{:05}", "2021/{:04}", "K{:07}"))
    return Drawn([pattern.format(number) for number in _some_numbers(source, count)])


def _running_numbers(source: Source, count: int) -> Drawn:
    first = source.rng.choice((1, 1, 1001))
    numbers = [str(first + place) for place in range(count)]
    source.rng.shuffle(numbers)
    return Drawn(numbers)


def _some_numbers(source: Source, count: int) -> list[int]:
    return source.rng.sample(range(1, 10 * count), count)


def _long_numbers(source: Source, count: int) -> Drawn:
    digits = source.rng.choice((8, 9, 10))
    return Drawn([str(10 ** (digits - 1) + 7919 * number) for number in _some_numbers(source, count)])


def _note(source: Source) -> str:
    return source.fake.sentence(nb_words=source.rng.randint(3, 40), variable_nb_words=False)


def _remark(source: Source) -> str:
    chosen = source.rng.sample(source.words(REMARKS), source.rng.randint(1, 4))
    sentence = "; ".join(chosen)
    return (
        sentence[0].upper() + sentence[1:] + source.rng.choice((".", "", f" ({source.rng.randint(2, 28)} d)"))
    )


def _comments(source: Source, count: int) -> Drawn:
    """Most people say nothing."""
    share = source.rng.uniform(0.1, 0.4)
    return Drawn([_note(source) if source.rng.random() < share else "" for _ in range(count)])


SUBJECTS = (
    Recipe("long patient number", "identifier", _long_numbers),
    Recipe("prefixed patient number", "identifier", _prefixed_numbers),
    Recipe("running patient number", "identifier", _running_numbers),
)

IDENTIFIERS = (
    Recipe("given name", "identifier", each(lambda source: source.fake.first_name())),
    Recipe("family name", "identifier", each(lambda source: source.fake.last_name())),
    Recipe("full name", "identifier", _full_names),
    Recipe("e-mail", "identifier", each(lambda source: source.fake.email())),
    Recipe("phone", "identifier", _phones),
    Recipe("national id", "identifier", each(national_id)),
    Recipe("tax id", "identifier", _like("%##########", "%#/###/#####", "%########", "%# ### ### ###")),
    Recipe("VAT id", "identifier", each(_vat_id)),
    Recipe("IBAN", "identifier", _in_fours_or_not(lambda source: source.fake.iban())),
    Recipe("credit card", "identifier", _in_fours_or_not(lambda source: source.fake.credit_card_number())),
    Recipe("document number", "identifier", _like("?##?##?##", "??#######", "?########")),
    Recipe("IPv4", "identifier", each(lambda source: source.fake.ipv4())),
    Recipe("IPv6", "identifier", each(lambda source: source.fake.ipv6())),
    Recipe("MAC", "identifier", each(lambda source: source.fake.mac_address())),
    Recipe("personal page", "identifier", each(_personal_page)),
    Recipe("UUID", "identifier", each(lambda source: source.fake.uuid4())),
    Recipe("street address", "identifier", each(_street)),
    Recipe("full address", "identifier", each(_full_address)),
    Recipe("licence plate", "identifier", each(lambda source: source.fake.license_plate())),
    Recipe("user name", "identifier", each(lambda source: source.fake.user_name())),
    Recipe("device id", "identifier", each(_hex)),
    Recipe("coordinates", "identifier", each(_coordinates)),
    Recipe("handle", "identifier", each(_handle)),
)

FREE_TEXTS = (
    Recipe("note", "free text", each(_note), per_person=False),
    Recipe("remark", "free text", each(_remark), per_person=False),
    Recipe("comment", "free text", _comments, per_person=False),
)
