"""Quotes in delimited text, followed by an automaton.

A quote opens at the start of a cell only; inside quotes two of them are one character. The four states exist
twice: the second set means that a line has ended inside quotes before.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.compile import kernel

CELL_START, IN_CELL, QUOTED, AFTER_QUOTE = range(4)
LINE_ENDED_IN_QUOTES = 4

_BITS = 6
_LINE_ENDS = (10, 13)


def quote_automaton(delimiter: int, quote: int) -> NDArray[np.uint64]:
    """For each byte the state that follows each state, six bits apart, as `follow_quotes` takes them."""
    following = np.empty((2 * LINE_ENDED_IN_QUOTES, 256), dtype=np.uint64)
    for seen in (0, LINE_ENDED_IN_QUOTES):
        outside = [seen + CELL_START, seen + IN_CELL, seen + AFTER_QUOTE]
        following[outside] = seen + IN_CELL
        following[np.ix_(outside, [delimiter, *_LINE_ENDS])] = seen + CELL_START
        following[[seen + CELL_START, seen + AFTER_QUOTE], quote] = seen + QUOTED
        following[seen + QUOTED] = seen + QUOTED
        following[seen + QUOTED, list(_LINE_ENDS)] = LINE_ENDED_IN_QUOTES + QUOTED
        following[seen + QUOTED, quote] = seen + AFTER_QUOTE
    shifts = np.arange(len(following), dtype=np.uint64) * np.uint64(_BITS)
    return np.bitwise_or.reduce(following * np.uint64(_BITS) << shifts[:, np.newaxis], axis=0)


@kernel
def follow_quotes(text: NDArray[np.uint8], automaton: NDArray[np.uint64], state: int) -> int:
    """The state behind a piece of text that begins in the given state.

    A state is kept as a shift into the automaton's words, so that no byte costs a branch. Reads only.
    O(bytes).
    """
    shift = np.uint64(state * _BITS)
    mask = np.uint64(2**_BITS - 1)
    for byte in text:
        shift = (automaton[byte] >> shift) & mask
    return int(shift) // _BITS
