"""Whole tables: columns of all kinds, dirt on them, and names over them.

    table, truth = messy_table("de_DE", 1, rows=1200, header="local")

Numbers and days get no typos: a cell that cannot be read is another matter than a column that can.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa

from messy.days import BIRTH, OTHER_DATES, VISIT
from messy.harmless import CATEGORIES, EITHER, NUMBERS
from messy.headers import Header, column_names
from messy.identifiers import FREE_TEXTS, IDENTIFIERS, SUBJECTS
from messy.source import Recipe, Source
from messy.truth import ColumnTruth, Drawn, Value
from messy.words import UNKNOWN, words_in

LOCALES = words_in(
    "en_US en_GB de_DE fr_FR es_ES it_IT pt_BR nl_NL sv_SE da_DK no_NO fi_FI pl_PL cs_CZ hu_HU ro_RO el_GR"
    " tr_TR ru_RU uk_UA hr_HR sk_SK bg_BG ja_JP zh_CN ko_KR pt_PT sl_SI lt_LT et_EE lv_LV de_AT de_CH"
)

VISITS_OF_A_PERSON = 4
ONE_ROW_EACH = 0.3  # of the tables
TYPOS, STRAY_SPACES, MOST_MISSING = 0.01, 0.01, 0.15


@dataclass(frozen=True)
class _Column:
    recipe: Recipe
    drawn: Drawn  # with dirt, a cell for each row
    tells_people_apart: bool


def messy_table(locale: str, seed: int, *, rows: int, header: Header) -> tuple[pa.Table, list[ColumnTruth]]:
    """A table of texts as a reader of CSV gives it, and what is true of its columns.

    The cells depend on locale, seed and rows alone, so that names of columns can be compared.
    """
    columns = _columns(locale, seed, rows)
    whats = [(column.recipe.what, column.recipe.harm) for column in columns]
    names = column_names(whats, header, locale, random.Random(f"{locale} {seed} {header}"))
    truth = [_truth(name, column, header) for name, column in zip(names, columns, strict=True)]
    cells = [pa.array(column.drawn.texts, pa.string()) for column in columns]
    return pa.Table.from_arrays(cells, names=names), truth


def _truth(name: str, column: _Column, header: Header) -> ColumnTruth:
    drawn = column.drawn
    named_as_dates = drawn.date == "excel" and header in ("local", "english")
    return ColumnTruth(
        name=name,
        what=column.recipe.what,
        harm=column.recipe.harm,
        kind="date" if named_as_dates else drawn.kind,
        decimal=drawn.decimal,
        thousands=drawn.thousands,
        date=drawn.date,
        ambiguous=drawn.ambiguous,
        values=None if drawn.values is None else tuple(drawn.values),
        tells_people_apart=column.tells_people_apart,
    )


@lru_cache(maxsize=4)
def _columns(locale: str, seed: int, rows: int) -> list[_Column]:
    source = Source.of(locale, seed)
    rng = source.rng
    people = rows if rng.random() < ONE_ROW_EACH else max(1, rows // VISITS_OF_A_PERSON)
    person_of_row = [row * people // rows for row in range(rows)]
    if rng.random() < 0.5:
        rng.shuffle(person_of_row)
    tokens = _missing_tokens(source)
    subject, *others = _chosen(rng)
    columns = [_column(subject, source, person_of_row, tokens=())]
    columns += [_column(recipe, source, person_of_row, tokens) for recipe in others]
    rng.shuffle(columns)
    return columns


def _chosen(rng: random.Random) -> list[Recipe]:
    """The subject first."""
    return [
        rng.choice(SUBJECTS),
        *rng.sample(IDENTIFIERS, 6),
        *rng.sample(FREE_TEXTS, 2),
        *rng.sample(NUMBERS, 4),
        *rng.sample(CATEGORIES, 9),
        *rng.sample(EITHER, 1),
        BIRTH,
        VISIT,
        *rng.sample(OTHER_DATES, 2),
    ]


def _missing_tokens(source: Source) -> Sequence[str]:
    """How this table says that something is not known: mostly by nothing, and in one or two other ways."""
    known = ("NA", "n/a", "-", "NULL", "?", *source.words(UNKNOWN) * 3)
    return ("", "", *source.rng.sample(known, source.rng.choice((0, 1, 2))))


def _column(recipe: Recipe, source: Source, person_of_row: Sequence[int], tokens: Sequence[str]) -> _Column:
    people = max(person_of_row) + 1
    if not recipe.per_person:
        drawn = recipe.make(source, len(person_of_row))
        return _Column(recipe, _dirty(drawn, source, tokens), tells_people_apart=False)
    own = recipe.make(source, people)
    tells_people_apart = recipe.harm == "identifier" and len(set(own.texts)) == people
    spread = replace(
        own,
        texts=[own.texts[person] for person in person_of_row],
        values=None if own.values is None else [own.values[person] for person in person_of_row],
    )
    return _Column(recipe, _dirty(spread, source, tokens), tells_people_apart)


def _dirty(drawn: Drawn, source: Source, tokens: Sequence[str]) -> Drawn:
    rng = source.rng
    missing = rng.uniform(0, MOST_MISSING) if tokens else 0.0
    used = tokens and rng.sample(tokens, min(len(tokens), 2))
    typos = TYPOS if drawn.values is None else 0.0
    texts: list[str] = []
    values: list[Value] = list(drawn.values or ())
    for row, text in enumerate(drawn.texts):
        if rng.random() < missing:
            texts.append(rng.choice(used))
            if values:
                values[row] = None
            continue
        cell = _with_a_typo(text, rng) if rng.random() < typos else text
        texts.append(rng.choice((" {}", "{} ", "{}  ")).format(cell) if rng.random() < STRAY_SPACES else cell)
    return replace(drawn, texts=texts, values=values or None)


def _with_a_typo(text: str, rng: random.Random) -> str:
    """Two neighbouring letters change places."""
    places = [place for place in range(len(text) - 1) if text[place : place + 2].isalpha()]
    if not places:
        return text
    place = rng.choice(places)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
