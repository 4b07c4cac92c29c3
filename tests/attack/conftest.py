"""Attacks, too, go through large data piece by piece."""

from tests.metrics.conftest import few_places_at_once

__all__ = ["few_places_at_once"]
