"""`shoal run`: a policy, what a pipeline says differently from it, and where its release goes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal import __version__
from shoal.cli import output, words
from shoal.cli.log import Log, LoggedProgress, logged, refuse_log_among
from shoal.cli.progress import shown_progress
from shoal.cli.released import show_release, show_sent, show_streamed
from shoal.cli.reporting import Json, reporting
from shoal.cli.streams import STREAM, ending_of, shown_path, standard_input, to_standard_output
from shoal.cli.threads_option import Threads
from shoal.cli.with_spark import EngineName, run_with_spark
from shoal.errors import BadInput, Problem
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import PolicyFile, given_keys, load_policy
from shoal.policy.settings import Setting, setting_of
from shoal.policy.weak_promise import unconfirmed
from shoal.progress import Progress, Silent
from shoal.run.inputs import inputs_of, is_up_to_date
from shoal.run.output import folder_for_a_while, refuse_unusable
from shoal.run.planned_output import refuse_unsendable, save_as_planned, send_as_planned
from shoal.run.release import run as run_plan
from shoal.run.result import Result
from shoal.run.table_output import publish_table
from shoal.study.check import check as check_policy
from shoal.table.database import refuse_unusable_table
from shoal.table.remote_file import RemoteFile, is_remote
from shoal.threads import at_most


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """What the words of the command line ask for beside the policy."""

    out: str | None
    internal: Path | None
    given_format: str | None
    replace: bool
    if_changed: bool
    dry_run: bool
    quiet: bool
    as_json: bool

    @property
    def streams_out(self) -> bool:
        return self.out == STREAM

    @property
    def address(self) -> RemoteFile | None:
        return RemoteFile(self.out) if self.out is not None and is_remote(self.out) else None


@reporting
def run(
    policy: Annotated[Path, typer.Argument(help="The policy file (TOML).", metavar="POLICY")],
    *,
    data: Annotated[
        str | None,
        typer.Option(help="Other data than the policy names; - is standard input.", metavar="FILE"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Another value for a key of the policy, in TOML, such as privacy.k=10; repeatable.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    confirm: Annotated[
        str | None,
        typer.Option(
            help="Why k below 3 or l below 2 is promised nevertheless, naming it, as in 'k = 2: a test'; your"
            " own report tells it.",
            metavar="TEXT",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            help="The output folder; - writes the published file, and nothing else, to standard output; at an"
            " address such as s3://bucket/release only what may be published is stored.",
            show_default="<policy name>-out",
        ),
    ] = None,
    internal: Annotated[
        Path | None,
        typer.Option(
            help="With --out - or an address: a folder for all files of the release.", metavar="DIR"
        ),
    ] = None,
    given_format: Annotated[
        str | None,
        typer.Option(
            "--format", help="The format of -, such as csv or parquet; else as the names in the policy say."
        ),
    ] = None,
    replace_output: Annotated[
        bool, typer.Option("--replace", help="Replace an earlier output in that folder.")
    ] = False,
    if_changed: Annotated[
        bool,
        typer.Option(
            "--if-changed",
            help="Do nothing if the folder holds the output of the same policy and data; else replace it.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and say what a run would do; write nothing.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.")] = False,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Add lines of JSON to this file: times, stages, memory, no values.", metavar="FILE"
        ),
    ] = None,
    engine: Annotated[
        EngineName, typer.Option(help="Where the data are: in this machine's memory, or in a Spark cluster.")
    ] = EngineName.LOCAL,
    master: Annotated[str | None, typer.Option(help="The Spark cluster, such as spark://host:7077.")] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Anonymize, verify, measure, report."""
    changes = (*_data_setting(data), *map(setting_of, settings or ()), *_confirmation(confirm))
    file = load_policy(policy, changes)
    _refuse_other_confirmation(confirm, file)
    how = _How(
        out=out,
        internal=internal,
        given_format=given_format,
        replace=replace_output or if_changed,
        if_changed=if_changed,
        dry_run=dry_run,
        quiet=quiet,
        as_json=as_json,
    )
    _refuse_contradictions(how, data, engine, master)
    refuse_log_among(log, (policy,))
    if engine is EngineName.SPARK:
        with logged(log, policy) as lines, _progress(lines, quiet=quiet) as progress:
            run_with_spark(
                file,
                out=out,
                master=master,
                progress=progress,
                replace=how.replace,
                quiet=quiet,
                as_json=as_json,
            )
        return
    plan = plan_of(file)
    refuse_log_among(log, plan.sources())
    with (
        _input(file, plan, data, given_format) as read_plan,
        logged(log, policy) as lines,
        at_most(threads),
    ):
        _run_here(file, read_plan, how, lines)


