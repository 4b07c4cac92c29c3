"""The settings as a page shows them, which another tab may change meanwhile."""

from collections.abc import Mapping
from typing import Any, Self

from nicegui import ui

from shoal.errors import Problem
from shoal.study.starter import Sections
from shoal.web.pages import frame as page
from shoal.web.pages.frame import Place


class Draft:
    """What the page has seen last; a change is told as one from there, so that others' changes stay."""

    def __init__(self, place: Place, seen: Sections) -> None:
        self._place, self.seen = place, seen

    @classmethod
    async def of(cls, place: Place) -> Self:
        """The settings as they are now."""
        return cls(place, await page.ask(place.service.policies.get, place.project.id))

    def problems(self) -> list[Problem]:
        """What is wrong with the settings as they are now."""
        return self._place.service.policies.problems(self._place.project.id)

    async def save(self, trouble: ui.element, changed: Mapping[str, Mapping[str, Any]]) -> bool:
        """Change sections; whether that was possible. What stands in its way is listed in the area."""
        wanted = {**self.seen, **{name: dict(section) for name, section in changed.items()}}
        edit, project = self._place.service.policies.edit, self._place.project.id
        saved = await page.attempt(trouble, edit, project, self.seen, wanted)
        if saved is None:
            return False
        self.seen = saved
        return True
