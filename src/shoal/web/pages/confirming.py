"""A promise that protects little is made only by somebody who says in writing that it shall be."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.errors import Problem
from shoal.policy.weak_promise import unconfirmed, weak_parts
from shoal.web.pages import frame as page
from shoal.web.pages.frame import Place


class Confirmation:
    """A field for the confirmation if the promise is weak, after which `then` is done; nothing otherwise."""

    def __init__(self, place: Place, then: Callable[[], Awaitable[None]]) -> None:
        self._place, self._then = place, then
        self._area = ui.column().classes("w-full")
        self._shown = ("", "")

    def show(self, sections: Mapping[str, Any]) -> None:
        """Ask for what the settings need; a field that asks for that already keeps what was typed."""
        privacy, written = sections.get("privacy", {}), sections.get("report", {}).get("weak_promise", "")
        weak = " and ".join(weak_parts(privacy))
        if self._shown == (weak, written):
            return
        self._shown = (weak, written)
        self._area.clear()
        if weak:
            with self._area:
                self._ask(weak, written, unconfirmed(privacy, written))

    def _ask(self, weak: str, written: str, missing: Problem | None) -> None:
        with page.card(f"{weak} has to be confirmed" if missing else f"{weak} is confirmed"):
            told = str(missing) if missing else f"Your own report says: {written}"
            page.paragraph(told, quiet=missing is None)
            said = ui.input(f"Your confirmation, which names {weak}", value=written).props("outlined dense")
            said.classes("w-full")
            trouble = ui.column().classes("w-full")

            async def confirm() -> None:
                confirmed, project = self._place.service.policies.confirm, self._place.project.id
                if await page.attempt(trouble, confirmed, project, str(said.value or "")) is not None:
                    await self._then()

            page.other_button("Confirm", confirm)
