"""Requests that nobody sends by accident: refused in the documented form, and the server lives on."""

import itertools
import json
import re
from collections.abc import Iterator

import httpx
import pytest

from tests.web.samples import TINY, TINY_SECTIONS

IDS = ("..", "%2e%2e", "0" * 24, "' OR 1=1 --", "a" * 4000, "%00", "..%2f..%2fetc%2fpasswd", "<script>", "é")
TEXTS = (
    "",
    " ",
    "\ud800",  # half of a pair, which no UTF-8 can hold
    "\udfff\ud800",
    "a\x00b",
    "../../etc/passwd",
    "'; DROP TABLE projects; --",
    "<img src=x onerror=alert(1)>",
    "=cmd|' /C calc'!A0",
    "\u202egnp.exe",
    "😀" * 300,
    "x" * 100_000,
)
VALUES = (None, True, -1, 10**400, 1e308, float("inf"), float("nan"), [], {}, [[[[[]]]]], {"a": {"b": {}}})
BODIES = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"\xff\xfe\x00",
    b"NaN",
    b'{"name": NaN}',
    b'{"name": 1e999999}',
    b"[" * 50_000,
    b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
    b'{"name": "a", "name": "b"}',
)


@pytest.fixture(scope="module")
def project(client: httpx.Client) -> Iterator[str]:
    made = client.post("/api/v1/projects", json={"name": "Besieged"}).json()["id"]
    client.post(f"/api/v1/projects/{made}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    client.put(f"/api/v1/projects/{made}/policy", json=TINY_SECTIONS)
    yield f"/api/v1/projects/{made}"
    client.delete(f"/api/v1/projects/{made}")


def operations(client: httpx.Client) -> list[tuple[str, str]]:
    document = client.get("/api/v1/openapi.json").json()
    return [(method, path) for path, methods in document["paths"].items() for method in methods]


def is_refused(answer: httpx.Response) -> None:
    assert 400 <= answer.status_code < 500, (answer.request.method, answer.request.url, answer.text[:300])
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["title"]


def in_json(value: object) -> bytes:
    """As JSON can say it, with halves of pairs as escapes."""
    return json.dumps(value).encode("ascii")


def test_no_id_that_is_none_reaches_anything(client):
    asked = 0
    for (method, path), odd in itertools.product(operations(client), IDS):
        if "{" in path:
            answer = client.request(method.upper(), re.sub(r"\{\w+\}", odd, path), content=b"{}")
            assert 400 <= answer.status_code < 500, (method, path, odd, answer.text[:300])
            asked += 1
    assert asked > 200


def test_bodies_that_are_no_json_of_the_documented_form_are_refused(client, project):
    routes = [
        ("POST", "/api/v1/projects"),
        ("PATCH", project),
        ("PUT", f"{project}/policy"),
        ("POST", f"{project}/policy/start"),
        ("POST", f"{project}/jobs"),
        ("POST", f"{project}/trees/age"),
        ("POST", f"{project}/picked"),
    ]
    for (method, route), body in itertools.product(routes, BODIES):
        headers = {"Content-Type": "application/json", "If-Match": "*"}
        answer = client.request(method, route, content=body, headers=headers)
        if body != BODIES[-1] or route.endswith("policy"):  # the last of two names is taken
            is_refused(answer)


def test_odd_texts_and_values_are_answered_wherever_one_can_be_given(client, project):
    for odd in (*TEXTS, *VALUES):
        bodies = {
            ("PATCH", project): {"name": odd},
            ("POST", f"{project}/picked"): {"place": odd},
            ("POST", f"{project}/policy/start"): {"file": odd},
            ("POST", f"{project}/jobs"): {"kind": "attack", "run": odd},
            ("POST", f"{project}/trees/age"): {
                "edits": [{"edit": "rename", "label": odd, "to": odd}],
                "name": "t.csv",
            },
            ("PUT", f"{project}/policy"): {**TINY_SECTIONS, "privacy": {"model": odd, "k": odd}},
        }
        for (method, route), body in bodies.items():
            headers = {"Content-Type": "application/json", "If-Match": "*"}
            answer = client.request(method, route, content=in_json(body), headers=headers)
            assert answer.status_code < 500, (method, route, odd, answer.text[:300])
        sections = {**TINY_SECTIONS, "columns": {"age": {"role": odd, "hierarchy": {"ranges": odd}}}}
        kept = client.put(f"{project}/policy", content=in_json(sections), headers={"If-Match": "*"})
        assert kept.status_code < 500, (odd, kept.text[:300])
        for question in ("policy", "policy.toml", "meaning", "trees/age"):
            assert client.get(f"{project}/{question}").status_code < 500, (question, odd)
        assert client.post(f"{project}/policy/undo").status_code == 200


def test_odd_names_of_files_are_refused_and_odd_contents_are_no_end_of_the_server(client, project):
    for name in (
        "..",
        "a/b.csv",
        "a\\b.csv",
        ".csv",
        "con.csv\x00",
        "a.exe",
        "",
        "a" * 300 + ".csv",
        "a\n.csv",
    ):
        is_refused(client.post(f"{project}/files", params={"name": name}, content=b"a\n1\n"))
    for content in (
        b"\x00" * 100,
        b"\xff\xfe\xfa",
        b'"' * 1000,
        b"a,a\n1,2\n",
        b"\xef\xbb\xbf",
        b"," * 10_000,
    ):
        sent = client.post(f"{project}/files", params={"name": "odd.csv"}, content=content)
        assert sent.status_code in (201, 422)
        if sent.status_code == 201:
            file = sent.json()["id"]
            for question in ("preview", "profile"):
                assert client.get(f"{project}/files/{file}/{question}").status_code in (200, 422)
            assert client.delete(f"{project}/files/{file}").status_code == 204


def test_odd_headers_are_refused_or_do_not_matter(served, client, project):
    for value in ("", "*, 1", "-1", "1.5", "9" * 400, '"', "W/", "\x7f"):
        answer = client.put(f"{project}/policy", json=TINY_SECTIONS, headers={"If-Match": value})
        assert answer.status_code in (400, 412), value
    for headers in ({"Range": "bytes=0-"}, {"Accept": "text/html"}, {"X-HTTP-Method-Override": "DELETE"}):
        assert client.get(project, headers=headers).status_code == 200
    with served.stranger() as stranger:
        assert stranger.get(project, headers=[(b"Authorization", b"Bearer \xff\xfe")]).status_code == 401


def test_after_all_that_the_server_answers_and_has_what_it_had(client, project):
    assert client.get(project).json()["files"] == 1
    assert (
        client.put(f"{project}/policy", json=TINY_SECTIONS, headers={"If-Match": "*"}).json()["problems"]
        == []
    )
