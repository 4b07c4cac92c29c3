"""Hilbert curves and the best way to cut a line, by their definitions."""

from itertools import pairwise


def is_hilbert_curve(points, side):
    """Whether the points are all of a cube, from neighbour to neighbour, and so in each of its halved cubes.

    The 2^d equal pieces of the curve must each fill one of the 2^d cubes of half the side, as such a curve.
    """
    steps = [sum(abs(a - b) for a, b in zip(p, q, strict=True)) for p, q in pairwise(points)]
    if any(step != 1 for step in steps) or len(set(points)) != len(points):
        return False
    dimensions = len(points[0])
    corner = [min(point[j] for point in points) for j in range(dimensions)]
    if len(points) != side**dimensions or any(
        point[j] - corner[j] >= side for point in points for j in range(dimensions)
    ):
        return False
    piece = len(points) // 2**dimensions
    return side == 1 or all(
        is_hilbert_curve(points[start : start + piece], side // 2) for start in range(0, len(points), piece)
    )


def least_cost_of_runs(count, k, cost):
    """The least sum of cost(begin, end) over all ways to cut 0..count into runs of k to 2k - 1."""
    if count == 0:
        return 0.0
    return min(
        (
            least_cost_of_runs(count - size, k, cost) + cost(count - size, count)
            for size in range(k, min(2 * k - 1, count) + 1)
        ),
        default=float("inf"),
    )
