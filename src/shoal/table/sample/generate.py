"""How the bundled sample was made: `python -m shoal.table.sample.generate` writes the same bytes again.

Nobody in it exists. Names are strings of syllables, zip codes and diagnosis codes are numbered drawers, and
all shares below are invented. What the sample is meant to have: skewed items, diagnoses that go with age and
sex and with each other, outcomes that go with ages and diagnoses, some missing values and some empty sets.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

from shoal.table.sample import sample_folder

PATIENT_COUNT = 2000
SEED = 2024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of diagnoses: three blocks of four codes, and how common it is at which age and sex."""

    letter: str
    name: str
    blocks: tuple[str, str, str]
    in_children: float
    in_adults: float
    in_old_age: float
    in_women: float  # times as often as in men

    @property
    def label(self) -> str:
        """The chapter as it is published."""
        return f"{self.letter}_{self.name}"

    def block_label(self, number: int) -> str:
        """A block as it is published; blocks count from 1."""
        return f"{self.letter}{number}_{self.blocks[number - 1]}"

    def frequency(self, age: int, sex: str) -> float:
        """How common the chapter is at an age, in people of a sex."""
        times = self.in_women if sex == "female" else 1.0
        if age < 18:
            return times * self.in_children
        return times * (self.in_adults if age < 65 else self.in_old_age)


CHAPTERS = (
    Chapter("C", "circulation", ("pressure", "rhythm", "vessels"), 0.1, 3, 24, 0.7),
    Chapter("D", "digestion", ("stomach", "bowel", "liver"), 2, 9, 2, 1.0),
    Chapter("E", "metabolism", ("sugar", "weight", "thyroid"), 0.1, 3, 14, 1.4),
    Chapter("G", "growths", ("benign", "solid", "marrow"), 0.1, 0.5, 2, 1.0),
    Chapter("I", "infections", ("viral", "gut", "fever"), 16, 1, 0.5, 1.0),
    Chapter("J", "injuries", ("bones", "head", "burns"), 9, 5, 0.5, 0.4),
    Chapter("L", "lungs", ("airways", "chest", "chronic"), 18, 1, 3, 0.8),
    Chapter("M", "motion", ("spine", "joints", "muscles"), 0.1, 9, 9, 1.3),
    Chapter("N", "nerves", ("headache", "memory", "seizures"), 0.5, 5, 2, 2.5),
    Chapter("S", "senses", ("sight", "hearing", "skin"), 0.5, 0.5, 2, 1.0),
)
BLOCK_FREQUENCIES = (5, 3, 2)
CODE_FREQUENCIES = (8, 4, 2, 1)

# A patient with a diagnosis of the first chapter has one of the second this many times as often.
GOES_WITH = {("C", "E"): 2.5, ("E", "C"): 2.5, ("L", "I"): 2.0, ("J", "M"): 1.5, ("N", "S"): 1.5}

AGE_BANDS = {(0, 4): 8, (5, 17): 9, (18, 39): 24, (40, 64): 30, (65, 79): 20, (80, 95): 9}
REGIONS = {"02": 5, "31": 3, "58": 2}
DISTRICTS = {"1": 4, "2": 3, "4": 2, "7": 1}
DELIVERY_OFFICES = {"10": 5, "13": 4, "26": 3, "45": 2, "88": 1}
SEXES = {"female": 52, "male": 48}
OUTCOMES = ("recovered", "improved", "unchanged", "worse", "died")

FIRST_ADMISSION = date(2023, 1, 1)
LAST_ADMISSION = date(2024, 12, 31)

SHARE_WITHOUT_DIAGNOSIS = 0.03
SHARE_WITHOUT_AGE = 0.012
SHARE_WITHOUT_ZIP = 0.01

# Chosen so that no two of them make a name that people have.
SYLLABLES = (
    "brux",
    "drim",
    "fenk",
    "gox",
    "hulv",
    "jarp",
    "kvo",
    "lurn",
    "mib",
    "nesk",
    "pluv",
    "sorv",
    "zeb",
)


@dataclass(frozen=True, slots=True)
class Patient:
    """One line of the sample; a missing age or zip is empty."""

    name: str
    age: str
    zip: str
    sex: str
    admission: str
    diagnoses: tuple[str, ...]
    outcome: str

    def csv_line(self) -> str:
        """The patient as a line of `patients.csv`: nothing in it needs quoting."""
        diagnoses = " ".join(self.diagnoses)
        return ",".join((self.name, self.age, self.zip, self.sex, self.admission, diagnoses, self.outcome))


