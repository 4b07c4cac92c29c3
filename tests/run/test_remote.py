"""Data in an object store, which is a server of the tests' own."""

import tempfile

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal as sh
from shoal.errors import BadInput, MissingExtra
from shoal.table.remote_file import RemoteFile
from tests.cli.commands import COLUMNS, PATIENTS, Hospital, files_in, shoal

fsspec = pytest.importorskip("fsspec")
moto = pytest.importorskip("moto.server")
pytest.importorskip("s3fs")

ROLES = {"age": sh.Quasi(kind="number"), "sex": sh.Insensitive(), "ill": sh.Sensitive()}
SECRET = "of-an-invented-owner"  # noqa: S105


@pytest.fixture
def hospital(tmp_path):
    return Hospital(tmp_path)


@pytest.fixture(scope="module")
def store():
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(store, monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_ENDPOINT_URL", store)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    name = f"bucket-{tmp_path.name.replace('_', '-').lower()}"[:60]
    files.mkdir(name)
    files.pipe_file(f"{name}/data.csv", PATIENTS.encode())
    part = pa.BufferOutputStream()
    parquet.write_table(pa.table({"age": [1, 2], "sex": ["f", "m"], "ill": ["a", "b"]}), part)
    for year in (2020, 2021):
        files.pipe_file(f"{name}/parts/year={year}/0.parquet", part.getvalue().to_pybytes())
    yield f"s3://{name}"
    assert not files_in(scratch), "copies are removed"


def test_a_run_reads_from_an_object_store(bucket, hospital):
    policy = hospital.write_policy(COLUMNS, path=f"{bucket}/data.csv", algorithm='name = "mondrian"')
    done = shoal("run", policy, "--json")
    assert done.code == 0, done.out
    assert done.json["records"] == 12
    assert shoal("check", policy).code == 0
    written = [path for path in hospital.out.rglob("*") if path.is_file()]
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]


def test_folders_and_patterns_of_a_store_are_read(bucket):
    roles = {**ROLES, "year": sh.Quasi(kind="number")}
    for address in (f"{bucket}/parts", f"{bucket}/parts/**/*.parquet"):
        assert sh.read(address, roles).row_count == 4


def test_problems_name_the_address(bucket):
    with pytest.raises(BadInput, match=rf"{bucket}/data.csv, column 'nobody': has no such column"):
        sh.read(f"{bucket}/data.csv", {**ROLES, "nobody": sh.Insensitive()})
    with pytest.raises(BadInput, match=rf"{bucket}/nowhere.csv: cannot be fetched"):
        sh.read(f"{bucket}/nowhere.csv", ROLES)
    with pytest.raises(BadInput, match="matches no files"):
        sh.read(f"{bucket}/*.tsv", ROLES)


def test_other_addresses_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"begin with gopher:// are not read; it takes abfs://"):
        sh.read("gopher://host/data.csv", ROLES)
    with pytest.raises(BadInput, match="an address with a password"):
        RemoteFile("sftp://somebody:secret@host/data.csv")
    assert RemoteFile("sftp://somebody@host/data.csv?x=1").where == "sftp://host/data.csv"


def test_without_its_driver_an_address_is_refused(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(MissingExtra, match=r"shoal\[remote\]"):
        sh.read("s3://bucket/data.csv", ROLES)
