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
from shoal.table.written import PUBLISHED, HowWritten

VALUES_SHOWN = 20
_NO_TOKENS = MissingTokens.of(())


def listed(values: Sequence[str]) -> str:
    """The first values, and how many more there are."""
    shown = ", ".join(map(repr, values[:VALUES_SHOWN]))
    return f"{shown} and {len(values) - VALUES_SHOWN} more" if len(values) > VALUES_SHOWN else shown


def canonical_labels(labels: Sequence[str], kind: Kind, how: HowWritten = PUBLISHED) -> list[str]:
    """The labels as a column of this kind publishes its values: among numbers `5.0` is `5`.

    Labels may be written as the original writes its values. Of dates some may be and some not; of numbers,
    where `1.234` can be one or the other, all are read in the way that reads more of them. Labels that are no
    numbers or dates stay as they are.
    """
    if kind is Kind.DATE:
        as_published = _relabelled(labels, _parsed(labels, kind))
        return _relabelled(as_published, _parsed(as_published, kind, how))
    if kind is Kind.NUMBER:
        ways = [_parsed(labels, kind, way) for way in (how, PUBLISHED)]
        return _relabelled(labels, min(ways, key=lambda found: int(np.count_nonzero(found.invalid))))
    return list(labels)


def _relabelled(labels: Sequence[str], found: Canonical) -> list[str]:
    texts = [*found.domain.texts(), ""]
    return [texts[code] or label for code, label in zip(found.codes.tolist(), labels, strict=True)]


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


def _parsed(labels: Sequence[str], kind: Kind, how: HowWritten = PUBLISHED) -> Canonical:
    entries = pa.array(labels, type=pa.string())
    if kind is Kind.DATE:
        return canonical_dates(entries, _NO_TOKENS, how.date_format)
    return canonical_numbers(entries, _NO_TOKENS, how.style)


def _numbers(domain: Domain) -> Floats:
    if domain.numbers is None:
        raise TypeError(f"a domain of kind {domain.kind} has no numbers")
    return domain.numbers


def _refuse(texts: Sequence[str], invalid: Bools, what: str, remedy: str) -> None:
    wrong = [texts[index] for index in np.flatnonzero(invalid).tolist()]
    if wrong:
        raise BadInput(Problem(f"{len(wrong)} values are no {what}: {listed(wrong)}", remedy))
