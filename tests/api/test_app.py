"""The API, asked over HTTP: who is let in, and what everything else is answered."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skitter.api.app import app_of
from skitter.api.front import Front
from skitter.api.server import ApiPlace, serving
from skitter.api.tokens import Role, Who, tokens_in
from skitter.api.work import work_endpoints
from skitter.errors import OperatorError
from skitter.settings import Settings
from skitter.work.messages import Offered, Wanted
from tests.api.asking import Node

TOKEN = "t" * 30
pytestmark = pytest.mark.slow


class Api:
    """The API of two nodes, in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.nodes = [Node(), Node()]
        tokens = folder / "tokens"
        tokens.write_text(f"# who\nw {TOKEN}\nliar {'l' * 30}\n", encoding="utf-8")
        tokens.chmod(0o600)
        self._place = ApiPlace(0, tokens=tokens)
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._run()))
        self._thread.start()
        assert self._ready.wait(20)

    async def _run(self) -> None:
        front = Front(self.nodes, lambda host: int(host.startswith("b")))
        endpoints = work_endpoints(front, Settings)
        assert self._place.tokens is not None
        async with serving(self._place, tokens_in(self._place.tokens), lambda gate: app_of(endpoints, gate)) as where:
            self.host = where.removeprefix("http://")
            self._ready.set()
            await self._stop.wait()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)
        self._loop.close()

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any, http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(self.host, timeout=20)
        with contextlib.closing(connection):
            usual = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
            given = {name: text for name, text in {**usual, **(headers or {})}.items() if text}
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            raw = answer.read()
        return answer.status, json.loads(raw) if raw else None, answer


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with contextlib.closing(Api(tmp_path_factory.mktemp("api"))) as api:
        yield api


REFUSED = {
    "without a token": ({"Authorization": ""}, 401),
    "with a wrong token": ({"Authorization": "Bearer " + "x" * 30}, 401),
    "with half a token": ({"Authorization": f"Bearer {TOKEN[:-1]}"}, 401),
    "with a token of another kind": ({"Authorization": f"Basic {TOKEN}"}, 401),
    "by another name (rebinding)": ({"Host": "evil.example"}, 421),
    "from a page": ({"Origin": "http://evil.example"}, 403),
    "from a page that hides where it is": ({"Origin": "null"}, 403),
    "from a page, without saying so": ({"Sec-Fetch-Site": "cross-site"}, 403),
    "with a form": ({"Content-Type": "text/plain"}, 415),
}


@pytest.mark.parametrize("case", REFUSED)
def test_who_may_not_ask_is_told_why(api: Api, case: str) -> None:
    headers, status = REFUSED[case]
    found, told, answer = api.ask("POST", "/v1/leases", b"{}", headers)
    assert found == status
    assert answer.getheader("Content-Type") == "application/problem+json"
    assert told["status"] == status
    assert told["field"]
    assert told["right"]
    assert TOKEN not in json.dumps(told)


ODD = {
    "a path that is none": ("GET", "/v1/nothing", None, 404),
    "the top": ("GET", "/", None, 404),
    "another method": ("GET", "/v1/leases", None, 405),
    "no JSON": ("POST", "/v1/leases", b"{", 400),
    "a wrong field": ("POST", "/v1/leases", b'{"count":"x"}', 400),
    "no body": ("POST", "/v1/heartbeats", b"", 400),
    "a lease that is none": ("POST", "/v1/leases/0.guess/result", b'{"status":200,"began_ago":1,"ended_ago":1}', 410),
    "a node that is none": ("POST", "/v1/leases/9.secret/result", b'{"status":200,"began_ago":1,"ended_ago":1}', 410),
    "an id that is none": ("POST", "/v1/leases/%00/fail", b'{"kind":"reset"}', 410),
    "too much": ("POST", "/v1/discover", b"[" + b" " * (16 * 1024**2) + b"]", 413),
}


@pytest.mark.parametrize("case", ODD)
def test_every_mistake_is_a_problem(api: Api, case: str) -> None:
    method, path, body, status = ODD[case]
    found, told, answer = api.ask(method, path, body)
    assert found == status, told
    assert answer.getheader("Content-Type") == "application/problem+json"
    assert told["detail"]


