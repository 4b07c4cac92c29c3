import gzip
import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from shoal.errors import BadInput, OutputFailed
from shoal.recoding.chunk_recoding import randoms_of_the_system, shuffled
from shoal.recoding.disassociated import disassociated
from shoal.recoding.disassociated_file import json_lines, read_clusters, write_clusters
from shoal.recoding.flat_table import COLUMNS, flat_table, read_flat_table
from tests.examples import examples
from tests.recoding.test_disassociated import decoded
from tests.reference.disassociating import in_own_order

labels = st.text(st.characters(exclude_categories=["Cs"]), max_size=2)
terms = st.lists(labels, min_size=1, max_size=3, unique=True)
chunks = st.lists(
    st.fixed_dictionaries({"subrecords": st.lists(terms, min_size=1, max_size=4)}), min_size=1, max_size=3
)
clusters = st.recursive(
    st.fixed_dictionaries({"size": st.integers(1, 2**40), "chunks": chunks, "terms": terms}),
    lambda below: st.fixed_dictionaries(
        {"size": st.integers(1, 99), "shared": chunks, "children": st.lists(below, min_size=1, max_size=3)}
    ),
    max_leaves=5,
)
releases = st.lists(clusters, min_size=1, max_size=4)

SIMPLE = {"size": 3, "chunks": [{"subrecords": [["a", "b"], ["a"]]}], "terms": ["x"]}
JOINT = {"size": 6, "shared": [{"subrecords": [["y"], ["y"]]}], "children": [SIMPLE, SIMPLE]}


@given(releases)
@examples(60)
def test_the_text_is_json_of_the_clusters(lines):
    text = b"".join(block.tobytes() for block in json_lines(disassociated(lines))).decode()
    assert [json.loads(line) for line in text.removesuffix("\n").split("\n")] == decoded(disassociated(lines))


def test_the_text_looks_as_in_the_documentation():
    text = b"".join(block.tobytes() for block in json_lines(disassociated([JOINT]))).decode()
    assert text == json.dumps(JOINT) + "\n"


def test_long_files_are_written_in_parts(monkeypatch):
    monkeypatch.setattr("shoal.recoding.disassociated_file._BATCH_BYTES", 200)
    blocks = list(json_lines(disassociated([JOINT, SIMPLE] * 20)))
    assert len(blocks) > 5
    text = b"".join(block.tobytes() for block in blocks).decode()
    assert [json.loads(line) for line in text.removesuffix("\n").split("\n")] == [JOINT, SIMPLE] * 20


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
def test_what_is_written_is_read_back(tmp_path, ending):
    release = disassociated([SIMPLE, JOINT, {**SIMPLE, "chunks": []}])
    path = tmp_path / f"published{ending}"
    write_clusters(release, path)
    assert decoded(read_clusters(path, ["x"])) == decoded(release)
    assert read_clusters(path, ["x"]).sensitive == ("x",)
    if ending.endswith("gz"):
        assert gzip.decompress(path.read_bytes()).startswith(b'{"size"')


@given(releases, st.randoms(use_true_random=False))
@examples(40)
def test_the_flat_table_says_the_same_with_rows_in_any_order(tmp_path_factory, lines, random):
    release = disassociated(lines)
    table = flat_table(release)
    assert table.column_names == list(COLUMNS)
    order = list(range(table.num_rows))
    random.shuffle(order)
    path = tmp_path_factory.mktemp("flat") / "flat.parquet"
    parquet.write_table(table.take(order), path)
    assert decoded(read_flat_table(path)) == decoded(release)


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(OutputFailed, match=r"\.jsonl, \.jsonl\.gz, \.parquet"):
        write_clusters(disassociated([SIMPLE]), tmp_path / "published.csv")
    with pytest.raises(OutputFailed, match="cannot be written"):
        write_clusters(disassociated([SIMPLE]), tmp_path / "nowhere" / "published.jsonl")


