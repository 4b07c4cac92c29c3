"""Where quotes stand open in delimited text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.arrays import Ints
from shoal.kernels.compile import kernel

CELL_START, IN_CELL, QUOTED, AFTER_QUOTE = range(4)


@kernel
def follow_quotes(text: NDArray[np.uint8], delimiter: int, quote: int, state: Ints) -> None:
    """Read on through a piece of text and note whether it ends inside quotes.

    state = [where we are, the number of the current line, the line of the last opening quote] is read and
    written, so that pieces of one file follow each other; it begins as [CELL_START, 1, 0]. A quote opens at
    the start of a cell only, and two quotes inside quotes are one character. O(bytes).
    """
    where, line, opened = state[0], state[1], state[2]
    for byte in text:
        if byte == 10:
            line += 1
        if where == QUOTED:
            if byte == quote:
                where = AFTER_QUOTE
        elif byte == quote and where == CELL_START:
            where = QUOTED
            opened = line
        elif byte == quote and where == AFTER_QUOTE:
            where = QUOTED
        elif byte in (delimiter, 10, 13):
            where = CELL_START
        else:
            where = IN_CELL
    state[0], state[1], state[2] = where, line, opened
