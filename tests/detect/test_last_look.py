"""What reaches a person is found wherever it stands in a release, and labels of releases are left alone."""

import random
import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.detect.last_look import PERSONAL_FORM, personal_values

DRAW = random.Random(4)
REACHING = [
    "a.b@example.org",
    "+49 30 901820",
    "+49 (0)30 901820",
    "0049 30 901820",
    "+1 555 123 4567",
    "030 1234567",
    "0171/1234567",
    "0171-1234567",
    "(030) 1234567",
    "(555) 123-4567",
    "555-123-4567",
    "555.123.4567",
    "020 7946 0958",
    "07700 900123",
    "01 23 45 67 89",
    "01.23.45.67.89",
    "03-1234-5678",
    "090-1234-5678",
    "333 1234567",
    "612 34 56 78",
    "(11) 91234-5678",
    "8 (495) 123-45-67",
    "8-800-555-35-35",
    "Tel. 901820",
    "DE89 3704 0044 0532 0130 00",
    "DE89370400440532013000",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4111111111111111",
    "282-22-0282",
    "12345678Z",
    "RSSMRA85T10A562S",
    "DE136695976",
    "756.9217.0769.85",
    "390.533.447-05",
]
AROUND = [
    "{}",
    "please ask for {} again",
    "Rückruf: {}",
    "{}, evenings",
    "({})",
    "call {}.",
    "x..{}",
    "{}; {}",
]
LABELS = [
    "*",
    "",
    "other",
    "100-199",
    "20-39",
    "1950-1959",
    "[20, 30)",
    "[1000, 2000)",
    "[-118.5, -118.25)",
    "-12--8",
    "<18",
    "65+",
    "2024-01-05",
    "2020-01-01..2020-12-31",
    "01.02.2020",
    "01.02.2020..05.02.2020",
    "01.02.2020-05.02.2020",
    "01/02/2020-05/02/2021",
    "01/02/2020 10:30",
    "01-02-2020",
    "01 02 2020 10 30",
    "2026-Q4",
    "2020s",
    "2000-2099",
    "08:00-09:00",
    "08:30:15",
    "25.000-30.000",
    "1.000.000-2.000.000",
    "1000000-1999999",
    "10 000-19 999",
    "1 234 567,89",
    "1.234.567,89 €",
    "$1,234,567.00",
    "0.05-0.10",
    "E11.9",
    "E10.0..E14.9",
    "M17.1",
    "250.00",
    "A10BA02",
    "C10.71",
    "021**",
    "123*",
    "SW1A *",
    "SW1A 2AA",
    "1234 AB",
    "02139-4307",
    "00-950",
    "1000-001",
    "060-0001",
    "01310-100",
    "01001-01999",
    "0010-0019",
    "00495-72520",
    "004966-903879",
    "D-80331",
    "123 45",
    "4711",
    "1234567890",
    "12345678901",
    "00123456789",
    "0002-3232-30",
    "00378-0150-01",
    "978-0-306-40615-7",
    "0123 4567 8901",
    "48.137154, 11.576124",
    "1st-4th..9th",
    "Married-civ-spouse",
    "hotel 7",
    "telephone",
    "Telefonie 2020/2021",
    "item 1234567",
    "005 346 473 477",
    "-9 008 250 460 593 724 V72",
    "108 174 2023 2024 2025",
    "11 01 02 03 04 05 06",
]


@pytest.mark.parametrize("value", REACHING)
@pytest.mark.parametrize("around", AROUND)
def test_what_reaches_people_is_found_anywhere(value, around):
    text = around.format(value, value)
    assert [found for found, _ in personal_values(["20-39", text])] == [text]


@pytest.mark.parametrize("value", LABELS)
def test_labels_of_releases_are_left_alone(value):
    assert personal_values([value]) == []


def test_long_numbers_that_fit_by_chance_are_numbers_of_things():
    items = [str(DRAW.randrange(10**15, 10**16)) for _ in range(2_000)]
    assert personal_values(items) == []
    four = [" ".join(str(DRAW.randrange(2_000, 6_000)) for _ in range(4)) for _ in range(500)]
    assert personal_values(four) == []
    assert personal_values([f"00{DRAW.randrange(10**9, 10**11)}" for _ in range(2_000)]) == []


def test_cards_and_numbers_abroad_are_told_by_most_of_them():
    cards = ["4111111111111111", "5500005555555559", "4012888888881881"]
    assert {text for text, _ in personal_values([*cards, "5105105105105109"])} == set(cards)
    abroad = [f"004930{DRAW.randrange(10**5, 10**6)}" for _ in range(50)]
    assert {text for text, _ in personal_values(abroad)} == set(abroad)


@pytest.mark.parametrize("what", [*REACHING, *LABELS])
def test_the_first_sieve_keeps_what_is_found(what):
    assert not personal_values([what]) or sieved(what)


@given(st.from_regex(r"[a-z]{0,3} ?(\+|00|0|\()?[0-9A-Z@.+() /-]{3,24}", fullmatch=True))
def test_the_first_sieve_lets_nothing_pass_that_the_last_look_would_find(text):
    if personal_values([text]):
        assert sieved(text)


def sieved(text):
    by_arrow = pc.match_substring_regex(pa.array([text]), PERSONAL_FORM).to_pylist()
    return by_arrow == [True] and re.search(PERSONAL_FORM, text) is not None
