"""The gate in front of everything: who is asking, from where, and how much they send.

Requests to other hosts' names (DNS rebinding), of other sites' pages (CSRF, cross-site websockets) and those
without a session or key end here; no CORS header is ever sent. Every answer carries the headers that keep a
browser from loading anything from elsewhere, guessing types, telling where it came from, and being framed.
"""

from __future__ import annotations

import ipaddress
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from shoal.web.access import SESSION_SECONDS, Access

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
LARGEST_MESSAGE = 16 * 2**20  # of requests that bring no file
ENTERING, LEAVING = "/enter", "/leave"
_LONGEST_FORM = 4096
_OPEN_PATHS = ("/api/v1/openapi.json",)  # says nothing about anyone's data
_TOO_LARGE = "the request is larger than this server takes in"
_FORBIDDEN_TO_POLICY = 1008  # the websocket code for "not by the rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What the gate must know of its server."""

    hosts: frozenset[str]
    port: int
    secure: bool
    upload_bytes: int

    @property
    def cookie(self) -> str:
        """The name of the session cookie; cookies are shared between ports, so it names the port."""
        return f"shoal-{self.port}"


class Gate:
    """An ASGI application in front of another one."""

    def __init__(self, app: App, *, access: Access, door: Door, on_spent: Callable[[], None]) -> None:
        self.app, self._access, self._door, self._on_spent = app, access, door, on_spent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = _Headers(scope["headers"])
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            await (
                self._close(send) if refusal else self.app(scope, self._while_let_in(receive, headers), send)
            )
            return
        nonce = secrets.token_urlsafe(16)
        guarded = _with_headers(send, nonce, secure=self._door.secure)
        if refusal is _asked_to_enter and (scope["method"], scope["path"]) == ("POST", ENTERING):
            refusal = self._enter(await _typed_token(receive), to="/")
        if refusal is not None:
            await refusal(scope, guarded)
            return
        if (scope["method"], scope["path"]) == ("POST", LEAVING):
            await self._leave(headers, guarded)
            return
        limited = _limited(receive, self._largest(scope["path"]))
        try:
            await self.app(scope, limited, _with_nonce(guarded, nonce))
        except _TooMuch:
            await _answer(guarded, 413, _TOO_LARGE)

    def _refusal(self, scope: Scope, headers: _Headers) -> _Refusal | None:
        """How a request is answered that does not come through."""
        if not self._is_our_host(headers.get("host")):
            return _refused(400, "this server does not go by that name")
        if self._comes_from_elsewhere(scope, headers):
            return _refused(403, "requests from other sites are refused")
        length = headers.get("content-length")
        if length.isdecimal() and int(length) > self._largest(scope["path"]):
            return _refused(413, _TOO_LARGE)
        return self._refusal_of_stranger(scope, headers)

    def _refusal_of_stranger(self, scope: Scope, headers: _Headers) -> _Refusal | None:
        """Keys and sessions come through; a token is exchanged for a session."""
        if scope["path"] in _OPEN_PATHS or self._has_key(headers):
            return None
        token = _token(scope) if scope["type"] == "http" and scope["method"] == "GET" else ""
        if self._has_session(headers):
            return _go_on if token else self._refusal_of_session(scope, headers)
        return self._enter(token) if token else _asked_to_enter

    def _is_our_host(self, host: str) -> bool:
        """Whether the server goes by this name; an address as such cannot be rebound."""
        name = host.rpartition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.lower() in self._door.hosts
        return True

    def _comes_from_elsewhere(self, scope: Scope, headers: _Headers) -> bool:
        """Whether a browser says that another site's page has sent this."""
        origin = headers.get("origin")
        if origin and origin != self._origin(headers):
            return True
        site = headers.get("sec-fetch-site") or "none"
        visiting = (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and headers.get("sec-fetch-mode") == "navigate"
        )
        return site not in ("same-origin", "none") and not visiting

    def _refusal_of_session(self, scope: Scope, headers: _Headers) -> _Refusal | None:
        """With a cookie, what changes something must say that it comes from our own pages."""
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and headers.get("origin") != self._origin(headers):
            return _refused(403, "requests with a session must come from the pages of this server")
        return None

    def _origin(self, headers: _Headers) -> str:
        return f"{'https' if self._door.secure else 'http'}://{headers.get('host')}"

    def _has_key(self, headers: _Headers) -> bool:
        scheme, _, key = headers.get("authorization").partition(" ")
        return scheme.lower() == "bearer" and self._access.is_key(key.strip())

    def _has_session(self, headers: _Headers) -> bool:
        secret = session_of(headers.get("cookie"), self._door.cookie)
        return secret is not None and self._access.has_session(secret)

    def _largest(self, path: str) -> int:
        brings_a_file = path.endswith(("/files", "/verify")) or path.startswith("/_nicegui/client/")
        # A file comes with a little text around it when a form sends it.
        return self._door.upload_bytes + 2**20 if brings_a_file else LARGEST_MESSAGE

    def _while_let_in(self, receive: Receive, headers: _Headers) -> Receive:
        """What a page says, until its session is over; a page of another tab may outlive it."""

        async def heard() -> Message:
            message = await receive()
            let_in = (
                message["type"] != "websocket.receive" or self._has_session(headers) or self._has_key(headers)
            )
            return message if let_in else {"type": "websocket.disconnect", "code": _FORBIDDEN_TO_POLICY}

        return heard

    async def _leave(self, headers: _Headers, send: Send) -> None:
        """Log out: the session ends on the server, and the browser forgets its secret."""
        secret = session_of(headers.get("cookie"), self._door.cookie)
        if secret is not None:
            self._access.close_session(secret)
        gone = f"{self._door.cookie}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        await _answer(send, 303, "", [(b"location", b"/"), (b"set-cookie", gone.encode("ascii"))])

    def _enter(self, token: str, to: str | None = None) -> _Refusal:
        """Spend a token, and go on without it in the address."""

        async def answer(scope: Scope, send: Send) -> None:
            secret = self._access.open_session(token)
            if secret is None:
                await _asked_to_enter(scope, send)
                return
            self._on_spent()
            cookie = (
                f"{self._door.cookie}={secret}; Path=/; HttpOnly; SameSite=Strict;"
                f" Max-Age={int(SESSION_SECONDS) * 30}{'; Secure' if self._door.secure else ''}"
            )
            onward = _without_token(scope) if to is None else (b"location", to.encode("ascii"))
            await _answer(send, 303, "", [onward, (b"set-cookie", cookie.encode("ascii"))])

        return answer

    async def _close(self, send: Send) -> None:
        await send({"type": "websocket.close", "code": _FORBIDDEN_TO_POLICY})


