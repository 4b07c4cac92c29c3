"""The REST interface: `/api/v1`, the same service layer as the pages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.responses import FileResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.routing import Route

from shoal.algorithms.catalogue import describe_algorithms
from shoal.errors import NotFound
from shoal.json_values import json_value
from shoal.web.rest.errors import MEDIA_TYPE, NoSuchRoute, add_error_answers
from shoal.web.rest.models import (
    AttackIn,
    ChangedOut,
    CheckIn,
    ComparisonIn,
    EditsIn,
    ErrorOut,
    ExplainedOut,
    ExplainIn,
    FileOut,
    JobIn,
    JobOut,
    NameIn,
    PickIn,
    PolicyOut,
    ProblemOut,
    RunIn,
    StartIn,
    TreeOut,
    VerifiedOut,
    edit_of,
)
from shoal.web.service.files import Upload
from shoal.web.service.projects import Project
from shoal.web.service.service import Service

PREFIX = "/api/v1"
_PIECE = 2**20
_FILE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorOut, "description": what, "content": {MEDIA_TYPE: {}}}
    for status, what in (
        (401, "no session and no key"),
        (403, "sent by a page of another site"),
        (404, "there is no such thing"),
        (412, "the settings were changed to something else meanwhile; both values are told"),
        (413, "more bytes than are taken in"),
        (422, "what was sent cannot be used; all problems are listed"),
        (428, "a change has to say from which version of the settings it starts"),
        (503, "a limit was reached"),
    )
}

ProjectId = Annotated[str, Path(description="The id of a project.")]
JobId = Annotated[str, Path(description="The id of a job.")]
FileName = Annotated[str, Query(description="A plain name; its ending tells the format.")]
TomlBody = Annotated[str, Body(media_type="application/toml")]


SeenVersion = Annotated[
    str | None,
    Header(
        description="The version of the settings that the change starts from, or * for whatever is there;"
        " not needed for the first settings of a project."
    ),
]


def _version(if_match: str | None, current: int) -> int | None:
    """The version that a change starts from; None if it shall replace whatever is there."""
    if if_match is None:
        if current == 0:
            return None
        raise HTTPException(
            428, "send the version of the settings as If-Match, or * to replace whatever it is"
        )
    number = if_match.strip().removeprefix("W/").strip('"')
    if number == "*":
        return None
    if not (number.isascii() and number.isdecimal() and len(number) < 16):
        raise HTTPException(412, "If-Match takes the number of a version, or *")
    return int(number)


def add_rest(app: FastAPI, service: Service) -> None:
    """Add all routes."""
    add_error_answers(app)
    key = Depends(
        HTTPBearer(auto_error=False, description="A key, made on the page or given with --key-file.")
    )
    router = APIRouter(prefix=PREFIX, responses=_REFUSALS, dependencies=[key])
    _add_projects(router, service)
    _add_files(router, service)
    _add_policies(router, service)
    _add_jobs(router, service)
    _add_results(router, service)
    app.include_router(router)
    app.router.routes.append(Route(f"{PREFIX}/{{rest:path}}", NoSuchRoute(router)))


def _add_projects(router: APIRouter, service: Service) -> None:
    @router.get("/algorithms")
    def algorithms() -> list[dict[str, Any]]:
        """What there is, for which promises, with which options."""
        return [dict(json_value(row)) for row in describe_algorithms()]  # type: ignore[arg-type]

    @router.get("/projects")
    def projects() -> list[Project]:
        """All projects, the newest first."""
        return service.projects.all()

    @router.post("/projects", status_code=201)
    def create(given: NameIn) -> Project:
        """Make a project."""
        return service.projects.create(given.name)

    @router.get("/projects/{project}")
    def project(project: ProjectId) -> Project:
        """One project."""
        return service.projects.get(project)

    @router.patch("/projects/{project}")
    def rename(project: ProjectId, given: NameIn) -> Project:
        """Give a project another name."""
        return service.projects.rename(project, given.name)

    @router.delete("/projects/{project}", status_code=204)
    def delete(project: ProjectId) -> None:
        """Delete a project and all its data for good."""
        service.delete(project)


def _add_files(router: APIRouter, service: Service) -> None:
    @router.get("/folder")
    def offered() -> list[dict[str, Any]]:
        """The data files of the folder that the server may read."""
        return [asdict(file) for file in service.files.offered()]

    @router.get("/projects/{project}/files")
    def files(project: ProjectId) -> list[FileOut]:
        """The files of a project."""
        return [FileOut.of(file) for file in service.files.all(project)]

    @router.post("/projects/{project}/files", status_code=201, openapi_extra=_FILE_BODY)
    async def upload(
        project: ProjectId, name: FileName, request: Request, kind: Literal["data", "hierarchy"] = "data"
    ) -> FileOut:
        """Send a file as the body of the request; it is written to the disk as it comes."""
        receiving = service.files.receive(project, name, kind, announced=_announced(request))
        async with _in_thread(receiving) as arriving:
            await _pour(request, arriving)
        return FileOut.of(arriving.done)

    @router.post("/projects/{project}/picked", status_code=201)
    def pick(project: ProjectId, given: PickIn) -> FileOut:
        """Copy a file of the folder that the server may read."""
        return FileOut.of(service.files.pick(project, given.place))

    @router.get("/projects/{project}/files/{file}", response_class=Response)
    def content(project: ProjectId, file: str) -> Response:
        """A file of the project as it was taken in or made."""
        stored = service.files.get(project, file)
        return FileResponse(stored.path, media_type="application/octet-stream", filename=stored.name)

    @router.delete("/projects/{project}/files/{file}", status_code=204)
    def remove(project: ProjectId, file: str) -> None:
        """Remove a file that the settings do not use, for good."""
        service.remove_file(project, file)

    @router.get("/projects/{project}/files/{file}/preview")
    def preview(
        project: ProjectId,
        file: str,
        start: Annotated[int, Query(ge=0, lt=2**60)] = 0,
        count: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> dict[str, Any]:
        """Rows of a data file."""
        return asdict(service.data.preview(project, file, start=start, count=count))

    @router.get("/projects/{project}/files/{file}/profile")
    def profile(project: ProjectId, file: str) -> dict[str, Any]:
        """What the columns look like, how unique records are, and a role for each column with its reason."""
        return asdict(service.data.profile(project, file))


def _add_policies(router: APIRouter, service: Service) -> None:
    def shown(project: str) -> PolicyOut:
        problems = [ProblemOut.of(problem) for problem in service.policies.problems(project)]
        current = service.policies.version(project)
        return PolicyOut(version=current.number, sections=current.sections, problems=problems)

    @router.get("/projects/{project}/policy")
    def policy(project: ProjectId) -> PolicyOut:
        """The settings of a project, and what is wrong with them."""
        return shown(project)

    @router.put("/projects/{project}/policy")
    def set_policy(
        project: ProjectId, sections: dict[str, dict[str, Any]], if_match: SeenVersion = None
    ) -> PolicyOut:
        """Change the settings to these; drafts with problems are kept.

        With the version that was seen, what others changed since then stays, and a change of the same setting
        is refused with both values.
        """
        version = _version(if_match, service.policies.version(project).number)
        if version is None:
            service.policies.replace(project, sections)
        else:
            service.policies.edit_version(project, version, sections)
        return shown(project)

    @router.get("/projects/{project}/policy.toml", response_class=Response)
    def policy_file(project: ProjectId) -> Response:
        """The settings as a policy file."""
        return Response(service.policies.text(project), media_type="application/toml")

    @router.put("/projects/{project}/policy.toml")
    def take_policy_file(project: ProjectId, text: TomlBody, if_match: SeenVersion = None) -> PolicyOut:
        """Take over a policy file, which names files of the project, as `PUT policy` does."""
        version = _version(if_match, service.policies.version(project).number)
        service.policies.take(project, text, version=version)
        return shown(project)

    @router.post("/projects/{project}/policy/start")
    def start(project: ProjectId, given: StartIn, if_match: SeenVersion = None) -> PolicyOut:
        """Suggest settings for a data file; they replace those that were, if they are of that version."""
        version = _version(if_match, service.policies.version(project).number)
        service.policies.start(project, given.file, version=version)
        return shown(project)

    @router.post("/projects/{project}/policy/undo")
    def undo(project: ProjectId) -> ChangedOut:
        """Take the last change of the settings back, whatever it was."""
        return ChangedOut(changed=list(service.policies.undo(project)), policy=shown(project))

    @router.post("/projects/{project}/policy/redo")
    def redo(project: ProjectId) -> ChangedOut:
        """Make the change again that was taken back last."""
        return ChangedOut(changed=list(service.policies.redo(project)), policy=shown(project))

    @router.post("/projects/{project}/check", status_code=202)
    def check(project: ProjectId) -> JobOut:
        """Queue a check of settings, hierarchies and data together, with what a run would cost."""
        return JobOut.of(service.jobs.check(project))

    @router.get("/projects/{project}/meaning")
    def meaning(project: ProjectId) -> dict[str, Any]:
        """The promise in plain words, and what it does not stop."""
        return asdict(service.policies.meaning(project))

    @router.get("/projects/{project}/trees/{column}")
    def tree(project: ProjectId, column: str) -> TreeOut:
        """The tree over the values of a column."""
        return TreeOut.of(service.trees.view(project, column))

    @router.post("/projects/{project}/trees/{column}", status_code=201)
    def edit_tree(project: ProjectId, column: str, given: EditsIn) -> FileOut:
        """Change the tree of a column; the new tree becomes a file of the project and the column's tree."""
        edits = [edit_of(edit) for edit in given.edits]
        return FileOut.of(service.trees.edit(project, column, edits, name=given.name))


