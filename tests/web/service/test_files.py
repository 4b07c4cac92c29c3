import gzip
import io
import zipfile

import pytest

from shoal.errors import BadInput, NotFound, TooLarge
from shoal.web.service.files import checked_file_name
from tests.web.conftest import MEGABYTE
from tests.web.samples import bomb, permissions


def test_a_file_arrives_and_is_the_owners_alone(service, project):
    file = service.files.add(project, "Größe (1).csv", [b"a,b\n", b"1,2\n"])
    assert file.name == "Größe (1).csv"
    assert file.path.read_bytes() == b"a,b\n1,2\n"
    assert file.path.name == f"{file.id}.csv"
    assert permissions(file.path) & 0o077 == 0 or permissions(file.path.parent) == 0o700
    assert [each.id for each in service.files.all(project)] == [file.id]


def test_a_name_that_is_taken_gets_a_number(service, project):
    names = [service.files.add(project, "a.csv.gz", [gzip.compress(b"a\n1\n")]).name for _ in range(3)]
    assert names == ["a.csv.gz", "a-2.csv.gz", "a-3.csv.gz"]


@pytest.mark.parametrize(
    "name",
    [
        "../evil.csv",
        "/etc/passwd.csv",
        "..\\evil.csv",
        "C:evil.csv",
        ".hidden.csv",
        "a\0.csv",
        "a\n.csv",
        " a.csv",
        "x" * 200 + ".csv",
        "evil.sh",
        "archive.zip",
        "csv",
        "",
        "\ud800.csv",
    ],
)
def test_names_that_could_be_paths_or_are_not_read_are_refused(service, project, name):
    with pytest.raises(BadInput):
        service.files.add(project, name, [b"a\n1\n"])
    assert service.files.all(project) == []
    assert list(service.store.incoming.iterdir()) == []


def test_an_announced_size_above_the_limit_is_refused_before_anything_is_written(service, project):
    with pytest.raises(TooLarge, match="1 MB"), service.files.receive(project, "a.csv", announced=10**10):
        pytest.fail("must not begin")


def test_an_upload_is_stopped_at_the_limit(service, project):
    with pytest.raises(TooLarge), service.files.receive(project, "a.csv") as upload:
        for _ in range(3):
            upload.write(bytes(MEGABYTE // 2))
    assert service.files.all(project) == []
    assert list(service.store.incoming.iterdir()) == []


def test_a_gzip_bomb_is_refused_while_it_arrives(service, project):
    small = bomb(50 * MEGABYTE)
    assert len(small) < MEGABYTE
    with pytest.raises(TooLarge):
        service.files.add(project, "a.csv.gz", [small])
    assert service.files.all(project) == []


def test_several_gzip_members_count_together(service, project):
    with pytest.raises(TooLarge):
        service.files.add(project, "a.csv.gz", [bomb(MEGABYTE // 2) * 3])
    assert service.files.add(project, "a.csv.gz", [bomb(MEGABYTE // 4) * 2]).size > 0


@pytest.mark.parametrize(
    "content", [b"", b"not gzip", gzip.compress(b"a\n1\n")[:-5]], ids=["empty", "other", "cut"]
)
def test_broken_gzip_files_are_refused(service, project, content):
    with pytest.raises(BadInput):
        service.files.add(project, "a.csv.gz", [content])


def test_a_workbook_that_unpacks_too_large_is_refused(service, project):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../evil.xml", bytes(5 * MEGABYTE))
    with pytest.raises(TooLarge):
        service.files.add(project, "a.xlsx", [buffer.getvalue()])
    with pytest.raises(BadInput, match="no workbook"):
        service.files.add(project, "a.xlsx", [b"PK nothing"])


def test_files_of_the_allowed_folder_can_be_picked(service, project):
    assert "patients.csv" in [file.place for file in service.files.offered()]
    file = service.files.pick(project, "patients.csv")
    assert file.name == "patients.csv"
    assert file.path.read_bytes().startswith(b"name,age")


@pytest.mark.parametrize(
    "place", ["../sample/data/../__init__.py", "/etc/passwd", "..", "", "nothing.csv", "a\0"]
)
def test_nothing_outside_the_allowed_folder_can_be_picked(service, project, place):
    with pytest.raises(BadInput, match="allowed folder"):
        service.files.pick(project, place)


def test_a_link_out_of_the_allowed_folder_is_neither_offered_nor_followed(
    service, project, tmp_path, monkeypatch
):
    outside = tmp_path / "secret.csv"
    outside.write_text("a\n1\n")
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "link.csv").symlink_to(outside)
    monkeypatch.setattr(service.files, "_folder", allowed)
    assert service.files.offered() == []
    with pytest.raises(BadInput, match="allowed folder"):
        service.files.pick(project, "link.csv")


def test_a_removed_file_is_gone(service, project):
    file = service.files.add(project, "a.csv", [b"a\n1\n"])
    service.files.remove(project, file.id)
    assert not file.path.exists()
    with pytest.raises(NotFound):
        service.files.get(project, file.id)


def test_files_belong_to_their_project(service, project):
    file = service.files.add(project, "a.csv", [b"a\n1\n"])
    other = service.projects.create("other").id
    with pytest.raises(NotFound):
        service.files.get(other, file.id)
    service.delete(other)


def test_a_name_keeps_its_letters():
    assert checked_file_name("tschüß 1.CSV", [".csv"]) == "tschüß 1.CSV"
