"""Hosts that say that all is well where there is nothing, crawled for real: what is told, and what it cost.

Each style is played twice: once on a host whose robots.txt names a sitemap, so that only a probe can tell; once on one
whose robots.txt does not, so that the sitemap which is guessed tells at no cost. The server's log is the judge.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet
import pytest

from skitter.audit.audit import audit
from skitter.inspection.why import Story
from skitter.judge.soft404 import REPEATED
from skitter.messages import Reason
from skitter.simweb.answer import Answer, Ask
from skitter.simweb.log import Request
from skitter.simweb.play import Play, by_path, moved, status, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World
from tests.proof.robots_web import asked
from tests.proof.zoo import told

NETWORK = "127.25.0.0/16"
DELAY, JITTER = 0.3, 0.1
GOOD = [f"/shop/item-{letter}.html" for letter in "abcdefghijkl"]
GONE = [f"/shop/gone-{letter}.html" for letter in "abcdef"]
PROBE = re.compile(r"/(shop/)?[a-z]{25}(\.html)?")
MAP = "/map.xml"
_URLSET = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'></urlset>"
_LETTERS = "bcdfghklmnprstvz"


def words(topic: str, count: int) -> str:
    """Returns made-up prose that no other topic has."""
    topic = topic.replace("-", "")
    return " ".join(f"{topic}{_LETTERS[at % 16]}{_LETTERS[at * 7 // 16 % 16]}o" for at in range(count))


def page(title: str, body: str, *links: str) -> Answer:
    anchors = "".join(f"<p>{words(link[6:-5], 9)} <a href='{link}'>{link}</a></p>" for link in links)
    head = f"<!DOCTYPE html><html lang=en><head><title>{title}</title></head>"
    return text(f"{head}<body><main><h1>{title}</h1>{body}{anchors}</main></body></html>", "text/html; charset=utf-8")


HOME = page("Welcome", f"<p>{words('welcome', 60)}</p>", *GOOD, *GONE)
SORRY = "<p>Sorry, the page that you are looking for could not be found.</p>"


def _echo(ask: Ask) -> Answer:
    name = ask.path.rpartition("/")[2]
    return page(f"{name} was not found", f"<p>There is nothing called {name} here, and never was.</p>")


def _suggest(ask: Ask) -> Answer:
    ideas = words(f"idea{ask.asks}{len(ask.path)}", 12)
    return page("Shop", f"<p>This page is no longer available. Perhaps one of these helps you: {ideas}</p>")


class Style(NamedTuple):
    """What a host says where there is nothing."""

    says: Answer | Play
    probes: int = 1  # that it takes where nobody can guess


STYLES = {
    "fixed": Style(page("Page not found", SORRY)),
    "echo": Style(_echo),
    "home": Style(moved("/", 302)),
    "error": Style(moved("/error/404.html", 302)),
    "german": Style(page("Seite nicht gefunden", "<p>Diese Seite existiert leider nicht.</p>")),
    "login": Style(page("Shop", "<p>Please sign in.</p><form><input name=user><input type=password></form>")),
    "suggesting": Style(_suggest),
    "copy": Style(HOME),
    "tiny": Style(text("Not found", "text/html")),
    "search": Style(page("Search", "<p>0 results.</p>")),
    "honest": Style(status(404), probes=0),
}
CLOSED = "closed"
"""A host whose robots.txt forbids to ask for any other name."""


def host_of(style: str, *, named: bool) -> str:
    return f"{style}-{'named' if named else 'guessed'}.sim.test"


def played(style: str, *, named: bool) -> Play:
    # In words of its own: a page that says what one of another host says is doubted where soft 404s are known.
    own = f"{style}{'named' if named else 'guessed'}"
    good = {path: page(f"Item {path[6:-5]}", f"<p>{words(own + path[6:-5], 80)}</p>") for path in GOOD}
    robots: Play | Answer = status(404)
    if named:
        robots = lambda ask: text(f"User-agent: *\nAllow: /\nSitemap: {ask.origin}{MAP}\n")  # noqa: E731
    paths = {"/": HOME, "/robots.txt": robots, **good, **({MAP: text(_URLSET, "text/xml")} if named else {})}
    paths |= {"/error/404.html": page("Page not found", SORRY)} if style == "error" else {}
    return by_path(paths, STYLES[style].says)


def closed() -> Play:
    rules = "User-agent: *\nAllow: /shop/gone-\nDisallow: /shop/\nDisallow: /sitemap.xml\n"
    return by_path({"/": HOME, "/robots.txt": text(rules)}, STYLES["fixed"].says)


HOSTS: dict[str, Callable[[], Play]] = {
    host_of(style, named=named): (lambda style=style, named=named: played(style, named=named))  # type: ignore[misc]
    for style in STYLES
    for named in (True, False)
} | {f"{CLOSED}.sim.test": closed}


class Seen(NamedTuple):
    requests: dict[str, list[Request]]
    reasons: dict[str, dict[str, list[str]]]  # of each host's pages, by path
    errands: Counter[str]
    port: int
    out: Path
    ended: dict[str, Any]


async def _crawled(folder: Path) -> tuple[int, dict[str, Any]]:
    world = World(
        WorldSettings(hosts=1, pages_per_host=1, network=NETWORK), plays={name: play() for name, play in HOSTS.items()}
    )
    async with SimWeb(world, log=folder / "log") as web:
        lines = [f"{named.address} {named.name}\n" for named in world.names()]
        (folder / "hosts").write_text("".join(lines))
        command = ["-m", "skitter", "crawl", *(f"{web.origin(name)}/" for name in HOSTS), "--out", str(folder / "out")]
        command += ["--hosts-file", str(folder / "hosts"), "--allow-net", NETWORK, "--scope", "host", "--quiet"]
        command += ["--delay", str(DELAY), "--workers", "1", "--set", "politeness.address_rate=1000"]
        command += ["--set", "node.linger=0", "--set", "judge.probe_share=0.02", "--json"]
        process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=subprocess.PIPE)
        said, _ = await asyncio.wait_for(process.communicate(), 120)
        return web.port, json.loads(said.splitlines()[-1])


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = tmp_path_factory.mktemp("soft")
    port, ended = asyncio.run(_crawled(folder))
    reasons: dict[str, dict[str, list[str]]] = {name: {} for name in HOSTS}
    errands: Counter[str] = Counter()
    for file in (folder / "out" / "parquet" / "captures").rglob("*.parquet"):
        for row in pyarrow.parquet.read_table(file).to_pylist():
            errands[row["errand"]] += 1
            name, _, path = row["url"].removeprefix("http://").partition(f":{port}")
            if row["errand"] == "page":
                reasons[name][path] = row["reasons"] or []
    return Seen(asked(folder / "log"), reasons, errands, port, folder / "out", ended)


CASES = [(style, named) for style in STYLES for named in (True, False)]


@pytest.mark.slow
@pytest.mark.parametrize(("style", "named"), CASES)
def test_dead_pages_are_told_from_the_first_and_no_others(seen: Seen, style: str, named: bool) -> None:
    reasons = seen.reasons[host_of(style, named=named)]
    marked = sorted(path for path, why in reasons.items() if Reason.SOFT_404 in why)
    assert marked == (sorted(GONE) if style != "honest" else [])
    assert set(reasons) >= {"/", *GOOD}


@pytest.mark.slow
@pytest.mark.parametrize(("style", "named"), CASES)
def test_where_a_sitemap_is_guessed_it_takes_no_probe_and_else_one(seen: Seen, style: str, named: bool) -> None:
    requests = seen.requests[host_of(style, named=named)]
    probes = [request.path for request in requests if PROBE.fullmatch(request.path)]
    wanted = STYLES[style].probes if named else 0
    # Which page of a host comes first is drawn: a short one of an honest host may be doubted once.
    assert len(probes) in ((0, 1) if style == "honest" and named else (wanted,)), probes


@pytest.mark.slow
def test_a_probe_keeps_the_delay_and_is_alone(seen: Seen) -> None:
    for requests in seen.requests.values():
        assert {request.at_host for request in requests} == {1}
        assert [pair for pair in pairwise(requests) if pair[1].began - pair[0].began < DELAY - JITTER] == []


@pytest.mark.slow
def test_a_probe_obeys_robots_txt(seen: Seen) -> None:
    paths = [request.path for request in seen.requests[f"{CLOSED}.sim.test"]]
    assert sorted(paths) == sorted(["/robots.txt", "/", *GONE])


@pytest.mark.slow
def test_where_no_probe_is_allowed_repetition_tells(seen: Seen) -> None:
    marked = [path for path, why in seen.reasons[f"{CLOSED}.sim.test"].items() if Reason.SOFT_404 in why]
    assert len(marked) == len(GONE) - REPEATED


@pytest.mark.slow
def test_audit_proves_the_probes_too(seen: Seen) -> None:
    report = audit(seen.out)
    assert not report.counts, report.shown
    assert report.requests == sum(map(len, seen.requests.values()))
    logged = sum(PROBE.fullmatch(request.path) is not None for each in seen.requests.values() for request in each)
    assert seen.errands["probe"] == seen.ended["probes"] == logged > 0


@pytest.mark.slow
def test_why_tells_what_was_asked_for(seen: Seen) -> None:
    url = f"http://{host_of('fixed', named=True)}:{seen.port}{GONE[0]}"
    story = told(seen.out, [url])[url]
    assert isinstance(story, Story)
    assert story.found is not None
    assert story.found.reasons == [Reason.SOFT_404]
    assert re.search(r"as the host answers for http://\S+/[a-z]{25}\.html", story.found.evidence[Reason.SOFT_404])