_Refusal = Callable[[Scope, Send], Awaitable[None]]


class _TooMuch(Exception):
    """A body that is larger than it may be."""


class _Headers:
    """The headers of a request, by lower-case name; of several the first."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._values: dict[str, str] = {}
        for name, value in raw:
            self._values.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))

    def get(self, name: str) -> str:
        return self._values.get(name, "")


def session_of(cookies: str, name: str) -> str | None:
    """The secret in a cookie header."""
    try:
        morsel = SimpleCookie(cookies).get(name)
    except CookieError:
        return None
    return None if morsel is None else str(morsel.value)


def _token(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return dict(parse_qsl(query.decode("latin-1"))).get("token", "")


def _without_token(scope: Scope) -> tuple[bytes, bytes]:
    """Where to go on: the same address of this server without the token, which no history shall keep."""
    query: bytes = scope["query_string"]
    left = [pair for pair in parse_qsl(query.decode("latin-1")) if pair[0] != "token"]
    # One slash at the start, so that the path names no other host.
    path = "/" + quote(scope["path"].lstrip("/\\"))
    return b"location", (path + (f"?{urlencode(left)}" if left else "")).encode("ascii")


async def _typed_token(receive: Receive) -> str:
    """The token that somebody typed into the entrance page."""
    body, more = b"", True
    while more and len(body) <= _LONGEST_FORM:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return dict(parse_qsl(body[:_LONGEST_FORM].decode("latin-1"))).get("token", "").strip()


async def _go_on(scope: Scope, send: Send) -> None:
    """Who has a session needs no token; it is not spent."""
    await _answer(send, 303, "", [_without_token(scope)])


def _refused(status: int, sentence: str) -> _Refusal:
    async def answer(scope: Scope, send: Send) -> None:  # noqa: ARG001 - the same for every request
        await _answer(send, status, sentence)

    return answer


async def _asked_to_enter(scope: Scope, send: Send) -> None:
    sentence = "open the link that `shoal serve` printed, or send a key as Authorization: Bearer"
    if scope["type"] == "http" and not scope["path"].startswith("/api/"):
        page = _ENTRANCE.format(sentence=sentence).encode()
        await _reply(send, 401, page, [(b"content-type", b"text/html; charset=utf-8")])
        return
    await _answer(send, 401, sentence, [(b"www-authenticate", b"Bearer")])


# Only with its own referrer policy does a browser say that the form comes from our page.
_ENTRANCE = (
    "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Shoal</title>"
    "<meta name='referrer' content='same-origin'>"
    "<meta name='viewport' content='width=device-width, initial-scale=1'></head>"
    "<body><main><h1>Shoal</h1><p>Please {sentence}. Each link opens one browser; the next one is printed"
    " when it has been used.</p>"
    f"<form method='post' action='{ENTERING}'><p><label>Or give what stands behind <code>token=</code> in the"
    " link: <input name='token' type='password' autocomplete='off'></label> <button>Enter</button></p></form>"
    "</main></body></html>"
)


async def _answer(send: Send, status: int, sentence: str, fields: Iterable[tuple[bytes, bytes]] = ()) -> None:
    """An answer in the form of RFC 9457."""
    problem = {"type": "about:blank", "title": sentence, "status": status, "problems": []}
    content = json.dumps(problem).encode() if sentence else b""
    await _reply(send, status, content, [(b"content-type", b"application/problem+json"), *fields])


async def _reply(send: Send, status: int, content: bytes, fields: list[tuple[bytes, bytes]]) -> None:
    size = (b"content-length", str(len(content)).encode("ascii"))
    # The rest of a refused body is not read.
    fields = [*fields, size, *([(b"connection", b"close")] if status == 413 else [])]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": content})


def _limited(receive: Receive, largest: int) -> Receive:
    """The body of a request as long as it is not too large."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > largest:
            raise _TooMuch
        return message

    return counted


