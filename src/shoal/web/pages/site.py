"""The pages. Each one asks the service layer through threads, so that nothing blocks the others."""

from __future__ import annotations

from nicegui import ui

from shoal.web.access import Access
from shoal.web.service.service import Service


def add_pages(service: Service, access: Access) -> None:  # noqa: ARG001 - pages make further links with it
    """Declare all pages over a service."""

    @ui.page("/")
    def projects() -> None:
        ui.label("Shoal")
        for project in service.projects.all():
            ui.label(project.name)
