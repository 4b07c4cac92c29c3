"""Errors as answers after RFC 9457: one sentence, and all problems."""

from collections.abc import Sequence

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from shoal.errors import BadInput, LimitReached, NotFound, Problem, ShoalError, TooLarge
from shoal.web.rest.models import ErrorOut, ProblemOut
from shoal.web.service.merging import Stale

MEDIA_TYPE = "application/problem+json"
_STATUS_OF_KIND = {"LimitReached": 503, "Bug": 500}


def add_error_answers(app: FastAPI) -> None:
    """Let every error be answered in the same form."""

    def of_shoal(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the same for all requests
        problems = error.problems if isinstance(error, BadInput) else ()
        title = "the input cannot be used" if len(problems) > 1 else str(error)
        return problem_answer(_status(error), title, problems)

    def of_request(request: Request, error: Exception) -> Response:  # noqa: ARG001 - as above
        found = error.errors() if isinstance(error, RequestValidationError) else ()
        problems = [Problem(str(detail["msg"]), value=".".join(map(str, detail["loc"]))) for detail in found]
        return problem_answer(422, "the request is not of the documented form", problems)

    def of_http(request: Request, error: Exception) -> Response:  # noqa: ARG001 - as above
        status = error.status_code if isinstance(error, HTTPException) else 500
        title = str(error.detail) if isinstance(error, HTTPException) else "the server failed"
        headers = error.headers if isinstance(error, HTTPException) else None
        answer = problem_answer(status, title)
        answer.headers.update(headers or {})
        return answer

    app.add_exception_handler(ShoalError, of_shoal)
    app.add_exception_handler(RequestValidationError, of_request)
    app.add_exception_handler(HTTPException, of_http)


class NoSuchRoute:
    """Answers what no route of the interface takes, before the pages would."""

    def __init__(self, router: APIRouter) -> None:
        self._routes = [route for route in router.routes if isinstance(route, APIRoute)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI calls it
        """405 where only the method is wrong, else 404."""
        allowed = {
            method
            for route in self._routes
            if route.matches(scope)[0] is Match.PARTIAL
            for method in route.methods or ()
        }
        if allowed:
            named = ", ".join(sorted(allowed))
            raise HTTPException(405, f"this takes {named} only", headers={"Allow": named})
        raise HTTPException(404, "there is no such route")


def problem_answer(status: int, title: str, problems: Sequence[Problem] = ()) -> JSONResponse:
    """An answer that says what went wrong."""
    content = ErrorOut(title=title, status=status, problems=[ProblemOut.of(each) for each in problems])
    # The rest of a body that is too large is not read.
    headers = {"Connection": "close"} if status == 413 else None
    return JSONResponse(_writable(content.model_dump()), status, headers, media_type=MEDIA_TYPE)


def _writable(value: object) -> object:
    """Texts that UTF-8 cannot hold, such as half of a surrogate pair, are shown escaped."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {name: _writable(entry) for name, entry in value.items()}
    return [_writable(entry) for entry in value] if isinstance(value, list) else value


def _status(error: Exception) -> int:
    match error:
        case NotFound():
            return 404
        case Stale():
            return 412
        case TooLarge():
            return 413
        case LimitReached():
            return 503
        case _:
            return _STATUS_OF_KIND.get(getattr(error, "kind", ""), 422)
