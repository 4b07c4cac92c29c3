"""Whatever fits the OpenAPI document, or nearly does, is answered without a server error."""

import hypothesis
import pytest
import schemathesis
from schemathesis.generation import GenerationMode

from tests.web.serving import Served

EXAMPLES = 4  # of each operation, each way


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


def _attack(operation, mode: GenerationMode, served: Served, project: str) -> None:
    headers = {"Authorization": f"Bearer {served.key}"}

    @hypothesis.settings(
        max_examples=EXAMPLES, database=None, suppress_health_check=list(hypothesis.HealthCheck)
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def answered(case) -> None:
        if "project" in (case.path_parameters or {}) and operation.method != "delete":
            case.path_parameters["project"] = project  # else nearly nothing is found
        response = case.call(headers=headers, base_url=served.address, timeout=300)
        assert response.status_code < 500, response.text

    answered()
