"""The promise, checked from the published file alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from shoal.engine.local import LocalData
from shoal.engine.port import Question
from shoal.errors import BadInput, OutputFailed, Problem
from shoal.policy.coverage import coverage_problems
from shoal.policy.plan import Plan
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import read_clusters
from shoal.report.certificate import disagreements_with
from shoal.report.certified import promise_of_certificate, roles_of_certificate
from shoal.run.label_leaves import leaves_from_files
from shoal.run.output import file_that_appears_whole
from shoal.run.safety import verify_release
from shoal.table.canonical import canonical
from shoal.table.reading import ReadOptions, read_published
from shoal.table.roles import Identifier, QuasiSet, Role

VERIFIER_FILES = ("verify_release.py", "certificate.schema.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVerification:
    """What a published file shows, and whether it is the file that its certificate describes."""

    file: Path
    verdicts: tuple[Verdict, ...]
    certificate: Mapping[str, Any] | None = None
    disagreements: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every promise holds and the certificate, if one was given, is of this file."""
        return all(verdict.holds for verdict in self.verdicts) and not self.disagreements


def verify_published(file: Path, plan: Plan, certificate: Path | None = None) -> FileVerification:
    """Check a published file against a plan and, if given, its certificate."""
    read = None if certificate is None else _read_certificate(certificate)
    verdicts, notices = _verified(file, plan.roles, plan.models, plan.read_options)
    united = any(isinstance(role, QuasiSet) for role in plan.roles.values())
    if plan.subject is not None and not united:
        notices += (_rows_not_people(f" (column {plan.subject!r})", read),)
    return _file_verification(file, verdicts, read, notices)


def verify_certified(file: Path, certificate: Path) -> FileVerification:
    """Check a published file against its certificate alone, which says what is promised on which columns.

    That the certificate says what the publisher meant to promise is for its reader to judge.
    """
    read = _read_certificate(certificate)
    if strange := disagreements_with(read, file):
        return FileVerification(file=file, verdicts=(), certificate=read, disagreements=tuple(strange))
    promise, roles = promise_of_certificate(read), roles_of_certificate(read)
    if findings := coverage_problems(promise, roles):
        raise BadInput(*(Problem(what, remedy, column=column) for column, what, remedy in findings))
    # Of a published file every text but the empty one is a value.
    verdicts, notices = _verified(file, roles, promise, ReadOptions(missing=()))
    if isinstance(read.get("people"), Mapping):
        notices += (_rows_not_people("", read),)
    return _file_verification(file, verdicts, read, notices)


def _file_verification(
    file: Path,
    verdicts: tuple[Verdict, ...],
    certificate: Mapping[str, Any] | None,
    notices: tuple[str, ...],
) -> FileVerification:
    if certificate is None:
        return FileVerification(file=file, verdicts=verdicts, notices=notices)
    if certificate.get("publishable") is False:
        notices += ("by its certificate this release is not for publication: its row order is not protected",)
    return FileVerification(
        file=file,
        verdicts=verdicts,
        certificate=certificate,
        disagreements=tuple(disagreements_with(certificate, file, verdicts)),
        notices=notices,
    )


def verify_file(
    file: Any, roles: Mapping[str, Role], promise: Promise, options: ReadOptions
) -> tuple[Verdict, ...]:
    """One verdict per promise; a column that should have been dropped breaks the first."""
    return _verified(file, roles, promise, options)[0]


def _verified(
    file: Any, roles: Mapping[str, Role], promise: Promise, options: ReadOptions
) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """The verdicts, and what the reader of the file noticed."""
    checked = verified_file(file, roles, promise, options)
    return checked.verdicts, checked.notices


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedFile:
    """What a published file holds, one verdict per promise, and what its reader noticed."""

    content: LocalData | Disassociated
    verdicts: tuple[Verdict, ...]
    notices: tuple[str, ...] = ()


def verified_file(
    file: Any, roles: Mapping[str, Role], promise: Promise, options: ReadOptions
) -> VerifiedFile:
    """Read a published file and check every promise."""
    if promise.form is Form.CLUSTERS:
        sensitive = [item for role in roles.values() if isinstance(role, QuasiSet) for item in role.sensitive]
        clusters = read_clusters(_path(file), sensitive)
        return VerifiedFile(clusters, tuple(model.verify(clusters) for model in promise))
    loaded = read_published(file, roles, _all_columns(options))
    leaves = leaves_from_files(loaded.table, loaded.roles) if _asks_for_absence(promise) else {}
    data = LocalData(loaded.table, loaded.roles, leaves_of_label=leaves)
    verdicts = verify_release(data, promise, columns_to_drop(loaded.roles, roles, options))
    return VerifiedFile(data, verdicts, loaded.notices)


def _all_columns(options: ReadOptions) -> ReadOptions:
    """The options of the policy, but columns that it drops are read if they are there."""
    return replace(options, others="insensitive") if options.others == "drop" else options


def columns_to_drop(found: Mapping[str, Role], roles: Mapping[str, Role], options: ReadOptions) -> list[str]:
    """The columns of a release that should not be in it."""
    dropped = [name for name, role in found.items() if isinstance(role, Identifier) and not role.pseudonym]
    if options.others == "drop":
        named = set(map(canonical, roles))
        dropped += [name for name in found if name not in named]
    return dropped


def _asks_for_absence(promise: Promise) -> bool:
    return any(Question.ABSENCE in model.asks for model in promise)


def _path(file: Any) -> Path:
    if not isinstance(file, str | os.PathLike):
        raise BadInput(Problem("disassociated data are clusters, not a table", "name their file"))
    return Path(file)


def _rows_not_people(subject: str, certificate: Mapping[str, Any] | None) -> str:
    notice = f"k counts rows: one person{subject} can have several, and the file alone cannot tell"
    people = (certificate or {}).get("people")
    if not isinstance(people, Mapping):
        return f"{notice}; the certificate says how many people each class held"
    return (
        f"{notice}; by the certificate the file has {people.get('subjects')} people and its smallest class"
        f" {people.get('smallest')}"
    )


def write_verifier(folder: Path) -> tuple[Path, Path]:
    """Write the script that verifies files without Shoal, and the JSON Schema of the certificate it reads."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputFailed(f"{folder}: cannot be made: {error.strerror}; choose another folder") from error
    for name in VERIFIER_FILES:
        with file_that_appears_whole(folder / name) as partial:
            partial.write_bytes((files("shoal.report") / name).read_bytes())
    script, schema = (folder / name for name in VERIFIER_FILES)
    return script, schema


def _read_certificate(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(
            Problem(f"is not a readable certificate: {error}", "name its certificate.json", file=str(path))
        ) from error
    if not isinstance(content, dict):
        raise BadInput(
            Problem("is not a certificate", "name the certificate.json of the file", file=str(path))
        )
    return content
