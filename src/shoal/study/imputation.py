"""Possible originals of a release, drawn so that columns go together as the published records say.

Each value is drawn from what its label covers. How likely texts are to begin with comes from all labels of
the column (`label_atoms`), and how dense numbers lie from a smooth curve through the values drawn last. What
the other columns of a record say is added in turns, as in multiple imputation by chained equations: numbers
and dates by a linear regression on the other columns, texts by a discriminant analysis of them, each with
parameters that are drawn as uncertain as they are. Sets, and texts with very many values, take no part in it:
they are drawn for themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.study.label_atoms import Atoms
from shoal.study.label_filling import BoundedPieces, Filling, alike_in
from shoal.table.arrow_form import numbers_told

ROUNDS = 10
MOST_FEATURES = 10  # of one column
_POINTS = 60  # of a label on a line
_PRIOR = 5.0  # records' worth of the overall mean in the mean of each value
_RIDGE = 1e-6
_BINS = 60
_DEGREE = 3
_STEPS = 10


@dataclass(frozen=True, slots=True, eq=False)
class PossibleValues:
    """What each label of a column may stand for: candidate c is `places[c]`, as likely as `weights[c]`.

    Those of label l are starts[l] to starts[l + 1]; the last label is the missing value. Those of a line
    are the middles of pieces that are `widths` wide; others are atoms by number.
    """

    starts: Ints
    places: Floats
    weights: Floats
    widths: Floats

    def of_label(self, label: int) -> slice:
        """Where those of one label are."""
        return slice(int(self.starts[label]), int(self.starts[label + 1]))


def named_candidates(atoms: Atoms, shares: Floats) -> PossibleValues:
    """The candidates of the labels of a column of texts, whose atoms have these shares."""
    starts, items = atoms.covered
    return _with_missing(starts, items.astype(np.float64), shares, np.zeros(len(items)), len(atoms.values))


def line_candidates(lows: Floats, highs: Floats, *, whole: bool) -> PossibleValues:
    """The candidates of labels that cover a line from `lows` on and before `highs`, all alike to begin with.

    Where a label has no bound, the outermost bound of all takes its place.
    """
    ends = np.concatenate((lows[np.isfinite(lows)], highs[np.isfinite(highs)]))
    if len(ends):
        lows, highs = np.maximum(lows, ends.min()), np.minimum(highs, ends.max())
    bounded = np.isfinite(lows) & np.isfinite(highs)
    wide = np.where(bounded, highs - np.where(bounded, lows, 0), 0.0)
    most = np.minimum(wide, _POINTS) if whole else np.where(wide > 0, _POINTS, 1)
    points = np.where(bounded, np.maximum(most.astype(np.int64), 1), 0)
    owner = np.repeat(np.arange(len(lows)), points)
    starts = np.concatenate(([0], np.cumsum(points)))
    place = np.arange(len(owner)) - starts[owner]
    widths = wide[owner] / points[owner]
    middles = lows[owner] + (place + 0.5) * widths
    return _with_missing(starts, middles, 1 / points[owner], widths, np.nan)


def _with_missing(
    starts: Ints, places: Floats, weights: Floats, widths: Floats, missing: float
) -> PossibleValues:
    """Behind all labels the missing value, which stands for itself."""
    return PossibleValues(
        np.append(starts, starts[-1] + 1),
        np.append(places, missing),
        np.append(weights, 1.0),
        np.append(widths, 0.0),
    )


@dataclass(eq=False)
class Imputed:
    """One column while it is drawn: the label of each record, and the candidate drawn last."""

    labels: Ints
    candidates: PossibleValues
    is_line: bool
    drawn: Ints
    _features: Floats | None = None

    @property
    def places(self) -> Floats:
        """The candidate of each record as a number."""
        return self.candidates.places[self.drawn]

    @property
    def features(self) -> Floats:
        """What the column tells the others, as it was drawn last."""
        if self._features is None:
            places = self.places
            self._features = scaled(places) if self.is_line else indicators(places.astype(np.int64))
        return self._features

    def draw(self, rows: Ints, drawn: Ints) -> None:
        """Take other candidates for some records."""
        self.drawn[rows] = drawn
        self._features = None

    @cached_property
    def pieces(self) -> BoundedPieces:
        """The pieces of a line that its labels tell apart."""
        return BoundedPieces.of(self.candidates.starts, self.candidates.places, self.candidates.widths)

    @cached_property
    def by_rows(self) -> list[tuple[slice, Ints]]:
        """The records of each label that may stand for several things."""
        order = np.argsort(self.labels, kind="stable")
        ends = np.searchsorted(self.labels[order], np.arange(len(self.candidates.starts)))
        found = []
        for label, (first, behind) in enumerate(pairwise(ends.tolist())):
            own = self.candidates.of_label(label)
            if behind > first and own.stop - own.start > 1:
                found.append((own, order[first:behind]))
        return found


def draw_alone(
    labels: Ints, candidates: PossibleValues, *, is_line: bool, rng: np.random.Generator
) -> Imputed:
    """A column drawn by the weights of its candidates."""
    column = Imputed(labels, candidates, is_line, candidates.starts[labels].copy())
    for own, rows in column.by_rows:
        log_weights = _log(candidates.weights[own])[None, :].repeat(len(rows), axis=0)
        column.draw(rows, own.start + _sampled(log_weights, rng))
    return column


def draw_together(
    columns: Sequence[Imputed], told: Sequence[Floats], rng: np.random.Generator, rounds: int = ROUNDS
) -> None:
    """Draw columns again in turns, each given the others and the features of columns that are told."""
    if len(columns) + len(told) < 2:
        return
    for _ in range(rounds):
        for column in columns:
            others = [*told, *(each.features for each in columns if each is not column)]
            features = np.hstack(others)
            features = features[:, np.ptp(features, axis=0) > 0]
            if features.shape[1] and column.is_line:
                _draw_line(column, features, _alike(column, columns), rng)
            elif features.shape[1]:
                _draw_named(column, features, rng)


def _alike(column: Imputed, columns: Sequence[Imputed]) -> Ints | None:
    """Numbers records by the texts that were drawn for them; None if there are no other texts."""
    texts = [each.places.astype(np.int64) for each in columns if each is not column and not each.is_line]
    return alike_in(texts) if texts else None


def _draw_line(column: Imputed, features: Floats, alike: Ints | None, rng: np.random.Generator) -> None:
    """Numbers: by what all labels fill together, and by how much likelier each is given the others.

    Both what is expected of a number given the others and what is expected without them are normal.
    """
    values = column.places
    known = np.isfinite(values)
    if not known.any():
        return
    middle, spread = float(values[known].mean()), float(values[known].std())
    if spread == 0:
        return
    expected, error = _regression(features, values, known, rng)
    masses = column.candidates.widths * _density(column, values[known], rng)
    filling = None if alike is None else Filling.of(column.pieces, column.labels, alike, masses)
    weights = _log(masses)
    for own, rows in column.by_rows:
        places = column.candidates.places[own][None, :]
        label = int(column.labels[rows[0]])
        given = ((places - expected[rows, None]) / error) ** 2
        alone = ((places - middle) / spread) ** 2
        log_weights = weights[own][None, :] - given / 2 + np.minimum(alone, given) / 2
        if filling is not None:
            log_weights += filling.of_rows(rows, label, own)
        column.draw(rows, own.start + _sampled(log_weights, rng))


def _density(column: Imputed, values: Floats, rng: np.random.Generator) -> Floats:
    """How dense values seem to lie at each candidate: the exponential of a polynomial.

    It is fitted to the values drawn last, which count as often as a bootstrap says, by a Poisson regression
    of their histogram (Efron and Tibshirani 1996). A few parameters are what labels can tell.
    """
    places = column.candidates.places
    low, high = float(np.nanmin(places)), float(np.nanmax(places))
    edges = np.linspace(low, high, _BINS + 1)
    counts, _ = np.histogram(values, edges, weights=rng.exponential(size=len(values)))
    powers = _powers((edges[1:] + edges[:-1]) / 2, low, high)
    found = np.linalg.lstsq(powers, np.log(counts + 0.5), rcond=None)[0]
    for _ in range(_STEPS):
        expected = np.exp(np.clip(powers @ found, -30, 30))
        squares = (powers.T * expected) @ powers + _RIDGE * len(values) * np.eye(powers.shape[1])
        step = np.linalg.solve(squares, powers.T @ (counts - expected))
        found += step / max(1.0, float(np.abs(step).max()))
    density: Floats = np.exp(np.clip(_powers(places, low, high) @ found, -30, 30))
    return density


def _powers(places: Floats, low: float, high: float) -> Floats:
    """Chebyshev polynomials of places between two ends."""
    scaled_places = np.nan_to_num((2 * places - low - high) / (high - low))
    powers: Floats = np.polynomial.chebyshev.chebvander(scaled_places, _DEGREE).astype(np.float64)
    return powers


def _draw_named(column: Imputed, features: Floats, rng: np.random.Generator) -> None:
    """Texts: by how likely the others are under each, as normal with one covariance."""
    groups = column.places.astype(np.int64)
    count = int(column.candidates.places.max()) + 1
    sizes = np.bincount(groups, minlength=count).astype(np.float64)
    sums = np.stack([np.bincount(groups, each, count) for each in features.T], axis=1)
    means = (sums + _PRIOR * features.mean(axis=0)) / (sizes + _PRIOR)[:, None]
    rest = features - means[groups]
    covariance = rest.T @ rest / max(1, len(rest)) + _RIDGE * np.eye(features.shape[1])
    root = np.linalg.cholesky(covariance)
    noise = rng.standard_normal(means.shape) @ root.T
    means = means + noise / np.sqrt(sizes + _PRIOR)[:, None]
    by_value = np.linalg.solve(covariance, means.T)
    offset = (means.T * by_value).sum(axis=0) / 2
    for own, rows in column.by_rows:
        values = column.candidates.places[own].astype(np.int64)
        told = features[rows] @ by_value[:, values] - offset[values]
        log_weights = _log(column.candidates.weights[own])[None, :] + told
        column.draw(rows, own.start + _sampled(log_weights, rng))


def _regression(
    features: Floats, values: Floats, known: Bools, rng: np.random.Generator
) -> tuple[Floats, float]:
    """What a regression with drawn parameters expects of each record, and its drawn error."""
    all_records = np.hstack((np.ones((len(values), 1)), features))
    design, values = all_records[known], values[known]
    squares = design.T @ design + _RIDGE * len(values) * np.eye(design.shape[1])
    root = np.linalg.cholesky(np.linalg.inv(squares))
    found = np.linalg.solve(squares, design.T @ values)
    rest = values - design @ found
    freedom = max(1, len(values) - design.shape[1])
    error = max(float(np.sqrt(rest @ rest / rng.chisquare(freedom))), 1e-9)
    expected: Floats = all_records @ (found + error * (root @ rng.standard_normal(len(found))))
    return expected, error


def _sampled(log_weights: Floats, rng: np.random.Generator) -> Ints:
    """One place of each row, in proportion to the weights."""
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    steps = np.cumsum(weights, axis=1)
    drawn = rng.random(len(weights)) * steps[:, -1]
    places: Ints = np.minimum((steps <= drawn[:, None]).sum(axis=1), weights.shape[1] - 1)
    return places


def _log(weights: Floats) -> Floats:
    found: Floats = np.log(np.maximum(weights, 1e-300))
    return found


def scaled(values: Floats) -> Floats:
    """Numbers as one feature, unknown ones as the mean."""
    known = np.isfinite(values)
    mean = values[known].mean() if known.any() else 0.0
    spread = values[known].std() if known.any() else 0.0
    found: Floats = np.where(known, (values - mean) / (spread or 1.0), 0.0)[:, None]
    return found


def indicators(codes: Ints) -> Floats:
    """Values as one feature for each of the more frequent ones, but the most frequent."""
    values, counts = np.unique(codes, return_counts=True)
    kept = values[np.argsort(-counts, kind="stable")][1 : MOST_FEATURES + 1]
    found: Floats = (codes[:, None] == kept[None, :]).astype(np.float64)
    return found


def features_of_told(column: pa.Array) -> Floats | None:
    """A column that is published as it is; None if it tells nothing that can be used."""
    if pa.types.is_nested(column.type):
        return None
    values, codes = _distinct(column)
    if len(values) > MOST_FEATURES + 1 and (numbers := numbers_told(column)) is not None:
        return scaled(numbers)
    return indicators(codes) if 1 < len(values) <= len(column) / 10 else None


def _distinct(column: pa.Array) -> tuple[pa.Array, Ints]:
    """Its values, and the place of each record's, -1 for a missing one."""
    encoded = column.dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    return encoded.dictionary, encoded.indices.fill_null(-1).to_numpy().astype(np.int64)


def final_values(column: Imputed, rng: np.random.Generator, *, whole: bool) -> Floats:
    """The candidates of a line as values: anything within their pieces."""
    width = column.candidates.widths[column.drawn]
    values = column.places + (rng.random(len(width)) - 0.5) * width
    found: Floats = np.floor(values) if whole else values
    return found
