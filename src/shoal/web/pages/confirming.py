"""A promise that protects little is made only by somebody who says in writing that it shall be."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.policy.weak_promise import unconfirmed, weak_parts
from shoal.web.pages import frame as page
from shoal.web.pages.frame import Place


def ask_to_confirm(
    area: ui.element, place: Place, sections: Mapping[str, Any], then: Callable[[], Awaitable[None]]
) -> None:
    """A field for the confirmation if the promise is weak; nothing otherwise."""
    area.clear()
    privacy, written = sections.get("privacy", {}), sections.get("report", {}).get("weak_promise", "")
    weak = " and ".join(weak_parts(privacy))
    if not weak:
        return
    missing = unconfirmed(privacy, written)
    with area, page.card(f"{weak} has to be confirmed" if missing else f"{weak} is confirmed"):
        page.paragraph(str(missing) if missing else f"Your own report says: {written}", quiet=missing is None)
        said = ui.input(f"Your confirmation, which names {weak}", value=written).props("outlined dense")
        said.classes("w-full")
        trouble = ui.column().classes("w-full")

        async def confirm() -> None:
            confirmed = place.service.policies.confirm
            if await page.attempt(trouble, confirmed, place.project.id, str(said.value or "")) is not None:
                await then()

        page.other_button("Confirm", confirm)
