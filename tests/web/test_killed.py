"""What is left when a job or the server is killed in the middle."""

import os
import signal
import sqlite3
import time
from pathlib import Path

import httpx

from tests.web.samples import slow_table
from tests.web.serving import Served, children_of, ends

SLOW = {
    "data": {"path": "slow.csv"},
    "columns": {name: {"role": "quasi", "kind": "number", "hierarchy": {"fanout": 3}} for name in "abcdef"},
    "privacy": {"model": "k-anonymity", "k": 5},
    "algorithm": {"name": "agglomerative"},
}


def slow_project(client: httpx.Client) -> str:
    project = f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'slow'}).json()['id']}"
    client.post(f"{project}/files", params={"name": "slow.csv"}, content=slow_table())
    assert client.put(f"{project}/policy", json=SLOW).json()["problems"] == []
    return project


def searching(client: httpx.Client, project: str) -> str:
    """Submit a run, and wait until it searches."""
    job = f"{project}/jobs/{client.post(f'{project}/jobs', json={'kind': 'run'}).json()['id']}"
    deadline = time.monotonic() + 120
    while not client.get(job).json()["stage"].startswith(("searching", "merging")):
        assert time.monotonic() < deadline, client.get(job).text
        time.sleep(0.1)
    return job


def worker_of(served: Served) -> int:
    def words(process: int) -> str:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode().replace("\0", " ")

    (worker,) = [child for child in children_of(served.process.pid) if "service.worker" in words(child)]
    return worker


def test_after_a_killed_job_and_a_killed_server_everything_is_in_order(tmp_path):
    data = tmp_path / "data"
    served = Served(data)
    with served.client() as client:
        project = slow_project(client)
        killed = searching(client, project)
        os.kill(worker_of(served), signal.SIGKILL)
        deadline = time.monotonic() + 60
        while (job := client.get(killed).json())["state"] == "running" and time.monotonic() < deadline:
            time.sleep(0.1)
        assert job["state"] == "failed"
        assert "killed" in job["failure"]["sentence"]

        interrupted = searching(client, project)
        worker = worker_of(served)
        upload = data / "incoming" / "half.csv"
        upload.write_text("half of a fi")
    served.kill()
    served.stop()

    again = Served(data)
    try:
        assert ends(worker)
        with again.client() as client:
            job = client.get(interrupted).json()
            assert job["state"] == "interrupted"
            assert "start it again" in job["failure"]["sentence"]
            assert client.get(f"{interrupted}/results").status_code == 422
            assert client.get(f"{interrupted}/results/published").status_code == 422
            assert client.get(killed).json()["state"] == "failed"
            assert [file["name"] for file in client.get(f"{project}/files").json()] == ["slow.csv"]
            assert not upload.exists()
            folder = data / "projects" / project.rpartition("/")[2]
            assert list((folder / "jobs").iterdir()) == []
            assert len(list((folder / "files").iterdir())) == 1
            repeated = client.post(f"{interrupted}/repeat").json()
            assert client.post(f"{project}/jobs/{repeated['id']}/cancel").json()["state"] == "cancelled"
    finally:
        again.stop()
    assert again.process.returncode == 0
    assert "Traceback" not in "".join(again.talk)
    with sqlite3.connect(data / "shoal.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
