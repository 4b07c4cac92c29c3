"""What may go out with the published file: the claim, the figures it rests on, the file's fingerprint.

A certificate is computed from the published file and the promise about it, and from nothing else: whoever has
both computes it again, so that every field of it can be checked and none can tell of the original.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.engine.answers import SizeCounts
from shoal.errors import BadInput, Problem, PromiseBroken
from shoal.json_values import JsonValue, json_value, without_texts
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.report.class_sizes import risk_of
from shoal.report.outcome import NO_ATTACKS, Attacks
from shoal.table.parts import parts_of

FORMAT = "shoal-certificate-2"
_BLOCK = 1 << 20
_NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What is said about a published file, all of which the file shows.

    `columns` says of each published column what a check must know of it; `verdicts` are those of a check of
    the file; `attacks` says what readers of it find all the same.
    """

    promise: Promise
    columns: Mapping[str, Mapping[str, Any]]
    verdicts: tuple[Verdict, ...]
    records: int
    class_sizes: SizeCounts
    attacks: Attacks = NO_ATTACKS

    @property
    def by_construction(self) -> bool:
        """Whether a promise rests on how the file was made, which no check can see."""
        return any(verdict.by_construction for verdict in self.verdicts)


def declaration(promise: Promise, columns: Mapping[str, Mapping[str, Any]]) -> dict[str, JsonValue]:
    """What has to be known to check a file: the promise, and the roles of the published columns."""
    return {
        "promises": [{"model": model.name, "parameters": json_value(model.parameters)} for model in promise],
        "policy": {"columns": json_value(columns)},
    }


def certificate(
    statement: Statement,
    published: Path | Mapping[str, JsonValue],
    dialect: Mapping[str, JsonValue] | None = None,
) -> dict[str, JsonValue]:
    """The certificate of a file that was checked, and how it is written if not as usual.

    Of a file that is not on this machine its name, size and SHA-256 are given instead of its path.
    """
    _refuse_broken(statement)
    found = [verdict.smallest for verdict in statement.verdicts if verdict.smallest is not None]
    content: dict[str, JsonValue] = {
        "format": FORMAT,
        "file": {
            **(fingerprint(published) if isinstance(published, Path) else published),
            **({"dialect": dict(dialect)} if dialect else {}),
        },
        "model": statement.promise.main.name,
        **declaration(statement.promise, statement.columns),
        "claims": [verdict.claim for verdict in statement.verdicts],
        "verdict": {
            # Nobody has verified what only the mechanism can promise.
            "holds": None if statement.by_construction else True,
            "by_construction": statement.by_construction,
            "smallest": min(found, default=None),
            "records": statement.records,
            "checks": [_check(verdict) for verdict in statement.verdicts],
        },
        "measures": {"published": _published_measures(statement)},
    }
    return content | {"digest": digest_of(content)}


