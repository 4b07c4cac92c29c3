"""The pages and their addresses.

The frame of a page is answered at once; its content follows when the browser is connected, and is asked of
the service layer in threads, so that nothing blocks the others.
"""

from collections.abc import Awaitable, Callable

from nicegui import ui

from shoal.errors import Problem, ShoalError
from shoal.study.check import problems_of
from shoal.web.access import Access
from shoal.web.pages.columns import columns_page
from shoal.web.pages.compare import compare_page
from shoal.web.pages.data import data_page
from shoal.web.pages.export import export_page
from shoal.web.pages.frame import STEPS, Place, ask, frame, settled_steps, show_problems
from shoal.web.pages.hierarchies import hierarchies_page
from shoal.web.pages.projects import projects_page
from shoal.web.pages.promise import promise_page
from shoal.web.pages.result import result_page
from shoal.web.pages.running import run_page
from shoal.web.service.service import Service

_PATIENCE = 60.0  # seconds for a browser to connect
Page = Callable[[Place, str | None], Awaitable[None]]

PAGES: dict[str, Page] = {
    "data": data_page,
    "columns": columns_page,
    "hierarchies": hierarchies_page,
    "promise": promise_page,
    "run": run_page,
    "result": result_page,
    "compare": compare_page,
    "export": export_page,
}


def add_pages(service: Service, access: Access) -> None:
    """Declare all pages over a service."""

    @ui.page("/")
    async def projects() -> None:
        with frame("Your projects"):
            await _filled(lambda: projects_page(service, access))

    @ui.page("/projects/{project}")
    def start(project: str) -> None:
        ui.navigate.to(f"/projects/{project}/data")

    @ui.page("/projects/{project}/{step}")
    async def step_page(project: str, step: str) -> None:
        await _show(service, project, step, None)

    @ui.page("/projects/{project}/{step}/{job}")
    async def job_page(project: str, step: str, job: str) -> None:
        await _show(service, project, step, job)


async def _show(service: Service, project: str, step: str, job: str | None) -> None:
    try:
        place = Place(service, await ask(service.projects.get, project))
    except ShoalError as error:
        with frame("Not found"):
            show_problems(problems_of(error), "There is no such project")
        return
    if step not in PAGES:
        with frame("Not found", place):
            ui.label("There is no such step.")
        return

    async def fill() -> None:
        await _filled(lambda: PAGES[step](place, job))

    with frame(STEPS[step], place, step, await ask(settled_steps, place), fill):
        await fill()


async def _filled(content: Callable[[], Awaitable[None]]) -> None:
    """Content that comes after the page; what goes wrong is shown in its place."""
    waiting = ui.spinner(size="lg")
    client = ui.context.client
    await client.connected(timeout=_PATIENCE)
    if client.is_deleted:
        return
    try:
        await content()
    except ShoalError as error:
        show_problems(problems_of(error))
    except Exception as error:
        show_problems([Problem(f"this is a bug in Shoal: {error!r}", "the server's output says more")])
        raise
    finally:
        waiting.delete()
