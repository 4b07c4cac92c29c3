"""What the commands that publish say of a release."""

from __future__ import annotations

from pathlib import Path

from shoal.cli import output, words
from shoal.report.result_file import result_dict
from shoal.run.result import Result


def show_release(title: str, result: Result, file: Path, *, table: str | None = None, as_json: bool) -> None:
    """What was published in a file, and which files beside it are for whom."""
    folder = file.parent
    if as_json:
        in_database = {} if table is None else {"table": table}
        output.show_json({**result_dict(result.outcome), "folder": str(folder), **in_database})
        return
    output.show_notices(result.notices)
    output.show_facts(title, words.outcome(result.outcome))
    if table is not None:
        output.say(f"published table, read back and verified: {table}")
    output.say(f"published file: {output.short_path(file)}")
    beside = "report.html and codebook.json beside it"
    output.say(f"may go with it: {output.short_path(folder / 'certificate.json')}, {beside}")
    output.say(f"for you alone: {output.short_path(folder / 'internal' / 'report.html')}")


def show_streamed(title: str, result: Result, folder: Path | None) -> None:
    """The same for a file that went to standard output: all of it to standard error."""
    output.show_notices(result.notices)
    output.show_facts(title, words.outcome(result.outcome), stderr=True)
    if folder is None:
        output.say("certificate, codebook and reports were not kept: name a folder for them with --internal")
    else:
        output.say(f"certificate, codebook and reports: {output.short_path(folder)}")


def show_sent(title: str, result: Result, where: str, folder: Path | None, *, as_json: bool) -> None:
    """The same for a release that went to another machine; `folder` has all of its files."""
    if as_json:
        output.show_json({**result_dict(result.outcome), "folder": where})
        return
    output.show_notices(result.notices)
    output.show_facts(title, words.outcome(result.outcome))
    output.say(f"stored and read back: {where}")
    if folder is None:
        output.say("what is for you alone was not kept: name a folder for it with --internal")
    else:
        output.say(f"for you alone: {output.short_path(folder / 'internal' / 'report.html')}")