def _add_jobs(router: APIRouter, service: Service) -> None:
    @router.get("/projects/{project}/jobs")
    def jobs(project: ProjectId) -> list[JobOut]:
        """The jobs of a project, the newest first."""
        service.projects.get(project)
        return [JobOut.of(job) for job in service.jobs.all(project)]

    @router.post("/projects/{project}/jobs", status_code=201)
    def submit(project: ProjectId, given: JobIn) -> JobOut:
        """Queue a run, a comparison, an attack or a check."""
        match given:
            case RunIn():
                return JobOut.of(service.jobs.run(project, given.title))
            case ComparisonIn():
                return JobOut.of(
                    service.jobs.compare(
                        project,
                        algorithms=given.algorithms,
                        sweep=given.sweep,
                        constraint=given.constraint.value(),
                        title=given.title,
                    )
                )
            case AttackIn():
                return JobOut.of(service.jobs.attack(project, given.run, items=given.items))
            case CheckIn():
                return JobOut.of(service.jobs.check(project))

    @router.get("/projects/{project}/jobs/{job}")
    def job(project: ProjectId, job: JobId) -> JobOut:
        """How far a job is, and how it ended."""
        return JobOut.of(service.jobs.get(project, job))

    @router.post("/projects/{project}/jobs/{job}/cancel")
    def cancel(project: ProjectId, job: JobId) -> JobOut:
        """Stop a job."""
        return JobOut.of(service.jobs.cancel(project, job))

    @router.post("/projects/{project}/jobs/{job}/repeat", status_code=201)
    def repeat(project: ProjectId, job: JobId, *, weaker: bool = False) -> JobOut:
        """Queue a job again with the settings that it had.

        `weaker` says that it may promise less than the settings do by now.
        """
        return JobOut.of(service.jobs.repeat(project, job, weaker=weaker))

    @router.delete("/projects/{project}/jobs/{job}", status_code=204)
    def remove(project: ProjectId, job: JobId) -> None:
        """Remove a job and what it made for good."""
        service.jobs.remove(project, job)


