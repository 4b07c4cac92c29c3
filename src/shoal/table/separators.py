"""Which items a separator keeps apart."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def stays_apart(item: str, separator: str) -> bool:
    """Whether whoever splits `item` and what follows at the separator finds the item again.

    It must not contain the separator, and not end in a part of it: `a|` before `||` reads as `a`.
    """
    return (item + separator).find(separator) == len(item)


def that_run_into(items: pa.StringArray, separator: str) -> pa.StringArray:
    """The items that do not stay apart."""
    joined = pc.binary_join_element_wise(items, separator, "")
    return items.filter(pc.not_equal(pc.find_substring(joined, separator), pc.binary_length(items)))
