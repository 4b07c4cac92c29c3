import pytest

from tests.run.spark.cluster import WITHOUT_JAVA, java, running_cluster, session_on


@pytest.fixture(scope="session")
def stopping_at_the_end():
    yield
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        active.stop()


@pytest.fixture
def spark(stopping_at_the_end):
    """A session in this machine's own processes."""
    if not java():
        pytest.skip(WITHOUT_JAVA)
    return session_on("local[2]")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if not java():
        pytest.skip(WITHOUT_JAVA)
    with running_cluster(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture
def cluster_session(cluster, stopping_at_the_end):
    """A session whose executors are processes of the workers of a cluster."""
    session = session_on(cluster.url)
    yield session
    session.stop()
