"""The API beside a crawl that runs: what it tells takes effect; flooded, hung or killed, the crawl does not mind."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from skitter.servers.child import free_ports
from skitter.simweb.settings import PLAIN
from skitter.url.keys import host_of
from tests.api.asking import PATIENCE, TOKENS, Answer, ask, token_file
from tests.faults.crawler import Crawl, Web, served
from tests.processes import children

pytestmark = pytest.mark.slow
HOSTS, PAGES = 6, 8


class Beside:
    """A crawl, its web and its API."""

    def __init__(self, crawl: Crawl, web: Web, host: str) -> None:
        self.crawl, self.web, self.host = crawl, web, host

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        return ask(self.host, method, path, body, **more)

    def wait(self, what: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """What `what` returns as soon as that is anything, the API being there or not."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if found := what():
                    return found
            time.sleep(0.1)
        raise AssertionError("it does not come")

    def live(self) -> Any:
        """How the run stands, once its node has said so."""
        told = self.ask("GET", "/v1/status").told
        return told["live"] if told.get("live") and told["live"]["pages"] else None

    def process(self) -> int:
        """The API's process."""
        assert self.crawl.process is not None
        names = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(self.crawl.process.pid)}
        return next(pid for pid, name in names.items() if b"skitter.api" in name)

    def finish(self) -> None:
        """Waits until everything was fetched, each page once, and ends the crawl in order."""
        truth = self.web.truth()
        self.wait(lambda: not self.web.findings().missed(truth))
        self.crawl.stop()
        assert self.crawl.process is not None
        self.crawl.process.communicate(timeout=PATIENCE)
        visits = self.web.findings().hosts
        assert {name: one.most_at_once for name, one in visits.items() if one.most_at_once > 1} == {}


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Beside]:
    settings = structs.replace(PLAIN, seed=3, hosts=HOSTS, pages_per_host=PAGES, page_bytes=500)
    with served(tmp_path, settings, "plain") as web:
        web.seeds = web.world.homes()
        port = free_ports(1)[0]
        more = ("--api-port", str(port), "--api-tokens", str(token_file(tmp_path)), "--forever")
        crawl = Crawl(tmp_path / "out", web, *more, delay=0.3)
        crawl.workers = 1
        crawl.start()
        try:
            yield Beside(crawl, web, f"127.0.0.1:{port}")
        finally:
            crawl.close()


def host_now(beside: Beside, host: str) -> Any:
    """A host, as the API tells of it."""
    return beside.ask("GET", f"/v1/hosts/{host}").told["judged"]["host"]


def events(host: str, wanted: set[str]) -> set[str]:
    """The kinds of the events that are told, until those are among them that are wanted."""
    with contextlib.closing(http.client.HTTPConnection(host, timeout=PATIENCE)) as connection:
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {TOKENS['read']}"})
        answer = connection.getresponse()
        assert answer.getheader("content-type", "").startswith("text/event-stream")
        found: set[str] = set()
        while not wanted <= found:
            line = answer.readline().decode()
            if line.startswith("event: "):
                found.add(line.removeprefix("event: ").strip())
        return found


def test_what_is_told_takes_effect_while_it_runs(beside: Beside) -> None:
    beside.wait(beside.live)
    assert beside.ask("GET", "/v1/status").told["running"] is True
    heard: list[set[str]] = []
    listening = threading.Thread(target=lambda: heard.append(events(beside.host, {"live", "act"})))
    listening.start()
    host = host_of(beside.web.seeds[0])
    assert beside.ask("POST", "/v1/pause", {"host": host}).status == 200
    changed = beside.ask("PATCH", "/v1/settings", {"set": {"politeness.delay": 0.2}})
    assert changed.told["effect"] == "This takes effect within a second or two."

    def is_taken() -> bool:
        return any("politeness.delay is 0.2 now" in note["text"] for note in beside.live()["notes"])

    beside.wait(is_taken)
    beside.wait(lambda: host_now(beside, host)["standing"] == "paused")
    before = host_now(beside, host)["requests"]
    beside.wait(lambda: beside.live()["urls"]["queued"] <= host_now(beside, host)["urls"]["queued"])
    assert host_now(beside, host)["requests"] <= before + 1  # all others are through; one may have been under way
    assert beside.ask("POST", "/v1/resume", {"host": host}).status == 200
    beside.finish()
    listening.join(PATIENCE)
    assert heard, "both kinds are told"
    assert "delay = 0.2" in (beside.crawl.out / "skitter.toml").read_text(encoding="utf-8")


def test_killed_and_flooded_it_takes_nothing_from_the_crawl(beside: Beside) -> None:
    stop = threading.Event()

    def flood() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                beside.ask("GET", "/v1/hosts?sort=pages")
                beside.ask("GET", f"/v1/hosts/{host_of(beside.web.seeds[0])}")

    flooding = [threading.Thread(target=flood) for _ in range(3)]
    for thread in flooding:
        thread.start()
    try:
        beside.wait(beside.live)
        first = beside.process()
        os.kill(first, signal.SIGKILL)
        beside.wait(beside.live)  # another answers at the same port
        assert beside.process() != first
        beside.finish()
    finally:
        stop.set()
        for thread in flooding:
            thread.join(PATIENCE)


def test_a_hung_one_ends_with_the_crawl_which_does_not_wait_for_it(beside: Beside) -> None:
    beside.wait(beside.live)
    hung = beside.process()
    os.kill(hung, signal.SIGSTOP)
    beside.finish()
    assert not Path(f"/proc/{hung}").exists()
