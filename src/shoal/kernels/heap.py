"""Sorting small parts of an array in place, largest first, without the compile time of a general sort."""

from shoal.kernels.arrays import Ints
from shoal.kernels.compile import kernel


@kernel(part=True)
def make_heap(keys: Ints, count: int) -> None:
    """Order keys[:count] so that no key is larger than the one at half its place: keys[0] is the largest."""
    for index in range(count // 2 - 1, -1, -1):
        sink(keys, index, count)


@kernel
def sink(keys: Ints, place: int, count: int) -> None:
    """Move the key at `place` down until keys[:count] is a heap again."""
    key = keys[place]
    while True:
        below = 2 * place + 1
        if below >= count:
            break
        if below + 1 < count and keys[below + 1] > keys[below]:
            below += 1
        if keys[below] <= key:
            break
        keys[place] = keys[below]
        place = below
    keys[place] = key


@kernel
def sort_ascending(keys: Ints, count: int) -> None:
    """Sort keys[:count] in place. O(count log count), no memory."""
    make_heap(keys, count)
    for behind in range(count - 1, 0, -1):
        largest = keys[0]
        keys[0] = keys[behind]
        sink(keys, 0, behind)
        keys[behind] = largest
