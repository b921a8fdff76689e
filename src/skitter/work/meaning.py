"""What a worker told, as a node's own fetch would have brought it. Pure.

The worker says what a server answered and what the page says; what that means, where links lead and which of them are
followed is found out here, by the node's own rules. So whatever a worker makes up, it makes up of its own page only.
"""

from __future__ import annotations

from typing import NamedTuple

from skitter.messages import Directives, Failure, Fetched, Lease, Page, Said, Sitemap, SitemapEntry, Stored
from skitter.parse.links import abroad, targets_of
from skitter.parse.outlinks import IsKnown
from skitter.plugins.meaning import with_looked
from skitter.plugins.steps import Looked
from skitter.reading.listing import read_listing
from skitter.reading.meaning import Reading, Rules, verdict_by_headers
from skitter.reading.read import failure_of, meaning_of, read
from skitter.url.keys import host_of
from skitter.url.parse import parse
from skitter.work.messages import Failed, Kept, ListFacts, PageFacts, Result, link_of


class Carried(NamedTuple):
    """A lease that was carried elsewhere: what came back, what it means, and where it lies."""

    fetched: Fetched
    reading: Reading
    stored: Stored | None


def carried(lease: Lease, what: Result | Failed, given: float, told: float, rules: Rules, is_known: IsKnown) -> Carried:
    """Returns what a worker's word comes to. It was given the lease and told of it at these times."""
    fetched = _fetched(lease, what, given, told)
    stored = _stored(what.stored) if what.stored is not None else None
    if isinstance(what, Failed):
        return Carried(fetched, Reading(failure=fetched.failure), stored)
    reading = _reading(fetched, what, rules, is_known)
    if (said := what.remark) is not None:
        reading = with_looked(reading, Looked({}, said.follow, said.keep, said.marks, [said.evidence]))
    return Carried(fetched, reading, stored)


def _fetched(lease: Lease, what: Result | Failed, given: float, told: float) -> Fetched:
    """Returns the fetch, by our own clock: what is told was sent after the lease was given, and before it was told."""
    began = max(given, told - what.began_ago)
    ended = max(began, told - what.ended_ago)
    if isinstance(what, Failed):
        failure = Failure(what.kind, what.detail)
        return Fetched(lease, began, ended, address=what.address, failure=failure, asked=what.asked)
    return Fetched(
        lease,
        began,
        ended,
        address=what.address,
        status=what.status,
        headers=what.headers,
        truncated=what.truncated,
        insecure=what.insecure,
    )


def _reading(fetched: Fetched, what: Result, rules: Rules, is_known: IsKnown) -> Reading:
    is_page = 200 <= fetched.status < 300 and failure_of(fetched, rules.settings) is None
    if is_page and what.listing is not None:
        return read_listing(_listing(what.listing), fetched, rules)
    if is_page and what.page is not None:
        return meaning_of(_page(what.page, fetched, rules, is_known), fetched, rules)
    # What is told by its status and its headers alone: errors, redirects, and what is no page.
    return Reading(verdict=verdict_by_headers(fetched, rules)) if is_page else read(fetched, rules)


def _page(facts: PageFacts, fetched: Fetched, rules: Rules, is_known: IsKnown) -> Page:
    few = (link_of(link) for link in facts.links[: 2 * rules.settings.parse.max_links])
    # Nothing that was not parsed goes further: what a worker calls a URL need not be one.
    links = [link._replace(url=url) for link in few if (url := parse(link.url)) is not None]
    led, refused = targets_of(links, rules.canon)
    new = [target for target in led if not is_known(target[2])]
    said = facts.said
    return Page(
        url=fetched.lease.href,
        base=fetched.lease.href,
        encoding=facts.encoding,
        links=links,
        title=facts.title,
        lang=facts.lang,
        canonical=parse(facts.canonical) if facts.canonical is not None else None,
        directives=Directives(facts.noindex, facts.nofollow),
        sketch=facts.sketch,
        said=Said(said.words, said.simhash & (2**64 - 1), said.sample, said.brief),
        targets=new,
        known=len(led) - len(new),
        refused=refused,
        abroad=abroad(led, host_of(fetched.lease.href)),
        links_cut=facts.links_cut,
        undecodable=facts.undecodable,
    )


def _listing(facts: ListFacts) -> Sitemap:
    return Sitemap(facts.kind, [SitemapEntry(*entry) for entry in facts.entries], facts.cut, facts.hub)


def _stored(kept: Kept) -> Stored:
    return Stored(kept.digest, kept.file, kept.offset, kept.length, kept.revisit)
