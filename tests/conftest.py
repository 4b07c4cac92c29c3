"""Hypothesis for all tests: no deadlines, because machines are shared and kernels compile once.

`make test` draws the same examples every time; `make test-slow` draws new ones.
"""

import json
import os
from contextlib import suppress

import pytest
from hypothesis import settings

from shoal.errors import BadInput, CannotVerify
from shoal.report import verify_release
from shoal.run.result import Result
from shoal.run.verification import verify_certified
from tests.spark.cluster import WITHOUT_JAVA, java, running_cluster, session_on

_LARGEST_TO_COUNT = 300_000  # bytes, in plain Python
_READ_BY_SCRIPT = (".csv", ".csv.gz", ".tsv", ".jsonl", ".txt", ".dat", ".parquet", ".arrow")

settings.register_profile("same", deadline=None, derandomize=True, max_examples=33)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(autouse=True, scope="session")
def every_published_file_is_verified_without_shoal():
    """Whatever a test saves, the script that knows nothing of Shoal must find true, too."""
    save = Result.save

    def save_and_compare(result, folder, **options):
        final = save(result, folder, **options)
        certificate = json.loads((final / "certificate.json").read_text())
        file = final / certificate["file"]["name"]
        if file.stat().st_size < _LARGEST_TO_COUNT:
            try:
                code, found = verify_release.check(certificate, file)
            except verify_release.CannotTell:
                code, found = verify_release.UNKNOWN, ""
            assert code != verify_release.FALSE, found
            checked = all(
                promise["model"] in verify_release.MODELS and not promise["parameters"].get("negative")
                for promise in certificate["promises"]
            )
            if checked and file.name.endswith(_READ_BY_SCRIPT):
                assert code == verify_release.TRUE, found
            _assert_recomputed(file, final / "certificate.json")
        return final

    Result.save = save_and_compare
    yield
    Result.save = save


def _assert_recomputed(file, certificate):
    """Every field of a certificate can be computed again from the file and the promise."""
    with suppress(CannotVerify, BadInput):  # differential privacy, and what needs the hierarchies
        again = verify_certified(file, certificate)
        assert again.holds, (again.disagreements, again.verdicts)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    if not java():
        pytest.skip(WITHOUT_JAVA)
    with running_cluster(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark(request):
    """A session on a cluster whose workers are processes, or, by `make test`, in one process.

    Python runs in processes of its own in both, and a cluster of Java takes long to start.
    """
    if not java():
        pytest.skip(WITHOUT_JAVA)
    is_quick = "not slow" in request.config.getoption("markexpr")
    session = session_on("local[2]" if is_quick else request.getfixturevalue("cluster").url)
    yield session
    session.stop()


@pytest.hookimpl(tryfirst=True)  # before groups are read from the marks
def pytest_collection_modifyitems(items):
    for item in items:
        if {"cluster", "spark"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("spark"))
