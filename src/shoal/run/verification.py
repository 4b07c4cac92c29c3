"""The promise, checked from the published file alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, OutputFailed, Problem, PromiseBroken
from shoal.policy.coverage import coverage_problems
from shoal.policy.output_names import ending_of
from shoal.policy.plan import Plan
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.report.certificate import certificate, disagreements, file_disagreements, refuse_other_formats
from shoal.report.certified import promise_of_certificate, roles_of_certificate
from shoal.run.output import file_that_appears_whole
from shoal.run.public_facts import statement_of
from shoal.run.published_file import AS_PUBLISHED, asks_for_absence, verified_file, with_hierarchies
from shoal.run.release_codebook import dialect_beside, disagreements_beside, stated_dialect
from shoal.table.database import DatabaseTable
from shoal.table.dialect import Dialect
from shoal.table.formulas import marked_item
from shoal.table.reading import ReadOptions
from shoal.table.roles import QuasiSet, Role

VERIFIER_FILES = ("verify_release.py", "certificate.schema.json", "read_release.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVerification:
    """What a published file shows, and whether it is the file that its certificate describes."""

    file: Path | DatabaseTable
    verdicts: tuple[Verdict, ...]
    certificate: Mapping[str, Any] | None = None
    disagreements: tuple[str, ...] = ()
    codebook_disagreements: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every promise holds and certificate and codebook, if there are any, are of this file."""
        agrees = not (self.disagreements or self.codebook_disagreements)
        return agrees and all(verdict.holds for verdict in self.verdicts)


def verify_published(
    file: Path | DatabaseTable, plan: Plan, certificate: Path | None = None
) -> FileVerification:
    """Check a published file or table against a plan and, if given, the certificate of the file."""
    roles = _as_published(plan)
    read = None if certificate is None else _read_certificate(certificate)
    dialect = dialect_beside(file) if read is None else _dialect_of(read, certificate)
    checked = verified_file(file, roles, plan.models, plan.read_options, dialect=dialect)
    notices = checked.notices
    if plan.subject is not None and not any(isinstance(role, QuasiSet) for role in roles.values()):
        notices += (
            f"k counts rows: one person (column {plan.subject!r}) can have several, and the file alone cannot"
            " tell",
        )
    beside = tuple(disagreements_beside(file, checked, roles)) if isinstance(file, Path) else ()
    found = FileVerification(
        file=file, verdicts=checked.verdicts, codebook_disagreements=beside, notices=notices
    )
    if read is None:
        return found
    if not isinstance(file, Path):
        raise BadInput(Problem("a certificate is that of a file, not of a table", "leave --certificate out"))
    strange = file_disagreements(read, file)
    if not strange and promise_of_certificate(read) != plan.models:
        strange = ["the certificate promises something else than the policy"]
    if not strange:
        strange = list(_certified(file, read, roles).disagreements)
    return replace(found, certificate=read, disagreements=tuple(strange))


def verify_certified(file: Path, certificate: Path) -> FileVerification:
    """Check a published file against its certificate alone, which says what is promised on which columns.

    That the certificate says what the publisher meant to promise is for its reader to judge.
    """
    read = _read_certificate(certificate)
    if strange := file_disagreements(read, file):
        return FileVerification(file=file, verdicts=(), certificate=read, disagreements=tuple(strange))
    return _certified(file, read, {})


def _certified(file: Path, stated: Mapping[str, Any], policy: Mapping[str, Role]) -> FileVerification:
    """Compute the certificate again, and compare; hierarchies come from the policy if there is one."""
    promise, roles = promise_of_certificate(stated), roles_of_certificate(stated)
    if asks_for_absence(promise) and not policy:
        what = "facts of absence are checked with the hierarchies, which no certificate holds"
        raise BadInput(Problem(what, "name the policy with --policy"))
    if findings := coverage_problems(promise, roles):
        raise BadInput(*(Problem(what, remedy, column=column) for column, what, remedy in findings))
    dialect = _dialect_of(stated, None)
    checked = verified_file(file, with_hierarchies(roles, policy), promise, AS_PUBLISHED, dialect=dialect)
    try:
        statement = statement_of(checked, roles, promise)
        written = dialect.stated(ending_of(file.name))
        strange = disagreements(stated, certificate(statement, file, written))
    except PromiseBroken:  # the verdicts say so
        strange = []
    return FileVerification(
        file=file,
        verdicts=checked.verdicts,
        certificate=stated,
        disagreements=tuple(strange),
        codebook_disagreements=tuple(disagreements_beside(file, checked, roles)),
        notices=checked.notices,
    )


def _dialect_of(certificate: Mapping[str, Any], where: Path | None) -> Dialect:
    """How the certified file is written."""
    return stated_dialect(certificate.get("file"), str(where or "the certificate"))


def _as_published(plan: Plan) -> dict[str, Role]:
    """The roles of a plan, with sensitive items also as they are written where formulas are marked."""
    if not plan.neutralize_formulas:
        return dict(plan.roles)
    return {name: _with_marked_item(role) for name, role in plan.roles.items()}


def _with_marked_item(role: Role) -> Role:
    if not isinstance(role, QuasiSet):
        return role
    return replace(role, sensitive=tuple(dict.fromkeys((*role.sensitive, *map(marked_item, role.sensitive)))))


def verify_file(
    file: Any, roles: Mapping[str, Role], promise: Promise, options: ReadOptions
) -> tuple[Verdict, ...]:
    """One verdict per promise; a column that should have been dropped breaks the first."""
    return verified_file(file, roles, promise, options, dialect=dialect_beside(file)).verdicts


def write_verifier(folder: Path) -> tuple[Path, ...]:
    """Write what is for readers without Shoal.

    These are the script that verifies files, the JSON Schema of the certificate it reads, and the script that
    decodes files with their codebook.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputFailed(f"{folder}: cannot be made: {error.strerror}; choose another folder") from error
    for name in VERIFIER_FILES:
        with file_that_appears_whole(folder / name) as partial:
            partial.write_bytes((files("shoal.report") / name).read_bytes())
    return tuple(folder / name for name in VERIFIER_FILES)


def _read_certificate(path: Path) -> Mapping[str, Any]:
    if path.exists() and not path.is_file():
        raise BadInput(Problem("is not a regular file", "name its certificate.json", file=str(path)))
    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_named_once)
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(
            Problem(f"is not a readable certificate: {error}", "name its certificate.json", file=str(path))
        ) from error
    if not isinstance(content, dict):
        raise BadInput(
            Problem("is not a certificate", "name the certificate.json of the file", file=str(path))
        )
    refuse_other_formats(content)
    return content


def _named_once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(fields)
    if len(named) < len(fields):
        raise ValueError("a field is named twice")
    return named