def _add_results(router: APIRouter, service: Service) -> None:
    @router.get("/projects/{project}/jobs/{job}/view")
    def view(project: ProjectId, job: JobId) -> dict[str, Any]:
        """Records before and after, trees with their cuts, figures: for the publisher alone."""
        return service.results.view(project, job)

    @router.get("/projects/{project}/jobs/{job}/results")
    def exports(project: ProjectId, job: JobId) -> list[str]:
        """What can be fetched."""
        return list(service.results.exports(project, job))

    @router.get("/projects/{project}/jobs/{job}/results/{what}", response_class=Response)
    def export(project: ProjectId, job: JobId, what: str) -> Response:
        """The published file, its certificate, a report for readers or for you, the policy or the script."""
        found = service.results.export(project, job, what)
        if found.path is not None:
            return FileResponse(found.path, media_type=found.media_type, filename=found.name)
        headers = {"Content-Disposition": f'attachment; filename="{found.name}"'}
        return Response(found.text, media_type=found.media_type, headers=headers)

    @router.get("/projects/{project}/jobs/{job}/tables")
    def tables(project: ProjectId, job: JobId) -> dict[str, str]:
        """The tables behind what the page shows of a run, with their titles: for the publisher alone."""
        return {name: table.title for name, table in service.results.tables(project, job).items()}

    @router.get("/projects/{project}/jobs/{job}/tables/{name}", response_class=Response)
    def one_table(project: ProjectId, job: JobId, name: str) -> Response:
        """One of these tables as CSV."""
        found = service.results.tables(project, job).get(name)
        if found is None:
            raise NotFound("table", name)
        headers = {"Content-Disposition": f'attachment; filename="{found.name}.csv"'}
        return Response(found.as_csv(), media_type="text/csv; charset=utf-8", headers=headers)

    @router.post("/projects/{project}/jobs/{job}/explain")
    def explain(project: ProjectId, job: JobId, given: ExplainIn) -> list[ExplainedOut]:
        """Why a value is published as it is."""
        found = service.results.explain(project, job, given.column, row=given.row, value=given.value)
        return [ExplainedOut.of(each) for each in found]

    @router.post("/projects/{project}/verify", openapi_extra=_FILE_BODY)
    async def verify(
        project: ProjectId, name: FileName, request: Request, job: str | None = None
    ) -> VerifiedOut:
        """Check the promise of the settings, or of a run, on a published file, sent as the body."""
        receiving = service.files.receive_briefly(name, announced=_announced(request))
        async with _in_thread(receiving) as arriving:
            await _pour(request, arriving)
            await asyncio.to_thread(arriving.end)
            found = await asyncio.to_thread(
                service.results.verify, project, arriving.path, job=job, name=arriving.name
            )
        return VerifiedOut.of(found)


def _announced(request: Request) -> int | None:
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() else None


@asynccontextmanager
async def _in_thread(receiving: Any) -> AsyncIterator[Upload]:
    """Enter and leave in a thread: the disk may take its time."""
    upload = await asyncio.to_thread(receiving.__enter__)
    try:
        yield upload
    except BaseException as error:
        if not await asyncio.to_thread(receiving.__exit__, type(error), error, error.__traceback__):
            raise
    else:
        await asyncio.to_thread(receiving.__exit__, None, None, None)


async def _pour(request: Request, upload: Upload) -> None:
    waiting = bytearray()
    async for piece in request.stream():
        waiting += piece
        if len(waiting) >= _PIECE:
            await asyncio.to_thread(upload.write, bytes(waiting))
            waiting.clear()
    await asyncio.to_thread(upload.write, bytes(waiting))
