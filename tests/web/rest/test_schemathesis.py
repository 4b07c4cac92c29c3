"""Whatever fits the OpenAPI document, or nearly does, is answered without a server error."""

from collections.abc import Iterator

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error

from tests.web.serving import Served

EXAMPLES = 6


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("schema") / "data", "--max-upload", "1 MB", "--workers", "1")
    yield served
    served.stop()


@pytest.fixture(scope="module")
def document(served: Served) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{served.address}/api/v1/openapi.json")


schema = schemathesis.pytest.from_fixture("document")


@schema.parametrize()
@hypothesis.settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_no_request_makes_the_server_fail(case, served):
    headers = {"Authorization": f"Bearer {served.token}"}
    case.call_and_validate(headers=headers, checks=[not_a_server_error])
