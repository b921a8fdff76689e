"""The API of a crawl's folder, served by a real server on loopback in a thread of its own, and asked over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from skitter.api.front import Front
from skitter.api.limits import Limits
from skitter.api.repeats import Repeats
from skitter.api.server import ApiPlace, serving, settings_in
from skitter.api.tokens import tokens_in
from skitter.api.whole import whole_app
from skitter.api.work import work_endpoints
from skitter.console.crawl import FolderConsole
from skitter.settings import Settings
from skitter.work.messages import (
    Accepted,
    Asked,
    AskPart,
    Beat,
    Beaten,
    Checked,
    Ended,
    Given,
    Leases,
    Offered,
    Part,
    Shown,
    Told,
    Wanted,
)
from skitter.work.messages import (
    Answer as NodeAnswer,
)

PATIENCE = 300.0
"""On the busiest machine: nothing takes so long."""

HOLDERS = ("w", "operator")
TOKENS = {"operator": "o" * 30, "read": "r" * 30, "worker": "w" * 30}


class Answer(NamedTuple):
    """What came back."""

    status: int
    told: Any
    headers: dict[str, str]


def token_file(folder: Path) -> Path:
    """Returns a file with a token for each role."""
    path = folder / "tokens"
    path.write_text("".join(f"{role} {token} {role}\n" for role, token in TOKENS.items()), encoding="utf-8")
    path.chmod(0o600)
    return path


def ask(
    host: str,
    method: str,
    path: str,
    body: Any = None,
    *,
    role: str = "operator",
    headers: dict[str, str] | None = None,
) -> Answer:
    """Asks the API at `host`; a header that is empty is not sent."""
    with contextlib.closing(http.client.HTTPConnection(host, timeout=PATIENCE)) as connection:
        usual = {"Authorization": f"Bearer {TOKENS[role]}"} | ({"Content-Type": "application/json"} if body else {})
        given = {name: text for name, text in {**usual, **(headers or {})}.items() if text}
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(method, path, raw, given)
        answer = connection.getresponse()
        raw, told = answer.read(), {name.lower(): text for name, text in answer.getheaders()}
    is_json = told.get("content-type", "").endswith("json")
    return Answer(answer.status, json.loads(raw) if is_json else raw, told)


class Node:
    """A node that has one lease, of `w` and of `operator`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.is_away = False

    async def __call__(self, asked: Asked) -> NodeAnswer | None:
        self.asked.append(asked)
        if self.is_away:
            return None
        match asked.question:
            case Wanted():
                return Leases([Given("secret", "http://a.test/", "a.test", "page", 7.5)], 1e9)
            case Beat(ids):
                return Beaten({id_: 7.0 for id_ in ids if id_ == "secret" and asked.worker in HOLDERS})
            case Told(id_):
                return Accepted(2, 1) if id_ == "secret" and asked.worker in HOLDERS else Ended()
            case Offered(urls):
                return Checked(["new"] * len(urls))
            case AskPart(id=id_):
                return Part(200, body=b"{}") if id_ == "secret" and asked.worker in HOLDERS else Ended()
            case Shown(id_):
                return Accepted(2, 1) if id_ == "secret" and asked.worker in HOLDERS else Ended()


class Served:
    """The API of a folder, until it is closed."""

    folder: Path

    def __init__(self, directory: Path, tokens: Path, limits: Limits | None = None) -> None:
        self.folder = self._directory = directory
        self._tokens, self._limits = tokens, limits
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._run()))
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    async def _run(self) -> None:
        repeats = Repeats(self._directory / "run" / "api-answers.sqlite", time.time)
        async with FolderConsole(self._directory, survey_every=0.2) as self.console:
            work = work_endpoints(Front([Node()]), Settings)
            app = whole_app(self.console, settings_in(self.folder), work, repeats, self._limits)
            async with serving(ApiPlace(0), tokens_in(self._tokens), app) as where:
                self.host = where.removeprefix("http://")
                self._ready.set()
                await self._stop.wait()
        repeats.close()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(60)
        self._loop.close()

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        return ask(self.host, method, path, body, **more)

    def get(self, path: str, **more: Any) -> Any:
        """What a path that is there tells; while the first survey is being made, it is asked again."""
        until = time.monotonic() + PATIENCE
        while (answer := self.ask("GET", path, **more)).status == 503 and time.monotonic() < until:
            time.sleep(0.2)
        assert answer.status == 200, answer
        return answer.told


@contextlib.contextmanager
def served(directory: Path, tokens: Path, limits: Limits | None = None) -> Iterator[Served]:
    """Yields the API of a folder."""
    with contextlib.closing(Served(directory, tokens, limits)) as found:
        yield found
