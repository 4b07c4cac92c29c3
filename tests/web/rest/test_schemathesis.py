"""Whatever fits the OpenAPI document, or nearly does, is answered without a server error."""

import json
from typing import Any

import httpx
import hypothesis
import pytest
import schemathesis
from schemathesis.generation import GenerationMode

from tests.web.serving import Served

EXAMPLES = 4  # of each operation, each way
HALF = "\ud800"  # of a pair, which no UTF-8 can hold but JSON can say
HALF_IN_ADDRESSES = "%ED%A0%80"


@schemathesis.serializer("application/toml")
def as_it_is(context: schemathesis.SerializationContext, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=str)
def test_no_request_makes_the_server_fail(served, client, mode):
    document = schemathesis.openapi.from_dict(client.get("/api/v1/openapi.json").json())
    operations = [found.ok() for found in document.get_all_operations()]
    assert len(operations) > 25
    others = {each["id"] for each in client.get("/api/v1/projects").json()}
    real = client.post("/api/v1/projects", json={"name": "real"}).json()["id"]
    client.post(f"/api/v1/projects/{real}/files", params={"name": "a.csv"}, content=b"a,b\n1,2\n")
    for operation in operations:
        if mode is GenerationMode.POSITIVE or operation.method != "get" or "{" in operation.path:
            _attack(operation, mode, served, real)
    for made in client.get("/api/v1/projects").json():
        if made["id"] not in others:
            assert client.delete(f"/api/v1/projects/{made['id']}").status_code == 204


def test_halves_of_pairs_are_answered_wherever_there_is_room_for_a_text(client):
    document = schemathesis.openapi.from_dict(client.get("/api/v1/openapi.json").json())
    others = {each["id"] for each in client.get("/api/v1/projects").json()}
    real = client.post("/api/v1/projects", json={"name": "real"}).json()["id"]
    client.post(f"/api/v1/projects/{real}/files", params={"name": "a.csv"}, content=b"a,b\n1,2\n")
    sent = sum(_halved(operation.ok(), client, real) for operation in document.get_all_operations())
    assert sent > 40
    assert {each["id"] for each in client.get("/api/v1/projects").json()} == {*others, real}
    client.delete(f"/api/v1/projects/{real}")


def _halved(operation, client: httpx.Client, project: str) -> int:
    """Send halves in the place of every text of a request: in the body, the query and the address in turn."""
    sent = 0

    @_examples(1)
    @hypothesis.given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def answered(case) -> None:
        nonlocal sent
        places = {**dict.fromkeys(case.path_parameters or {}, "a"), "project": project}
        whole = operation.path.format(**places)
        requests = [(operation.path.format(**{**places, name: HALF_IN_ADDRESSES}), {}) for name in places]
        if query := "&".join(f"{each.name}={HALF_IN_ADDRESSES}" for each in operation.query):
            requests.append((f"{whole}?{query}", {}))
        if isinstance(case.body, dict):
            halved = _with_halves(case.body)
            requests += [(whole, halved), (whole, {**halved, HALF: HALF})]
        for address, body in requests:
            content = json.dumps(body).encode("ascii")
            headers = {"Content-Type": "application/json", "If-Match": "*"}
            response = client.request(operation.method.upper(), address, content=content, headers=headers)
            assert response.status_code < 500, (operation.method, address, response.text[:300])
            sent += 1

    answered()
    return sent


def _with_halves(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_halves(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_halves(each) for each in value]
    return HALF if isinstance(value, str) else value


def _examples(count: int) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=count, database=None, suppress_health_check=list(hypothesis.HealthCheck)
    )


def _attack(operation, mode: GenerationMode, served: Served, project: str) -> None:
    headers = {"Authorization": f"Bearer {served.key}"}

    @_examples(EXAMPLES)
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def answered(case) -> None:
        if "project" in (case.path_parameters or {}) and operation.method != "delete":
            case.path_parameters["project"] = project  # else nearly nothing is found
        response = case.call(headers=headers, base_url=served.address, timeout=300)
        assert response.status_code < 500, response.text

    answered()
