"""Fields for settings: each shows what is held under a key, and says so when somebody changes it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

Change = Callable[[dict[str, Any]], Awaitable[None]]
DECIMALS: dict[str | None, str] = {".": "A point, as in 3.5", ",": "A comma, as in 3,5"}
THOUSANDS: dict[str | None, str] = {",": "A comma", ".": "A point", " ": "A blank", "'": "An apostrophe"}


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields for the keys of one section or one column; without a value a key is not said."""

    held: Mapping[str, Any]
    change: Change

    def text(self, title: str, key: str, *, hint: str = "", strip: bool = True) -> None:
        """A line of text."""
        field = ui.input(title, value=str(self.held.get(key) or ""), placeholder=hint).props("outlined dense")

        async def save() -> None:
            text = str(field.value or "")
            await self.change({key: (text.strip() if strip else text) or None})

        field.on("change", save)

    def choice(self, title: str, key: str, offered: Mapping[Any, str], *, usual: Any = None) -> None:
        """One of some values, each with its words; None stands for a key that is not said."""
        held = self.held.get(key, usual)
        values = list(offered) if held in offered else [*offered, held]
        words = {place: offered.get(value, str(value)) for place, value in enumerate(values)}
        choice = ui.select(words, value=values.index(held), label=title).props("outlined dense options-dense")
        choice.on_value_change(lambda event: self.change({key: values[event.value]}))

    def switch(self, title: str, key: str) -> None:
        """Yes or no."""
        box = ui.checkbox(title, value=bool(self.held.get(key))).props("dense")
        box.on_value_change(lambda event: self.change({key: event.value}))

    def number(self, title: str, key: str, *, whole: bool = False, usual: float | None = None) -> None:
        """A number from 0 on."""
        field = ui.number(title, value=self.held.get(key, usual), min=0, precision=0 if whole else None)
        field.props("outlined dense clearable")

        async def save() -> None:
            await self.change({key: plain_number(field.value)})

        field.on("change", save)
        field.on("clear", save)

    def listed(self, title: str, key: str) -> None:
        """Several texts."""
        field = ui.input(title, value="|".join(self.held.get(key) or ())).props("outlined dense")

        async def save() -> None:
            await self.change({key: [part.strip() for part in str(field.value).split("|") if part.strip()]})

        field.on("change", save)

    def numbers(self, title: str, key: str) -> None:
        """Several numbers."""
        held: Sequence[float] = self.held.get(key) or ()
        field = ui.input(title, value=", ".join(f"{each:g}" for each in held)).props("outlined dense")

        async def save() -> None:
            words = str(field.value or "").replace(",", " ").split()
            try:
                numbers = [plain_number(float(word)) for word in words]
            except ValueError:
                ui.notify(f"{field.value} are no numbers.", type="warning")
                return
            await self.change({key: numbers or None})

        field.on("change", save)


def plain_number(value: float | None) -> float | None:
    """A number as people write it: 5, not 5.0."""
    return None if value is None else int(value) if float(value).is_integer() else value
