"""Rows as bits of words: which of many rows hold something."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.compile import kernel

Words = NDArray[np.uint64]

BITS = 64


@kernel
def ones(word: np.uint64) -> int:
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
