"""From what was fetched to what it means: the links to offer, the facts to keep, what went wrong. Pure.

`carry` acts on it: it stores, discovers and settles just what is said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from skitter.messages import (
    Discovered,
    Errand,
    Failure,
    Fetched,
    Kind,
    Lease,
    Link,
    Reason,
    Target,
    Url,
    Verdict,
    header_values,
)
from skitter.parse import html, sitemap
from skitter.parse.outlinks import IsKnown, nothing_known
from skitter.politeness import retry_after
from skitter.politeness.backoff import kind_of_status
from skitter.robots.answer import refused_hop
from skitter.schedule.priority import SEED_PRIORITY, priority
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from skitter.url.parse import parse
from skitter.url.scope import Scope

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_HOPS = 10
HTML_TYPES = ("text/html", "application/xhtml+xml")
UNKNOWN_QUALITY = 1.0


class Reading(Struct, frozen=True):
    """What an answer means."""

    failure: Failure | None = None
    better: str | None = None  # the same URL in the form the server prefers
    found: Sequence[Discovered] = ()
    known: int = 0  # links beside these that were seen before
    links: Sequence[Link] = ()
    verdict: Verdict = Verdict()
    title: str = ""
    lang: str = ""
    encoding: str = ""
    sketch: bytes | None = None  # of what the page says, see parse.sketch


class Rules(NamedTuple):
    """What reading depends on beside the answer."""

    settings: Settings
    canon: Canon
    scope: Scope


def read(fetched: Fetched, rules: Rules, is_known: IsKnown = nothing_known) -> Reading:
    """Returns what the answer to a lease on a page or sitemap means.

    Links whose fingerprint `is_known` need not be offered: most links of a page lead to what was seen before.
    """
    failure = failure_of(fetched, rules.settings)
    if failure is not None:
        return Reading(failure=failure)
    if fetched.status in REDIRECTS:
        return _redirect(fetched, rules)
    if fetched.status == 304:
        return Reading()
    if fetched.lease.errand is Errand.SITEMAP:
        return _sitemap(fetched, rules)
    return _html(fetched, rules, is_known) if is_html(fetched) else Reading()


def failure_of(fetched: Fetched, settings: Settings) -> Failure | None:
    """Returns what went wrong with a fetch, be it on the way or by the server's own word."""
    if fetched.failure is not None:
        return fetched.failure
    kind = kind_of_status(fetched.status)
    if kind is None:
        return None
    wishes = header_values(fetched.headers, "retry-after")
    wish = retry_after.parse(wishes[0], fetched.ended, settings.politeness.max_retry_after) if wishes else None
    return Failure(kind, f"HTTP {fetched.status}", wish)


def location_of(fetched: Fetched) -> str | None:
    """Returns where a redirect leads, or None if it does not say."""
    locations = header_values(fetched.headers, "location")
    if not locations:
        return None
    # Servers send UTF-8 where the standard has only ASCII; the header was read byte by byte.
    text = locations[0].encode("latin-1", "replace").decode("utf-8", "replace")
    return parse(text, fetched.lease.href)


def robots_redirect(fetched: Fetched, rules: Rules) -> Url | Failure | None:
    """Returns where an answer on the way to a robots.txt leads, or why nowhere; None if it is no redirect."""
    if fetched.failure is not None or fetched.status not in REDIRECTS:
        return None
    location, asked = location_of(fetched), fetched.lease
    url = rules.canon.of_parsed(location) if location is not None else None
    if not isinstance(url, Url):
        return Failure(Kind.BAD_REDIRECT, f"HTTP {fetched.status} to {location or 'nowhere'}")
    refusal = refused_hop(url.href, (*asked.chain, asked.href), rules.settings.robots)
    return url if refusal is None else Failure(refusal, f"to {url.href}")


def robots_failure_of(fetched: Fetched, rules: Rules) -> Failure | None:
    """Returns what went wrong with the last answer on the way to a robots.txt."""
    led = robots_redirect(fetched, rules)
    return led if isinstance(led, Failure) else failure_of(fetched, rules.settings)


def sitemaps_of(urls: Iterable[str], lease: Lease, rules: Rules) -> list[Discovered]:
    """Returns the sitemaps that a robots.txt names, as far as they are in scope."""
    found = []
    for text in urls:
        url = rules.canon(text, lease.href)
        if isinstance(url, Url) and rules.scope.refusal(url) is None:
            found.append(_discovered(url, 0, SEED_PRIORITY, lease.href, errand=Errand.SITEMAP))
    return found


