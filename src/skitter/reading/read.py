"""From what was fetched to what it means: the links to offer, the facts to keep, what went wrong. Pure.

`carry` acts on it: it stores, discovers and settles just what is said here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skitter.judge.verdict import verdict_of
from skitter.messages import (
    Discovered,
    Errand,
    Failure,
    Fetched,
    Kind,
    Lease,
    Link,
    LinkKind,
    Page,
    Reason,
    Url,
    Verdict,
    header_values,
)
from skitter.parse import html
from skitter.parse.links import FOLLOWED
from skitter.parse.outlinks import IsKnown, nothing_known, places_of
from skitter.parse.sniffing import magic
from skitter.politeness import retry_after
from skitter.politeness.backoff import RETRY, kind_of_status
from skitter.reading.listing import hub_of, is_guess, listed_in, read_listing
from skitter.reading.meaning import (
    UNKNOWN_QUALITY,
    Reading,
    Rules,
    begins_with,
    discovered,
    media_of,
    verdict_by_headers,
)
from skitter.robots.answer import refused_hop
from skitter.schedule.priority import priority
from skitter.settings import Settings
from skitter.url.parse import parse

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_HOPS = 10
HTML_TYPES = ("text/html", "application/xhtml+xml")
NO_SUCH = frozenset({Kind.GONE, Kind.FORBIDDEN, Kind.CLIENT_ERROR})
"""What a server says that has no sitemap at the usual place. All else is trouble, and counts as that."""


def read(fetched: Fetched, rules: Rules, is_known: IsKnown = nothing_known) -> Reading:
    """Returns what the answer to a lease on a page or sitemap means.

    Links whose fingerprint `is_known` need not be offered: most links of a page lead to what was seen before.
    """
    failure = failure_of(fetched, rules.settings)
    if failure is not None:
        has_none = is_guess(fetched.lease) and failure.kind in NO_SUCH
        return Reading(reason=Reason.NO_SITEMAP) if has_none else Reading(failure=failure)
    if fetched.status in REDIRECTS:
        return _redirect(fetched, rules)
    if fetched.status == 304:
        return Reading()
    if (listed := listed_in(fetched, rules)) is not None:
        return read_listing(listed, fetched, rules)
    return _html(fetched, rules, is_known) if is_html(fetched) else Reading(verdict=verdict_by_headers(fetched, rules))


def failure_of(fetched: Fetched, settings: Settings) -> Failure | None:
    """Returns what went wrong with a fetch, be it on the way or by the server's own word.

    A 429 is one, whatever else is wrong with it: a body that does not decode must not make us deaf.
    """
    kind = kind_of_status(fetched.status)
    if fetched.failure is not None and (kind is None or not RETRY[kind].slows):
        return fetched.failure
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


def is_html(fetched: Fetched) -> bool:
    """Whether an answer says that it is HTML and may be, or says nothing and looks like it."""
    types = header_values(fetched.headers, "content-type")
    if types:
        return media_of(types[0]) in HTML_TYPES and magic(fetched.body) is None
    return begins_with(fetched.body, b"<")


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
    if is_guess(lease) and "sitemap" not in url.href.lower():
        # To the home page, mostly: a way to say that there is none. Offered as a sitemap, it would be read as one.
        return Reading(reason=Reason.NO_SITEMAP)
    if (refusal := rules.scope.refusal(url, lease.depth)) is not None:
        link = Link(url.href, "location", LinkKind.REDIRECT, False, "")
        return Reading(links=[link], refused={0: refusal}, verdict=Verdict(follow=False, reasons=(refusal,)))
    parent = None if is_guess(lease) else lease.href
    target = discovered(url, lease.depth, lease.priority, parent, errand=lease.errand, chain=chain)
    return Reading(found=[target])


def _has_key_of(lease: Lease, url: Url, rules: Rules) -> bool:
    own = rules.canon.of_parsed(lease.href)
    return isinstance(own, Url) and own.key == url.key


def _html(fetched: Fetched, rules: Rules, is_known: IsKnown) -> Reading:
    settings, lease = rules.settings, fetched.lease
    page = html.read(
        fetched.body,
        lease.href,
        fetched.headers,
        settings.parse,
        settings.identity.robots_token,
        canon=rules.canon,
        is_known=is_known,
        has_text=False,
    )
    return meaning_of(page, fetched, rules)


def meaning_of(page: Page, fetched: Fetched, rules: Rules) -> Reading:
    """Returns what a page means to us, by what it says."""
    settings, lease = rules.settings, fetched.lease
    verdict = verdict_of(page.directives, links_cut=page.links_cut)
    found, refused = _followed(page, lease, rules) if verdict.follow else ((), _all_refused(page))
    return Reading(
        found=found,
        known=page.known if verdict.follow else 0,
        links=page.links,
        refused=refused,
        verdict=verdict,
        title=page.title,
        lang=page.lang,
        encoding=page.encoding,
        sketch=page.sketch,
        said=page.said,
        abroad=page.abroad if verdict.follow else {},
        canonical=_canonical(page, lease, rules),
        malformed=_malformed(fetched, page, settings.parse.max_html),
        hub=hub_of(fetched),
    )


def _canonical(page: Page, lease: Lease, rules: Rules) -> Url | None:
    """Returns what a page says it is a copy of, if that is another one of its host's domain."""
    url = rules.canon.of_parsed(page.canonical) if page.canonical is not None else None
    if not isinstance(url, Url) or url.href == lease.href or _has_key_of(lease, url, rules):
        return None
    domain_of = rules.scope.domains.domain_of
    return url if domain_of(url.host) == domain_of(lease.host) else None


def _malformed(fetched: Fetched, page: Page, longest: int) -> Sequence[str]:
    """Returns what is wrong with a page. Broken tags are nothing to tell: by the standard every input is a page."""
    if not (page.undecodable or fetched.truncated or len(fetched.body) > longest):
        return ()
    faults = {"undecodable": page.undecodable, "cut": fetched.truncated, "too_long": len(fetched.body) > longest}
    return [name for name, is_so in faults.items() if is_so]


def _followed(page: Page, lease: Lease, rules: Rules) -> tuple[Sequence[Discovered], Mapping[int, Reason]]:
    """Returns the links to offer, each URL once, in the order of the page; and why others are not, by their place."""
    depth, parent = lease.depth + 1, lease.href
    worth = priority(UNKNOWN_QUALITY, lease.priority, depth)
    refusal_of, found, refused = rules.scope.refusal_of, dict[bytes, Discovered](), dict(page.refused)
    feeds = places_of(page.links, LinkKind.FEED)
    for href, host, mark, place in page.targets:
        if mark in found:
            continue
        refusal = refusal_of(href, host, depth)
        if refusal is None and place in feeds:
            found[mark] = Discovered(href, host, mark, depth, worth, parent, Errand.FEED)
        elif refusal is None:
            found[mark] = Discovered(href, host, mark, depth, worth, parent)
        else:
            refused[place] = refusal
    return list(found.values()), refused


def _all_refused(page: Page) -> Mapping[int, Reason]:
    """Returns the refusals of a page that asks us to follow none of its links."""
    return {place: Reason.NOFOLLOW for place, link in enumerate(page.links) if link.kind in FOLLOWED}
