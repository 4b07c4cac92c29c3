"""Codes are told from numbers by their form, by the classes of their system or by the name of a column."""

import random

import pytest

from shoal.detect.look import look_at
from tests.detect.columns import column

DRAW = random.Random(9)
ICD_9 = (
    "250.00 250.01 401.9 401.1 V10.3 V58.67 E849.0 008.45 038.9 041.4 162.9 174.9 272.4 276.8 285.9"
    " 290.0 296.30 305.1 311 327.23 338.29 414.01 427.31 428.0 486 491.21 496 530.81 584.9 585.9"
    " 599.0 715.36 780.2 786.50"
)
NACE = (
    "01.11 01.50 03.11 10.71 10.51 11.07 13.20 20.14 25.62 28.41 33.12 35.11 41.20 43.21 45.11 46.90"
    " 47.11 49.41 52.29 55.10 56.10 62.01 64.19 68.20 69.10 70.22 71.12 81.21 84.11 85.20 86.21 87.30"
    " 96.02"
)
WITH_SECTION = (
    "A01.11 A03.1 C10.71 C28.41 D35.1 F41.20 G46.90 G47.11 H49.4 I56.10 K64.19 M70.22 Q86.21 S96.02"
)
ISCO = (
    "1112 1120 1211 1321 1345 1412 2111 2142 2166 2211 2221 2310 2341 2411 2512 2611 2634 3112 3115"
    " 3221 3313 3322 3411 3512 4110 4120 4226 4311 5120 5131 5223 5311 5414 6111 6130 7112 7126 7231"
    " 7411 7531 8121 8160 8332 9112 9313 9622"
)
NAICS = (
    "111110 112120 211120 212230 221122 236115 238220 311811 315210 321113 325412 332710 336111"
    " 423430 424480 441110 445110 448140 452210 484110 493110 511210 517311 522110 524113 531210"
    " 541110 541511 561320 611110 621111 622110 713940 722511 811111 923120"
)


def rows(codes):
    return codes.split() * 8


@pytest.mark.parametrize(
    ("codes", "system", "prefixes"),
    [
        (ICD_9, "ICD-9 codes", (3,)),
        (ICD_9.replace(".", ""), "ICD-9 codes", (3,)),
        (" ".join(code for code in ICD_9.split() if code[0] not in "VE"), "ICD-9 codes", (3,)),
        (NACE, "NACE codes", (4, 2)),
        (" ".join(code for code in NACE.split() if code[0] != "0"), "NACE codes", (4, 2)),
        (WITH_SECTION, "NACE codes", (5, 3, 1)),
        (ISCO, "ISCO codes", (3, 2, 1)),
        (NAICS, "NAICS codes", (4, 3, 2)),
        (" ".join(sorted({code[:4] for code in NAICS.split()})), "NAICS codes", (4, 3, 2)),
    ],
)
def test_values_tell_a_classification_without_a_name(codes, system, prefixes):
    look = look_at(column(rows(codes)))
    assert (look.kind, look.looks_like, look.prefixes, look.suspicion) == ("category", system, prefixes, None)


@pytest.mark.parametrize(
    ("name", "codes"),
    [("ICD-9-CM", "250 401 786 780"), ("WZ 2008", "4711 4719 8621"), ("sic_code", "2834 7372 6021 3674")],
)
def test_a_name_tells_where_values_are_not_enough(name, codes):
    assert look_at(column(rows(codes), name)).kind == "category"
    assert look_at(column(rows(codes))).kind == "number"


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(
    "measure",
    {
        "salaries": lambda draw: str(draw.randrange(1_000, 9_999)),
        "round salaries": lambda draw: str(10 * draw.randrange(100, 600)),
        "years": lambda draw: str(draw.randrange(1_920, 2_025)),
        "steps": lambda draw: str(round(draw.gauss(8_000, 2_500))),
        "incomes": lambda draw: str(round(draw.lognormvariate(10.3, 0.6))),
        "prices": lambda draw: f"{draw.uniform(10, 99):.2f}",
        "percentages": lambda draw: f"{draw.uniform(0, 99):05.2f}",
        "haemoglobin": lambda draw: f"{draw.gauss(13.8, 1.5):.1f}",
        "glucose": lambda draw: f"{draw.gauss(250, 60):.1f}",
        "glucose, written by hand": lambda draw: f"{draw.gauss(250, 40):.{draw.randrange(3)}f}",
        "grams": lambda draw: f"{draw.uniform(0, 999):g}",
        "numbers of beds": lambda draw: str(draw.randrange(100_000, 999_999)),
    }.items(),
    ids=lambda each: each[0],
)
def test_measurements_are_no_codes(measure, seed):
    draw = random.Random(seed)
    values = [measure[1](draw) for _ in range(draw.choice((25, 60, 400)))]
    assert "codes" not in look_at(column(values)).looks_like.replace("postal codes", "")
