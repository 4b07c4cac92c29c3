"""The command line: words to plan, result to words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from shoal import __version__
from shoal.algorithms.catalogue import describe_algorithms
from shoal.cli import output, words
from shoal.cli.applying import apply
from shoal.cli.attacking import attack
from shoal.cli.comparing import compare_command
from shoal.cli.converting import convert
from shoal.cli.disassociated import reconstruct
from shoal.cli.generate import generate
from shoal.cli.hierarchies import hierarchies
from shoal.cli.progress import shown_progress
from shoal.cli.queries import query
from shoal.cli.released import show_release
from shoal.cli.reporting import Json, reporting
from shoal.cli.serving import serve
from shoal.cli.with_spark import EngineName, run_with_spark
from shoal.errors import BadInput, Problem
from shoal.explain.items import explain as explain_item
from shoal.kernels.compile import remove_stale_caches
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.report.result_file import result_dict
from shoal.run.output import refuse_unusable
from shoal.run.release import run as run_plan
from shoal.run.verification import verify_certified, verify_published, write_verifier
from shoal.study.check import check as check_policy
from shoal.study.demo import run_demo
from shoal.study.profile import profile as profile_data
from shoal.study.starter import starter_policy
from shoal.table.reading import ReadOptions

app = typer.Typer(
    help="Anonymize tables and set-valued data, verify the published file, and see what the promise cost.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(hierarchies, name="hierarchy")
app.command()(generate)
app.command()(apply)
app.command()(reconstruct)
app.command()(query)
app.command()(convert)
app.command()(attack)
app.command("compare")(compare_command)
app.command()(serve)

PolicyPath = Annotated[Path, typer.Argument(help="The policy file (TOML).", metavar="POLICY")]
_EXPLANATIONS_SHOWN = 10

Replace = Annotated[bool, typer.Option("--replace", help="Replace an earlier output in that folder.")]


@app.callback(invoke_without_command=True)
def version(
    *, show: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False
) -> None:
    """Anonymize tables and set-valued data, verify the published file, and see what the promise cost."""
    if show:
        output.show_text(__version__)
        raise typer.Exit


@app.command()
@reporting
def demo(
    folder: Annotated[Path, typer.Argument(help="Where the sample and its release go.")] = Path("shoal-demo"),
    *,
    replace: Replace = False,
    as_json: Json = False,
) -> None:
    """Make the whole tour on the bundled sample of invented patients."""
    with shown_progress() as progress:
        tour = run_demo(folder, progress, replace=replace)
    if as_json:
        output.show_json({**result_dict(tour.result.outcome), "folder": str(tour.folder)})
        return
    output.show_notices(tour.result.notices)
    output.show_table("A few records before and after", *words.examples(tour.result.outcome))
    output.show_facts("The bundled sample of invented patients", words.outcome(tour.result.outcome))
    output.say(f"published file, certificate and report: {output.short_path(tour.folder)}")
    output.say(f"look at {output.short_path(tour.folder / 'internal' / 'report.html')} in a browser")


@app.command()
@reporting
def profile(
    data: Annotated[Path, typer.Argument(help="The file to look at.", metavar="DATA")],
    *,
    policy: Annotated[Path | None, typer.Option(help="Write a starter policy to this file.")] = None,
    missing: Annotated[
        list[str] | None, typer.Option(help="How a missing value is written; repeatable.")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="The sheet of an Excel file; else the first.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Such as utf-8 or cp1252; else found out.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="What is between cells; else found out.")] = None,
    as_json: Json = False,
) -> None:
    """Show what is in a file and how unique its people are; suggest a role for each column."""
    with shown_progress() as progress:
        progress.stage("reading")
        options = ReadOptions(
            missing=("", *(missing or ())), sheet=sheet, encoding=encoding, delimiter=delimiter
        )
        found = profile_data(data, options)
    if policy is not None:
        starter_policy(found, data, policy)
    if as_json:
        output.show_json(words.profile_json(found))
        return
    output.show_table(f"{data.name}: {found.records} records", *words.profile_columns(found))
    output.show_facts("How it was read", words.profile_reading(found))
    if found.uniqueness:
        output.show_table("How many records are unique", *words.profile_uniqueness(found))
    output.show_notices(found.notices)
    if policy is not None:
        output.say(
            f"starter policy written to {policy}: read it, correct the roles, then run `shoal check {policy}`"
        )


@app.command()
@reporting
def check(policy: PolicyPath, *, as_json: Json = False) -> None:
    """List every problem of data, hierarchies and policy at once, and what the run will cost."""
    file = load_policy(policy)
    with shown_progress() as progress:
        found = check_policy(file, progress)
    if as_json:
        output.show_json(words.check_json(found))
        return
    output.show_notices(found.notices)
    output.show_facts(f"{policy}: no problems found", words.check(found))


@app.command()
@reporting
def run(
    policy: PolicyPath,
    *,
    out: Annotated[
        str | None, typer.Option(help="The output folder.", show_default="<policy name>-out")
    ] = None,
    replace: Replace = False,
    engine: Annotated[
        EngineName, typer.Option(help="Where the data are: in this machine's memory, or in a Spark cluster.")
    ] = EngineName.LOCAL,
    master: Annotated[str | None, typer.Option(help="The Spark cluster, such as spark://host:7077.")] = None,
    as_json: Json = False,
) -> None:
    """Anonymize, verify, measure, report."""
    file = load_policy(policy)
    if engine is EngineName.SPARK:
        run_with_spark(file, policy, out=out, master=master, replace=replace, as_json=as_json)
        return
    if master is not None:
        raise BadInput(Problem("--master names a Spark cluster", "add --engine spark"))
    plan = plan_of(file)
    folder = Path(out or policy.with_name(f"{policy.stem}-out"))
    refuse_unusable(folder, replace=replace, sources=(policy, *plan.sources()))
    with shown_progress() as progress:
        result = run_plan(plan, progress)
        progress.stage("writing and checking the published file")
        result.save(
            folder,
            published=plan.output_path,
            replace=replace,
            neutralize_formulas=plan.neutralize_formulas,
            dialect=plan.dialect,
        )
    show_release(str(policy), result, folder / plan.output_path, as_json=as_json)


@app.command()
@reporting
def verify(
    file: Annotated[Path, typer.Argument(help="The published file.", metavar="FILE")],
    *,
    policy: Annotated[
        Path | None,
        typer.Option(help="The policy that says what is promised; the certificate says it, too."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Also check the file against its certificate.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Check the promise from the published file alone; exit code 1 and a witness when it is broken."""
    plan = None if policy is None else plan_of(load_policy(policy))
    with shown_progress() as progress:
        progress.stage("reading and checking the published file")
        if plan is not None:
            checked = verify_published(file, plan, certificate)
        elif certificate is not None:
            checked = verify_certified(file, certificate)
        else:
            what = "nobody says what is promised"
            raise BadInput(Problem(what, "name a policy with --policy, or a certificate with --certificate"))
    if as_json:
        output.show_json(words.checked_json(checked))
    else:
        output.show_notices(checked.notices)
        for title, facts in words.checked(checked):
            output.show_facts(title, facts)
    return output.FINE if checked.holds else output.PROMISE_BROKEN


