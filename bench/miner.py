"""ML2, dML2 and tKd-ML2 of the real sets as every run reports them, and what measuring them takes.

    python bench/miner.py [--data groceries,bms_webview1] [--keep]

k = 5, m = 2, with the trees of `bench/auto.py`. Times are processor seconds that the three take, divided by
all other processor seconds of `sh.anonymize`; kernels are compiled before.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import shoal as sh
from auto import data_of
from measuring.kept_tables import offer_to_keep, printed_table
from shoal.metrics import catalogue, mining
from shoal.run.prepare import Data

NAMES = {
    "groceries": "Groceries",
    "bms_webview1": "WebView-1",
    "bms_webview2": "WebView-2",
    "fruithut": "FruitHut",
    "msweb": "MSWeb",
    "informs-sets": "INFORMS, diagnoses",
}
MODELS = {
    "aa": sh.KmAnonymity(5, 2),
    "itemwise": sh.KmAnonymity(5, 2),
    "disassociation": sh.Disassociation(5, 2),
}
COLUMNS = (
    *("", "AA: ML2", "dML2", "tKd-ML2", "time", "`itemwise`: ML2", "dML2", "tKd-ML2", "time"),
    *("disassociation: tKd-ML2", "time"),
)


class Stopwatch:
    """Processor seconds within functions that were wrapped."""

    def __init__(self) -> None:
        self.seconds, self._inside = 0.0, False

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            if self._inside:
                return function(*given, **named)
            self._inside, started = True, time.process_time()
            try:
                return function(*given, **named)
            finally:
                self._inside = False
                self.seconds += time.process_time() - started

        return timed


@contextmanager
def timed_mining() -> Iterator[Stopwatch]:
    """The seconds of all three measures, wherever they are taken."""
    watch = Stopwatch()
    with (
        mock.patch.object(catalogue, "levels_loss", watch.around(catalogue.levels_loss)),
        mock.patch.object(
            mining, "generalized_top_deviation", watch.around(mining.generalized_top_deviation)
        ),
    ):
        yield watch


def cells(data: Data, algorithm: str) -> list[str]:
    """What is reported of a release, and how long that took beside everything else."""
    with timed_mining() as watch:
        started = time.process_time()
        result = sh.anonymize(data, MODELS[algorithm], algorithm=algorithm, seed=0)
        whole = time.process_time() - started
    figures = [result.loss["tkd_ml2"]]
    if algorithm != "disassociation":
        figures = [result.loss["ml2"], result.loss.get("dml2", 1.0), *figures]
    texts = [f"{figure:.2f}" if figure >= 1 else f"{figure:.3f}"[1:] for figure in figures]
    return [*texts, f"{watch.seconds / (whole - watch.seconds):.2f}x"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=",".join(NAMES))
    offer_to_keep(parser)
    chosen = parser.parse_args().data.split(",")
    for algorithm in MODELS:
        cells(data_of("groceries"), algorithm)
    with printed_table("miner", COLUMNS) as add_row:
        for name in chosen:
            data = data_of(name)
            add_row(NAMES[name], *(cell for algorithm in MODELS for cell in cells(data, algorithm)))


if __name__ == "__main__":
    main()
