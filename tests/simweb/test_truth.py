"""The truth of a world is what a naive client finds in it over real HTTP, page by page."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import re
from collections import deque
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from msgspec import structs

from skitter.messages import Url
from skitter.robots.rules import Rules, parse
from skitter.settings import ScopeSettings, UrlSettings
from skitter.simweb.judge import judge
from skitter.simweb.log import read_log
from skitter.simweb.robots import ROBOTS
from skitter.simweb.roles import Role
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import DEMO, WorldSettings
from skitter.simweb.truth import Habits, Truth, expected, is_forbidden
from skitter.simweb.world import World
from skitter.url.canon import Canon

PLAIN_KEYS = Canon(
    UrlSettings(
        drop_www=False,
        drop_trailing_slash=False,
        drop_index=False,
        collapse_slashes=False,
        sort_query=False,
        drop_empty_query=False,
        drop_tracking=False,
        drop_sessions=False,
        fold_escapes=False,
    )
)
SMALL = WorldSettings(hosts=40, pages_per_host=14, page_bytes=300, slow=0.02, big_bytes=20_000, retry_after=1)
TRIES = 4


class Reader(HTMLParser):
    """Collects what a page links to, by the plainest reading there is."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.base, self.hrefs, self.follow = url, list[str](), True
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = {name: value or "" for name, value in attrs}
        if tag == "base":
            self.base = have["href"]
        elif tag == "meta" and have.get("name") == "robots":
            self.follow = "nofollow" not in have["content"]
        elif tag == "meta" and have.get("http-equiv") == "refresh":
            self.hrefs.append(have["content"].partition("url=")[2])
        elif tag in ("a", "link") and have.get("rel") != "nofollow":
            self.hrefs.append(have["href"])

    def links(self) -> list[str]:
        return [urljoin(self.base, href) for href in self.hrefs] if self.follow else []


class Answered:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.body = response.status, response.read()
        self.media = response.getheader("Content-Type", "")
        self.location = response.getheader("Location", "")
        if response.getheader("Content-Encoding") == "gzip":
            self.body = gzip.decompress(self.body)

    def text(self) -> str:
        declared = re.search(rb'charset="?([\w-]+)', self.media.encode() + self.body[:200])
        return self.body.decode(declared[1].decode() if declared else "utf-8")


