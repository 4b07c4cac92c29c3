"""`shoal serve`: the web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output
from shoal.cli.reporting import reporting
from shoal.errors import BadInput, MissingExtra, Problem
from shoal.policy.policy_file import bytes_of, seconds_of


@reporting
def serve(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8417,
    data: Annotated[
        Path | None,
        typer.Option(help="The folder for projects and their data.", show_default="the user's data folder"),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Data files of this folder may be picked in the page.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="The certificate for https (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The key of the certificate (PEM).")] = None,
    allow_plain_http: Annotated[
        bool, typer.Option("--allow-plain-http", help="Let other machines connect without encryption.")
    ] = False,
    key_file: Annotated[
        Path | None, typer.Option(help="A file with a key for REST, 20 characters or more.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Jobs at once.", min=1)] = 2,
    max_upload: Annotated[str, typer.Option(help="The largest file that is taken in.")] = "2 GB",
    job_time: Annotated[str, typer.Option(help="The longest that a job may take.")] = "6 h",
    job_memory: Annotated[
        str | None,
        typer.Option(help="The most memory of one job.", show_default="3/4 of the machine / workers"),
    ] = None,
) -> None:
    """Open the web page on this machine; the printed link lets one browser in."""
    try:
        from shoal.web.server import Settings, serve
        from shoal.web.service.limits import ServerLimits
        from shoal.web.service.store import default_data_folder
    except ImportError as error:
        raise MissingExtra("shoal serve", "web") from error
    settings = Settings(
        host=host,
        port=port,
        data=data or default_data_folder(),
        folder=folder,
        tls_cert=tls_cert,
        tls_key=tls_key,
        allow_plain_http=allow_plain_http,
        keys=() if key_file is None else (_key(key_file),),
        limits=ServerLimits(
            upload=int(bytes_of(max_upload)),
            workers=workers,
            seconds=seconds_of(job_time),
            memory=None if job_memory is None else int(bytes_of(job_memory)),
        ),
    )
    output.say(settings.exposure())
    serve(settings, output.show_text_now)


def _key(file: Path) -> str:
    try:
        key = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(Problem(f"cannot be read: {error}", "name a text file", file=str(file))) from error
    if len(key) < 20 or not key.isascii() or not key.isprintable() or " " in key:
        what = "a key has 20 or more letters, digits and marks, and no blanks"
        raise BadInput(Problem(what, "make one with: openssl rand -hex 32", file=str(file)))
    return key
