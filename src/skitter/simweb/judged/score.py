"""What a crawl of a judged web comes to: what was lost, what was wasted, what was rightly and wrongly told.

The requests are the servers' word, `told` is the crawler's: of each capture its reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from skitter.messages import Url
from skitter.simweb.judged.sheet import What
from skitter.simweb.judged.site import MACHINES
from skitter.simweb.judged.web import JudgedWeb, page_of
from skitter.url.canon import Canon

SOFT_404 = "soft_404"
_canon = Canon()


class Tally(Struct):
    """What was asked of one site, or of a domain of any name."""

    good: int = 0  # pages that must be fetched
    got: int = 0  # of these
    requests: int = 0  # for pages of any kind
    waste: int = 0  # in a corner without end, or of a farm
    again: int = 0  # for forms of pages that were fetched already
    lost: list[str] = []


class Judged(NamedTuple):
    """What was told of one capture."""

    url: str
    reasons: Sequence[str]
    duplicate_of: str | None = None


class SoftScore(NamedTuple):
    """How well soft 404s were told."""

    dead: int  # that were fetched
    told: int  # of these
    flagged: int  # pages in all
    wrong: list[str]  # flagged, and good

    @property
    def precision(self) -> float:
        """The share of what was flagged that is dead; 1 if nothing was."""
        return 1 - len(self.wrong) / self.flagged if self.flagged else 1.0

    @property
    def recall(self) -> float:
        """The share of what is dead that was flagged."""
        return self.told / self.dead if self.dead else 1.0


def bare(url: str) -> str:
    """Returns a URL without its port: the truth knows none."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.hostname or "").geturl()


def tally(web: JudgedWeb, requests: Iterable[str]) -> dict[str, Tally]:
    """Returns what the requests come to, by site; in the order in which they came."""
    found: dict[str, Tally] = {}
    wanted: dict[str, tuple[str, str]] = {_key(url): (url, name) for url, name in web.good()}
    fetched: set[str] = set()
    for url in map(bare, requests):
        if url.endswith(MACHINES):
            continue
        one = found.setdefault(web.site_of(url), Tally())
        one.requests += 1
        fact = web.fact(url)
        one.waste += fact.what in (What.WASTE, What.FARM)
        if fact.what in (What.GOOD, What.ALIAS):
            page = _key(page_of(url, fact))
            one.again += page in fetched
            fetched.add(page)
    for key, (url, name) in wanted.items():
        one = found.setdefault(name, Tally())
        one.good += 1
        one.got += key in fetched
        if key not in fetched:
            one.lost.append(url)
    return found


def soft_score(web: JudgedWeb, told: Iterable[Judged]) -> dict[str, SoftScore]:
    """Returns how well soft 404s were told, by site. A redirect is told if it is flagged, or what it leads to."""
    captures = {bare(one.url): one for one in told if not one.url.endswith(MACHINES)}
    flagged = {url for url, one in captures.items() if SOFT_404 in one.reasons}
    dead, hit, right, wrong = Counter[str](), Counter[str](), Counter[str](), dict[str, list[str]]()
    for url in captures:
        site, what = web.site_of(url), web.fact(url).what
        leads = urljoin(url, web.location(url))
        if what is What.SOFT_404:
            dead[site] += 1
            hit[site] += url in flagged or (leads in flagged and web.fact(leads).what is What.SOFT_404)
            right[site] += url in flagged
        elif url in flagged:
            wrong.setdefault(site, []).append(url)
    return {
        site: SoftScore(dead[site], hit[site], right[site] + len(wrong.get(site, ())), wrong.get(site, []))
        for site in {*dead, *wrong}
    }


class NearScore(NamedTuple):
    """How well pages were told that say nearly what another of their site says."""

    copies: int  # fetched, of which another was there before
    told: int  # of these
    wrong: list[str]  # called a copy, and of something else or of nothing


def near_score(web: JudgedWeb, told: Iterable[Judged]) -> dict[str, NearScore]:
    """Returns how well near duplicates were told, by site. Which of them is the first is the crawler's choice."""
    found: dict[str, NearScore] = {}
    seen: set[str] = set()
    for one in told:
        url = bare(one.url)
        if web.fact(url).what not in (What.GOOD, What.ALIAS):
            continue
        group, other = _group(web, url), _group(web, bare(one.duplicate_of)) if one.duplicate_of else ""
        old = found.setdefault(web.site_of(url), NearScore(0, 0, []))
        is_copy, is_wrong = group in seen, bool(other) and other != group
        wrong = [*old.wrong, url] if is_wrong else old.wrong
        found[web.site_of(url)] = NearScore(old.copies + is_copy, old.told + (is_copy and other == group), wrong)
        seen.add(group)
    return found


def _group(web: JudgedWeb, url: str) -> str:
    """Returns the page that all of those stand for that say nearly the same."""
    return web.fact(url).of or url


def total(scores: Mapping[str, SoftScore]) -> SoftScore:
    """Returns all sites together."""
    every = list(scores.values())
    wrong = [url for one in every for url in one.wrong]
    return SoftScore(sum(s.dead for s in every), sum(s.told for s in every), sum(s.flagged for s in every), wrong)


def _key(url: str) -> str:
    found = _canon(url)
    return found.key if isinstance(found, Url) else url