def is_html(fetched: Fetched) -> bool:
    """Whether an answer says that it is HTML, or says nothing and looks like it."""
    types = header_values(fetched.headers, "content-type")
    if types:
        return types[0].partition(";")[0].strip().lower() in HTML_TYPES
    return fetched.body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _redirect(fetched: Fetched, rules: Rules) -> Reading:
    lease = fetched.lease
    location = location_of(fetched)
    url = rules.canon.of_parsed(location) if location is not None else Reason.BAD_URL
    if not isinstance(url, Url):
        return Reading(failure=Failure(Kind.BAD_REDIRECT, f"HTTP {fetched.status} to {location or 'nowhere'}"))
    chain = (*lease.chain, lease.href)
    if url.href in chain:
        return Reading(failure=Failure(Kind.REDIRECT_LOOP, f"back to {url.href}"))
    if len(chain) > MAX_HOPS:
        return Reading(failure=Failure(Kind.TOO_MANY_REDIRECTS, f"on to {url.href}"))
    if _has_key_of(lease, url, rules):
        return Reading(better=url.href)
    if (refusal := rules.scope.refusal(url, lease.depth)) is not None:
        return Reading(verdict=Verdict(follow=False, reasons=(refusal,)))
    target = _discovered(url, lease.depth, lease.priority, lease.href, errand=lease.errand, chain=chain)
    return Reading(found=[target])


def _has_key_of(lease: Lease, url: Url, rules: Rules) -> bool:
    own = rules.canon.of_parsed(lease.href)
    return isinstance(own, Url) and own.key == url.key


def _sitemap(fetched: Fetched, rules: Rules) -> Reading:
    lease = fetched.lease
    types = header_values(fetched.headers, "content-type")
    listed = sitemap.read(fetched.body, lease.href, types[0] if types else None, rules.settings.parse)
    is_index = listed.kind == "index"
    depth = lease.depth if is_index else lease.depth + 1
    worth = SEED_PRIORITY if is_index else priority(UNKNOWN_QUALITY, SEED_PRIORITY, 1)
    errand = Errand.SITEMAP if is_index else Errand.PAGE
    found = []
    for entry in listed.entries:
        url = rules.canon(entry.url)
        if isinstance(url, Url) and rules.scope.refusal(url, depth) is None:
            one = _discovered(url, depth, worth, lease.href, errand=errand, last_modified=entry.last_modified)
            found.append(one)
    return Reading(found=found)


def _html(fetched: Fetched, rules: Rules, is_known: IsKnown) -> Reading:
    settings, lease = rules.settings, fetched.lease
    token = settings.identity.robots_token
    page = html.read(
        fetched.body,
        lease.href,
        fetched.headers,
        settings.parse,
        token,
        canon=rules.canon,
        is_known=is_known,
        has_text=False,
    )
    directives = page.directives
    reasons = [Reason.NOINDEX] if directives.noindex else []
    reasons += [Reason.NOFOLLOW] if directives.nofollow else []
    follow = not directives.nofollow
    return Reading(
        found=_followed(page.targets, lease, rules) if follow else (),
        known=page.known if follow else 0,
        links=page.links,
        verdict=Verdict(follow=follow, reasons=reasons),
        title=page.title,
        lang=page.lang,
        encoding=page.encoding,
        sketch=page.sketch,
    )


def _followed(targets: Iterable[Target], lease: Lease, rules: Rules) -> list[Discovered]:
    """Returns the links to offer, each URL once, in the order of the page."""
    depth, parent = lease.depth + 1, lease.href
    worth = priority(UNKNOWN_QUALITY, lease.priority, depth)
    refusal, found = rules.scope.refusal_of, dict[bytes, Discovered]()
    for href, host, mark in targets:
        if mark not in found and refusal(href, host, depth) is None:
            found[mark] = Discovered(href, host, mark, depth, worth, parent)
    return list(found.values())


def _discovered(
    url: Url,
    depth: int,
    worth: float,
    parent: str,
    *,
    errand: Errand = Errand.PAGE,
    last_modified: float | None = None,
    chain: tuple[str, ...] = (),
) -> Discovered:
    return Discovered(url.href, url.host, fingerprint(url.key), depth, worth, parent, errand, last_modified, chain)
