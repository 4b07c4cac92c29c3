"""A German export with sixty columns goes through the service without a change by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.web.service.bound import OUT
from shoal.web.service.files import StoredFile
from shoal.web.service.service import Service
from tests.cli.commands import records_of
from tests.study.wide_file import COLUMNS, NAMING, RECORDS, REMARKED, write_wide_csv


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("wide") / "data")
    yield service
    service.close()


@pytest.fixture
def file(service: Service, project: str, tmp_path: Path) -> StoredFile:
    content = write_wide_csv(tmp_path / "Entlassungen.csv").read_bytes()
    stored = service.files.add(project, "Entlassungen.csv", [content])
    service.policies.start(project, stored.id)
    return stored


def test_it_is_read_as_it_was_written(service, project, file):
    profile = service.data.profile(project, file.id)
    assert (profile.records, len(profile.columns)) == (RECORDS, len(COLUMNS)) == (3_000, 60)
    assert (profile.read_as.encoding, profile.read_as.delimiter) == ("cp1252", ";")
    columns = {each.name: each for each in profile.columns}
    assert {name for name, each in columns.items() if each.role == "identifier"} == set(NAMING)
    assert columns[REMARKED].role == "drop"
    assert columns["Geburtsdatum"].date_format == "%d.%m.%Y"
    assert columns["PLZ"].recipe == {"prefixes": [3, 2, 1]}
    assert (columns["Kalium"].kind, columns["Kalium"].decimal) == ("number", ",")
    assert "unbekannt" in profile.missing


@pytest.mark.usefixtures("file")
def test_a_release_of_it_holds_and_names_nobody(service, project):
    assert service.policies.problems(project) == []
    service.policies.set(project, "algorithm", {"name": "mondrian"})  # auto searches for minutes
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    assert (job.state, job.failure) == ("done", None)
    assert job.result is not None
    assert job.result["verdict"]["holds"]
    published = service.jobs.folder(job) / OUT / job.result["published"]
    header = records_of(published)[0]
    assert set(header) == {*COLUMNS} - {*NAMING, REMARKED}
