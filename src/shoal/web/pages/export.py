"""The last step: what may go out, and what stays here."""

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from nicegui.elements.upload_files import FileUpload

from shoal.policy.weak_promise import weak_parts
from shoal.report.wording import sentence
from shoal.run.verification import FileVerification
from shoal.web.pages.frame import Place, ask, bullets, card, first_do, paragraph
from shoal.web.pages.result import chosen_job, made_by, outdated_notice, parameters_of
from shoal.web.pages.uploading import checking_button, verified
from shoal.web.service.jobs import Job
from shoal.web.service.policies import files_of, promise_in_short
from shoal.web.service.results import Export

_PUBLIC: dict[Export, tuple[str, str]] = {
    "published": ("The published file", "What readers get: nothing else of the data leaves."),
    "certificate": (
        "The certificate",
        "What is promised, the figures it rests on, and the file's SHA-256: anyone can check it.",
    ),
    "codebook": (
        "The codebook",
        "What each label stands for; readers and their programs need it to count.",
    ),
    "public-report": (
        "The report for readers",
        "What the file promises and what it holds, made from nothing but the file.",
    ),
}
_INTERNAL: dict[Export, tuple[str, str]] = {
    "report": ("Your own report", "Compares with the original: for you alone."),
    "policy": ("The policy", "“shoal run policy.toml” beside the data makes the same release again."),
    "script": ("The Python script", "Does the same from Python."),
    "result": ("All figures", "For programs; compares with the original."),
    "comparison": ("The table of all runs", "One line per run."),
    "reconstruction": (
        "A possible original",
        "Drawn at random from all that the published file can come from; for analyses of the clusters.",
    ),
    "attack": ("The attack's page", "What adversaries would find; compares with the original."),
}


async def export_page(place: Place, job_id: str | None) -> None:
    """Everything that a finished job has to take away."""
    job = await _job(place, job_id)
    if job is None:
        first_do("Nothing has been run to its end yet.", "To the run", place.link("run"))
        _check_release(place, None, await ask(place.service.policies.get, place.project.id))
        return
    differences = await ask(place.service.results.outdated, place.project.id, job.id)
    outdated_notice(differences)
    offered = await ask(place.service.results.exports, place.project.id, job.id)
    paragraph(made_by(job) if job.kind == "run" else f"From {job.title}, {parameters_of(job)}.")
    public = [each for each in offered if each in _PUBLIC]
    if public:
        privacy = job.request.get("sections", {}).get("privacy", {})
        weak = " and ".join(weak_parts(privacy))
        title = f"Promises little: {weak}" if weak else "May go out"
        with card("Does not match the settings any more" if differences else title):
            for each in public:
                _offer(place, job, each, *_PUBLIC[each])
    with card("Stays with you"):
        for each in offered:
            if each not in public:
                _offer(place, job, each, *_INTERNAL[each])
        await _hierarchies(place, job)
    if job.kind == "run":
        _check_release(place, job, job.request["sections"])


async def _hierarchies(place: Place, job: Job) -> None:
    """The hierarchy files that the policy names: it cannot be run elsewhere without them."""
    named = files_of(job.request.get("sections", {}))
    for file in await ask(place.service.files.all, place.project.id, "hierarchy"):
        if file.name in named:
            address = f"/api/v1/projects/{place.project.id}/files/{file.id}"
            _line(f"The hierarchy {file.name}", "The policy names it: put it beside the policy.", address)


def _check_release(place: Place, job: Job | None, sections: Mapping[str, Any]) -> None:
    """Check a file that has gone out, or shall, against the promise of a run or of the settings."""
    if "privacy" not in sections:
        return
    with card("Check a release"):
        paragraph(
            f"Whether a published file keeps {promise_in_short(sections['privacy'])}: nothing but the file is"
            " looked at, wherever it came from.",
            quiet=True,
        )
        trouble = ui.column().classes("w-full")

        async def check(file: FileUpload) -> None:
            answer.clear()
            found = await verified(place, job, file, trouble)
            if found is not None:
                with answer:
                    _verdict(found)

        checking_button("Choose a published file", place, check)
        answer = ui.column().classes("w-full").props('aria-live="polite"')


def _verdict(found: FileVerification) -> None:
    told = "✓ Holds" if found.holds else "✗ Does not hold"
    ui.label(told).classes("text-lg " + ("shoal-good" if found.holds else "shoal-bad"))
    for verdict in found.verdicts:
        paragraph(f"{'It' if verdict.holds else 'It is not so that it'} {verdict.claim}.")
        paragraph(sentence(verdict.evidence), quiet=True)
        if verdict.witness is not None:
            paragraph(sentence(verdict.witness.what), quiet=True)
    bullets(sentence(each) for each in found.notices)


async def _job(place: Place, job_id: str | None) -> Job | None:
    if job_id is not None:
        job = await ask(place.service.jobs.get, place.project.id, job_id)
        if job.kind != "run" and job.state == "done":
            return job
    return await chosen_job(place, "run", "export", job_id)


def _offer(place: Place, job: Job, what: Export, title: str, text: str) -> None:
    _line(title, text, place.download(job.id, what))


def _line(title: str, text: str, address: str) -> None:
    with ui.row().classes("items-center w-full shoal-line no-wrap"):
        with ui.column().classes("gap-0 grow shoal-any"):
            ui.label(title).classes("font-semibold")
            ui.label(text).classes("shoal-quiet text-sm")
        link = ui.link("Download", address).props("download")
        link.props["aria-label"] = f"Download {title[0].lower()}{title[1:]}"
