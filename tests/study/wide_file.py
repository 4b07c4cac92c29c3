"""An export of a German hospital with sixty columns: people, their stay, and what the laboratory found.

All names are invented; the same file is made every time.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

from tests.study.real_files import BEMERKT, FAMILIES, GIVEN, UNKNOWN

RECORDS = 3_000
PEOPLE = 2_400
STREETS = ("Lindenweg", "Am Anger", "Goethestraße", "Mühlgasse", "Kölner Straße", "Bergstraße", "Gartenweg")
PLACES = {"01067": "Dresden", "04109": "Leipzig", "20095": "Hamburg", "50667": "Köln", "80331": "München"}
INSURERS = ("AOK", "Barmer", "TK", "DAK", "privat")
WARDS = ("Innere", "Chirurgie", "Geriatrie", "Urologie", "Neurologie")
DIAGNOSES = ("I10.0", "E11.9", "J45.0", "M17.1", "S72.0", "K35.8", "I50.1", "N18.3", "F32.1", "C50.9")
# What a laboratory measures: middle, spread and places after the comma.
MEASURED = {
    "Hämoglobin": (13.9, 1.6, 1), "Hämatokrit": (41, 4, 1), "Leukozyten": (7.4, 2.1, 1),
    "Thrombozyten": (251, 60, 0), "Erythrozyten": (4.7, 0.5, 2), "MCV": (89, 5, 0), "MCH": (30.1, 2, 1),
    "Natrium": (139.5, 3, 0), "Kalium": (4.2, 0.4, 2), "Calcium": (2.35, 0.12, 2), "Chlorid": (102, 3, 0),
    "Magnesium": (0.85, 0.08, 2), "Phosphat": (1.12, 0.2, 2), "Kreatinin": (0.95, 0.3, 2),
    "Harnstoff": (34, 11, 0), "Harnsäure": (5.6, 1.4, 1), "GFR": (84, 18, 0), "Glukose": (104, 24, 0),
    "HbA1c": (5.8, 0.8, 1), "Cholesterin": (201, 39, 0), "HDL": (54, 14, 0), "LDL": (121, 33, 0),
    "Triglyzeride": (141, 60, 0), "GOT": (29, 11, 0), "GPT": (31, 14, 0), "Gamma-GT": (38, 22, 0),
    "Bilirubin": (0.7, 0.3, 2), "Albumin": (42, 4, 1), "Gesamteiweiß": (71, 5, 1), "CRP": (8.4, 6, 1),
    "INR": (1.05, 0.15, 2), "PTT": (31, 4, 0), "TSH": (1.9, 0.9, 2), "Ferritin": (121, 60, 0),
    "Vitamin D": (24.5, 9, 1), "Troponin": (12.4, 6, 1), "BNP": (88, 50, 0), "Laktat": (1.3, 0.4, 1),
}  # fmt: skip
NAMING = (
    "Patientennr", "Nachname", "Vorname", "Straße", "Telefon", "E-Mail", "Versichertennummer", "Hausarzt",
)  # fmt: skip
REMARKED = "Bemerkung"
COLUMNS = (
    *NAMING, "Geburtsdatum", "Geschlecht", "PLZ", "Ort", "Krankenkasse", "Aufnahme", "Entlassung", "Station",
    "Hauptdiagnose", "Gewicht", "Größe", "Raucher", "Rechnungsbetrag", *MEASURED, REMARKED,
)  # fmt: skip


def rows() -> list[tuple[str, ...]]:
    draw = random.Random(60)
    people = [_person(number, draw) for number in range(PEOPLE)]
    return [(*people[number % PEOPLE], *_stay(draw)) for number in range(RECORDS)]


def write_wide_csv(path: Path) -> Path:
    """Semicolons, decimal commas, TT.MM.JJJJ and windows-1252, as a German Excel saves it."""
    lines = [";".join(COLUMNS), *map(";".join, rows())]
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
    return path


def _person(number: int, draw: random.Random) -> tuple[str, ...]:
    sex = draw.choice("wm")
    family, given = draw.choice(FAMILIES), draw.choice(GIVEN[sex])
    code = draw.choice(tuple(PLACES))
    return (
        f"P{200_000 + 13 * number}",
        family,
        given,
        f"{draw.choice(STREETS)} {draw.randint(1, 140)}",
        f"0{draw.choice(('351', '341', '40', '221', '89'))} {draw.randint(10**5, 10**7 - 1)}",
        f"{given[:1].lower()}.{number}@beispiel.de",
        f"{chr(65 + number % 26)}{draw.randint(10**8, 10**9 - 1)}",
        f"Dr. {draw.choice(FAMILIES)}",
        _day(date(1935, 1, 1) + timedelta(draw.randint(0, 25_000))),
        _or_unknown(sex, draw),
        code,
        PLACES[code],
        draw.choice(INSURERS),
    )


def _stay(draw: random.Random) -> tuple[str, ...]:
    admitted = date(2021, 1, 1) + timedelta(draw.randint(0, 1_000))
    return (
        _day(admitted),
        _day(admitted + timedelta(draw.randint(0, 30))),
        _or_unknown(draw.choice(WARDS), draw),
        draw.choice(DIAGNOSES),
        _or_unknown(_number(draw.uniform(48, 124), 1), draw),
        _or_unknown(str(draw.randint(150, 198)), draw),
        _or_unknown(draw.choice(("ja", "nein")), draw),
        f"{_number(draw.uniform(400, 19_000), 2)} €",
        *(_measured(*how, draw) for how in MEASURED.values()),
        f"{draw.choice(BEMERKT)}, {draw.choice(BEMERKT)}" if draw.random() < 0.6 else "",
    )


def _measured(middle: float, spread: float, places: int, draw: random.Random) -> str:
    return _or_unknown(_number(max(draw.gauss(middle, spread), middle / 10), places), draw)


def _number(value: float, places: int) -> str:
    return f"{value:.{places}f}".replace(".", ",")


def _or_unknown(text: str, draw: random.Random) -> str:
    return UNKNOWN if draw.random() < 0.05 else text


def _day(day: date) -> str:
    return day.strftime("%d.%m.%Y")
