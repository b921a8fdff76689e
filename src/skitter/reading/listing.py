"""Sitemaps and feeds: which to ask for, how they are told, and what they list. Pure."""

from __future__ import annotations

from skitter.messages import (
    Discovered,
    Errand,
    Fetched,
    Lease,
    Link,
    LinkKind,
    Reason,
    Sitemap,
    Url,
    Verdict,
    header_values,
)
from skitter.parse import sitemap
from skitter.parse.link_header import targets
from skitter.reading.meaning import (
    UNKNOWN_QUALITY,
    Reading,
    Rules,
    begins_with,
    discovered,
    media_of,
    verdict_by_headers,
)
from skitter.robots.answer import Access, Policy
from skitter.schedule.claims import by_sitemap
from skitter.schedule.priority import SEED_PRIORITY, priority
from skitter.url.keys import origin_of
from skitter.url.parse import parse

FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")
JSON_FEED = "application/feed+json"
XML_TYPES = ("application/xml", "text/xml", *FEED_TYPES)
"""What comes as one of these may be a sitemap or a feed: its first element tells."""
USUAL_SITEMAP = "/sitemap.xml"
LISTS = (Errand.SITEMAP, Errand.FEED)


def sitemaps_of(policy: Policy, lease: Lease, rules: Rules) -> list[Discovered]:
    """Returns the sitemaps that a robots.txt names, as far as they are in scope; if it names none, our guess."""
    if not policy.rules.sitemaps:
        return _guessed(policy, lease, rules)
    found = []
    for text in policy.rules.sitemaps:
        url = rules.canon(text, lease.href)
        if isinstance(url, Url) and rules.scope.refusal(url) is None:
            found.append(discovered(url, 0, SEED_PRIORITY, lease.href, errand=Errand.SITEMAP))
    return found


def _guessed(policy: Policy, lease: Lease, rules: Rules) -> list[Discovered]:
    """Returns the sitemap that most sites have, as far as we may ask for it and it could lead anywhere."""
    is_answered = policy.access in (Access.RULES, Access.ALLOW_ALL)
    if not (rules.settings.robots.guess_sitemap and is_answered and rules.settings.scope.max_depth):
        return []
    url = rules.canon(origin_of(lease.href) + USUAL_SITEMAP)
    if not isinstance(url, Url) or not policy.allows(url.href) or rules.scope.refusal(url) is not None:
        return []
    # No more urgent than a link of a seed: what somebody asked for comes first.
    worth = priority(UNKNOWN_QUALITY, SEED_PRIORITY, 1)
    return [discovered(url, 0, worth, None, errand=Errand.SITEMAP)]


def is_guess(lease: Lease) -> bool:
    """Whether a lease is on a sitemap that nobody named, nor any redirect but of such a one."""
    return lease.errand is Errand.SITEMAP and lease.parent is None


def listed_in(fetched: Fetched, rules: Rules) -> Sitemap | None:
    """Returns what an answer lists, if it is a sitemap or feed; None if it is to be read as anything else."""
    types = header_values(fetched.headers, "content-type")
    is_asked_for = fetched.lease.errand in LISTS
    if not is_asked_for and not _may_list(fetched.body, media_of(types[0]) if types else ""):
        return None
    listed = sitemap.read(fetched.body, fetched.lease.href, types[0] if types else None, rules.settings.parse)
    # Whoever links to a feed need not be right: what is none is a page like any other. A sitemap is for nothing else.
    return listed if listed.kind != "none" or fetched.lease.errand is Errand.SITEMAP else None


def _may_list(body: bytes, media: str) -> bool:
    if media == JSON_FEED:
        return begins_with(body, b"{")
    return begins_with(body, b"<") if media in XML_TYPES else not media and begins_with(body, b"<?xml")


def read_listing(listed: Sitemap, fetched: Fetched, rules: Rules) -> Reading:
    """Returns what a sitemap or feed means: what it lists, and why some of that is not followed."""
    lease, verdict = fetched.lease, verdict_by_headers(fetched, rules)
    is_index = listed.kind == "index"
    depth = lease.depth if is_index else lease.depth + 1
    worth = SEED_PRIORITY if is_index else priority(UNKNOWN_QUALITY, SEED_PRIORITY, 1)
    errand = Errand.SITEMAP if is_index else Errand.PAGE
    found, links, refused = list[Discovered](), list[Link](), dict[int, Reason]()
    for entry in listed.entries:
        url = rules.canon(entry.url)
        refusal = url if isinstance(url, Reason) else _refusal(url, depth, verdict, rules)
        if refusal is None and isinstance(url, Url):
            every = by_sitemap(entry.frequency) if entry.frequency else None
            date = entry.last_modified
            found.append(discovered(url, depth, worth, lease.href, errand=errand, last_modified=date, every=every))
        elif refusal is not None:  # what is followed is in the frontier: only of the others would nothing be left
            refused[len(links)] = refusal
            links.append(Link(entry.url, "loc", LinkKind.LISTED, False, ""))
    hub = listed.hub or hub_of(fetched)
    return Reading(found=found, links=links, refused=refused, verdict=verdict, listed=listed.kind, hub=hub)


def hub_of(fetched: Fetched) -> str:
    """Returns the WebSub hub that a Link header names."""
    sent = header_values(fetched.headers, "link")
    named = (parse(target, fetched.lease.href) for target in targets(sent, "hub")) if sent else ()
    return next((url for url in named if url is not None and url.startswith(("http://", "https://"))), "")


def _refusal(url: Url, depth: int, verdict: Verdict, rules: Rules) -> Reason | None:
    return rules.scope.refusal(url, depth) if verdict.follow else Reason.NOFOLLOW