class Dice:
    """Random choices that rest on `Random.random` alone, whose sequence Python promises never to change."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random  # noqa: S311  a sample to look at protects nobody

    def happens(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self._random() < probability

    def between(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random() * (high - low + 1))

    def one_of(self, frequencies: Mapping[T, float]) -> T:
        """A key, as often as its value says."""
        mark = self._random() * sum(frequencies.values())
        for key, frequency in frequencies.items():
            mark -= frequency
            if mark < 0:
                return key
        return next(reversed(list(frequencies)))


def patients() -> list[Patient]:
    """All patients in the order of their admission."""
    dice = Dice(SEED)
    return sorted((_patient(dice) for _ in range(PATIENT_COUNT)), key=lambda patient: patient.admission)


def hierarchy_lines() -> list[str]:
    """The tree of diagnoses as an ARX matrix: code, block, chapter, root."""
    return [
        f"{chapter.letter}{block}{code};{chapter.block_label(block)};{chapter.label};*"
        for chapter in CHAPTERS
        for block in range(1, 4)
        for code in range(1, 5)
    ]


def generated_files() -> dict[str, bytes]:
    """The contents of the generated files by name; policies and README are written by hand."""
    everyone = patients()
    header = "name,age,zip,sex,admission,diagnoses,outcome"
    return {
        "patients.csv": _text([header, *(patient.csv_line() for patient in everyone)]),
        "diagnoses.csv": _text(hierarchy_lines()),
        "diagnoses.txt": _text([" ".join(patient.diagnoses) for patient in everyone]),
    }


def write_sample(folder: Path) -> None:
    """Write the generated files."""
    for name, content in generated_files().items():
        (folder / name).write_bytes(content)


def _text(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _patient(dice: Dice) -> Patient:
    age = dice.between(*dice.one_of(AGE_BANDS))
    sex = dice.one_of(SEXES)
    diagnoses = _diagnoses(dice, age, sex)
    outcome = _outcome(dice, age, diagnoses)
    zip_code = dice.one_of(REGIONS) + dice.one_of(DISTRICTS) + dice.one_of(DELIVERY_OFFICES)
    return Patient(
        name=f"{_name(dice, 2)} {_name(dice, dice.between(2, 3))}",
        age="" if dice.happens(SHARE_WITHOUT_AGE) else str(age),
        zip="" if dice.happens(SHARE_WITHOUT_ZIP) else zip_code,
        sex=sex,
        admission=_admission(dice).isoformat(),
        diagnoses=diagnoses,
        outcome=outcome,
    )


def _admission(dice: Dice) -> date:
    days = (LAST_ADMISSION - FIRST_ADMISSION).days
    return FIRST_ADMISSION + timedelta(days=dice.between(0, days))


def _name(dice: Dice, syllable_count: int) -> str:
    equally = dict.fromkeys(SYLLABLES, 1)
    return "".join(dice.one_of(equally) for _ in range(syllable_count)).capitalize()


def _diagnoses(dice: Dice, age: int, sex: str) -> tuple[str, ...]:
    if dice.happens(SHARE_WITHOUT_DIAGNOSIS):
        return ()
    further = sum(dice.happens(0.08 + age / 250) for _ in range(7))
    found: set[str] = set()
    for _ in range(1 + further):
        found.add(_diagnosis(dice, age, sex, found))
    return tuple(sorted(found))


def _diagnosis(dice: Dice, age: int, sex: str, present: set[str]) -> str:
    letters = {code[0] for code in present}
    frequencies = {chapter.letter: chapter.frequency(age, sex) for chapter in CHAPTERS}
    for (cause, effect), factor in GOES_WITH.items():
        if cause in letters:
            frequencies[effect] *= factor
    block = dice.one_of(dict(enumerate(BLOCK_FREQUENCIES, start=1)))
    code = dice.one_of(dict(enumerate(CODE_FREQUENCIES, start=1)))
    return f"{dice.one_of(frequencies)}{block}{code}"


def _outcome(dice: Dice, age: int, diagnoses: tuple[str, ...]) -> str:
    has_growth = any(code.startswith("G") for code in diagnoses)
    severity = (age >= 65) + (len(diagnoses) >= 4) + has_growth
    frequencies = (34 - 5 * severity, 30 - severity, 21, 11 + 3 * severity, 4 + 3 * severity)
    return dice.one_of(dict(zip(OUTCOMES, frequencies, strict=True)))


if __name__ == "__main__":
    write_sample(sample_folder())
