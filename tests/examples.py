"""How many examples a property is tried on.

`make test` tries a third of them, the same every time; `make test-slow` draws all of them, and others each
time.
"""

from typing import Any

from hypothesis import settings

_LEAST = 5


def examples(count: int, **options: Any) -> settings:
    """So many in `make test-slow`."""
    is_thorough = not settings.default.derandomize
    return settings(max_examples=count if is_thorough else max(_LEAST, count // 3), **options)
