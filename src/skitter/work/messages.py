"""What a worker elsewhere and a node say to each other, whoever carries it between them. Pure.

Nobody's clock is known to the other: times are spans, counted back from when a message is sent, or forward from when
the one was sent that is answered. `docs/decisions/0029-workers-elsewhere.md` says why that is enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from skitter.messages import Kind, Link, LinkKind
from skitter.ports import Rendered

AT_ONCE = 500
"""Leases that one question may bring."""
MOST_LINKS = 100_000
LONGEST = 3600.0
_TEXT = 8192

Name: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{0,64}$")]
Text: TypeAlias = Annotated[str, Meta(max_length=_TEXT)]
Span: TypeAlias = Annotated[float, Meta(ge=0, le=LONGEST)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**48)]


class Wanted(Struct, frozen=True, forbid_unknown_fields=True, tag="wanted"):
    """Leases, please: at most so many, at most one of each host. None: wait for some, for so long."""

    count: Annotated[int, Meta(ge=1, le=AT_ONCE)] = 1
    region: Name = ""
    wait: Annotated[float, Meta(ge=0, le=30)] = 0.0
    errand: Literal["page", "render"] = "page"  # what for: to fetch, or to run in a browser


class Given(Struct, frozen=True):
    """The right to fetch one URL, for so many seconds from when it was asked for."""

    id: str
    url: str
    host: str
    errand: str
    seconds: float
    depth: int = 0
    priority: float = 0.5
    tries: int = 0
    chain: Sequence[str] = ()
    parent: str | None = None
    last_fetched: float | None = None
    etag: str | None = None
    last_modified: str | None = None
    agreed: float | None = None


class Leases(Struct, frozen=True, tag="leases"):
    """Leases, if there are any; and the node's time, which records are dated by."""

    leases: Sequence[Given]
    now: float


class Beat(Struct, frozen=True, forbid_unknown_fields=True, tag="beat"):
    """These are still being worked on."""

    leases: Annotated[Sequence[Annotated[str, Meta(max_length=100)]], Meta(max_length=10_000)]


class Beaten(Struct, frozen=True, tag="beaten"):
    """For how long each may still be worked on, from when that was asked; those that have ended are not in it."""

    leases: Mapping[str, float]


