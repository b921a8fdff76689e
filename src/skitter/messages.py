"""What travels along the path of a page. Read this first.

    lease ─Lease→ fetch ─Fetched→ parse ─Page→ judge ─Verdict→ store ─Stored→ settle(Outcome)
      ▲                                           │ links
      └──────────── discover(Discovered) ◄────────┘

Every message is frozen. Times are seconds since the epoch, spans are seconds, sizes are bytes.
A page has 50 to 1,000 links, so a `Link` is a tuple: it costs what a tuple costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter._native import HeaderLines

Headers: TypeAlias = Sequence[tuple[str, str]]
"""Name and value of each header line, in the order and the case in which they were sent."""


def header_values(headers: Headers, name: str) -> list[str]:
    """Returns every value of the header called `name` (lower case), in the order sent."""
    if IS_NATIVE and isinstance(headers, HeaderLines):
        return headers.values(name)
    size = len(name)  # compared first: it tells nearly all others apart, and a page is asked for ten headers
    return [value for key, value in headers if len(key) == size and key.lower() == name]


class State(StrEnum):
    """Where a discovered URL is. It is in exactly one of these; the counts add up to the number discovered."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    SCHEDULED = "scheduled"
    FAILED = "failed"
    SKIPPED = "skipped"
    DEAD = "dead"


class Kind(StrEnum):
    """What went wrong with a fetch. `politeness.backoff` has a row for each: how long to wait, how often to try."""

    GONE = "gone"  # 404, 410, 451
    FORBIDDEN = "forbidden"  # 401, 403, 407
    CLIENT_ERROR = "client_error"  # any other 4xx
    TOO_MANY_REQUESTS = "too_many_requests"  # 429
    UNAVAILABLE = "unavailable"  # 503
    SERVER_ERROR = "server_error"  # any other 5xx
    ODD_STATUS = "odd_status"  # outside 100 to 599, or a 1xx that never ends
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"  # connected, but no first byte or no end in time
    TOO_SLOW = "too_slow"  # under the minimum speed
    REFUSED = "refused"
    RESET = "reset"
    STALE = "stale"  # a kept connection ended before a byte of the answer: whether we were heard is not known
    UNREACHABLE = "unreachable"
    DNS_UNKNOWN = "dns_unknown"  # the name does not exist
    DNS_FAILED = "dns_failed"  # nobody could say
    TLS_FAILED = "tls_failed"
    BAD_CERTIFICATE = "bad_certificate"
    BAD_RESPONSE = "bad_response"  # not HTTP, or broken in the middle
    HEADERS_TOO_LARGE = "headers_too_large"
    BAD_ENCODING = "bad_encoding"  # the body does not decode as Content-Encoding says
    BOMB = "bomb"  # decodes to far more than it should
    REDIRECT_LOOP = "redirect_loop"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"  # no usable Location
    ADDRESS_REFUSED = "address_refused"  # private or reserved, see dns.guard
    ROBOTS_UNREADABLE = "robots_unreadable"
    LEASE_EXPIRED = "lease_expired"
    OUR_BUG = "our_bug"  # reading it broke us
    CRASHED_US = "crashed_us"  # the process died in the middle of reading it
    BROWSER_FAILED = "browser_failed"  # the browser died, hung or could not be had


class Reason(StrEnum):
    """Why a URL is skipped, a link not followed, or what there is to say of a page. `skitter why` shows it."""

    BAD_URL = "bad_url"
    NOT_HTTP = "not_http"
    URL_TOO_LONG = "url_too_long"
    OUT_OF_SCOPE = "out_of_scope"
    DENIED_BY_PATTERN = "denied_by_pattern"
    ROBOTS_DISALLOW = "robots_disallow"
    NOFOLLOW = "nofollow"
    NOINDEX = "noindex"
    TOO_DEEP = "too_deep"
    TRAP = "trap"
    NEAR_DUPLICATE = "near_duplicate"  # of a page: another one of its domain says the same
    COPY = "copy"  # of a page: one of another host says the same
    SOFT_404 = "soft_404"  # of a page: it says that there is none, with the status of one that is there
    FLOOD = "flood"  # of a page: its host led to too many URLs that day; its links to there wait for the next
    DUST = "dust"  # it is another form of a URL that is known, by a rule learnt for its host
    PURGED = "purged"  # the disk ran full, and it mattered least
    LINKS_CUT = "links_cut"  # of a page: it has more links than parse.max_links, and those behind were not looked at
    NO_SITEMAP = "no_sitemap"  # of a sitemap that nobody named: there is none
    PLUGIN = "plugin"  # a plug-in says so, or could not say anything; the evidence has its name and its own reason


class Errand(StrEnum):
    """What a lease is for. robots.txt and sitemaps travel the same path as pages."""

    PAGE = "page"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    FEED = "feed"  # read again for what it lists; one is told by reading it
    PROBE = "probe"  # a name that can't be there: how does the host say so?
    SOUNDING = "sounding"  # a name that nobody gave: has this corner of the host an end?
    RENDER = "render"  # a page, to be run in a browser
    PART = "part"  # what a page in a browser asks for: a script, data


