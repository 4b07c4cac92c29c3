"""Attacks on a real server: strangers, other sites, other names, too many bytes, odd paths."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.cli.commands import in_process
from tests.web.serving import Served

EVIL = "https://evil.example"
WEBSOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
PROJECTS = "/api/v1/projects"
SHOWN_TO_NOBODY = ("access-control-allow-origin", "access-control-allow-credentials")


@pytest.fixture(scope="module")
def browser(served: Served) -> Iterator[httpx.Client]:
    with served.browser() as client:
        yield client


@pytest.mark.parametrize("path", ["/", PROJECTS, "/_nicegui_ws/", "/nothing", "//api/v1/projects", "/api/v1"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}])
def test_nobody_comes_in_without_a_key(served, path, headers):
    with served.stranger() as stranger:
        answer = stranger.get(path, headers=headers)
    assert answer.status_code == 401
    assert "shoal serve" in answer.text


@pytest.mark.parametrize("token", ["wrong", "", "é", "a" * 5000])
def test_a_wrong_token_opens_nothing(served, token):
    with served.stranger() as stranger:
        answer = stranger.get("/", params={"token": token})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_a_wrong_cookie_opens_nothing(served):
    port = served.host.rpartition(":")[2]
    with served.stranger() as stranger:
        assert stranger.get("/", headers={"Cookie": f"shoal-{port}=wrong"}).status_code == 401


def test_a_link_opens_one_session_and_is_spent(served):
    link = served.link
    with served.browser() as browser, served.stranger() as stranger:
        assert browser.get("/").status_code == 200
        assert stranger.get(link).status_code == 401
        (cookie,) = [cookie for cookie in browser.cookies.jar if not cookie.name.endswith("-pages")]
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert cookie.get_nonstandard_attr("SameSite") == "Strict"
        assert browser.get("/?token=spent&x=1").headers["location"] == "/?x=1"
    assert served.link != link


def test_the_token_of_a_link_is_no_key_before_or_after_its_use(served, browser):
    fresh = parse_qs(urlsplit(served.link).query)["token"][0]
    with served.stranger() as stranger:
        for token in (served.token, fresh):
            headers = {"Authorization": f"Bearer {token}"}
            assert stranger.get(PROJECTS, headers=headers).status_code == 401


def test_a_token_can_be_typed_so_that_no_history_has_it(served):
    token, origin = parse_qs(urlsplit(served.link).query)["token"][0], {"Origin": served.address}
    with served.stranger() as stranger:
        entrance = stranger.get("/")
        assert "name='token' type='password'" in entrance.text
        assert stranger.post("/enter", data={"token": "wrong"}, headers=origin).status_code == 401
        assert stranger.post("/enter", content=b"x" * 10**6, headers=origin).status_code == 401
        assert stranger.post("/enter", data={"token": token}, headers={"Origin": EVIL}).status_code == 403
        answer = stranger.post("/enter", data={"token": token}, headers=origin)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        served.link = served.next_link()
        assert stranger.get(PROJECTS).status_code == 200


def test_who_logs_out_is_out_in_every_tab(served):
    with served.browser() as browser:
        cookie = "; ".join(f"{each.name}={each.value}" for each in browser.cookies.jar)
        headers = {"Cookie": cookie}
        with connect(
            f"ws://{served.host}{WEBSOCKET}", origin=served.address, additional_headers=headers
        ) as tab:
            tab.recv(timeout=30)
            assert browser.post("/leave", headers={"Origin": EVIL}).status_code == 403
            answer = browser.post("/leave", headers={"Origin": served.address})
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            with pytest.raises(ConnectionClosed):
                for _ in range(20):
                    tab.send("3")
                    tab.recv(timeout=5)
        with served.stranger() as stranger:
            assert stranger.get(PROJECTS, headers=headers).status_code == 401


@pytest.mark.parametrize("target", ["//evil.example/", "/\\evil.example", "/%5Cevil.example"])
def test_a_link_never_leads_to_another_host(browser, target):
    location = browser.get(f"{browser.base_url}".rstrip("/") + target + "?token=x").headers["location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": EVIL},
        {"Origin": "null"},
        {},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": EVIL, "Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
def test_another_site_cannot_change_anything_with_a_session(served, browser, headers):
    answer = browser.post(PROJECTS, json={"name": "forged"}, headers=headers)
    assert answer.status_code == 403
    with served.client() as client:
        assert "forged" not in client.get(PROJECTS).text


def test_our_own_pages_can(served, browser):
    origin = {"Origin": served.address, "Sec-Fetch-Site": "same-origin"}
    answer = browser.post(PROJECTS, json={"name": "ours"}, headers=origin)
    assert answer.status_code == 201
    assert browser.delete(f"{PROJECTS}/{answer.json()['id']}", headers=origin).status_code == 204


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_can_neither_read_nor_embed_but_link(browser, site):
    mode = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
    assert browser.get(PROJECTS, headers=mode).status_code == 403
    assert browser.get("/", headers={**mode, "Sec-Fetch-Mode": "navigate"}).status_code == 200


def test_no_answer_invites_other_sites(browser, served):
    preflight = {"Origin": EVIL, "Access-Control-Request-Method": "POST"}
    for answer in (browser.options(PROJECTS, headers=preflight), browser.get(PROJECTS), browser.get("/")):
        assert not [name for name in SHOWN_TO_NOBODY if name in answer.headers]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil", ""]
)
def test_a_name_that_was_rebound_to_this_machine_is_refused(served, host):
    with served.client() as client:
        assert client.get(PROJECTS, headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_the_names_of_this_machine_are_taken(served, host):
    port = served.host.rpartition(":")[2]
    with served.client() as client:
        assert client.get(PROJECTS, headers={"Host": f"{host}:{port}"}).status_code == 200


def open_websocket(served: Served, browser: httpx.Client, origin: str | None) -> None:
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies.jar)
    url = f"ws://{served.host}{WEBSOCKET}"
    with connect(url, origin=origin, additional_headers={"Cookie": cookies}):
        pass


@pytest.mark.parametrize("origin", [EVIL, None, "http://127.0.0.1:1"])
def test_websockets_of_other_sites_are_refused(served, browser, origin):
    with pytest.raises(InvalidStatus, match="403"):
        open_websocket(served, browser, origin)


def test_websockets_of_strangers_are_refused_and_those_of_our_pages_opened(served, browser):
    open_websocket(served, browser, served.address)
    with served.stranger() as stranger, pytest.raises(InvalidStatus, match="403"):
        open_websocket(served, stranger, served.address)


def test_pages_may_load_nothing_from_elsewhere_and_run_only_our_scripts(browser):
    answer = browser.get("/")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    for sources in policy.values():
        for source in sources.split():
            assert source in ("data:", "blob:") or source.startswith("'")
    assert "'unsafe-inline'" not in policy["script-src"]
    nonce = policy["script-src"].split("'nonce-")[1].split("'")[0]
    assert answer.text.count("<script") == answer.text.count(f'<script nonce="{nonce}"') > 0
    assert nonce not in browser.get("/").text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert "http:" not in answer.text.replace("http://www.w3.org", "")
    assert "https:" not in answer.text


def test_markup_in_names_is_text(served, browser):
    name = "<script>alert(1)</script><img src=x onerror=alert(1)>`${alert(1)}"
    with served.client() as client:
        project = client.post(PROJECTS, json={"name": name}).json()
        assert project["name"] == name
        page = browser.get("/").text
        assert "<script>alert" not in page
        assert "<img" not in page
        client.delete(f"{PROJECTS}/{project['id']}")


def answer_to(served: Served, request: str, body: bytes = b"") -> str:
    """The first line of the answer to a request of which only a part of the body is sent."""
    host, port = served.host.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(request.encode() + body)
        return connection.makefile("rb").readline().decode()


@pytest.mark.parametrize(
    "path", ["/api/v1/projects/{project}/files?name=a.csv", "/api/v1/projects", "/_nicegui/client/x/upload/1"]
)
def test_ten_gigabytes_are_refused_before_they_are_sent(served, path):
    with served.client() as client:
        project = client.post(PROJECTS, json={"name": "large"}).json()["id"]
        request = (
            f"POST {path.format(project=project)} HTTP/1.1\r\nHost: {served.host}\r\n"
            f"Authorization: Bearer {served.key}\r\nContent-Length: {10**10}\r\n\r\n"
        )
        assert " 413 " in answer_to(served, request, b"a,b\n")
        client.delete(f"{PROJECTS}/{project}")


def test_an_endless_body_without_a_length_is_cut_off(served):
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 50 * 2**20:
            sent += 2**16
            yield bytes(2**16)

    with served.client() as client:
        project = client.post(PROJECTS, json={"name": "endless"}).json()["id"]
        try:
            answer = client.post(f"{PROJECTS}/{project}/files", params={"name": "a.csv"}, content=endless())
            assert answer.status_code == 413
        except (httpx.WriteError, httpx.ReadError):
            pass  # cut off while it was still sending
        assert sent < 50 * 2**20
        assert client.get(f"{PROJECTS}/{project}/files").json() == []
        client.delete(f"{PROJECTS}/{project}")


@pytest.mark.parametrize(
    "path",
    [
        "/_nicegui/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc/passwd",
        "/api/v1/projects/..%2f..%2f..%2fetc",
        "/api/v1/projects/%2e%2e/files",
        "/_nicegui/3.18.0/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/_nicegui/3.18.0/resources/x/..%2f..%2fetc%2fpasswd",
    ],
)
def test_no_path_leads_out(served, path):
    request = f"GET {path} HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {served.key}\r\n\r\n"
    assert answer_to(served, request).split()[1] in ("404", "307")


def test_other_addresses_demand_tls_or_a_flag(tmp_path):
    refused = in_process("serve", "--host", "0.0.0.0", "--data", tmp_path / "data")  # noqa: S104
    assert refused.code == 2
    assert "--tls-cert" in refused.err
    assert "--allow-plain-http" in refused.err
    assert not (tmp_path / "data").exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_a_server_with_tls_sets_secure_cookies_and_says_what_it_exposes(tmp_path):
    names = ["-subj", "/CN=localhost", "-days", "1"]
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        certificate,
    ]
    subprocess.run([*command, *names], check=True, capture_output=True)
    served = Served(
        tmp_path / "data",
        "--host",
        "0.0.0.0",  # noqa: S104
        "--tls-cert",
        str(certificate),
        "--tls-key",
        str(key),
    )
    try:
        port = served.host.rpartition(":")[2]
        context = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(base_url=f"https://localhost:{port}", verify=context, timeout=60) as client:
            answer = client.get("/", params={"token": served.token})
        assert "Secure" in answer.headers["set-cookie"]
        assert "strict-transport-security" in answer.headers
        assert "every machine that reaches 0.0.0.0" in "".join(served.talk)
    finally:
        served.stop()
