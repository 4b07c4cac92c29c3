"""How the files of a release are called, and what may be asked of the name of the published one."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import Problem

MARK = "result.json"
CERTIFICATE = "certificate.json"
CODEBOOK = "codebook.json"
INTERNAL = "internal"
REPORT = "report.html"
RECODING = "recoding.npz"  # in INTERNAL
POLICY = "policy.toml"  # in INTERNAL
INPUTS = "inputs.json"  # in INTERNAL
USEFULNESS = "usefulness.json"  # in INTERNAL
PUBLISHED_ENDINGS = (
    ".csv",
    ".tsv",
    ".parquet",
    ".arrow",
    ".jsonl",
    ".xlsx",
    ".txt",
    ".dat",
    ".csv.gz",
    ".tsv.gz",
    ".jsonl.gz",
    ".txt.gz",
    ".dat.gz",
)
TYPED_ENDINGS = (".parquet", ".arrow")  # whose metadata hold the codebook
SPREADSHEET_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")  # a workbook says itself what is a formula


def ending_of(published: str) -> str:
    """The ending that tells the format, without that of compression."""
    return Path(published.lower().removesuffix(".gz")).suffix


def name_problems(published: str, endings: tuple[str, ...] = PUBLISHED_ENDINGS) -> list[Problem]:
    """Why a published file cannot have this name."""
    problems = []
    if (
        not published.isprintable()
        or Path(published).name != published
        or published in (".", "..", MARK, CERTIFICATE, CODEBOOK, INTERNAL, REPORT)
    ):
        what = f"the name of the published file must be a plain one of its own, got {published!r}"
        problems.append(Problem(what, "the folder is chosen with --out"))
    if not published.endswith(endings):
        other = " for disassociated data" if endings != PUBLISHED_ENDINGS else ""
        what = f"the published file {published!r} has an ending that Shoal does not write{other}"
        problems.append(Problem(what, f"use one of {', '.join(endings)}"))
    return problems


def partition_name_problems(published: str) -> list[Problem]:
    """Why a published file of this name cannot be a folder of partitions."""
    if published.endswith(".parquet"):
        return []
    what = f"partitions are written as Parquet, and {published!r} is none"
    return [Problem(what, 'use a name such as "published.parquet", or leave partitioned out')]


def formula_problems(published: str) -> list[Problem]:
    """Why formulas cannot be neutralized in a file of this name."""
    if published.endswith(SPREADSHEET_ENDINGS):
        return []
    what = f"formulas are neutralized in delimited text only, and {published!r} is none"
    return [Problem(what, f"use one of {', '.join(SPREADSHEET_ENDINGS)}, or leave neutralize_formulas out")]