class Naive:
    """Asks for one URL after the other until nothing new turns up."""

    def __init__(self, addresses: dict[str, str], canon: Canon, *, last_first: bool) -> None:
        self._addresses, self._canon, self._last_first = addresses, canon, last_first
        self._robots: dict[str, Callable[[str], bool]] = {}
        self.pages, self.forbidden, self.sitemaps = set[str](), set[str](), set[str]()
        self._seen: set[str] = set()
        self._waiting: deque[tuple[str, int]] = deque()

    def walk(self, seed: str) -> None:
        self._waiting.append((seed, 0))
        while self._waiting:
            self._visit(*(self._waiting.pop() if self._last_first else self._waiting.popleft()))

    def _visit(self, url: str, hops: int) -> None:
        url, key = url.partition("#")[0], self._key(url)
        if key in self._seen or hops > 10:
            return
        self._seen.add(key)
        if not self._allowed(url):
            self.forbidden.add(key)
            return
        self.pages.add(key)
        answer = self._ask(url)
        if answer is None:
            return
        if answer.location:
            target = urljoin(url, answer.location)
            if self._key(target) == key:
                self._seen.discard(key)
            self._visit(target, hops + 1)
        elif answer.status == 200 and answer.media.startswith("text/html"):
            self._waiting.extend((link, 0) for link in Reader(url, answer.text()).links())

    def _allowed(self, url: str) -> bool:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        if origin not in self._robots:
            self._robots[origin] = self._read_robots(origin)
        return self._robots[origin](url)

    def _read_robots(self, origin: str) -> Callable[[str], bool]:
        answer, url = self._ask(f"{origin}/robots.txt"), f"{origin}/robots.txt"
        for _ in range(5):
            if answer is not None and answer.location:
                url = urljoin(url, answer.location)
                answer = self._ask(url)
        if answer is None or answer.status == 429 or answer.status >= 500 or answer.location:
            return lambda _: False
        rules = parse(answer.body, "skitter") if answer.status < 300 else Rules()
        self._robots[origin] = rules.allows
        for sitemap in rules.sitemaps:
            # The robots.txt of `www.` names the sitemap of the bare host, which has a robots.txt of its own.
            if self._allowed(sitemap) and self._key(sitemap) not in self.sitemaps:
                self._read_sitemap(sitemap)
        return rules.allows

    def _read_sitemap(self, url: str) -> None:
        self.sitemaps.add(self._key(url))
        answer = self._ask(url)
        assert answer is not None
        assert answer.status == 200
        body = gzip.decompress(answer.body) if url.endswith(".gz") else answer.body
        urls = re.findall(r"<loc>(.*?)</loc>", body.decode())
        if b"<sitemapindex" in body:
            for part in urls:
                self._read_sitemap(part)
        else:
            self._waiting.extend((url.replace("&amp;", "&"), 0) for url in urls)

    def _ask(self, url: str) -> Answered | None:
        """Returns the answer, after a few tries if it is a failure that may pass; None if there is never one."""
        answer: Answered | None = None
        for _ in range(TRIES):
            try:
                answer = self._once(url)
            except (http.client.RemoteDisconnected, ConnectionResetError):
                continue
            if answer.status != 429 and answer.status < 500:
                return answer
        return answer

    def _once(self, url: str) -> Answered:
        parts = urlsplit(url)
        assert parts.hostname is not None
        connection = http.client.HTTPConnection(self._addresses[parts.hostname], parts.port, timeout=10)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", target, headers={"Host": parts.netloc})
        try:
            return Answered(connection.getresponse())
        finally:
            connection.close()

    def _key(self, url: str) -> str:
        canonical = self._canon(url)
        assert isinstance(canonical, Url), url
        return canonical.key


