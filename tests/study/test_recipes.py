"""Hierarchies of the starter policy are those that a person would draw."""

import random

import pyarrow as pa
import pytest

import shoal as sh
from shoal.study.starter import starter_policy

DRAW = random.Random(5)


def recipe(values, name="c1"):
    (column,) = sh.profile(pa.table({name: pa.array(values)})).columns
    return dict(column.recipe)


@pytest.mark.parametrize(
    ("values", "widths"),
    [
        ([str(n % 90) for n in range(500)], [5, 10, 20, 40, 80]),
        ([str(n % 11) for n in range(500)], [2, 4, 8]),
        ([f"{n % 800 / 10}" for n in range(900)], [5, 10, 20, 40]),
        ([str(1000 * (n % 90)) for n in range(900)], [5000, 10000, 20000, 40000, 80000]),
        ([f"{48 + n % 300 / 1000:.4f}" for n in range(900)], [0.05, 0.1, 0.2]),
    ],
)
def test_numbers_get_round_widths(values, widths):
    assert recipe(values) == {"ranges": widths}


def test_thin_tails_are_cut_at_round_numbers_that_are_nobodys():
    values = [str(DRAW.randrange(20, 60)) for _ in range(2000)] + ["431", "977"]
    found = recipe(values)
    assert found["top"] in (60, 80)
    assert not {431, 977} & {found["top"], *found["ranges"]}


@pytest.mark.parametrize(
    ("years", "levels"),
    [
        ((2021, 2022), ["month", "quarter", "year"]),
        ((2000, 2025), ["month", "year", "decade"]),
        ((1930, 2005), ["year", "decade"]),
    ],
)
def test_dates_get_the_calendar_that_fits_their_span(years, levels):
    values = [
        f"{DRAW.randint(*years)}-{DRAW.randint(1, 12):02d}-{DRAW.randint(1, 28):02d}" for _ in range(300)
    ]
    assert recipe(values) == {"dates": levels}


def test_categories_get_no_ranges_of_letters():
    scale = ["none", "primary", "secondary", "phd"]
    codes = [f"{DRAW.choice('EIJ')}{DRAW.randint(10, 99)}.{DRAW.randint(0, 9)}" for _ in range(300)]
    countries = ["DE", "France", "Italia", "Polska"]
    assert recipe([DRAW.choice("MF") for _ in range(100)]) == {"flat": True}
    assert recipe([DRAW.choice(scale) for _ in range(100)]) == {"order": scale}
    assert recipe([f"{DRAW.randint(1940, 1990)}-{DRAW.randint(1, 12):02d}" for _ in range(300)]) == {
        "prefixes": [4]
    }
    assert recipe(["0.0", "1.0"] * 60) == {"flat": True}
    assert recipe([0.0507, -0.0446] * 60) == {"flat": True}
    assert recipe([0.0, 0.5, 1.0] * 40) == {"flat": True}
    assert recipe(codes) == {"prefixes": [3, 1]}
    assert recipe([DRAW.choice(countries) for _ in range(200)]) == {"continents": True}
    assert recipe([f"{DRAW.randrange(100_000):05d}" for _ in range(300)], "zip") == {"prefixes": [3, 1]}


def test_many_categories_keep_the_frequent_ones():
    frequent, rare = ["shoe", "shirt", "coat"], [f"thing {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    values = [DRAW.choice(frequent) for _ in range(900)] + rare
    assert recipe(values, "product") == {"keep": ["coat", "shirt", "shoe"]}


def test_the_starter_policy_says_of_which_country_postal_codes_are(tmp_path):
    data, policy = tmp_path / "data.csv", tmp_path / "policy.toml"
    codes = [f"{DRAW.randrange(100_000):05d}" for _ in range(300)]
    data.write_text("\n".join(("PLZ", *codes)))
    starter_policy(sh.profile(data), data, policy)
    written = policy.read_text(encoding="utf-8")
    assert "PLZ = " in written
    assert "prefixes = [3, 2, 1]" in written
    assert "taken for postal codes of Germany, by their form and the name of the column" in written