@app.command()
@reporting
def verifier(
    folder: Annotated[Path, typer.Argument(help="Where the files go.")] = Path(),
    *,
    as_json: Json = False,
) -> None:
    """Write scripts that verify and decode published files without Shoal, and the schema of certificates."""
    written = write_verifier(folder)
    if as_json:
        output.show_json({"files": [str(path) for path in written]})
        return
    output.say(f"run it as: python {output.short_path(written[0])} certificate.json FILE")


@app.command()
@reporting
def explain(
    policy: PolicyPath,
    *,
    item: Annotated[str, typer.Option(help="The item of the data to explain.")],
    as_json: Json = False,
) -> None:
    """Say why an item is generalized: what would break if it were published in more detail."""
    plan = plan_of(load_policy(policy))
    with shown_progress() as progress:
        result = run_plan(plan, progress)
    found = explain_item(result.data.local, result.models, result.recoding, item)
    if as_json:
        output.show_json({"item": item, "parts": [words.explanation_json(entry) for entry in found]})
        return
    for entry in found[:_EXPLANATIONS_SHOWN]:
        output.show_text(entry.place + entry.sentence())
    if len(found) > _EXPLANATIONS_SHOWN:
        output.show_text(f"and in {len(found) - _EXPLANATIONS_SHOWN:,} other ways: --json lists them all")


@app.command()
@reporting
def algorithms(*, as_json: Json = False) -> None:
    """List the algorithms, what they promise and the papers they come from."""
    rows = describe_algorithms()
    if as_json:
        output.show_json({"algorithms": rows})
        return
    output.show_table("Algorithms", *words.algorithms(rows))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    words_given = sys.argv[1:] if arguments is None else list(arguments)
    output.show_any_character()
    remove_stale_caches()
    if "--json" not in words_given:
        app(words_given)
    try:
        sys.exit(app(words_given, standalone_mode=False))
    except TyperException as error:
        output.show_usage_error(error.format_message())
        sys.exit(output.BAD_INPUT)
