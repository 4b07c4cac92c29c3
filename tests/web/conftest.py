"""One service per test process: its helpers have much to import."""

from collections.abc import Iterator

import pytest

from shoal.table.sample import sample_folder
from shoal.web.service.limits import ServerLimits
from shoal.web.service.service import Service

MEGABYTE = 2**20


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