def _data_setting(data: str | None) -> tuple[Setting, ...]:
    if data is None:
        return ()
    as_it_stands = data == STREAM or "://" in data
    path = data if as_it_stands else str(Path(data).absolute())
    return (
        Setting(("data", "path"), path, "--data"),
        *(Setting(("data", key), None, "--data") for key in ("url", "table", "query", "sets")),
    )


def _confirmation(written: str | None) -> tuple[Setting, ...]:
    return () if written is None else (Setting(("report", "weak_promise"), written, "--confirm"),)


def _refuse_other_confirmation(written: str | None, file: PolicyFile) -> None:
    """A confirmation that does not name what it confirms was meant for something else."""
    missing = unconfirmed(given_keys(file.policy.privacy), written)
    if written is not None and missing is not None:
        raise BadInput(replace(missing, file="--confirm"))


def _refuse_contradictions(how: _How, data: str | None, engine: EngineName, master: str | None) -> None:
    on_spark = engine is EngineName.SPARK
    contradictions = (
        (master is not None and not on_spark, "--master names a Spark cluster", "add --engine spark"),
        (
            on_spark and STREAM in (data, how.out),
            "a Spark cluster reads and writes no streams",
            "name folders",
        ),
        (
            on_spark and how.dry_run,
            "--dry-run reads the data here, not in a cluster",
            "leave one of the two out",
        ),
        (on_spark and how.if_changed, "--if-changed reads the data here, not in a cluster", "use --replace"),
        (
            how.internal and not how.streams_out and (on_spark or how.address is None),
            "--internal goes with --out - or an address such as s3://bucket/release",
            "leave it out, or write --out -",
        ),
        (
            how.given_format and STREAM not in (data, how.out),
            "--format tells the format of a stream",
            "leave it out: the ending of a file tells its format",
        ),
        (
            how.if_changed and not on_spark and how.address is not None,
            "--if-changed compares files of this machine, and the release goes to another",
            "use --replace",
        ),
        (
            how.streams_out and how.as_json,
            "standard output cannot hold both the file and JSON",
            "leave out one",
        ),
        (
            how.if_changed and STREAM in (data, how.out),
            "--if-changed compares files, and a stream is none",
            "leave it out, or name files",
        ),
    )
    if problems := [Problem(what, remedy) for applies, what, remedy in contradictions if applies]:
        raise BadInput(*problems)


@contextmanager
def _input(file: PolicyFile, plan: Plan, data: str | None, given_format: str | None) -> Iterator[Plan]:
    """The plan with its data in a file."""
    if data != STREAM:
        yield plan
        return
    ending = ending_of(str(file.as_in_file("data", "path") or ""), given_format, reading=True)
    with standard_input(ending) as path:
        yield replace(plan, data_path=path)


@contextmanager
def _progress(log: Log, *, quiet: bool) -> Iterator[Progress]:
    if quiet:
        yield LoggedProgress(Silent(), log)
        return
    with shown_progress() as progress:
        yield LoggedProgress(progress, log)


def _run_here(file: PolicyFile, plan: Plan, how: _How, log: Log) -> None:
    if how.streams_out:
        plan = _published_as(file, plan, how.given_format)
        _refuse_folder(plan)
    folder = _folder(file, how)
    _refuse_unusable(file, plan, how, folder)
    if how.dry_run:
        _check(file, plan, how, log, folder)
        return
    if how.if_changed:
        _refuse_incomparable(plan)
    inputs = inputs_of(plan, repr(file.policy), __version__) if how.if_changed else None
    if inputs is not None and folder is not None and is_up_to_date(folder, inputs):
        log.write("unchanged")
        _tell_unchanged(folder, how)
        return
    with _progress(log, quiet=how.quiet) as progress:
        result = _named_stream(run_plan(plan, progress), plan)
        progress.stage("writing and checking the published file")
        log.write("released", **_counts(result))
        if how.address is not None:
            send_as_planned(result, plan, how.address, internal=folder, replace=how.replace)
        elif folder is None:
            _stream_alone(result, plan)
        else:
            _save(result, plan, folder, inputs, replace=how.replace)
    if folder is not None and how.streams_out:
        to_standard_output(folder / plan.output_path)
    if how.as_json or not how.quiet:
        _show(file, plan, how, result, folder)


def _folder(file: PolicyFile, how: _How) -> Path | None:
    """The folder for all files of the release, if it is to have one."""
    if how.streams_out or how.address is not None:
        return how.internal
    return Path(how.out or file.path.with_name(f"{file.path.stem}-out"))


