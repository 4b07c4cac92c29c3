"""Columns as detection gets them."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from shoal.detect.observed import Observed


def column(values: Iterable[str], name: str = "c1") -> Observed:
    counts = Counter(values)
    rows = np.array(list(counts.values()), dtype=np.int64)
    return Observed.of(name, pa.array(list(counts), type=pa.string()), rows, pa.string())
