"""The last step: what may go out, and what stays here."""

from nicegui import ui

from shoal.policy.weak_promise import weak_parts
from shoal.web.pages.frame import Place, ask, card, first_do, paragraph
from shoal.web.pages.result import chosen_job, outdated_notice, parameters_of
from shoal.web.service.jobs import Job
from shoal.web.service.results import Export

_PUBLIC: dict[Export, tuple[str, str]] = {
    "published": ("The published file", "This is what may go out."),
    "certificate": (
        "The certificate",
        "What is promised, the figures it rests on, and the file's SHA-256: anyone can check it.",
    ),
    "public-report": (
        "The report for readers",
        "What the file promises and what it holds, made from nothing but the file.",
    ),
}
_INTERNAL: dict[Export, tuple[str, str]] = {
    "report": ("Your own report", "Compares with the original: for you alone."),
    "policy": ("The policy", "`shoal run policy.toml` beside the data makes the same release again."),
    "script": ("The Python script", "Does the same from Python."),
    "result": ("All figures", "For programs; compares with the original."),
    "comparison": ("The table of all runs", "One line per run."),
    "attack": ("The attack's page", "What adversaries would find; compares with the original."),
}


async def export_page(place: Place, job_id: str | None) -> None:
    """Everything that a finished job has to take away."""
    job = await _job(place, job_id)
    if job is None:
        first_do("Nothing has been run to its end yet.", "To the run", place.link("run"))
        return
    differences = await ask(place.service.results.outdated, place.project.id, job.id)
    outdated_notice(differences)
    offered = await ask(place.service.results.exports, place.project.id, job.id)
    paragraph(f"From {job.title}, {parameters_of(job)}.")
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


async def _job(place: Place, job_id: str | None) -> Job | None:
    if job_id is not None:
        job = await ask(place.service.jobs.get, place.project.id, job_id)
        if job.kind != "run" and job.state == "done":
            return job
    return await chosen_job(place, "run", "export", job_id)


def _offer(place: Place, job: Job, what: Export, title: str, text: str) -> None:
    with ui.row().classes("items-center w-full shoal-line no-wrap"):
        with ui.column().classes("gap-0 grow shoal-any"):
            ui.label(title).classes("font-semibold")
            ui.label(text).classes("shoal-quiet text-sm")
        link = ui.link("Download", place.download(job.id, what)).props("download")
        link.props["aria-label"] = f"Download {title.lower()}"
