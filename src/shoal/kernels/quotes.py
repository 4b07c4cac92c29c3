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

    state = [where we are, the bytes before this piece, the place of the last opening quote, how many line
    ends stand inside quotes] is read and written, so that pieces of one file follow each other; it begins as
    [CELL_START, 0, 0, 0]. A quote opens at the start of a cell only, and two quotes inside quotes are one
    character. O(bytes).
    """
    where, start, opened, quoted_ends = state[0], state[1], state[2], state[3]
    for place in range(len(text)):
        byte = text[place]
        if where == QUOTED:
            if byte == quote:
                where = AFTER_QUOTE
            elif byte in (10, 13):
                quoted_ends += 1
        elif byte == quote and where == CELL_START:
            where = QUOTED
            opened = start + place
        elif byte == quote and where == AFTER_QUOTE:
            where = QUOTED
        elif byte in (delimiter, 10, 13):
            where = CELL_START
        else:
            where = IN_CELL
    state[0], state[1], state[2], state[3] = where, start + len(text), opened, quoted_ends
