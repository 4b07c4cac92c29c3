import numpy as np
import pyarrow as pa

from shoal.explain.examples import texts_of
from shoal.table.columns import Carried


def test_a_missing_value_of_an_untouched_column_is_an_empty_text():
    column = Carried(pa.chunked_array([["a", None, "c"]]))
    assert texts_of(column, np.array([2, 1])) == ["c", ""]
