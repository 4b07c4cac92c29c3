"""The whole way over REST on the bundled sample, and that what is exported does the same elsewhere."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import in_process
from tests.web.samples import TINY, TINY_SECTIONS, sample

SETTINGS = sample("table.toml").decode()


@pytest.fixture(scope="module")
def project(client: httpx.Client) -> Iterator[str]:
    """The address of a project with the patients and the policy for tables."""
    made = client.post("/api/v1/projects", json={"name": "Patients"})
    address = f"/api/v1/projects/{made.json()['id']}"
    sent = client.post(f"{address}/files", params={"name": "patients.csv"}, content=sample("patients.csv"))
    assert sent.status_code == 201
    taken = client.put(
        f"{address}/policy.toml", content=SETTINGS, headers={"Content-Type": "application/toml"}
    )
    assert taken.json()["problems"] == []
    yield address
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


@pytest.fixture(scope="module")
def run(client: httpx.Client, project: str) -> dict[str, Any]:
    """A finished run."""
    return ended(client, project, {"kind": "run"})


def ended(client: httpx.Client, project: str, request: dict[str, Any]) -> dict[str, Any]:
    submitted = client.post(f"{project}/jobs", json=request)
    assert submitted.status_code == 201, submitted.text
    job, stages = submitted.json(), set()
    deadline = time.monotonic() + 240
    while job["state"] in ("queued", "running") and time.monotonic() < deadline:
        job = client.get(f"{project}/jobs/{job['id']}").json()
        stages.add(job["stage"])
        time.sleep(0.1)
    assert job["state"] == "done", job["failure"]
    assert len(stages) > 1  # its progress could be followed
    return job


def test_what_is_exported_gives_the_same_verdict_and_loss_on_the_command_line(client, project, run, tmp_path):
    (tmp_path / "patients.csv").write_bytes(sample("patients.csv"))
    policy = client.get(f"{project}/jobs/{run['id']}/results/policy")
    assert 'filename="policy.toml"' in policy.headers["content-disposition"]
    (tmp_path / "policy.toml").write_bytes(policy.content)
    again = in_process("run", tmp_path / "policy.toml", "--json")
    assert again.code == 0, again.err
    assert again.json["loss"] == run["result"]["loss"]
    # Of several classes that are equally weak the evidence names the first, and the order is random.
    verdicts = [each["verdict"] for each in (again.json, run["result"])]
    told = [
        [(check["claim"], check["holds"], check["figures"]) for check in each["checks"]] for each in verdicts
    ]
    assert told[0] == told[1]
    assert verdicts[0]["smallest"] == verdicts[1]["smallest"]


@pytest.mark.slow
def test_the_exported_script_runs_and_gives_the_same_loss(client, project, run, tmp_path):
    (tmp_path / "patients.csv").write_bytes(sample("patients.csv"))
    script = client.get(f"{project}/jobs/{run['id']}/results/script")
    (tmp_path / "anonymize.py").write_bytes(script.content)
    done = subprocess.run(
        [sys.executable, "anonymize.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["loss"] == run["result"]["loss"]
    assert result["verdict"]["holds"]


def test_the_published_file_passes_and_another_does_not(client, project, run):
    published = client.get(f"{project}/jobs/{run['id']}/results/published")
    assert published.headers["content-disposition"].startswith("attachment")
    ask = {"name": "published.csv", "job": run["id"]}
    found = client.post(f"{project}/verify", params=ask, content=published.content).json()
    assert found["holds"]
    assert [verdict["claim"] for verdict in found["verdicts"]]
    rows = published.text.splitlines()
    broken = "\n".join([*rows, rows[1].replace(rows[1].split(",")[0], "101")])
    found = client.post(f"{project}/verify", params=ask, content=broken).json()
    assert not found["holds"]
    assert found["verdicts"][0]["witness"]


def test_everything_that_a_run_made_can_be_fetched(client, project, run):
    names = client.get(f"{project}/jobs/{run['id']}/results").json()
    assert names == [
        "published",
        "certificate",
        "codebook",
        "public-report",
        "report",
        "policy",
        "script",
        "result",
    ]
    for name in names:
        answer = client.get(f"{project}/jobs/{run['id']}/results/{name}")
        assert answer.status_code == 200
        assert len(answer.content) > 100
    reports = [
        client.get(f"{project}/jobs/{run['id']}/results/{name}").text for name in ("report", "public-report")
    ]
    assert reports[0] != reports[1]
    for report in reports:
        assert "/projects/" not in report  # no path of the server's disk
    assert client.get(f"{project}/jobs/{run['id']}/results/..%2f..%2frequest.json").status_code == 404


def test_a_view_shows_records_before_and_after_and_explains_values(client, project, run):
    view = client.get(f"{project}/jobs/{run['id']}/view").json()
    row = view["rows"][0]
    assert len(row["before"]) == len(row["after"]) == len(view["columns"])
    assert row["class_size"] >= 5
    age = view["columns"].index("age")
    told = client.post(
        f"{project}/jobs/{run['id']}/explain", json={"column": "age", "row": row["row"]}
    ).json()
    assert row["before"][age] in told[0]["sentence"] or "all" in told[0]["sentence"]
    assert told[0]["published_as"] == row["after"][age]
    tree = view["trees"]["age"]
    assert set(tree["published"]) <= set(tree["labels"])
    assert {"risk", "class_sizes", "loss"} <= set(view["figures"])


def test_a_file_of_the_allowed_folder_gets_a_profile_and_settings(client, project):
    assert "patients.csv" in [file["place"] for file in client.get("/api/v1/folder").json()]
    made = client.post("/api/v1/projects", json={"name": "Picked"}).json()
    address = f"/api/v1/projects/{made['id']}"
    file = client.post(f"{address}/picked", json={"place": "patients.csv"}).json()
    profile = client.get(f"{address}/files/{file['id']}/profile").json()
    assert {column["name"]: column["role"] for column in profile["columns"]}["name"] == "identifier"
    preview = client.get(f"{address}/files/{file['id']}/preview", params={"start": 1990, "count": 50}).json()
    assert (preview["records"], len(preview["rows"])) == (2000, 10)
    policy = client.post(f"{address}/policy/start", json={"file": file["id"]}).json()
    assert policy["problems"] == []
    assert (
        "At least 5" in client.get(f"{address}/meaning").text
        or "at least 5" in client.get(f"{address}/meaning").text
    )
    assert client.delete(address).status_code == 204


def test_a_tree_can_be_looked_at_changed_and_taken_away(client):
    made = client.post("/api/v1/projects", json={"name": "Trees"}).json()
    address = f"/api/v1/projects/{made['id']}"
    data = client.post(f"{address}/files", params={"name": "a.csv"}, content=b"sex\nf\nm\nf\n").json()
    client.post(f"{address}/policy/start", json={"file": data["id"]})
    tree = client.get(f"{address}/trees/sex").json()
    assert (tree["labels"], tree["records"]) == (["f", "m", "*"], [2, 1, 3])
    edits = [{"edit": "rename", "label": "*", "to": "any"}]
    stored = client.post(f"{address}/trees/sex", json={"edits": edits, "name": "sex.csv"}).json()
    assert stored["name"] == "sex.csv"
    assert client.get(f"{address}/trees/sex").json()["labels"][-1] == "any"
    assert client.get(f"{address}/files/{stored['id']}").text.split() == ["f;any", "m;any"]
    assert client.delete(address).status_code == 204


def test_three_problems_are_all_listed(client, project):
    made = client.post("/api/v1/projects", json={"name": "Wrong"}).json()
    address = f"/api/v1/projects/{made['id']}"
    client.post(f"{address}/files", params={"name": "a.csv"}, content=b"age,sex\n1,f\nx,m\n")
    sections = {
        "data": {"path": "a.csv"},
        "columns": {
            "age": {"role": "quasi", "kind": "number"},
            "sex": {"role": "quasi"},
            "zip": {"role": "quasi"},
        },
        "privacy": {"model": "k-anonymity", "k": 0},
    }
    kept = client.put(f"{address}/policy", json=sections).json()
    assert len(kept["problems"]) == 3
    refused = client.post(f"{address}/jobs", json={"kind": "run"})
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert len(refused.json()["problems"]) == 3
    assert client.delete(address).status_code == 204


def test_settings_are_changed_from_a_version_and_changes_are_undone(client):
    made = client.post("/api/v1/projects", json={"name": "Versions"}).json()
    address = f"/api/v1/projects/{made['id']}"
    client.post(f"{address}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    first = client.put(f"{address}/policy", json=TINY_SECTIONS).json()

    def changed(version: object, **privacy: object) -> httpx.Response:
        sections = {**TINY_SECTIONS, "privacy": {**TINY_SECTIONS["privacy"], **privacy}}
        return client.put(f"{address}/policy", json=sections, headers={"If-Match": str(version)})

    assert client.put(f"{address}/policy", json=TINY_SECTIONS).status_code == 428
    assert changed(f'"{first["version"]}"', k=7).json()["sections"]["privacy"]["k"] == 7
    refused = changed(first["version"], k=9)
    assert refused.status_code == 412
    assert "changed to 7 elsewhere, and would become 9 here" in refused.json()["title"]
    assert changed(first["version"], l=2).json()["sections"]["privacy"] == {
        "model": "k-anonymity",
        "k": 7,
        "l": 2,
    }
    file = client.get(f"{address}/files").json()[0]["id"]
    start = client.post(
        f"{address}/policy/start", json={"file": file}, headers={"If-Match": str(first["version"])}
    )
    assert start.status_code == 412
    undone = client.post(f"{address}/policy/undo").json()
    assert undone["changed"] == ["l of the promise was 2 and is not set now"]
    assert client.post(f"{address}/policy/redo").json()["policy"]["sections"]["privacy"]["l"] == 2
    check = client.post(f"{address}/check")
    assert (check.status_code, check.json()["kind"]) == (202, "check")
    assert client.delete(address).status_code == 204


def test_errors_say_what_is_wrong(client, project):
    assert client.get("/api/v1/projects/nothing").json()["title"] == "there is no project 'nothing'"
    refused = client.post("/api/v1/projects", json={"name": "a", "colour": "red"})
    assert refused.status_code == 422
    assert refused.json()["problems"][0]["value"] == "body.colour"
    assert client.post(f"{project}/files", params={"name": "a.zip"}, content=b"PK").status_code == 422


def test_another_method_is_said_to_be_none_of_a_route(client, project):
    refused = client.put(project)
    assert refused.status_code == 405
    assert refused.headers["allow"] == "DELETE, GET, PATCH"
    assert refused.headers["content-type"] == "application/problem+json"
    assert client.request("TRACE", "/api/v1/projects").status_code == 405
    nothing = client.get("/api/v1/nothing")
    assert (nothing.status_code, nothing.json()["title"]) == (404, "there is no such route")


def test_the_document_describes_every_route(served, client):
    document: dict[str, Any] = httpx.get(f"{served.address}/api/v1/openapi.json").json()
    assert len(document["paths"]) > 20
    for path, operations in document["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in operations.values():
            assert operation["description"], path


def test_without_the_web_part_serve_says_what_to_install(tmp_path):
    block = "import sys; sys.modules['nicegui'] = None; from shoal.cli.main import main; main()"
    words = [sys.executable, "-c", block, "serve", "--data", str(tmp_path / "data")]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2
    assert "pip install 'shoal[web]'" in ended.stderr
    assert not Path(tmp_path / "data").exists()
