"""Data in an object store, which is a server of the tests' own."""

import json
import logging
import tempfile
from threading import Thread

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal as sh
from shoal.errors import BadInput, MissingExtra, OutputFailed
from shoal.run.remote_output import send_release
from shoal.table.remote_file import RemoteFile
from tests.cli.commands import COLUMNS, PATIENTS, Hospital, files_in, shoal

fsspec = pytest.importorskip("fsspec")
server = pytest.importorskip("moto.server")
pytest.importorskip("s3fs")
create_backend_app = server.create_backend_app
make_server = pytest.importorskip("werkzeug.serving").make_server
logging.getLogger("werkzeug").setLevel(logging.ERROR)

ROLES = {"age": sh.Quasi(kind="number"), "sex": sh.Insensitive(), "ill": sh.Sensitive()}
SECRET = "of-an-invented-owner"  # noqa: S105


@pytest.fixture
def hospital(tmp_path):
    return Hospital(tmp_path)


class Store:
    """An object store that can refuse the third request of a kind."""

    def __init__(self):
        self._app = server.DomainDispatcherApplication(create_backend_app)
        self._applies, self._left = None, 0
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self._thread = Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def refuse_third(self, applies):
        self._applies, self._left = applies, 3

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request, start):
        if self._applies is not None and self._applies(request):
            self._left -= 1
            if self._left == 0:
                self._applies = None
                start("403 Forbidden", [("Content-Length", "0")])
                return [b""]
        return self._app(request, start)


@pytest.fixture(scope="module")
def store():
    store = Store()
    yield store
    store.stop()


@pytest.fixture
def bucket(store, monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_ENDPOINT_URL", store.url)
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


@pytest.fixture
def stored(bucket):
    files = fsspec.filesystem("s3", skip_instance_cache=True)

    def names(folder=""):
        files.invalidate_cache()
        base = f"{bucket.removeprefix('s3://')}/{folder}".rstrip("/")
        return sorted(path[len(base) + 1 :] for path in files.find(base))

    names.system = files
    return names


PUBLIC = ["certificate.json", "codebook.json", "published.csv", "report.html", "result.json"]


def test_a_release_goes_to_an_object_store(bucket, hospital, stored):
    policy = hospital.write_policy(COLUMNS, path=f"{bucket}/data.csv", algorithm='name = "mondrian"')
    out = f"{bucket}/release"
    before = stored()
    words = ("run", policy, "--out", out, "--internal", hospital.out)
    done = shoal(*words, "--json")
    assert done.code == 0, done.err
    assert done.json["folder"] == out
    assert stored("release") == PUBLIC
    assert stored() == sorted([*before, *(f"release/{name}" for name in PUBLIC)])
    for name in PUBLIC[:-1]:
        assert stored.system.cat_file(f"{out}/{name}") == (hospital.out / name).read_bytes()
    assert json.loads(stored.system.cat_file(f"{out}/result.json")) == {"files": PUBLIC}
    assert "exists already" in shoal(*words).errors[0]
    assert shoal(*words, "--replace", "--set", 'output.path="other.csv"').code == 0
    assert stored("release") == sorted([*PUBLIC[:2], "other.csv", *PUBLIC[3:]])
    stored.system.pipe_file(f"{out}/note.txt", b"mine")
    assert "did not write (note.txt)" in shoal(*words, "--replace").errors[0]


def test_a_policy_from_python_stores_what_may_be_published(bucket, hospital, stored):
    hospital.write("data.csv", PATIENTS)
    policy = hospital.write_policy(COLUMNS, algorithm='name = "mondrian"')
    result = sh.run_policy(policy, out=f"{bucket}/release")
    assert stored("release") == PUBLIC
    assert stored.system.cat_file(f"{bucket}/release/published.csv").count(b"\n") == 1 + result.frame.num_rows
    with pytest.raises(BadInput, match="is no folder in a bucket"):
        sh.run_policy(policy, out=bucket)
    with pytest.raises(BadInput, match="are not written to addresses that begin with sftp://"):
        sh.run_policy(policy, out="sftp://host/release")


REFUSALS = {
    "storing": lambda request: request["REQUEST_METHOD"] == "PUT" and "HTTP_X_AMZ_COPY_SOURCE" not in request,
    "reading back": lambda request: request["REQUEST_METHOD"] == "GET" and "HTTP_RANGE" in request,
    "naming": lambda request: "HTTP_X_AMZ_COPY_SOURCE" in request,
    "tidying": lambda request: request["QUERY_STRING"] == "delete",
}


def test_a_store_that_refuses_keeps_nothing_half(bucket, store, hospital, stored):
    """Whatever it refuses after some files: what is there is a whole release, or none."""
    hospital.write("data.csv", PATIENTS)
    result = sh.run_policy(hospital.write_policy(COLUMNS, algorithm='name = "mondrian"'))
    saved, target = result.save(hospital.out), RemoteFile(f"{bucket}/release")
    without = stored()
    for replace, what in ((False, "naming"), (True, "storing"), (True, "reading back"), (True, "tidying")):
        if replace:
            send_release(saved, target, replace=True)
        before = stored()
        store.refuse_third(REFUSALS[what])
        with pytest.raises(OutputFailed, match=r"could not be stored: .*[Ff]orbidden"):
            send_release(saved, target, replace=replace)
        assert stored() == (before if what in ("storing", "reading back") else without), what
