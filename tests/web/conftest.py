"""One service and one server per test process: both have much to import, and so has whatever they start."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import BrowserContext

from shoal.table.sample import sample_folder
from shoal.web.service.jobs import Job
from shoal.web.service.limits import ServerLimits
from shoal.web.service.service import Service
from tests.web.browsing import Visitor, opened
from tests.web.samples import add_tiny
from tests.web.serving import Served

MEGABYTE = 2**20
pytest.register_assert_rewrite("tests.web.soundness")


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.xdist_group("web"))


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    limits = ServerLimits(upload=MEGABYTE, workers=2)
    service = Service(tmp_path_factory.mktemp("shoal") / "data", offered=sample_folder(), limits=limits)
    yield service
    service.close()


@pytest.fixture
def project(service: Service) -> Iterator[str]:
    project = service.projects.create("Patients").id
    yield project
    service.delete(project)


@pytest.fixture(scope="session")
def tiny_run(service: Service) -> Job:
    """A finished run on a small table, for tests that only look at it."""
    project = service.projects.create("Finished").id
    add_tiny(service, project)
    return service.jobs.wait(project, service.jobs.run(project, "first").id, 240)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("served") / "data"
    served = Served(data, "--max-upload", "2 MB", "--folder", str(sample_folder()))
    yield served
    served.stop()


@pytest.fixture(scope="session")
def client(served: Served) -> Iterator[httpx.Client]:
    """A program with the key of the server."""
    with served.client() as client:
        yield client


@pytest.fixture(scope="module")
def context(served: Served) -> Iterator[BrowserContext]:
    """A browser that has come in by the link of the server."""
    with opened(served) as context:
        yield context


@pytest.fixture
def visitor(context: BrowserContext, served: Served) -> Iterator[Visitor]:
    """Somebody at a page, to whom nothing strange was said."""
    visitor = Visitor(context.new_page(), served.address)
    yield visitor
    visitor.page.close()
    assert visitor.talk == []
