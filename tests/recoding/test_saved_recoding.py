import numpy as np
import pytest

from shoal.errors import BadInput
from shoal.recoding.recoding_file import load_recoding
from tests.builders import flat_tree
from tests.recoding.samples import CASES, sample, saved


@pytest.mark.parametrize("case", ["nodes", "cut", "occurrences", "joint", "new records"])
def test_another_tree_is_refused_by_the_name_of_its_column(case, tmp_path):
    data, _ = sample(case)
    loaded = load_recoding(saved(case, tmp_path))
    for column in loaded.trees:
        for others in ({}, {column: flat_tree([*data.local.trees[column].leaf_labels, "one more"])}):
            trees = {name: tree for name, tree in data.local.trees.items() if name != column} | others
            with pytest.raises(BadInput, match=f"column '{column}': .*another hierarchy"):
                loaded.fitting(data.local.table, trees)


@pytest.mark.parametrize("case", sorted(set(CASES) - {"new records"}))
def test_other_data_are_refused(case, tmp_path):
    data, _ = sample(case)
    loaded = load_recoding(saved(case, tmp_path))
    with pytest.raises(BadInput, match="one of 60 records, and the data have 59"):
        loaded.fitting(data.local.table.take(np.arange(59)), data.local.trees)


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("unions", "other items"),
        ("chunks", "other items"),
        ("occurrences", "other sets"),
        ("ranges", "no numbers"),
    ],
)
def test_other_columns_are_refused(case, said, tmp_path):
    data, _ = sample(case)
    column = "age" if case == "ranges" else "items"
    with pytest.raises(BadInput, match=f"column '{column}'.*{said}"):
        load_recoding(saved(case, tmp_path)).fitting(data.local.table.without([column]), data.local.trees)