def changed(**columns):
    """The flat table of a joint cluster with other values in some places."""
    table = flat_table(disassociated([JOINT]))
    for name, changes in columns.items():
        values = table.column(name).to_pylist()
        for row, value in changes.items():
            values[row] = value
        table = table.set_column(COLUMNS.index(name), name, pa.array(values))
    return table


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (lambda: changed().drop_columns("size"), "has the columns cluster, parent, chunk"),
        (lambda: changed().slice(0, 0), "holds no cluster"),
        (lambda: changed(cluster={0: None}), "row 1 has no cluster"),
        (lambda: changed(term={4: None}), "row 5 has no term"),
        (lambda: changed(chunk={2: None}), "row 3 has a chunk without a subrecord"),
        (lambda: changed(cluster=dict.fromkeys(range(6, 10), 7)), "leaves out a cluster"),
        (lambda: changed(size={3: 4}), "row 4 tells another size of its cluster"),
        (lambda: changed(parent={3: None}), "tells another parent"),
        (lambda: changed(size=dict.fromkeys(range(2), 0)), "row 1 has a size that is no number"),
        (lambda: changed(parent=dict.fromkeys(range(2), 0)), "a parent that does not come before it"),
        (lambda: changed(chunk={0: None, 1: None}, subrecord={0: None, 1: None}), "puts a term chunk into"),
        (lambda: changed().set_column(0, "cluster", pa.array(["a"] * 10)), "holds string, not whole numbers"),
        (lambda: changed().set_column(5, "term", pa.array([1] * 10)), "holds int64, not texts"),
        (
            lambda: changed().set_column(0, "cluster", pa.array([2**64 - 1] * 10, type=pa.uint64())),
            "too large",
        ),
    ],
)
def test_a_table_that_is_no_release_is_refused_with_its_row(tmp_path, table, words):
    path = tmp_path / "flat.parquet"
    parquet.write_table(table(), path)
    with pytest.raises(BadInput, match=words) as caught:
        read_flat_table(path)
    assert caught.value.problems[0].file == str(path)


def test_children_outside_their_parent_are_refused(tmp_path):
    """Cluster 2 stands alone between cluster 0 and its child 3."""
    table = pa.table(
        {
            "cluster": [0, 1, 2, 3],
            "parent": pa.array([None, 0, None, 0], type=pa.int64()),
            "size": [2, 1, 1, 1],
            "chunk": pa.array([0, None, None, None], type=pa.int64()),
            "subrecord": pa.array([0, None, None, None], type=pa.int64()),
            "term": ["a", "b", "c", "d"],
        }
    )
    parquet.write_table(table, tmp_path / "flat.parquet")
    with pytest.raises(BadInput, match="stands outside the clusters of its parent"):
        read_flat_table(tmp_path / "flat.parquet")


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    path = tmp_path / "flat.parquet"
    write_clusters(disassociated([JOINT] * 50), path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadInput, match="cannot be read as a Parquet file"):
        read_clusters(path)


@given(releases)
@examples(40)
def test_shuffling_changes_the_order_and_nothing_else(lines):
    release = disassociated(lines)
    mixed = shuffled(release, randoms_of_the_system)
    before, after = (sorted(map(in_own_order, decoded(which)), key=str) for which in (release, mixed))
    assert before == after
    np.testing.assert_array_equal(mixed.clusters.lines, np.cumsum(mixed.clusters.parents < 0))


def test_every_order_is_equally_likely():
    """All 24 orders of 4 subrecords come about equally often: chi squared with 23 degrees of freedom."""
    release = disassociated([{"size": 4, "chunks": [{"subrecords": [[t] for t in "abcd"]}], "terms": []}])
    runs = 4800
    orders = Counter(
        tuple(shuffled(release, randoms_of_the_system).subrecords.items.tolist()) for _ in range(runs)
    )
    assert len(orders) == 24
    assert sum((count - runs / 24) ** 2 / (runs / 24) for count in orders.values()) < 70


def test_clusters_children_and_chunks_change_places():
    lines = [
        {
            "size": 8,
            "shared": JOINT["shared"] * 1,
            "children": [{**SIMPLE, "size": 3}, {**SIMPLE, "size": 5}],
        },
        {"size": 2, "chunks": [{"subrecords": [["p"]]}, {"subrecords": [["q"]]}], "terms": ["z"]},
    ]
    seen = {json.dumps(decoded(shuffled(disassociated(lines), randoms_of_the_system))) for _ in range(600)}
    assert len(seen) == 2 * 2 * 2 * 4  # lines, children, chunks of the second, subrecords in two chunks below