class Kept(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the worker has written what it fetched."""

    digest: Annotated[str, Meta(max_length=200)]
    file: Annotated[str, Meta(max_length=200, pattern=r"^[A-Za-z0-9_.-]+$")]
    offset: Count
    length: Count
    revisit: bool = False


class SaidFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What the main text of a page says, see `messages.Said`."""

    words: Annotated[int, Meta(ge=0, le=2**31)] = 0
    simhash: Annotated[int, Meta(ge=0)] = 0
    sample: Annotated[bytes, Meta(max_length=4096)] = b""
    brief: Text = ""


LinkFacts: TypeAlias = tuple[Text, Annotated[str, Meta(max_length=40)], LinkKind, bool, Text]
"""As `messages.Link`: URL, tag, kind, nofollow, anchor."""


class PageFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What an HTML page says, see `messages.Page`. Where its links lead, and whether, is for the node to say."""

    links: Annotated[Sequence[LinkFacts], Meta(max_length=MOST_LINKS)] = ()
    title: Text = ""
    lang: Annotated[str, Meta(max_length=200)] = ""
    encoding: Annotated[str, Meta(max_length=100)] = ""
    canonical: Text | None = None
    noindex: bool = False
    nofollow: bool = False
    sketch: Annotated[bytes, Meta(max_length=4096)] = b""
    said: SaidFacts = SaidFacts()
    links_cut: bool = False
    undecodable: bool = False


EntryFacts: TypeAlias = tuple[Text, float | None, Annotated[str, Meta(max_length=40)]]
"""As `messages.SitemapEntry`."""


class ListFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What a sitemap or feed lists, see `messages.Sitemap`."""

    kind: Literal["urlset", "index", "feed"]
    entries: Annotated[Sequence[EntryFacts], Meta(max_length=MOST_LINKS)] = ()
    cut: bool = False
    hub: Text = ""


class RemarkFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What plug-ins say of a page: `name:reason` each, the same in words, whether to follow and to keep it."""

    marks: Annotated[
        Sequence[Annotated[str, Meta(pattern="^[A-Za-z0-9_.-]{1,200}:[a-z0-9_.-]{1,40}$")]], Meta(max_length=100)
    ]
    evidence: Text = ""
    follow: bool = True
    keep: bool = True


HeaderFacts: TypeAlias = tuple[Annotated[str, Meta(max_length=200)], Text]


class Result(Struct, frozen=True, forbid_unknown_fields=True):
    """What a server answered, and what it says. How long ago the request was sent, and its answer had ended."""

    status: Annotated[int, Meta(ge=100, le=599)]
    began_ago: Span
    ended_ago: Span
    headers: Annotated[Sequence[HeaderFacts], Meta(max_length=500)] = ()
    address: Annotated[str, Meta(max_length=64)] | None = None
    received: Count = 0  # bytes, as they came over the wire
    length: Count = 0  # of the body, decoded
    truncated: Literal["length", "time", "disconnect"] | None = None
    insecure: bool = False
    page: PageFacts | None = None
    listing: ListFacts | None = None
    stored: Kept | None = None
    remark: RemarkFacts | None = None


class Failed(Struct, frozen=True, forbid_unknown_fields=True):
    """That no answer was had, and why. Not `asked`: no request went out."""

    kind: Kind
    detail: Annotated[str, Meta(max_length=1000)] = ""
    asked: bool = True
    began_ago: Span = 0.0
    ended_ago: Span = 0.0
    address: Annotated[str, Meta(max_length=64)] | None = None
    stored: Kept | None = None


class Told(Struct, frozen=True, tag="told"):
    """What came of a lease."""

    id: str
    result: Result | None = None
    failed: Failed | None = None  # neither: it was given up, and no request is under way

    @property
    def what(self) -> Result | Failed | None:
        """Whichever it is."""
        return self.result if self.result is not None else self.failed


class Accepted(Struct, frozen=True, tag="accepted"):
    """It is settled, and safe. How many of its links nobody knew; whether its URL will be tried again."""

    new: int = 0
    known: int = 0
    will_retry: bool = False


class Offered(Struct, frozen=True, forbid_unknown_fields=True, tag="offered"):
    """URLs to check, and to add if nobody knew them."""

    urls: Annotated[Sequence[Text], Meta(min_length=1, max_length=10_000)]
    depth: Annotated[int, Meta(ge=0, le=1000)] = 0
    priority: Annotated[float, Meta(ge=0, le=1)] = 0.5


class Checked(Struct, frozen=True, tag="checked"):
    """What each URL is: new, known, sent (on to the node that has it), or why it is none to crawl."""

    urls: Sequence[str]


class AskPartFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page in a worker's browser asks for."""

    url: Text
    method: Annotated[str, Meta(max_length=40)] = "GET"
    kind: Annotated[str, Meta(max_length=40)] = "document"
    headers: Annotated[Sequence[tuple[str, str]], Meta(max_length=500)] = ()
    body: bytes = b""


class AskPart(AskPartFacts, frozen=True, tag="ask_part"):
    """The same, and for which lease."""

    id: str = ""


class Part(Struct, frozen=True, tag="part"):
    """What it is given, or why nothing."""

    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    refusal: str = ""


class ShownFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page came to in a worker's browser."""

    dom: bytes
    url: Text
    is_settled: bool = True
    seconds: Span = 0.0
    cost: Span = 0.0
    asked: Count = 0
    refused: Count = 0


class Shown(Struct, frozen=True, tag="shown"):
    """The same, and of which lease."""

    id: str
    what: ShownFacts

    def rendered(self) -> Rendered:
        """Returns it as a browser of the node's own would."""
        what = self.what
        return Rendered(what.dom, what.url, what.is_settled, what.seconds, what.cost, what.asked, what.refused)


class Ended(Struct, frozen=True, tag="ended"):
    """There is no such lease: it has ended, or is another's, or never was."""


Question: TypeAlias = Wanted | Beat | Told | Offered | AskPart | Shown
Answer: TypeAlias = Leases | Beaten | Accepted | Checked | Ended | Part


class Asked(Struct, frozen=True):
    """A question, and who asks: by the name of the token, which no worker chooses for itself."""

    worker: str
    question: Question


def link_of(facts: LinkFacts) -> Link:
    """Returns a link as nodes have it."""
    return Link(*facts)
