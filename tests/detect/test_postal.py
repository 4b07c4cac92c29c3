"""Postal codes are cut where a region of their country ends."""

import random

import pytest

from shoal.detect.look import look_at
from shoal.detect.postal import postal_codes
from tests.detect.columns import column

DRAW = random.Random(8)
AREAS = ("SW", "M", "EC", "B", "LS", "EH")


def drawn(form, count=150):
    """Codes in which 9 stands for a digit and A for a letter."""
    draw = random.Random(form)
    signs = {"9": "0123456789", "A": "ABCEGHJKLMNPRSTVXY"}
    return ["".join(draw.choice(signs.get(sign, sign)) for sign in form) for _ in range(count)]


def british(count=150):
    inward = drawn("9AA", count)
    outward = [f"{DRAW.choice(AREAS)}{DRAW.randrange(1, 30)}" for _ in range(count)]
    return [f"{first} {second}" for first, second in zip(outward, inward, strict=True)]


@pytest.mark.parametrize(
    ("codes", "country", "cuts"),
    [
        (british(), "the United Kingdom", (-2, -3, "letters")),
        (drawn("A9A 9A9"), "Canada", (3, 1)),
        (drawn("A99 A9A9"), "Ireland", (3, 1)),
        (drawn("9999 AA"), "the Netherlands", (4, 2, 1)),
        (drawn("99999-9999"), "the United States", (5, 3, 1)),
        (drawn("99999-9999", 20) + drawn("09999", 130), "the United States", (5, 3, 1)),
        (drawn("99-999"), "Poland", (2, 1)),
        (drawn("9999-999"), "Portugal", (4, 2, 1)),
        (drawn("999-9999"), "Japan", (3, 2, 1)),
        (drawn("99999-999"), "Brazil", (5, 3, 2, 1)),
        (drawn("99999-999", 75) + drawn("99999999", 75), "Brazil", (5, 3, 2, 1)),
        (drawn("999 99"), "Sweden, Czechia, Slovakia or Greece", (3, 2, 1)),
        (drawn("D-99999"), "Germany", (5, 4, 3)),
        (drawn("CH-9999"), "Austria or Switzerland", (5, 4)),
    ],
)
def test_the_form_of_codes_tells_their_country(codes, country, cuts):
    look = look_at(column(codes))
    assert look.looks_like == "postal codes"
    assert look.prefixes == cuts
    assert country in str(look.why)


@pytest.mark.parametrize(
    ("name", "form", "country", "cuts"),
    [
        ("ZIP", "99999", "the United States", (3, 1)),
        ("PLZ", "99999", "Germany", (3, 2, 1)),
        ("PLZ_Wohnort", "9999", "Austria or Switzerland", (2, 1)),
        ("Code postal", "99999", "France", (3, 2)),
        ("CAP", "99999", "Italy", (3, 2, 1)),
        ("código_postal", "99999", "Spain or Mexico", (3, 2)),
        ("PSČ", "99999", "Czechia or Slovakia", (3, 2, 1)),
        ("PSČ", "999 99", "Czechia or Slovakia", (3, 2, 1)),
        ("Postnummer", "9999", "Denmark or Norway", (2, 1)),
        ("postnr", "999 99", "Sweden", (3, 2, 1)),
        ("postcode", "9999", "another country with four digits", (2, 1)),
        ("Postcode", "AA99AA", "the United Kingdom", (-2, -3, "letters")),
        ("postcode", "A99AA", "the United Kingdom", (-2, -3, "letters")),
        ("pincode", "999999", "India", (3, 2, 1)),
        ("CEP", "99999999", "Brazil", (5, 3, 2, 1)),
        ("Irányítószám", "H-9999", "Hungary", (4, 3)),
        ("郵便番号", "9999999", "Japan", (3, 2, 1)),
        ("Индекс", "999999", "Russia", (3, 1)),
    ],
)
def test_where_digits_are_not_enough_the_name_of_the_column_tells(name, form, country, cuts):
    look = look_at(column(drawn(form), name))
    assert look.prefixes == cuts
    assert country in str(look.why)


def test_digits_of_an_unknown_country_are_masked_and_it_is_said():
    look = look_at(column(drawn("99999"), "postal_code"))
    assert (look.looks_like, look.prefixes) == ("postal codes", None)
    assert "nothing tells the country" in str(look.why)


def test_lost_zeros_are_no_reason_to_put_distant_places_together():
    codes = [str(int(code)) for code in drawn("09999", 60) + drawn("19999", 60)]
    look = look_at(column(codes, "zip"))
    assert look.prefixes is None
    assert "zeros may be lost" in str(look.why)


def test_the_evidence_shows_the_shape_of_a_code_only():
    codes = drawn("9999 AA")
    why = postal_codes(codes, "c1").why
    assert "9999 XX" in why
    assert not any(code in why for code in codes)


def test_letters_before_digits_are_no_country_if_they_differ_or_are_none():
    plates = [f"{DRAW.choice('ABDEKLNRST')}{DRAW.choice('ABDEKLNRST')} {code}" for code in drawn("99999")]
    assert look_at(column(plates)).suspicion is not None
    assert look_at(column(drawn("P-99999"))).suspicion is not None


def test_codes_with_and_without_their_country_are_masked():
    look = look_at(column(drawn("ΤΚ 999 99") + drawn("999 99")))
    assert (look.looks_like, look.prefixes, look.suspicion) == ("postal codes", None, None)
    assert "postal codes of Greece" in str(look.why)


def test_one_code_that_begins_as_a_country_does_is_no_country():
    codes = [*drawn("B99AA"), "LV12AB"]
    assert look_at(column(codes, "postcode")).prefixes == (-2, -3, "letters")
