"""A transformer for pipelines of scikit-learn (extra `ml`), imported only by those who ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.errors import BadInput, Infeasible, InvalidParameter, MissingExtra, Problem
from shoal.hierarchy.builders import flat
from shoal.privacy.model import Form as ReleaseForm
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.recoding.rows import RowRecoding
from shoal.recoding.saved_recoding import SavedTree
from shoal.run.api import anonymize, read
from shoal.run.applying import LoadedRecoding
from shoal.run.prepare import Data
from shoal.run.result import Result
from shoal.study.fitted_labels import FittedLabels, Form
from shoal.table.frames import in_kind, is_frame, open_frame
from shoal.table.reading import ReadOptions
from shoal.table.roles import Quasi, Role

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as missing:
    raise MissingExtra("a transformer for scikit-learn", "ml") from missing


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Decides on training rows what is published, and gives these and other rows as they are published.

    There are as many rows as came, in their order, so that they fit a target beside them; a record that
    cannot be published is a row of `*`: its sets are empty, and sensitive and insensitive columns missing.
    The promise is about the rows of one call: what stands alone in them is such a row, also if the training
    rows had many like it. Identifiers are dropped.

    Args:
        models: The promise: one model, or several that hold together.
        columns: The role of each column, of an array as `x0`, `x1` and so on. Without it every column is a
            quasi-identifier: numbers and dates are published as ranges, anything else as it is or as `*`.
        form: How labels are given, as `OpenedRelease` has them: "labels", "bounds", "midpoints", "levels"
            or "one-hot", with which all quasi-identifiers but dates are numbers that models learn from.
        algorithm: The name of an algorithm, or "auto" to try several.
        options: Those of the algorithm.
        seed: Steers the search only.
        read_options: How texts are read, and what becomes of columns without a role.

    Attributes:
        result_: The release of the training rows, verified, in an order that may be published. It is left out
            when the transformer is pickled, because it holds the original rows.
        recoding_: What was decided, for the publisher alone: it tells about original rows.
        roles_: The role of each column.

    Raises:
        BadInput: Why these rows cannot be published under this promise.
        Infeasible: The promise cannot be met for the training rows.
        InvalidParameter: A parameter is not what it must be.

    Examples:
        >>> import pandas as pd
        >>> import shoal as sh
        >>> from shoal.sklearn import Anonymizer
        >>> people = pd.DataFrame({"age": [31, 34, 56, 59], "town": ["Ulm", "Ulm", "Jena", "Jena"]})
        >>> roles = {"age": sh.Quasi(hierarchy=sh.ranges(10)), "town": sh.Quasi(hierarchy=sh.flat())}
        >>> anonymizer = Anonymizer(sh.KAnonymity(k=2), columns=roles, algorithm="mondrian")
        >>> anonymizer.fit_transform(people)
             age  town
        0  30-39   Ulm
        1  30-39   Ulm
        2  50-59  Jena
        3  50-59  Jena
        >>> anonymizer.transform(pd.DataFrame({"age": [33, 32, 58], "town": ["Ulm", "Ulm", "Jena"]}))
             age town
        0  30-39  Ulm
        1  30-39  Ulm
        2      *    *
    """

    result_: Result
    recoding_: LoadedRecoding
    roles_: Mapping[str, Role]
    _labels: FittedLabels
    _names_out: list[str]

    def __init__(
        self,
        models: Model | Sequence[Model],
        *,
        columns: Mapping[str, Role] | None = None,
        form: Form = "labels",
        algorithm: str = "auto",
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
        read_options: ReadOptions | None = None,
    ) -> None:
        self.models = models
        self.columns = columns
        self.form = form
        self.algorithm = algorithm
        self.options = options
        self.seed = seed
        self.read_options = read_options

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002, N803
        """Decide how rows are published; `y` is not looked at.

        Args:
            X: The training rows: a pandas, polars or pyarrow frame, or an array.
            y: Ignored: a target beside the rows is none of their columns, and nothing is promised about it.

        Returns:
            The transformer itself.

        Raises:
            BadInput: Why these rows cannot be published under this promise.
            Infeasible: The promise cannot be met for these rows.
            InvalidParameter: A parameter is not what it must be.
        """
        self._decide(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002, N803
        """Decide how rows are published, and give them so: the rows of `result_`, in the order they came in.

        Args:
            X: The training rows.
            y: Ignored.

        Returns:
            A frame if a frame came, otherwise an array.

        Raises:
            BadInput: Why these rows cannot be published under this promise.
            Infeasible: The promise cannot be met for these rows.
            InvalidParameter: A parameter is not what it must be.
        """
        result = self._decide(X)
        return self._given_back(X, result.data, result.recoding)

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Give other rows in the labels that were decided on; whoever would stand with too few gets `*`.

        Args:
            X: Rows with the columns of the training rows.

        Returns:
            A frame if a frame came, otherwise an array.

        Raises:
            BadInput: These are other columns, or what was decided says nothing about other rows: see
                `docs/applying.md`.
        """
        check_is_fitted(self, "recoding_")
        data = read(self._frame(X, reset=False), self.roles_, options=self._options)
        try:
            recoding = self.recoding_.apply(data, self.models).recoding
        except Infeasible:
            recoding = None
        return self._given_back(X, data, recoding)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the columns that come out.

        Args:
            input_features: The names of the columns that go in, if anything.

        Returns:
            An array of names.

        Raises:
            ValueError: The names are not those of the training rows.
        """
        check_is_fitted(self, "recoding_")
        if input_features is not None:
            self._refuse_other_names(list(input_features))
        return np.array(self._names_out, dtype=object)

    def _refuse_other_names(self, names: list[str]) -> None:
        if names != list(getattr(self, "feature_names_in_", names)):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(names) != self.n_features_in_:
            raise ValueError(f"input_features should have length equal to {self.n_features_in_}")

    @property
    def _options(self) -> ReadOptions:
        return self.read_options or ReadOptions()

    def _decide(self, X: Any) -> Result:  # noqa: N803
        if self.form not in get_args(Form):
            raise InvalidParameter("Anonymizer", "form", self.form, f"one of {', '.join(get_args(Form))}")
        promise = Promise.of(self.models)
        if promise.form is not ReleaseForm.ROWS:
            what = f"{promise.main.name} does not publish one row for each record"
            raise BadInput(Problem(what, "use sh.anonymize"))
        frame = self._frame(X, reset=True, least=promise.k)
        roles = _usual_roles(frame) if self.columns is None else dict(self.columns)
        data = read(frame, roles, options=self._options)
        result: Result = anonymize(
            data, self.models, algorithm=self.algorithm, seed=self.seed, **(self.options or {})
        )
        self.result_ = result
        self.roles_ = roles
        self.recoding_ = _ready_for_others(result)
        self._labels = FittedLabels.of(result)
        self._names_out = list(self._labels.columns(data, None, self.form))
        return result

    def _frame(self, X: Any, *, reset: bool, least: int = 1) -> Any:  # noqa: N803
        """The rows as a frame whose columns have names."""
        if is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        array = validate_data(
            self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=least
        )
        return pa.table({f"x{place}": _arrow(column) for place, column in enumerate(array.T)})

    def _given_back(self, X: Any, data: Data, recoding: Any) -> Any:  # noqa: N803
        if not (recoding is None or isinstance(recoding, RowRecoding)):
            raise TypeError("a promise about rows was kept by something else")
        found = self._labels.columns(data, recoding, self.form)
        if not is_frame(X):
            return _array(found)
        library = data.loaded.source.library
        frame = in_kind(pa.table(found), library)
        return frame.set_axis(X.index) if library == "pandas" else frame

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "result_"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _usual_roles(frame: Any) -> dict[str, Role]:
    return {name: _usual_role(kind) for name, kind in open_frame(frame).types.items()}


def _usual_role(kind: pa.DataType) -> Role:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Quasi(kind="number")
    return Quasi(kind="date") if pa.types.is_temporal(kind) else Quasi(hierarchy=flat())


def _ready_for_others(result: Result) -> LoadedRecoding:
    basis = result.recoding.basis
    if basis is None:
        raise TypeError("the recoding of a result has a basis")
    trees = {
        name: SavedTree(tree.labels, tree.leaf_count, tree.arrays.parent)
        for name, tree in basis.trees.items()
    }
    return LoadedRecoding(replace(result.recoding, basis=None), trees, basis.promises)


def _arrow(column: npt.NDArray[Any]) -> pa.Array:
    try:
        return pa.array(column.tolist() if column.dtype == object else column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        what = f"a column of the array holds cells that are not all of one type ({error})"
        raise BadInput(Problem(what, "give a frame, or turn them into texts")) from error


def _array(columns: Mapping[str, pa.Array]) -> npt.NDArray[Any]:
    """An array of numbers if all columns are numbers, otherwise one of objects."""
    kinds = [column.type for column in columns.values()]
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        numbers = [column.cast(pa.float64()).to_numpy(zero_copy_only=False) for column in columns.values()]
        return np.stack(numbers, axis=1)
    rows = len(next(iter(columns.values())))
    objects = np.empty((rows, len(columns)), dtype=object)
    for place, column in enumerate(columns.values()):
        objects[:, place] = np.fromiter(column.to_pylist(), dtype=object, count=rows)
    return objects
