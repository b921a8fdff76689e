"""The topic of pages: each page that was stored has an event, whoever is killed, and the example reads them."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from skitter.bus.topics import PAGES, wanted
from skitter.fleet.file import FleetSection
from skitter.fleet.pages import PageEvent, TellingArchive, event_of
from skitter.messages import PAGE_ERRANDS, Errand, Fetched, Lease, Reason, Stored, Verdict
from skitter.ports import Capture
from skitter.simweb.settings import PLAIN
from skitter.store.warc.reader import Reader
from tests.faults.crawler import Web, served
from tests.fleet.nodes import Fleet, wait_for
from tests.servers.kafka import Broker

EXAMPLE = Path(__file__).parents[2] / "examples" / "index_pages.py"
LEASE = Lease("http://a.test/p", "a.test", Errand.PAGE, 9e9, depth=2, parent="http://a.test/")
ANSWER = Fetched(LEASE, 5.0, 6.0, status=200, headers=[("Content-Type", "text/html")], body=b"hello")
STORED = Stored("sha1:X", "skitter-20261118000000-n0-000001.warc.gz", 10, 20)


def test_an_event_says_where_the_page_is_and_what_is_thought_of_it() -> None:
    verdict = Verdict(reasons=(Reason.NEAR_DUPLICATE,), duplicate_of="http://a.test/q")
    event = event_of(Capture(ANSWER, verdict=verdict, title="T", simhash=255), STORED, "n1")
    assert event is not None
    assert (event.url, event.status, event.type, event.length) == ("http://a.test/p", 200, "text/html", 5)
    assert (event.file, event.offset, event.record_length) == (
        "warc/2026/11/18/skitter-20261118000000-n0-000001.warc.gz",
        10,
        20,
    )
    assert (event.reasons, event.duplicate_of, event.simhash) == (
        ["near_duplicate"],
        "http://a.test/q",
        "00000000000000ff",
    )


@pytest.mark.parametrize("errand", [errand for errand in Errand if errand not in PAGE_ERRANDS])
def test_what_is_no_page_has_no_event(errand: Errand) -> None:
    other = msgspec.structs.replace(ANSWER, lease=msgspec.structs.replace(LEASE, errand=errand))
    assert event_of(Capture(other), STORED, "n1") is None


def test_what_nobody_answered_has_no_event() -> None:
    assert event_of(Capture(msgspec.structs.replace(ANSWER, status=0)), STORED, "n1") is None


def test_every_field_of_an_event_is_in_its_page() -> None:
    told = (Path(__file__).parents[2] / "docs" / "formats" / "pages.md").read_text(encoding="utf-8")
    assert [name for name in PageEvent.__struct_fields__ if f"`{name}`" not in told] == []


def test_it_can_be_switched_off() -> None:
    assert PAGES in wanted(4, 1, FleetSection("x").days_of_pages)
    assert PAGES not in wanted(4, 1, FleetSection("x", pages=False).days_of_pages)


class Deaf:
    """A broker that does not answer at first."""

    def __init__(self) -> None:
        self.asked = 0

    async def post(self, _topic: str, _key: str, _record: bytes) -> int | None:
        self.asked += 1
        return None if self.asked < 3 else 0


def test_a_page_is_stored_when_its_event_is_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skitter.fleet.pages.AGAIN", 0.0)
    broker = Deaf()

    class Kept:
        async def append(self, _capture: Capture) -> Stored:
            return STORED

    asyncio.run(TellingArchive(Kept(), broker, "n1").append(Capture(ANSWER)))  # type: ignore[arg-type]
    assert broker.asked == 3


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    settings = msgspec.structs.replace(PLAIN, seed=3, hosts=12, pages_per_host=10)
    with served(tmp_path, settings, "plain") as web:
        web.seeds = web.world.homes()
        yield web


@pytest.mark.slow
def test_the_example_has_every_page_once_whoever_is_killed(tmp_path: Path, broker: Broker, web: Web) -> None:
    table = tmp_path / "pages.sqlite"
    command = [sys.executable, str(EXAMPLE), "--fleet", str(tmp_path / "fleet.toml"), "--into", str(table)]
    with contextlib.closing(Fleet(tmp_path, broker.bootstrap, f"pages{time.time_ns()}", 4)) as fleet:
        fleet.init(web, 0.2)
        fleet.start("a", "b")
        with subprocess.Popen(command) as first:
            wait_for(lambda: len(rows(table)) > 10, 60, fleet.logs)
            first.kill()
        fleet.kill("b")
        fleet.start("b")
        wait_for(lambda: not web.findings().missed(web.truth()), 60, fleet.logs)
        for name in "ab":
            assert fleet.leave(name) == 0, fleet.logs()
        subprocess.run([*command, "--quiet-for", "5"], check=True, timeout=60)
        told = rows(table)
        asked = {one.url for one in web.requests() if one.status == 200 and "robots.txt" not in one.path}
        assert set(told) == {url for url in asked if not url.endswith("sitemap.xml")}
        for url, (file, offset) in told.items():
            assert capture_at(fleet, file, offset) == url


def rows(table: Path) -> dict[str, tuple[str, int]]:
    with contextlib.closing(sqlite3.connect(table)) as there:
        try:
            found = there.execute("select url, file, offset from pages where status = 200").fetchall()
        except sqlite3.OperationalError:
            return {}
    return {url: (file, offset) for url, file, offset in found}


def capture_at(fleet: Fleet, file: str, offset: int) -> str:
    """Returns the URL of the record that an event names."""
    place = next(path for name in "ab" if (path := fleet.directory(name) / file).exists())
    return next(iter(Reader(place, offset))).fields["warc-target-uri"]
