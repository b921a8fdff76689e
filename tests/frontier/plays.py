"""Small webs to play against the frontier: traps and honest sites as functions from a path to a page."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from msgspec import structs
from xxhash import xxh32_digest

from skitter.messages import Discovered, Errand, Failure, Kind, Lease, Outcome, Said, Stored, Url
from skitter.reading.meaning import Reading
from skitter.settings import DAY, FrontierSettings, PolitenessSettings, ScopeSettings, Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from skitter.url.scope import Scope
from tests.frontier.test_frontier import Crawler

SETTINGS = Settings(
    scope=ScopeSettings(reach="any", max_depth=1000),
    politeness=PolitenessSettings(delay=0.0),
    frontier=FrontierSettings(shards=1, store_memory=8 * 1024**2),
)
NOW = 1_795_000_000.0  # November 2026
WORDS = [
    a + b + c for a in ("ba", "ke", "lo", "mi") for b in ("ran", "sel", "tin", "vor") for c in ("", "da", "gu", "ne")
]
_WORD = re.compile(r"\w+")


class Page(NamedTuple):
    """What a server says: a text and links, or where to go, or that there is nothing."""

    text: str = ""
    links: tuple[str, ...] = ()
    status: int = 200
    location: str = ""


NONE = Page(status=404)
Site = Callable[[str], Page]
"""From path and query to a page."""


def said_of(text: str) -> Said:
    """Returns what stands for a text, as the parser does it."""
    words = _WORD.findall(text.lower())
    shingles = {" ".join(words[at : at + 5]) for at in range(len(words) - 4)}
    hashes = sorted({xxh32_digest(shingle.encode()) for shingle in shingles})[:64]
    return Said(len(words), 0, b"".join(hashes), text if len(words) < 20 else "")


def prose(key: object, words: int = 120) -> str:
    """Returns words of their own for a key."""
    dice = random.Random(str(key))
    return " ".join(dice.choice(WORDS) for _ in range(words))


class Played(NamedTuple):
    """What came of a crawl: how often each path was asked for, and the corners that were closed."""

    asked: Counter[str]
    closed: list[str]
    skipped: int
    soundings: int
    made_up: list[str]  # the paths that were asked for as soundings

    def under(self, start: str) -> int:
        """Returns the requests for paths that begin so."""
        return sum(count for path, count in self.asked.items() if path.startswith(start))


def play(
    directory: Path, site: Site, *, settings: Settings = SETTINGS, most: int = 30_000, seed: str = "/", days: int = 1
) -> Played:
    """Crawls a site to its end, or for so many requests; then again on each of the days that follow."""
    crawler, canon = Crawler(directory, settings), Canon()
    crawler.clock.now = NOW
    scope = Scope(settings.scope)
    crawler.frontier.discover(_found(canon, [f"http://a.org{seed}"], None, 0, scope))
    asked: Counter[str] = Counter()
    made_up = []
    while (lease := _next(crawler, NOW + (days - 1) * DAY)) is not None and asked.total() < most:
        path = lease.href.removeprefix("http://a.org")
        asked[path] += 1
        made_up += [path] if lease.errand is Errand.SOUNDING else []
        page = site(path)
        targets = [urljoin(lease.href, link) for link in (page.links if not page.location else (page.location,))]
        found = _found(canon, targets, lease.href, lease.depth + (not page.location), scope)
        said = None if page.location or page.status != 200 else said_of(page.text)
        failure = Failure(Kind.GONE) if page.status != 200 and not page.location else None
        if page.location and len(lease.chain) >= 10:
            failure, found = Failure(Kind.TOO_MANY_REDIRECTS), []
        if page.location:
            found = [structs.replace(one, chain=(*lease.chain, lease.href)) for one in found]
        reading = crawler.frontier.judge(lease, Reading(found=found, said=said))
        now = crawler.clock.now
        stored = Stored("d", "f", 0, 1) if failure is None else None
        crawler.frontier.settle(
            Outcome(
                lease,
                now,
                now,
                page.status,
                failure,
                stored=stored,
                said=said,
                links=reading.found,
                verdict=reading.verdict,
            )
        )
        crawler.frontier.committer.commit()
    host = crawler.frontier.host("a.org")
    traps = host.judged.traps if host is not None else None
    skipped = crawler.states().get("skipped", 0)
    crawler.frontier.close()
    closed = [c.name + ": " + c.why for c in traps.closed] if traps else []
    return Played(asked, closed, skipped, traps.sounded if traps else 0, made_up)


def _next(crawler: Crawler, until: float) -> Lease | None:
    while (lease := crawler.next_page()) is None and crawler.clock.now < until:
        crawler.clock.now += DAY / 2
    return lease


def _found(canon: Canon, texts: Iterable[str], parent: str | None, depth: int, scope: Scope) -> list[Discovered]:
    found = {}
    for text in texts:
        url = canon(text)
        if isinstance(url, Url) and scope.refusal(url, depth) is None:
            priority = 0.5 / (1 + depth) if depth else 1.0
            found[url.key] = Discovered(url.href, url.host, fingerprint(url.key), depth, priority, parent)
    return list(found.values())
