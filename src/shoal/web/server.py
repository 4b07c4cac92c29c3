"""The server process: where it listens, what it exposes, and how it is started and stopped."""

import ipaddress
import os
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import BadInput, MissingExtra, OutputFailed, Problem
from shoal.web.access import Access
from shoal.web.gate import Door
from shoal.web.service.limits import ServerLimits
from shoal.web.service.service import Service
from shoal.web.service.store import default_data_folder

_PAGES = "pages"  # in the data folder: what pages remember of a browser
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a server is started with; port 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 8417
    data: Path = field(default_factory=default_data_folder)
    folder: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    allow_plain_http: bool = False
    keys: tuple[str, ...] = ()
    limits: ServerLimits = field(default_factory=ServerLimits)

    @property
    def secure(self) -> bool:
        """Whether connections are encrypted."""
        return self.tls_cert is not None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"

    def problems(self) -> list[Problem]:
        """Why a server cannot be started like this."""
        problems = []
        if (self.tls_cert is None) != (self.tls_key is None):
            problems.append(Problem("--tls-cert and --tls-key go together", "give both or neither"))
        problems += [
            Problem("there is no such file", "check the path", file=str(file))
            for file in (self.tls_cert, self.tls_key)
            if file is not None and not file.is_file()
        ]
        if not self.is_local and not self.secure and not self.allow_plain_http:
            what = f"--host {self.host} lets other machines connect without encryption"
            remedy = "give --tls-cert and --tls-key, or --allow-plain-http if you know that nobody listens"
            problems.append(Problem(what, remedy))
        if self.folder is not None and not self.folder.is_dir():
            problems.append(Problem("is no folder", "name the folder with the data", file=str(self.folder)))
        return problems

    def exposure(self) -> str:
        """What others can reach, in a sentence."""
        if self.is_local:
            return "only programs on this machine can connect, and only with the link or a key"
        how = "encrypted" if self.secure else "NOT encrypted: whoever listens reads data and keys"
        return (
            f"every machine that reaches {self.host} can connect ({how}); with the link or a key it can"
            " read and change all projects"
            + (f", and read all data files in {self.folder}" if self.folder else "")
        )


def serve(settings: Settings, tell: Callable[[str], None]) -> None:
    """Run the server until it is stopped; `tell` gets each link as it becomes valid."""
    if problems := settings.problems():
        raise BadInput(*problems)
    os.environ["NICEGUI_STORAGE_PATH"] = str(settings.data.absolute() / _PAGES)  # read when it is imported
    _refuse_without_web()
    os.umask(0o077)  # nothing that this process writes is for others
    listening = _listening(settings)
    try:
        service = Service(settings.data, offered=settings.folder, limits=settings.limits)
        try:
            _serve(settings, service, listening, tell)
        finally:
            service.close()
    finally:
        listening.close()


def _serve(
    settings: Settings, service: Service, listening: socket.socket, tell: Callable[[str], None]
) -> None:
    # NiceGUI and the reader of forms write temporary and stored files: into the data folder with them.
    (service.store.folder / _PAGES).mkdir(mode=0o700, exist_ok=True)
    tempfile.tempdir = str(service.store.incoming)

    import uvicorn

    from shoal.web.app import make_app

    port = listening.getsockname()[1]
    address = f"{'https' if settings.secure else 'http'}://{_shown_host(settings.host)}:{port}/"
    access = Access(service.store, keys=settings.keys)

    def tell_next() -> None:
        tell(f"{address}?token={access.new_link()}")

    door = Door(
        hosts=_names(settings.host), port=port, secure=settings.secure, upload_bytes=settings.limits.upload
    )
    app = make_app(service, access, door, on_spent=tell_next)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # links would stand in it
        server_header=False,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        timeout_graceful_shutdown=3,
    )
    tell(f"{address}?token={access.token}")
    with suppress(KeyboardInterrupt):  # which is how people stop a server
        uvicorn.Server(config).run(sockets=[listening])


def _refuse_without_web() -> None:
    try:
        import nicegui  # noqa: F401
    except ImportError as error:
        raise MissingExtra("shoal serve", "web") from error


def _listening(settings: Settings) -> socket.socket:
    """A socket that waits for connections, before anything else is done."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        what = f"{settings.host} is no address of this machine: {error.strerror}"
        raise BadInput(Problem(what, "choose another --host")) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise OutputFailed(
            f"port {settings.port} of {settings.host} cannot be used: {error.strerror}; choose another --port"
        ) from error
    return listening


def _names(host: str) -> frozenset[str]:
    """Names that this server goes by; addresses are always taken."""
    own = {host.lower(), *LOCAL_NAMES}
    if host not in LOCAL_NAMES:
        own |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(own)


def _shown_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - only compared with
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