def walked(settings: WorldSettings, canon: Canon, log: Path, *, last_first: bool) -> tuple[Naive, World]:
    async def main() -> tuple[Naive, World]:
        async with SimWeb(World(settings), log=log) as web:
            naive = Naive({named.name: named.address for named in web.world.names()}, canon, last_first=last_first)
            await asyncio.to_thread(naive.walk, web.seeds()[0])
            return naive, web.world

    return asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "canon", "last_first"),
    [
        pytest.param(1, Canon(), False, id="bold-keys-breadth-first"),
        pytest.param(2, Canon(), True, id="bold-keys-depth-first"),
        pytest.param(3, PLAIN_KEYS, False, id="plain-keys-breadth-first"),
        pytest.param(2, PLAIN_KEYS, True, id="plain-keys-depth-first"),
    ],
)
def test_truth_is_what_a_naive_client_finds(seed: int, canon: Canon, last_first: bool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    naive, world = walked(structs.replace(SMALL, seed=seed), canon, log, last_first=last_first)
    truth = expected(world, world.seeds(), canon=canon)
    assert naive.pages == truth.pages
    assert naive.forbidden == truth.forbidden
    assert naive.sitemaps == truth.sitemaps
    findings = judge(read_log(log), world, canon)
    assert not findings.missed(truth)
    assert not findings.uncalled(truth)
    assert findings.forbidden == findings.before_robots == findings.unknown == findings.misplaced == []


def truth_of(settings: WorldSettings, habits: Habits | None = None, canon: Canon | None = None) -> Truth:
    world = World(settings)
    return expected(world, world.seeds(), habits, canon)


def test_every_page_that_links_lead_to_is_expected_unless_something_is_in_the_way() -> None:
    roles = {Role.PAGE: 3, Role.DOCS: 1, Role.MISSING: 2, Role.FILE: 2}
    # Without links beyond those that are needed: none may be there by luck.
    quiet = structs.replace(DEMO, hosts=10, robots={"none": 1.0}, roles=roles, links_per_page=0, sitemap_share=0.0)
    truth = truth_of(quiet)
    assert len(truth.pages) == quiet.hosts * quiet.pages_per_host + 1  # and the list of hosts
    assert not truth.forbidden


def test_pages_that_only_a_sitemap_lists_are_expected() -> None:
    world = World(structs.replace(DEMO, hosts=8, robots={"folder": 1.0}, roles={Role.PAGE: 1, Role.HIDDEN: 1}))
    hidden = {site.origin + site.paths[number] for site in world.sites() for number in site.hidden}
    assert hidden
    assert hidden <= expected(world, world.seeds()).pages
    assert not hidden & expected(world, world.seeds(), Habits(sitemaps=False)).pages


def test_forms_of_one_url_are_one_and_plain_keys_tell_them_apart() -> None:
    dressed = structs.replace(DEMO, hosts=6, robots={"none": 1.0}, roles={Role.PAGE: 1}, dressed_share=0.5)
    assert len(truth_of(dressed, canon=PLAIN_KEYS).pages) > len(truth_of(dressed).pages)


@pytest.mark.parametrize("kind", ROBOTS)
def test_declared_meaning_of_robots_is_what_the_text_says(kind: str) -> None:
    """The table's `forbids` is written by hand: here the reader of robots.txt has to agree."""
    row = ROBOTS[kind]
    if (row.status >= 400 and not row.passing) or not row.status:
        assert row.readable == (400 <= row.status < 500 and row.status != 429)
        return
    world = World(structs.replace(SMALL, robots={kind: 1.0}))
    rules = parse(row.text.replace("{delay}", "2").encode(), "skitter")
    for target in ("/", "/?utm_source=s1", "/index.html", "/calendar/2026-01", *world.site(1).paths):
        assert is_forbidden(world, "h0001.sim.test", target) != rules.allows(target), target
    assert rules.crawl_delay == (2 if row.delayed else None)


@pytest.mark.slow
def test_forms_of_one_url_fare_the_same_with_robots() -> None:
    world = World(structs.replace(DEMO, hosts=40, pages_per_host=30, dressed_share=0.6))
    canon, verdicts = Canon(), dict[str, set[bool]]()
    for site in world.sites():
        for path in site.paths:
            for link in world.spec(site.name, path).links:
                name = urlsplit(link.url).hostname or ""
                target = link.url.split("/", 3)[3]
                url = canon(link.url)
                assert isinstance(url, Url)
                verdicts.setdefault(url.key, set()).add(is_forbidden(world, name, f"/{target}"))
    assert {len(found) for found in verdicts.values()} == {1}
    assert {verdict for found in verdicts.values() for verdict in found} == {False, True}


def test_scope_decides_how_far_the_truth_goes() -> None:
    habits = Habits(scope=ScopeSettings(reach="host"))
    hosts = {urlsplit(key).hostname for key in truth_of(DEMO, habits).pages}
    assert hosts == {"h0000.sim.test"}


def test_impatient_crawler_sees_less() -> None:
    patient, hasty = truth_of(DEMO), truth_of(DEMO, Habits(patient=False))
    assert hasty.pages < patient.pages
    assert not any("/robots" in key for key in patient.pages)


def test_long_chain_is_left_after_ten_redirects() -> None:
    chains = structs.replace(SMALL, hosts=2, robots={"none": 1.0}, roles={Role.LONG_CHAIN: 1})
    steps = {int(key.rpartition("/")[2]) for key in truth_of(chains).pages if key.count("/") == 5}
    assert steps == set(range(1, 11))


def test_calendar_is_met_and_not_walked() -> None:
    truth = truth_of(structs.replace(DEMO, calendar=True))
    assert {key.partition("/calendar/")[2] for key in truth.pages if "calendar" in key} == {"2026-01"}


def test_animals_are_expected_once() -> None:
    truth = truth_of(structs.replace(DEMO, animals=("echo", "never-answers")))
    assert {urlsplit(key).hostname for key in truth.animals} == {"echo.zoo.sim.test", "never-answers.zoo.sim.test"}