PAGE_ERRANDS = frozenset({Errand.PAGE, Errand.RENDER})
"""Errands on pages that somebody named."""
FOR_PAGES = PAGE_ERRANDS | {Errand.SOUNDING}
"""Errands whose answer may be a page."""


class LinkKind(StrEnum):
    """What a link is to its page, so that policy can choose which to follow."""

    NAVIGATION = "navigation"  # a, area
    RELATED = "related"  # link rel=alternate, next, prev
    FEED = "feed"  # link rel=alternate whose type is that of a feed, or rel=feed
    CANONICAL = "canonical"
    FRAME = "frame"  # iframe, frame
    FORM = "form"  # a form that GETs
    REFRESH = "refresh"  # meta refresh
    EMBED = "embed"  # img, script, stylesheet … : not followed unless asked
    LISTED = "listed"  # by a sitemap or feed
    REDIRECT = "redirect"


class Url(Struct, frozen=True, gc=False):
    """A URL in its two forms, and the host whose shard owns it."""

    href: str  # what is fetched
    key: str  # what is compared: two URLs with equal keys are one
    host: str  # the unit of politeness


class Failure(Struct, frozen=True):
    """An expected failure of a fetch."""

    kind: Kind
    detail: str = ""
    retry_after: float | None = None  # the server's own wish, already bounded


class Lease(Struct, frozen=True):
    """The right to fetch one URL until `ends`. Until it is settled, its host is off the ready heap.

    It is a value: any task, process or machine may hold it, and whoever says what came of it settles it, once.
    """

    href: str
    host: str
    errand: Errand
    ends: float
    shard: int = 0  # whose it is
    fingerprint: bytes = b""  # of the URL's record there; a robots.txt has none
    serial: int = 0  # no other lease of that shard ever had it
    depth: int = 0
    priority: float = 0.5
    tries: int = 0  # failed tries so far
    chain: tuple[str, ...] = ()  # the URLs that redirected here, the first one first
    parent: str | None = None
    last_fetched: float | None = None  # these three of the capture before, if there is one
    etag: str | None = None
    last_modified: str | None = None
    delay: float = 0.0  # of the host, for whoever has to ask it more than once
    agreed: float | None = None  # the delay that the operator agreed on with the host, if one was


def is_first_visit(lease: Lease) -> bool:
    """Whether a lease is on a page that counts as one more: a rendering is another look at one that was counted."""
    return lease.errand is Errand.PAGE or (lease.errand is Errand.RENDER and lease.last_fetched is None)


class Fetched(Struct, frozen=True):
    """What one request brought back: an answer, or the failure to get one."""

    lease: Lease
    began: float
    ended: float
    address: str | None = None
    request_head: bytes = b""  # as sent
    response_head: bytes = b""  # as received: status line, headers, blank line
    payload: bytes = b""  # as received: what followed the head, chunks and compression and all
    status: int = 0
    headers: Headers = ()
    body: bytes = b""  # the payload with transfer and content encodings undone
    truncated: str | None = None  # length, time or disconnect, as WARC-Truncated says it
    insecure: bool = False  # the certificate was not in order and the operator said to go on
    failure: Failure | None = None
    asked: bool = True  # False: nobody was, since no address was to be had

    @property
    def took(self) -> float:
        """Seconds from the request to the last byte, or to when it was given up; 0 if no request went out."""
        return max(0.0, self.ended - self.began) if self.address is not None else 0.0


class Link(NamedTuple):
    """One link of a page, resolved but not yet canonical."""

    url: str
    tag: str
    kind: LinkKind
    nofollow: bool
    anchor: str


Target: TypeAlias = tuple[str, str, bytes, int]
"""Where a link leads: the canonical URL to fetch, the host that owns it, the fingerprint of its key; and its place
among the links of the page."""


class Directives(Struct, frozen=True):
    """What a page asks of crawlers, from meta robots and X-Robots-Tag together."""

    noindex: bool = False
    nofollow: bool = False


class Refresh(NamedTuple):
    """A meta refresh: go to `url` after `wait`."""

    wait: float
    url: str


class Said(Struct, frozen=True, gc=False):
    """What the main text of a page says, in a form that can be compared, see parse.shingles."""

    words: int = 0
    simhash: int = 0
    sample: bytes = b""  # the smallest hashes of its shingles, ascending, four bytes each
    brief: str = ""  # the main text itself, if it is short


