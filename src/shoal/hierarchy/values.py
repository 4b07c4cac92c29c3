"""Values as hierarchies see them: texts that may also be numbers or dates."""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Bools, Floats
from shoal.table.canonical import Canonical, MissingTokens
from shoal.table.canonical import dates as canonical_dates
from shoal.table.canonical import numbers as canonical_numbers
from shoal.table.columns import Domain, Kind

VALUES_SHOWN = 20
_NO_TOKENS = MissingTokens.of(())


def listed(values: Sequence[str]) -> str:
    """The first values, and how many more there are."""
    shown = ", ".join(map(repr, values[:VALUES_SHOWN]))
    return f"{shown} and {len(values) - VALUES_SHOWN} more" if len(values) > VALUES_SHOWN else shown


def canonical_labels(labels: Sequence[str], kind: Kind, date_format: str | None = None) -> list[str]:
    """The labels as a column of this kind writes its values: among numbers `5.0` is `5`.

    Dates may be written as days of ISO 8601 or as `date_format` says. Labels that are no numbers or dates
    stay as they are.
    """
    if kind not in (Kind.NUMBER, Kind.DATE):
        return list(labels)
    written = list(labels)
    for way in (None, date_format) if kind is Kind.DATE else (None,):
        found = _parsed(written, kind, way)
        texts = [*found.domain.texts(), ""]
        written = [texts[code] or label for code, label in zip(found.codes.tolist(), written, strict=True)]
    return written


def numbers_of(labels: Sequence[str], kind: Kind) -> Floats:
    """The number, or among dates the day since 1970-01-01, that each label writes; NaN where it is none."""
    found = _parsed(labels, Kind.DATE if kind is Kind.DATE else Kind.NUMBER)
    return np.append(_numbers(found.domain), np.nan)[found.codes]


def exact_numbers(domain: Domain) -> list[Decimal]:
    """The values as exact decimals; BadInput lists the values that are no numbers."""
    texts = domain.texts()
    if domain.kind is not Kind.NUMBER:
        _refuse(
            texts, _parsed(texts, Kind.NUMBER).invalid, "numbers", "correct them, or build another hierarchy"
        )
    return list(map(Decimal, texts))


def days(domain: Domain) -> Floats:
    """The values as days since 1970-01-01; BadInput lists the values that are no dates."""
    if domain.kind is Kind.DATE:
        return _numbers(domain)
    texts = domain.texts()
    remedy = 'write them as 2026-11-15, or give the column kind = "date" and its format'
    _refuse(texts, _parsed(texts, Kind.DATE).invalid, "dates", remedy)
    return numbers_of(texts, Kind.DATE)


def all_numbers(domain: Domain) -> bool:
    """Whether the values are numbers, be it as texts."""
    if domain.kind is Kind.DATE:
        return False
    return domain.kind is Kind.NUMBER or not _parsed(domain.texts(), Kind.NUMBER).invalid.any()


def _parsed(labels: Sequence[str], kind: Kind, date_format: str | None = None) -> Canonical:
    entries = pa.array(labels, type=pa.string())
    if kind is Kind.DATE:
        return canonical_dates(entries, _NO_TOKENS, date_format)
    return canonical_numbers(entries, _NO_TOKENS)


def _numbers(domain: Domain) -> Floats:
    if domain.numbers is None:
        raise TypeError(f"a domain of kind {domain.kind} has no numbers")
    return domain.numbers


def _refuse(texts: Sequence[str], invalid: Bools, what: str, remedy: str) -> None:
    wrong = [texts[index] for index in np.flatnonzero(invalid).tolist()]
    if wrong:
        raise BadInput(Problem(f"{len(wrong)} values are no {what}: {listed(wrong)}", remedy))
