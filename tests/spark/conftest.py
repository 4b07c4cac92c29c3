"""A session of Spark whose tasks hold few rows."""

import pytest


@pytest.fixture
def by_blocks(spark):
    """A session whose tasks hold few rows."""
    spark.conf.set("spark.shoal.rowsPerBlock", "120")
    yield spark
    spark.conf.unset("spark.shoal.rowsPerBlock")
