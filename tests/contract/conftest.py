"""The cluster of the tests of Spark, for contracts that hold on every engine."""

from tests.spark.conftest import cluster, pytest_collection_modifyitems, spark

__all__ = ["cluster", "pytest_collection_modifyitems", "spark"]