def content_policy(nonce: str) -> str:
    """What a page may load: nothing from elsewhere, and no script that we did not write into it.

    NiceGUI compiles its components in the browser, which needs 'unsafe-eval', and sets styles on elements.
    """
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval';"
        " style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:;"
        " connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; form-action 'self';"
        " base-uri 'none'; frame-ancestors 'none'"
    )


def _with_headers(send: Send, nonce: str, *, secure: bool) -> Send:
    fields = [
        (b"content-security-policy", content_policy(nonce).encode("ascii")),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"x-frame-options", b"DENY"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        *([(b"strict-transport-security", b"max-age=31536000")] if secure else []),
    ]
    ours = {name for name, _ in fields}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            theirs = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in ours]
            names = {name.lower() for name, _ in theirs}
            kept = [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
            message = {**message, "headers": [*theirs, *fields, *kept]}
        await send(message)

    return sending


def _with_nonce(send: Send, nonce: str) -> Send:
    """Mark the scripts of a page as ours; in NiceGUI's pages whatever comes from data is escaped."""
    start: Message | None = None
    parts: list[bytes] = []

    async def sending(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            if _is_page(message):
                start = message
                return
        elif start is not None and message["type"] == "http.response.body":
            parts.append(message.get("body", b""))
            if message.get("more_body", False):
                return
            page = b"".join(parts).replace(b"<script", f'<script nonce="{nonce}"'.encode("ascii"))
            fields = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
            size = (b"content-length", str(len(page)).encode("ascii"))
            await send({**start, "headers": [*fields, size]})
            message = {**message, "body": page}
        await send(message)

    return sending


def _is_page(message: Message) -> bool:
    fields = {name.lower(): value for name, value in message.get("headers", ())}
    shown = b"attachment" not in fields.get(b"content-disposition", b"")
    return shown and fields.get(b"content-type", b"").startswith(b"text/html")
