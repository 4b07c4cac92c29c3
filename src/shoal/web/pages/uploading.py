"""Bring a file: a button for people with a keyboard, a place to drop it for people with a mouse."""

from collections.abc import Awaitable, Callable

from nicegui import events, ui
from nicegui.elements.upload_files import FileUpload

from shoal.errors import ShoalError
from shoal.run.verification import FileVerification
from shoal.study.check import problems_of
from shoal.web.pages.frame import Place, ask, patiently, show_problems
from shoal.web.service.files import FileKind, StoredFile
from shoal.web.service.jobs import Job

# In the browser itself: it opens the dialog only while it remembers that somebody has clicked. The part of
# the page that opens it may come after the button.
_PICK = """() => {
  const pick = () => {
    const upload = getElement(UPLOAD)?.$refs.qRef;
    if (upload) upload.pickFiles(); else setTimeout(pick, 50);
  };
  pick();
}"""


def file_button(
    title: str,
    place: Place,
    kind: FileKind,
    trouble: ui.element,
    use: Callable[[StoredFile], Awaitable[None]],
) -> None:
    """A button that takes in a file, and hands it on when it is here."""

    async def take(file: FileUpload) -> None:
        stored = await _received(place, file, kind, trouble)
        if stored is not None:
            await use(stored)

    checking_button(title, place, take)


def checking_button(title: str, place: Place, take: Callable[[FileUpload], Awaitable[None]]) -> None:
    """A button that hands on a file as it arrives; nothing of it is kept."""

    async def arrived(event: events.UploadEventArguments) -> None:
        upload.reset()
        await take(event.file)

    def refuse() -> None:
        most = place.service.files.most_bytes / 1e6
        ui.notify(f"This file is larger than the {most:,.0f} MB that this server takes in.", type="negative")

    with ui.row().classes("items-center w-full"):
        button = ui.button(title).props("no-caps unelevated")
        upload = ui.upload(
            on_upload=arrived,
            on_rejected=refuse,
            auto_upload=True,
            max_file_size=place.service.files.most_bytes,
        )
        upload.props("flat no-thumbnails hide-upload-btn").classes("shoal-drop grow")
        button.on("click", js_handler=_PICK.replace("UPLOAD", str(upload.id)))


async def verified(
    place: Place, job: Job | None, file: FileUpload, trouble: ui.element
) -> FileVerification | None:
    """What a published file shows of the promise of a run, or of the settings; its problems are listed."""
    trouble.clear()
    try:
        with place.service.files.receive_briefly(file.name, announced=file.size()) as upload:
            async for piece in file.iterate():
                await ask(upload.write, piece)
            await ask(upload.end)
            verify, project = place.service.results.verify, place.project.id
            checking = place.doing(f"Checking {upload.name}", file.size())
            of_job = None if job is None else job.id
            return await patiently(
                trouble, checking, verify, project, upload.path, job=of_job, name=upload.name
            )
    except ShoalError as error:
        with trouble:
            show_problems(problems_of(error))
        return None


async def _received(place: Place, file: FileUpload, kind: FileKind, trouble: ui.element) -> StoredFile | None:
    """Take in an uploaded file piece by piece; what is wrong with it is listed."""
    trouble.clear()
    try:
        with place.service.files.receive(place.project.id, file.name, kind, announced=file.size()) as upload:
            async for piece in file.iterate():
                await ask(upload.write, piece)
    except ShoalError as error:
        with trouble:
            show_problems(problems_of(error))
        return None
    return upload.done