def test_leases_of_all_nodes_and_no_more_than_were_asked_for(api: Api) -> None:
    _, told, _ = api.ask("POST", "/v1/leases", b'{"count":5,"region":"eu"}')
    assert [one["id"] for one in sorted(told["leases"], key=lambda one: one["id"])] == ["0.secret", "1.secret"]
    _, told, _ = api.ask("POST", "/v1/leases", b'{"count":1}')
    assert len(told["leases"]) == 1
    asked = [one.question.count for node in api.nodes for one in node.asked[-1:] if isinstance(one.question, Wanted)]
    assert sum(asked) <= 6


def test_a_lease_is_its_tokens_and_what_is_told_of_it_is_accepted(api: Api) -> None:
    body = b'{"status":200,"began_ago":1,"ended_ago":0.5}'
    status, told, _ = api.ask("POST", "/v1/leases/1.secret/result", body, {"Authorization": f"Bearer {'l' * 30}"})
    assert status == 410, told
    status, told, _ = api.ask("POST", "/v1/leases/1.secret/result", body)
    assert (status, told) == (200, {"status": "accepted", "new": 2, "known": 1, "will_retry": False})
    _, told, _ = api.ask("POST", "/v1/heartbeats", b'{"leases":["0.secret","1.secret","0.x","7.secret","junk"]}')
    assert told["leases"] == {"0.secret": 7.0, "1.secret": 7.0}
    assert api.ask("DELETE", "/v1/leases/0.whatever")[0] == 204


def test_urls_go_to_the_nodes_whose_they_are(api: Api) -> None:
    for node in api.nodes:
        node.asked.clear()
    status, told, _ = api.ask("POST", "/v1/discover", b'{"urls":["http://a.test/","http://b.test/","junk"]}')
    assert status == 200
    assert told["accepted"] == 3
    offered = [[one.question.urls for one in node.asked if isinstance(one.question, Offered)] for node in api.nodes]
    assert offered == [[["http://a.test/", "junk"]], [["http://b.test/"]]]


def test_a_node_that_is_being_started_again_is_to_be_asked_again(api: Api) -> None:
    for node in api.nodes:
        node.is_away = True
    try:
        status, _, answer = api.ask("POST", "/v1/leases", b"{}")
        assert (status, answer.getheader("Retry-After")) == (503, "1")
    finally:
        for node in api.nodes:
            node.is_away = False


def test_a_worker_is_told_the_settings(api: Api) -> None:
    status, told, _ = api.ask("GET", "/v1/work")
    assert status == 200
    assert told["settings"]["politeness"]["delay"] == 1.0
    assert told["heartbeat"] < 8


def test_beyond_this_machine_it_needs_a_certificate() -> None:
    with pytest.raises(OperatorError, match="needs --api-certificate and --api-key"):
        ApiPlace(80, "192.0.2.1").require_safe()
    with pytest.raises(OperatorError, match="must be an address of this machine"):
        ApiPlace(80, "example.org").require_safe()
    ApiPlace(80, "::1").require_safe()


def test_tokens_are_made_for_their_owner_alone_and_refused_if_others_can_read_them(tmp_path: Path) -> None:
    file = tmp_path / "api-tokens"
    tokens_in(file)
    assert file.stat().st_mode & 0o777 == 0o600
    for line in file.read_text(encoding="utf-8").splitlines():
        name, token, role = line.split()
        assert tokens_in(file).who_asks(f"Bearer {token}") == Who(name, Role(role))
        assert token not in repr(tokens_in(file))
    file.chmod(0o644)
    with pytest.raises(OperatorError, match="chmod 600"):
        tokens_in(file)
    file.chmod(0o600)
    for text in (
        "",
        "worker short\n",
        "justone\n",
        f"a {TOKEN}\na {TOKEN}2\n",
        f"a {TOKEN}\nb {TOKEN}\n",
        f"a {TOKEN} boss\n",
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(OperatorError, match="NAME TOKEN"):
            tokens_in(file)
