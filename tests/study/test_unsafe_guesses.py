"""Files whose first look once suggested something unsafe or foolish."""

import random

import pyarrow as pa
import pytest

import shoal as sh


def looked_at(**columns):
    found = sh.profile(pa.table({name: pa.array(values) for name, values in columns.items()}))
    return {each.name: each for each in found.columns}, found


def test_what_few_records_have_is_not_what_all_agree_on():
    columns, _ = looked_at(
        age=[str(20 + n % 50) for n in range(300)],
        status=["" if n != 9 else "HIV positive" for n in range(300)],
    )
    assert columns["status"].role != "insensitive"


def test_measurements_are_not_the_people_of_a_file():
    draw = random.Random(1)
    people = [n // 6 for n in range(1200)]
    _, found = looked_at(
        pat=[f"P-{n:05d}" for n in people],
        yob=[str(1940 + n % 60) for n in people],
        weight=[f"{draw.gauss(75, 12):.1f} kg" for _ in people],
        pressure=[f"{draw.randint(100, 180)}/{draw.randint(60, 99)}" for _ in people],
    )
    assert found.subject == "pat"


def test_numbers_in_a_class_register_are_not_people_where_a_proven_number_tells_them_apart():
    _, found = looked_at(
        PESEL=[pesel(n) for n in range(600)],
        **{
            "nr w dzienniku": [str(1 + n % 30) for n in range(600)],
            "ocena": [str(n % 6) for n in range(600)],
        },
    )
    assert found.subject is None


def pesel(number):
    digits = f"{60 + number % 40:02d}{1 + number % 12:02d}{1 + number % 28:02d}{number:04d}"
    weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)
    return digits + str(-sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % 10)


def test_numbers_of_people_in_a_column_called_so():
    people = [n // 6 for n in range(1200)]
    columns, found = looked_at(
        person=[str(7 * n + 1000) for n in people], age=[str(20 + n % 60) for n in people]
    )
    assert columns["person"].role == "identifier"
    assert found.subject == "person"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("patient", ["Anna Müller", "Max Huber", "John Smith", "Lena Koch"]),
        ("name", ["Mario Rossi", "Luca Bianchi"]),
        ("c1", ["Anna Müller", "Max Huber", "John Smith"]),
        ("supervisor", ["Huber, Max", "Koch, Lena", "Braun, Eva"]),
    ],
)
def test_few_people_are_people(name, values):
    columns, found = looked_at(**{name: values * 50, "age": [str(n % 60) for n in range(50 * len(values))]})
    assert columns[name].role == "identifier"
    assert found.subject is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("teacher", ["yes", "no"]),
        ("customer", ["new", "returning"]),
        ("city", ["New York", "Los Angeles", "San Diego"]),
        ("product", ["Stanley Cup", "Martin Guitar", "Douglas Fir"]),
    ],
)
def test_few_others_are_not(name, values):
    columns, _ = looked_at(**{name: values * 50, "age": [str(n % 60) for n in range(50 * len(values))]})
    assert columns[name].role == "quasi"


def test_states_are_not_missing():
    columns, found = looked_at(state=["NC", "ND", "TX", "NY"] * 60, age=[str(n % 60) for n in range(240)])
    assert columns["state"].missing == 0
    assert "ND" not in found.missing


def test_a_release_with_bars_between_items_is_asked_like_any_other():
    sets = ["|".join("abcdef"[at] for at in range(6) if (n * 7 + at * at) % 5 < 2) for n in range(120)]
    data = sh.read(pa.table({"bought": sets}), {"bought": sh.QuasiSet(separator="|", hierarchy=sh.fanout(3))})
    released = sh.anonymize(data, sh.KmAnonymity(40, 2), algorithm="pcta", seed=1)
    united = [
        label for cell in released.frame["bought"].to_pylist() for label in cell.split("|") if "_" in label
    ]
    assert united
    assert not sh.attack(released.frame, data, sh.KmAnonymity(40, 2)).broken
