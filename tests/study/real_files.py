"""Two files as people have them: visits with every kind of identifier, and an export of a German hospital.

All names are invented; the same file is made every time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

import openpyxl
import pyarrow as pa
from pyarrow import csv

VISITS, PEOPLE = 1_200, 300
STAYS = 600
UNKNOWN = "unbekannt"
SURNAMES = ("Khan", "Lopez", "Osei", "Nakata", "Ferris", "Dubois", "Ivanko", "Moreau", "Okafor", "Brandt")
REMARKED = (
    "came with her brother", "asks for a later appointment", "afraid of needles", "moved to the coast in May",
    "sleeps badly since the accident", "will call again on Monday", "insurance card was expired",
    "wants the report by post",
)  # fmt: skip

FAMILIES = (
    "Böhm", "Jäger", "Großmann", "Ölschläger", "Wünsch", "Krämer", "Falkenrath", "Tiedemann", "Pröll", "Süß",
    "Hartwig", "Lindenau", "Merkelbach", "Nießen", "Quandt", "Rößler",
)  # fmt: skip
GIVEN = {
    "w": ("Anneliese", "Käthe", "Rosemarie", "Gisela", "Bärbel", "Jördis", "Theresa", "Zoë"),
    "m": ("Jürgen", "Günther", "Matthias", "Björn", "Falk", "Rüdiger", "Tönnies", "Emil"),
}
BEMERKT = (
    "Patient klagt über Schmerzen im linken Knie", "Tochter wünscht Rückruf am Abend",
    "lebt seit dem Tod der Frau allein", "Verlegung nach Rücksprache mit dem Hausarzt",
    "verträgt die neuen Tabletten schlecht", "hat Angst vor der Narkose",
    "Kontrolle in zwei Wochen vereinbart",
)  # fmt: skip

Cell = str | float | date | None


@dataclass(frozen=True)
class Stays:
    """The records of the hospital, and how each style of file writes them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def values(self, column: str) -> list[Cell]:
        place = self.columns.index(column)
        return [row[place] for row in self.rows]

    def write_csv(self, path: Path) -> Path:
        """Semicolons, decimal commas, TT.MM.JJJJ and windows-1252, as a German Excel saves it."""
        lines = [";".join(self.columns), *(";".join(map(_in_german, row)) for row in self.rows)]
        path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
        return path

    def write_xlsx(self, path: Path) -> Path:
        """Numbers and dates are cells of their own kind."""
        book = openpyxl.Workbook()
        book.active.append(self.columns)
        for row in self.rows:
            book.active.append([_moment(cell) if isinstance(cell, date) else cell for cell in row])
        book.save(path)
        return path


def visits() -> pa.Table:
    """Visits of people who come several times, so that what names them repeats; all cells are texts."""
    draw = random.Random(11)
    people = [_person(number, draw) for number in range(PEOPLE)]
    rows = [_visit(people[number % PEOPLE], draw) for number in range(VISITS)]
    draw.shuffle(rows)
    return pa.Table.from_pylist(rows)


def write_visits(path: Path) -> Path:
    csv.write_csv(visits(), path)
    return path


def stays() -> Stays:
    draw = random.Random(12)
    rows = tuple(_stay(number, draw) for number in range(STAYS))
    columns = (
        "Name", "Geburtsdatum", "PLZ", "Geschlecht", "Gewicht", "Größe", "Aufnahme", "Diagnose", "Station",
        "Versichertennummer", "Bemerkung",
    )  # fmt: skip
    return Stays(columns, rows)


def _person(number: int, draw: random.Random) -> dict[str, str]:
    return {
        "last_name": f"{SURNAMES[number % len(SURNAMES)]}{number}",
        "email": f"u{number}@ex.org",
        "SSN": f"{100 + number}-{10 + number % 80}-{number:04}",
        "phone": f"+1 555 {draw.randint(100, 999)} {draw.randint(0, 9999):04}",
        "ip": f"10.{draw.randint(0, 255)}.{number % 256}.{draw.randint(1, 254)}",
        "patient_id": f"{40_000 + 37 * number}",
        "age": str(draw.randint(18, 90)),
        "sex": draw.choice("MF"),
        "zip": f"0{draw.choice((2139, 2140, 2141, 2474, 1810, 1890))}",
    }


def _visit(person: dict[str, str], draw: random.Random) -> dict[str, str]:
    day = date(2022, 1, 1) + timedelta(draw.randint(0, 900))
    return {
        **person,
        "visit_date": day.isoformat(),
        "diagnosis": draw.choice(("I10", "E11.9", "J45.0", "M54.5", "F32.1", "K21.0")),
        "remarks": "; ".join(draw.sample(REMARKED, draw.randint(1, 3))),
        "amount": f"{draw.uniform(20, 900):.2f}",
    }


def _stay(number: int, draw: random.Random) -> tuple[Cell, ...]:
    sex = draw.choice("wm")
    admitted = date(2021, 1, 1) + timedelta(draw.randint(0, 1_000))
    remark = f"{draw.choice(BEMERKT)}, {draw.choice(BEMERKT)}" if draw.random() < 0.7 else ""
    return (
        f"{draw.choice(FAMILIES)}, {draw.choice(GIVEN[sex])}",
        date(1935, 1, 1) + timedelta(draw.randint(0, 25_000)),
        draw.choice(("01067", "04109", "20095", "50667", "80331", "99084")),
        _or_unknown(sex, draw),
        _or_unknown(round(draw.uniform(48, 124), 1), draw),
        _or_unknown(float(draw.randint(150, 198)), draw),
        admitted,
        draw.choice(("I10.0", "E11.9", "J45.0", "M17.1", "S72.0", "K35.8")),
        _or_unknown(draw.choice(("Innere", "Chirurgie", "Geriatrie", "Urologie")), draw),
        f"{chr(65 + number % 26)}{draw.randint(10**8, 10**9 - 1)}",
        remark,
    )


def _or_unknown(value: Cell, draw: random.Random) -> Cell:
    return UNKNOWN if draw.random() < 0.05 else value


def _in_german(cell: Cell) -> str:
    match cell:
        case date():
            return cell.strftime("%d.%m.%Y")
        case float():
            return f"{cell:g}".replace(".", ",")
        case _:
            return str(cell)


def _moment(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def texts_of(cells: Sequence[Cell]) -> set[str]:
    """The texts that no release may show."""
    return {str(cell) for cell in cells if cell}