def _refuse_unusable(file: PolicyFile, plan: Plan, how: _How, folder: Path | None) -> None:
    """Say early what would make the output fail late."""
    if how.address is not None:
        refuse_unsendable(plan, how.address, replace=how.replace)
    if folder is not None:
        refuse_unusable(folder, replace=how.replace, sources=(file.path, *plan.sources()))
        _refuse_among_data(folder, plan)
    if plan.output_table is not None:
        refuse_unusable_table(plan.output_table, replace=how.replace)


def _show(file: PolicyFile, plan: Plan, how: _How, result: Result, folder: Path | None) -> None:
    if how.address is not None:
        show_sent(str(file.path), result, how.address.where, folder, as_json=how.as_json)
    elif how.streams_out:
        show_streamed(str(file.path), result, folder)
    elif folder is not None:
        show_release(
            str(file.path),
            result,
            folder / plan.output_path,
            table=None if plan.output_table is None else plan.output_table.where,
            as_json=how.as_json,
        )


def _refuse_folder(plan: Plan) -> None:
    if plan.partitioned:
        what = "partitions are a folder, which standard output cannot hold"
        raise BadInput(Problem(what, "leave output.partitioned out, or name a folder with --out"))


def _refuse_incomparable(plan: Plan) -> None:
    """Whether data elsewhere have changed is not known before they were fetched."""
    if isinstance(plan.data_path, RemoteFile):
        what = "--if-changed compares files of this machine, and the data are on another"
    elif not isinstance(plan.data_path, Path) or plan.output_table is not None:
        what = "--if-changed compares files, and a database is none"
    else:
        return
    raise BadInput(Problem(what, "use --replace"))


def _refuse_among_data(folder: Path, plan: Plan) -> None:
    """What is written into a folder of data would be data of the next run."""
    data = plan.data_path
    if isinstance(data, Path) and data.is_dir() and folder.resolve().is_relative_to(data.resolve()):
        what = f"lies in {data}, whose files are the data"
        raise BadInput(Problem(what, "choose another folder with --out", file=str(folder)))


def _published_as(file: PolicyFile, plan: Plan, given_format: str | None) -> Plan:
    """The plan with a published file of the format that standard output shall have."""
    if given_format is None:
        return plan
    ending = ending_of(plan.output_path, given_format, reading=False)
    setting = Setting(("output", "path"), f"published{ending}", "--format")
    written = file.written
    return (
        plan_of(file)
        if written is None
        else replace(plan_of(load_policy(file.path, (*written.settings, setting))), data_path=plan.data_path)
    )


def _save(result: Result, plan: Plan, folder: Path, inputs: dict[str, Any] | None, *, replace: bool) -> None:
    target = plan.output_table
    also = None if target is None else lambda: publish_table(result, target)
    save_as_planned(result, plan, folder, replace=replace, inputs=inputs, also=also)


def _stream_alone(result: Result, plan: Plan) -> None:
    """Write all files where nobody keeps them, and hand on the published one, which was checked there."""
    with folder_for_a_while("shoal-output") as scratch:
        _save(result, plan, scratch / "release", None, replace=False)
        to_standard_output(scratch / "release" / plan.output_path)


def _named_stream(result: Result, plan: Plan) -> Result:
    """The result with standard input called so in its notices, which would name a file that nobody knows."""
    if not isinstance(plan.data_path, Path):
        return result
    provenance = result.outcome.provenance
    told = tuple(
        notice.replace(str(plan.data_path), shown_path(plan.data_path)) for notice in provenance.notices
    )
    return replace(result, outcome=replace(result.outcome, provenance=replace(provenance, notices=told)))


def _counts(result: Result) -> dict[str, Any]:
    outcome = result.outcome
    return {
        "algorithm": outcome.provenance.algorithm,
        "records": outcome.cost.records,
        "published_records": outcome.cost.published_records,
        "suppressed_records": outcome.cost.suppressed_records,
        "holds": outcome.holds,
    }


def _check(file: PolicyFile, plan: Plan, how: _How, log: Log, folder: Path | None) -> None:
    with _progress(log, quiet=how.quiet) as progress:
        found = check_policy(file, progress, plan.data_path)
    if how.address is not None:
        where = f"{how.address.where}/{plan.output_path}"
    elif how.streams_out:
        where = "standard output"
    else:
        where = output.short_path((folder or Path()) / plan.output_path)
    if how.as_json:
        output.show_json({**words.check_json(found), "would_write": where})
    elif not how.quiet:
        output.show_notices(found.notices)
        output.show_facts(f"{file.path}: no problems found", {**words.check(found), "would write": where})


def _tell_unchanged(folder: Path, how: _How) -> None:
    if how.as_json:
        output.show_json({"unchanged": True, "folder": str(folder)})
    elif not how.quiet:
        output.say(f"{output.short_path(folder)} is up to date: policy and data have not changed")
