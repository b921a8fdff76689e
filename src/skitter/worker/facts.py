"""What a worker tells of what it fetched, and what it stores of it. Pure: bytes in, facts out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from skitter.judge.verdict import verdict_of
from skitter.messages import FOR_PAGES, Fetched, Headers, Page, Reason, Sitemap, Stored, Verdict
from skitter.parse import html
from skitter.ports import Capture, Earlier
from skitter.reading.keeping import kept
from skitter.reading.listing import listed_in
from skitter.reading.meaning import Rules, verdict_by_headers
from skitter.reading.read import failure_of, is_html
from skitter.work.messages import Failed, Kept, ListFacts, PageFacts, RemarkFacts, Result, SaidFacts

NEEDED = frozenset(
    (
        *("content-type", "location", "retry-after", "etag", "last-modified", "cache-control", "expires", "date"),
        *("link", "x-robots-tag", "refresh", "content-language"),
    )
)
"""Headers that a node decides by. The others are in the record."""
LONGEST_TEXT = 8192


class Read(NamedTuple):
    """What was read out of an answer."""

    page: Page | None = None
    listing: Sitemap | None = None
    verdict: Verdict | None = None  # what plug-ins think of it
    fields: Mapping[str, str] = {}  # what they found in it


def read_facts(fetched: Fetched, rules: Rules) -> Read:
    """Returns what an answer says: a page, a list, or neither."""
    settings = rules.settings
    if failure_of(fetched, settings) is not None or not 200 <= fetched.status < 300:
        return Read()
    if (listing := listed_in(fetched, rules)) is not None and listing.kind != "none":
        return Read(listing=listing)
    if not is_html(fetched):
        return Read()
    token = settings.identity.robots_token
    page = html.read(fetched.body, fetched.lease.href, fetched.headers, settings.parse, token, has_text=False)
    return Read(page=page)


def capture_of(fetched: Fetched, read: Read, rules: Rules) -> Capture:
    """Returns what is stored. What a node thinks of the page, and which links it follows, is not known here."""
    before = fetched.lease.last_fetched
    earlier = Earlier(fetched.lease.href, before) if fetched.status == 304 and before is not None else None
    page, cut = read.page, kept(fetched, rules.settings.content.types)
    received = None if cut is fetched else len(fetched.payload)
    if page is None:
        verdict = verdict_by_headers(fetched, rules) if fetched.status else Verdict()
        return Capture(cut, verdict=read.verdict or verdict, earlier=earlier, fields=read.fields, received=received)
    return Capture(
        cut,
        verdict=read.verdict or verdict_of(page.directives, links_cut=page.links_cut),
        links=page.links,
        title=page.title,
        lang=page.lang,
        encoding=page.encoding,
        simhash=page.said.simhash if page.said.words and fetched.lease.errand in FOR_PAGES else None,
        earlier=earlier,
        received=received,
        fields=read.fields,
    )


def told_of(fetched: Fetched, read: Read, stored: Stored | None, now: float) -> Result | Failed:
    """Returns what a node is told at the time `now`."""
    kept = None if stored is None else Kept(stored.digest, stored.file, stored.offset, stored.length, stored.revisit)
    began, ended = max(0.0, now - fetched.began), max(0.0, now - fetched.ended)
    if fetched.failure is not None or not 100 <= fetched.status <= 599:
        failure = fetched.failure
        assert failure is not None, "an answer has a status, or there is a failure"
        return Failed(failure.kind, failure.detail[:1000], fetched.asked, began, ended, fetched.address, kept)
    return Result(
        fetched.status,
        began,
        ended,
        _headers(fetched.headers),
        fetched.address,
        len(fetched.response_head) + len(fetched.payload),
        len(fetched.body),
        fetched.truncated,  # type: ignore[arg-type]
        fetched.insecure,
        None if read.page is None else _page(read.page),
        None if read.listing is None else _listing(read.listing),
        kept,
        _remark(read.verdict),
    )


def _remark(verdict: Verdict | None) -> RemarkFacts | None:
    if verdict is None or not verdict.marks:
        return None
    told = verdict.evidence.get(Reason.PLUGIN, "")[:LONGEST_TEXT]
    return RemarkFacts(list(verdict.marks)[:100], told, verdict.follow, verdict.keep)


def _headers(headers: Headers) -> list[tuple[str, str]]:
    named = [(name.lower(), value) for name, value in headers if name.lower() in NEEDED]
    return [(name, value) for name, value in named if len(value) <= LONGEST_TEXT][:500]


def _page(page: Page) -> PageFacts:
    said = page.said
    return PageFacts(
        [
            (link.url, link.tag[:40], link.kind, link.nofollow, link.anchor[:LONGEST_TEXT])
            for link in page.links
            if len(link.url) <= LONGEST_TEXT
        ],
        page.title[:LONGEST_TEXT],
        page.lang[:200],
        page.encoding[:100],
        page.canonical if page.canonical is not None and len(page.canonical) <= LONGEST_TEXT else None,
        page.directives.noindex,
        page.directives.nofollow,
        page.sketch,
        SaidFacts(said.words, said.simhash, said.sample, said.brief[:LONGEST_TEXT]),
        page.links_cut,
        page.undecodable,
    )


def _listing(listing: Sitemap) -> ListFacts:
    entries = [
        (one.url, one.last_modified, one.frequency[:40]) for one in listing.entries if len(one.url) <= LONGEST_TEXT
    ]
    return ListFacts(listing.kind, entries, listing.cut, listing.hub[:LONGEST_TEXT])  # type: ignore[arg-type]
