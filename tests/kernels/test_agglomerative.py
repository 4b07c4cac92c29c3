from hypothesis import given

from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.agglomerative import closures_without_each
from tests.algorithms.relational.tables import tables
from tests.reference import clusterings as reference


@given(drawn=tables(least_rows=2, with_subjects=False))
def test_closures_without_each(drawn):
    records = Records.of(drawn.on_trees.data, "ncp")
    rows = records.record_of_row
    unions = closures_without_each(records.nodes, rows, records.trees)
    vectors = [tuple(vector) for vector in records.nodes[rows].tolist()]
    parent = records.trees.parent.tolist()
    expected = [reference.closure(parent, [*vectors[:i], *vectors[i + 1 :]]) for i in range(len(vectors))]
    assert [tuple(union) for union in unions.tolist()] == [*expected, reference.closure(parent, vectors)]