class Page(Struct, frozen=True):
    """What was read out of a document."""

    url: str
    base: str
    encoding: str
    links: Sequence[Link] = ()
    title: str = ""
    description: str = ""
    lang: str = ""
    canonical: str | None = None
    refresh: Refresh | None = None
    directives: Directives = Directives()
    text: str = ""
    sketch: bytes = b""  # stands for title and main text, see parse.sketch
    said: Said = Said()
    targets: Sequence[Target] = ()  # of the links that may be followed, as far as they are not known
    known: int = 0  # links to follow beside these
    refused: Mapping[int, Reason] = {}  # why links are not followed, by place: so far as the page alone tells
    abroad: Mapping[str, int] = {}  # other hosts that links to follow lead to, known ones too; the place of the first
    links_cut: bool = False  # it had more links than the limit; the first are kept
    undecodable: bool = False  # it has bytes that mean nothing in its encoding


class SitemapEntry(NamedTuple):
    """One URL that a sitemap lists."""

    url: str
    last_modified: float | None = None
    frequency: str = ""  # how often it is said to change, in the words of sitemaps


class Sitemap(Struct, frozen=True):
    """What was read out of a sitemap; `kind` is urlset, index, feed or none."""

    kind: str
    entries: Sequence[SitemapEntry] = ()
    cut: bool = False  # a limit was reached; the first entries are kept
    hub: str = ""  # the WebSub hub that a feed names: who asks there is told of what is new


class Verdict(Struct, frozen=True):
    """What we think of a page: whether to follow its links, and what there is to say against it."""

    follow: bool = True
    reasons: Sequence[Reason] = ()
    evidence: Mapping[Reason, str] = {}  # what speaks for a reason, in a few words: numbers, the other URL
    duplicate_of: str | None = None  # the URL of the page that says the same
    weight: float = 1.0  # what its links are worth, against those of a page that nothing is said against
    keep: bool = True  # in what is made of the archive: the text table, exports
    marks: Sequence[str] = ()  # what plug-ins say of it: `name:reason`


class Stored(Struct, frozen=True):
    """Where a fetch was written. `revisit` means that the body was known and is not stored again."""

    digest: str
    file: str
    offset: int
    length: int
    revisit: bool = False


class Discovered(Struct, frozen=True, array_like=True):
    """A URL offered to its shard."""

    href: str
    host: str
    fingerprint: bytes  # of the dedup key, see url.keys
    depth: int
    priority: float
    parent: str | None = None
    errand: Errand = Errand.PAGE
    last_modified: float | None = None  # from a sitemap
    chain: tuple[str, ...] = ()  # of redirects
    supports: float = 0.0  # how far the domain that links to it is trusted, if it never led to its host before
    was_moved: bool = False  # a mirror of its host was linked to: it stays where it is now
    every: float | None = None  # how often a sitemap says that it changes, in seconds


class Probed(Struct, frozen=True):
    """A probe, or what a page in a browser asked its host for: when that request went out, and what went wrong."""

    began: float
    failure: Failure | None = None
    origin: str = ""  # whose robots.txt it was, if it was one
    crawl_delay: float | None = None  # and what that asks for
    took: float = 0.0  # seconds, see `Fetched`


class Rendering(Struct, frozen=True):
    """What came of a page in a browser: what that added to it, and what it cost."""

    why: str  # it was rendered
    words: int = 0  # more than it had as it was sent; less than none: it lost some
    links: int = 0  # the same of links
    seconds: float = 0.0
    cost: float = 0.0  # CPU seconds of the browser
    asked: int = 0  # requests that it made
    refused: int = 0  # of these
    is_settled: bool = True  # False: the time ran out before it did
    failure: Failure | None = None  # then the page is as it was sent


class Outcome(Struct, frozen=True):
    """What settles a lease: what came of it. The shard decides what follows for the URL and for its host."""

    lease: Lease
    at: float
    began: float | None = None  # when the request went out; None: there was none
    status: int = 0
    failure: Failure | None = None
    reason: Reason | None = None  # why it is skipped
    better: str | None = None  # the same URL in the form that the server prefers
    stored: Stored | None = None
    is_elsewhere: bool = False  # stored by a worker, not on this node's disk
    etag: str | None = None
    last_modified: str | None = None
    sketch: bytes | None = None  # stands for what the page says, see judge.novelty
    said: Said | None = None
    verdict: Verdict = Verdict()
    abroad: Sequence[str] = ()  # other hosts that it links to
    followed: int = 0  # links of it that are followed, known ones included
    canonical: str | None = None  # the page that it says it is a copy of
    cost: float = 0.0  # CPU seconds that reading it took
    links: Sequence[Discovered] = ()  # what it leads to
    vouched: Sequence[str] = ()  # hosts at hand that it speaks for, beside those of links that say so themselves
    listed: str = ""  # what kind of a list it is, see `Sitemap`
    probed: Probed | None = None  # what its host was asked for after it
    parts: Sequence[Probed] = ()  # and what it was asked for by the page, in a browser
    need: str = ""  # why it should be run in a browser, which it was not
    is_empty: bool = False  # until that was done it says nothing, for its host or against it
    rendering: Rendering | None = None  # what came of that, if it was
    fresh_for: float | None = None  # how long its headers say that it holds
    hub: str = ""  # the WebSub hub that it names
    took: float = 0.0  # seconds, see `Fetched`
