"""The whole application: the REST interface, the pages, and the gate in front of both."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from nicegui import app as pages
from nicegui import ui

from shoal import __version__
from shoal.web.access import Access
from shoal.web.gate import Door, Gate
from shoal.web.pages.site import add_pages
from shoal.web.rest.api import add_rest
from shoal.web.service.service import Service


def make_app(service: Service, access: Access, door: Door, on_spent: Callable[[], None]) -> FastAPI:
    """The application; `on_spent` is called whenever a link has opened a session."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.warm()
        yield
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="Shoal",
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    add_rest(app, service)
    add_pages(service, access)
    ui.run_with(
        app,
        title="Shoal",
        dark=None,
        language="en-US",
        show_welcome_message=False,
        tailwind=False,  # its script would write the few rules of page.css anew, and read every change
        reconnect_timeout=30.0,  # a busy machine must not make pages lose what was typed
        gzip_middleware_factory=None,  # the gate marks the scripts of pages, which it must be able to read
        storage_secret=service.store.lasting_secret(),
        session_middleware_kwargs={
            "session_cookie": f"{door.cookie}-pages",
            "same_site": "strict",
            "https_only": door.secure,
        },
    )
    # Its bar has no name, and what pages wait for is told in words.
    pages.config.quasar_config["loadingBar"]["skipHijack"] = True
    app.add_middleware(Gate, access=access, door=door, on_spent=on_spent)
    return app