def digest_of(certificate: Mapping[str, Any]) -> str:
    """The SHA-256 of all other fields in their one serialization: sorted keys, no white space, UTF-8."""
    others = {name: value for name, value in certificate.items() if name != "digest"}
    text = json.dumps(others, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def refuse_other_formats(certificate: Mapping[str, Any]) -> None:
    """Raise BadInput for what is no certificate, or one of another version."""
    if certificate.get("format") != FORMAT:
        what = f"this is not a certificate that Shoal can read: its format is not {FORMAT!r}"
        raise BadInput(Problem(what, "name the certificate.json of the file"))


def file_disagreements(certificate: Mapping[str, Any], file: Path) -> list[str]:
    """Why this is no certificate of this file; empty when it is about these very bytes."""
    if certificate.get("digest") != _digest_or_none(certificate):
        return ["the certificate was changed after it was made: its digest is not that of its content"]
    stated = certificate.get("file")
    if not isinstance(stated, Mapping):
        return ["the certificate does not say which file it is about: it has no 'file'"]
    actual = fingerprint(file)
    return [
        f"the certificate is about a file with {words} {stated.get(key)!r}, this one has {actual[key]!r}"
        for key, words in (("name", "the name"), ("bytes", "the size in bytes"), ("sha256", "the SHA-256"))
        if stated.get(key) != actual[key]
    ]


def disagreements(stated: Mapping[str, Any], computed: Mapping[str, Any]) -> list[str]:
    """Where a certificate differs from the one that its file gives."""
    there, here = (dict(_leaves(each)) for each in (stated, computed))
    return [
        f"the certificate says {_shown(there, path)} of {path}, the check of this file {_shown(here, path)}"
        for path in dict.fromkeys((*there, *here))
        if path != "digest" and _told(there, path) != _told(here, path)
    ]


def fingerprint(file: Path) -> dict[str, JsonValue]:
    """Name, size and SHA-256 of a file, or of a folder of its parts."""
    if file.is_dir():
        parts = ((part.relative_to(file).as_posix(), *_size_and_digest(part)) for part in parts_of(file))
        return fingerprint_of_parts(file.name, parts)
    size, digest = _size_and_digest(file)
    return {"name": file.name, "bytes": size, "sha256": digest}


def fingerprint_of_parts(name: str, parts: Iterable[tuple[str, int, str]]) -> dict[str, JsonValue]:
    """The same of a folder, from name, size and SHA-256 of each part: that of what `sha256sum` prints."""
    found = sorted(parts)
    lines = "".join(f"{digest}  {part}\n" for part, _, digest in found)
    return {
        "name": name,
        "bytes": sum(size for _, size, _ in found),
        "sha256": hashlib.sha256(lines.encode()).hexdigest(),
    }


def _size_and_digest(file: Path) -> tuple[int, str]:
    digest = hashlib.sha256()
    size = 0
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


def _refuse_broken(statement: Statement) -> None:
    broken = next((verdict for verdict in statement.verdicts if not verdict.holds), None)
    if broken is not None or not statement.verdicts:
        evidence = broken.evidence if broken else "nothing was checked"
        sentence = f"no certificate is made for a release that does not keep its promise: {evidence}"
        raise PromiseBroken(sentence, broken)


def _check(verdict: Verdict) -> dict[str, JsonValue]:
    return {
        "claim": verdict.claim,
        "holds": None if verdict.by_construction else verdict.holds,
        "by_construction": verdict.by_construction,
        "smallest": verdict.smallest,
        "figures": without_texts(verdict.figures),
        "if_missing_matched_everything": None
        if verdict.wildcard is None
        else without_texts(verdict.wildcard),
    }


def _published_measures(statement: Statement) -> dict[str, JsonValue]:
    attacks = {name: json_value(figures) for name, figures in statement.attacks.figures.items()}
    risk = risk_of(statement.class_sizes)
    if risk is None:
        return attacks
    return attacks | {
        "classes": risk.classes,
        "smallest_class": risk.smallest,
        "largest_class": risk.largest,
        "unique_records": risk.unique,
        "highest_risk": _three_digits(risk.highest),
        "mean_risk": _three_digits(risk.mean),
    }


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def _digest_or_none(certificate: Mapping[str, Any]) -> str | None:
    try:
        return digest_of(certificate)
    except (ValueError, RecursionError):  # a number that JSON lacks, or nesting that nobody wrote
        return None


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The single values of a certificate by their paths; an empty list or object is one, too."""
    children: Any = ()
    if isinstance(value, Mapping):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    if not children:
        yield path, value
    for key, part in children:
        yield from _leaves(part, f"{path}.{key}" if path else str(key))


def _told(leaves: Mapping[str, Any], path: str) -> tuple[str, Any]:
    """A value with its type, as 1, 1.0 and true are equal."""
    value = leaves.get(path, _NOTHING)
    return type(value).__name__ if path in leaves else _NOTHING, value


def _shown(leaves: Mapping[str, Any], path: str) -> str:
    return repr(leaves[path]) if path in leaves else _NOTHING
