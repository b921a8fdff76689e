"""What a page in a browser is given: each of its requests is one of ours, and as polite as any.

The document is there already: it is what the lease was for. Everything else is asked for by us: past the address guard
and the limit of the address, as far as robots.txt of its origin allows it, and one delay after the last request to its
host. The page's own host is held by the lease all the while, so that nobody asks it anything in between; any other
host is reserved for the one request. Each answer is stored before the page has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec import structs

from skitter.dns.allowed import allowed_addresses
from skitter.frontier.decide import NOTHING, Asked
from skitter.messages import Errand, Failure, Fetched, Headers, Lease, Probed
from skitter.node.obtain import rested_after, slow_ahead
from skitter.node.parts import Parts
from skitter.node.rendering.refusals import refusal_of
from skitter.politeness.backoff import is_host_failure
from skitter.politeness.load import rested_at
from skitter.ports import FORBIDDEN, UNKNOWN, Capture, Given, Wanted
from skitter.reading.read import failure_of, robots_failure_of, robots_redirect
from skitter.robots.answer import Access, Policy, decide
from skitter.url.keys import host_of, name_of, origin_of
from skitter.url.parse import parse

PATIENCE, LESS_PATIENCE = 30.0, 10.0
"""Seconds that another host is waited for. Two pages may want each other's host, and each holds its own: the one whose
host comes later by its name gives up first, else both would, and again each time."""
FORBIDDEN_BY_ROBOTS, ROBOTS_UNKNOWN = "robots", "robots_unknown"
DROPPED = frozenset({"set-cookie", "strict-transport-security", "alt-svc", "link", "refresh", "report-to", "nel"})
"""Headers of an answer that a page in a browser has no use for: it keeps nothing, and asks for nothing ahead."""


class Giving:
    """Answers the requests of one page; `asked` are those to its own host."""

    def __init__(self, page: Fetched, parts: Parts) -> None:
        assert parts.browsing is not None
        self._page = page
        self._held = page.lease
        self._parts = parts
        self._browsing = parts.browsing
        self._until = parts.clock() + parts.rules.settings.render.page_seconds
        self._turn = asyncio.Lock()  # the page's own host is asked for one thing at a time
        self.rested = rested_after(page, page.lease, parts)  # when the page's own host may be asked for something
        self._delay = page.lease.delay
        self._is_given = False
        self._refused_hosts: set[str] = set()  # that told us to stay away, or were not to be had
        self._robots: dict[str, asyncio.Lock] = {}
        self.asked: list[Probed] = []
        self.missed = ""  # what it could not be given for now, and why: another time it may be
        self.is_lost = False  # the page's host is not ours any more
        self.bug: Exception | None = None

    async def __call__(self, wanted: Wanted) -> Given:
        """Returns what a request of the page comes to. Who is cut off in the middle has the page's lease end."""
        answering = asyncio.create_task(self._given(wanted))
        try:
            await asyncio.wait([answering])
        except asyncio.CancelledError:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
            raise
        if answering.cancelled():
            self.is_lost = True
            return Given(refusal="lost")
        if (error := answering.exception()) is not None:
            if not isinstance(error, Exception):
                raise error
            self.bug = self.bug or error
            return Given(refusal="error")
        return answering.result()

    async def _given(self, wanted: Wanted) -> Given:
        href = (parse(wanted.url) or "").partition("#")[0]
        if not href.startswith(("http://", "https://")):
            return Given(refusal="not_http")
        if wanted.kind == "document" and not self._is_given and href == self._held.href.partition("#")[0]:
            self._is_given = True
            return as_given(self._page)
        refusal = refusal_of(wanted, name_of(href))
        if refusal or len(href) > self._parts.rules.settings.url.max_length:
            return Given(refusal=refusal or "url_too_long")
        if wanted.kind == "script" and (kept := self._browsing.scripts.get(href, self._parts.clock())) is not None:
            return kept
        return await self._ask(wanted, href)

    async def _ask(self, wanted: Wanted, href: str) -> Given:
        if (refusal := self._refusal(host_of(href))) is not None:
            return self._missing(href, refusal)
        fetched = await self._allowed(self._lease(href, Errand.PART))
        if fetched == FORBIDDEN_BY_ROBOTS:
            return Given(refusal=fetched)
        if isinstance(fetched, str):
            return self._missing(href, fetched)
        failure = failure_of(fetched, self._parts.rules.settings)
        if fetched.failure is not None:
            return self._missing(href, fetched.failure.kind.value)
        if failure is not None and is_host_failure(failure.kind):
            self.missed = f"{href}: {failure.kind.value}"
        given = as_given(fetched)
        if wanted.kind == "script":
            self._browsing.scripts.keep(href, given, fetched)
        return given

    def _missing(self, href: str, why: str) -> Given:
        self.missed = f"{href}: {why}"
        return Given(refusal=why)

    def _refusal(self, host: str) -> str | None:
        if self.is_lost:
            return "lost"
        if host in self._refused_hosts:
            return "host"
        return "time" if self._parts.clock() >= self._until else None

    def _lease(self, href: str, errand: Errand) -> Lease:
        host = host_of(href)
        return structs.replace(
            self._held,
            href=href,
            host=host,
            errand=errand,
            chain=(),
            parent=self._held.href if errand is Errand.PART else None,
            tries=0,
            last_fetched=None,
            etag=None,
            last_modified=None,
            agreed=self._held.agreed if host == self._held.host else None,
        )

    # robots.txt: by what the owner of the host knows, else by what was found for pages in browsers

    async def _allowed(self, lease: Lease) -> Fetched | str:
        """Returns what a request brought that robots.txt allows, or why it was not made."""
        if lease.host != self._held.host:
            fetched = await self._request_other(lease)
            if fetched != ROBOTS_UNKNOWN:
                return fetched
        policy = await self._policy(origin_of(lease.href))
        if policy is None or policy.access is Access.DENY_ALL:
            return "robots_unreadable"
        if not policy.allows(lease.href):
            return FORBIDDEN_BY_ROBOTS
        if lease.host != self._held.host:
            return await self._request_other(lease, policy)
        async with self._turn:
            return await self._request_own(lease, policy)

    async def _policy(self, origin: str) -> Policy | None:
        """Returns what an origin allows, None if nobody could say in time."""
        async with self._robots.setdefault(origin, asyncio.Lock()):
            known = self._known_policy(origin)
            if known is not None and not known.is_due(self._parts.clock()):
                return known
            return await self._ask_robots(origin, known)

    def _known_policy(self, origin: str) -> Policy | None:
        frontier, host = self._parts.frontier, host_of(origin + "/")
        owners = frontier.policy(origin, host) if frontier.owns(host) else None
        return owners or self._browsing.policy(origin)

    async def _ask_robots(self, origin: str, last: Policy | None) -> Policy | None:
        """Asks for a robots.txt, following its redirects: they too are requests one delay apart."""
        lease = self._lease(f"{origin}/robots.txt", Errand.ROBOTS)
        while True:
            if lease.host == self._held.host:
                async with self._turn:
                    fetched = await self._request_own(lease, None, origin)
            else:
                fetched = await self._request_other(lease, None, origin)
            if isinstance(fetched, str):
                return None
            led = robots_redirect(fetched, self._parts.rules)
            if led is None or isinstance(led, Failure):
                break
            hop = self._lease(led.href, Errand.ROBOTS)
            lease = structs.replace(hop, chain=(*lease.chain, lease.href))
        policy = self._decided(fetched, last)
        self._browsing.keep_policy(origin, policy)
        return policy

    def _decided(self, fetched: Fetched, last: Policy | None) -> Policy:
        rules = self._parts.rules
        answer = structs.replace(fetched, failure=robots_failure_of(fetched, rules))
        token, settings = rules.settings.identity.robots_token, rules.settings.robots
        return decide(answer, last, now=self._parts.clock(), token=token, settings=settings)

    def _heard(self, fetched: Fetched, origin: str) -> Asked:
        """Returns what an answer asks of us, if it is a robots.txt of the host that gave it."""
        if not origin or host_of(origin + "/") != fetched.lease.host:
            return NOTHING
        if robots_redirect(fetched, self._parts.rules) is not None:
            return NOTHING
        return Asked(origin, self._decided(fetched, self._known_policy(origin)).crawl_delay)

    # Requests

    async def _request_other(self, lease: Lease, policy: Policy | None = None, origin: str = "") -> Fetched | str:
        """Returns what a request to another host brought, stored; or why it was not made."""
        href = "" if lease.errand is Errand.ROBOTS else lease.href
        patience = self._patience(PATIENCE if self._held.host < lease.host else LESS_PATIENCE)
        reserved = self._parts.reservations.visiting(lease.host, patience, href, knows=policy is not None)
        async with reserved as visit:
            if not visit.is_granted:
                return self._not_granted(lease.host, visit.refusal)
            fetched = await self._fetch(lease, policy)
            if isinstance(fetched, Fetched) and fetched.asked:
                visit.failure, visit.took = failure_of(fetched, self._parts.rules.settings), fetched.took
                visit.asked = self._heard(fetched, origin)
                self._heed(lease.host, visit.failure)
        return await self._stored(fetched)

    def _not_granted(self, host: str, refusal: float) -> str:
        if refusal == UNKNOWN:
            return ROBOTS_UNKNOWN
        if refusal == FORBIDDEN:
            return FORBIDDEN_BY_ROBOTS
        self._refused_hosts.add(host)
        return "busy"

    async def _request_own(self, lease: Lease, policy: Policy | None, origin: str = "") -> Fetched | str:
        """The same of the page's own host, which is ours already."""
        wait = self.rested - self._parts.clock()
        if self._parts.clock() + max(0.0, wait) >= self._until:
            return "time"
        await asyncio.sleep(max(0.0, wait))
        if (refusal := self._refusal(lease.host)) is not None:
            return refusal
        fetched = await self._fetch(lease, policy)
        if isinstance(fetched, str) or not fetched.asked:
            return await self._stored(fetched)
        failure, heard = failure_of(fetched, self._parts.rules.settings), self._heard(fetched, origin)
        self._delay = max(self._delay, heard.crawl_delay or 0.0)
        politeness = self._parts.rules.settings.politeness
        self.rested = rested_at(fetched.began, fetched.took, self._delay, politeness)
        self.asked.append(Probed(fetched.began, failure, *heard, took=fetched.took))
        self._heed(lease.host, failure)
        await slow_ahead(self._held, fetched, failure, self._parts, heard)
        return await self._stored(fetched)

    def _heed(self, host: str, failure: Failure | None) -> None:
        """A host that is in trouble, or finds us too fast, is asked for nothing more by this page."""
        if failure is not None and is_host_failure(failure.kind):
            self._refused_hosts.add(host)

    def _patience(self, most: float = PATIENCE) -> float:
        return min(most, max(0.0, self._until - self._parts.clock()))

    async def _fetch(self, lease: Lease, policy: Policy | None) -> Fetched | str:
        parts = self._parts
        addresses = await allowed_addresses(name_of(lease.href), parts.resolver, parts.guard)
        if isinstance(addresses, Failure):
            now = parts.clock()
            fetched = Fetched(lease, now, now, failure=addresses, asked=False)
            parts.counters.fetched(fetched)
            return fetched
        if not await self._may_ask(addresses):
            return "busy"
        if policy is not None and policy.is_due(parts.clock()):
            return "robots"  # it was waited for too long
        fetched = await parts.fetcher.fetch(lease, addresses)
        parts.counters.fetched(fetched)
        return fetched

    async def _may_ask(self, addresses: Sequence[str]) -> bool:
        until = self._parts.clock() + self._patience()
        while (wait := self._parts.limit.take(addresses[0])) > 0:
            if self._parts.clock() + wait > until:
                return False
            await asyncio.sleep(wait)
        return True

    async def _stored(self, fetched: Fetched | str) -> Fetched | str:
        if isinstance(fetched, str):
            return fetched
        if fetched.asked or fetched.lease.errand is Errand.ROBOTS:
            await self._parts.archive.append(Capture(fetched))
        if fetched.lease.errand is Errand.ROBOTS:
            self._parts.counters.asked_robots()
        return fetched


def as_given(fetched: Fetched) -> Given:
    """Returns an answer as a page in a browser has it."""
    headers: Headers = [(name, value) for name, value in fetched.headers if name.lower() not in DROPPED]
    return Given(fetched.status, headers, fetched.body)
