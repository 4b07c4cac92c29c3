"""One cluster and one driver for all tests of a process; with xdist they all go to the same process."""

import pytest

from tests.spark.cluster import WITHOUT_JAVA, java, running_cluster, session_on


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    if not java():
        pytest.skip(WITHOUT_JAVA)
    with running_cluster(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark(cluster):
    """A session whose executors are processes of the workers of a cluster."""
    session = session_on(cluster.url)
    yield session
    session.stop()


@pytest.fixture
def by_blocks(spark):
    """A session whose tasks hold few rows."""
    spark.conf.set("spark.shoal.rowsPerBlock", "120")
    yield spark
    spark.conf.unset("spark.shoal.rowsPerBlock")


def pytest_collection_modifyitems(items):
    for item in items:
        if "cluster" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
