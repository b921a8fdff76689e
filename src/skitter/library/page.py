"""A page as a library user meets it: one answer, made again from its records in the archive.

It is whole by itself: nothing is read from the folder after it was made. What takes time (undoing compression, reading
markup) is done when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from skitter.errors import MachineError
from skitter.fetch.answer import AnswerReader
from skitter.fetch.decode import decode
from skitter.messages import Headers, Link, LinkKind, header_values
from skitter.parse import charset, html
from skitter.settings import FetchSettings, IdentitySettings, ParseSettings
from skitter.store.index import facts
from skitter.store.warc.dates import MICRO, from_warc_date
from skitter.store.warc.follow import Whole

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
TEXT_TYPES = frozenset({"application/json", "application/xml", "application/javascript", "application/ld+json"})

# What is in the archive was within the limits when it was fetched, whatever they were then.
_NO_LIMITS = FetchSettings(max_head=2**40, max_headers=2**40, max_body=2**40)
_NO_RATIO = 2**40
_AS_SEEN = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, repr=False, eq=False)
class Page:
    """One page of a crawl, with an answer of any status. URLs are text, times are in UTC, spans are seconds."""

    url: str
    status: int
    headers: Headers
    """Name and value of each header line, in the order and the case in which they were sent."""
    fetched_at: datetime
    """When the request began."""
    seconds: float
    """How long it took to its end."""
    depth: int
    """Links from a seed to here."""
    parent: str | None
    """The page on which it was found; None for a seed."""
    redirected_from: Sequence[str]
    """The URLs that redirected here, the first one first."""
    title: str
    lang: str
    reasons: Sequence[str]
    """What there is to say against it, as `noindex` or `near_duplicate` (`skitter.Reason`), or `plugin:NAME:REASON`."""
    fields: Mapping[str, str]
    """What plug-ins found in it, by name."""
    kept: bool
    """Whether no plug-in has it left out of what is made of the archive."""
    failure: str | None
    """What went wrong on the way in spite of the answer, as `bad_encoding`; see `skitter.Kind`."""
    truncated: str | None
    """`length`, `time` or `disconnect` if the body was cut."""
    is_revisit: bool
    """Whether the body was known, so that the archive keeps it with an earlier page only, or (304) has not changed."""
    warc_file: str
    """The name of the WARC file with the answer's record, in DIR/warc (there with `.open` while it is written)."""
    warc_offset: int
    warc_end: int
    """Where the last record about this page ends."""
    rendered: bool
    """Whether it was run in a browser: then `html`, `text`, `title`, `lang` and `links` are of what that made of it."""
    _content: bytes | None
    _codings: Sequence[str]
    _length: int
    _facts: bytes
    _dom: bytes | None

    @property
    def ok(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    def header(self, name: str, default: str = "") -> str:
        """Returns the first value of the header called `name`, in any case."""
        return next(iter(header_values(self.headers, name.lower())), default)

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters; empty if the answer does not say one."""
        return self.header("content-type").partition(";")[0].strip().lower()

    @cached_property
    def body(self) -> bytes:
        """The body with every encoding undone. MachineError if it was known and its file is no longer here."""
        if self._content is None:
            where = f"{self.warc_file} at {self.warc_offset}"
            remedy = "Bring back the WARC file that its WARC-Refers-To-Filename names."
            raise MachineError("The body is in a file that is not here", where, remedy)
        return decode(self._content, self._codings, self._length, _NO_RATIO).body if self._length else b""

    @cached_property
    def html(self) -> str:
        """The body as text, in the encoding that a browser would take; empty if it is not text.

        Of a page that was run in a browser, what that made of it.
        """
        if self._dom is not None:
            return self._dom.decode("utf-8", "replace")
        return charset.decode(self.body, self.header("content-type") or None)[0] if self._is_text else ""

    @cached_property
    def text(self) -> str:
        """The text that a reader would see: HTML without its markup, other text as it is; empty if it is not text."""
        if not self._is_html:
            return self.html
        token = IdentitySettings().robots_token
        if self._dom is not None:
            return html.read(self._dom, self.url, _AS_SEEN, ParseSettings(), token).text
        return html.read(self.body, self.url, self.headers, ParseSettings(), token).text

    @cached_property
    def links(self) -> Sequence[Link]:
        """The links of an HTML page that was read, embedded ones too, in its order."""
        written = facts.decode(self._facts).links
        return [Link(url, tag, LinkKind(kind), nofollow, anchor) for url, tag, kind, nofollow, anchor in written]

    @property
    def _is_html(self) -> bool:
        if self._dom is not None:
            return True
        kind = self.content_type
        return kind in HTML_TYPES if kind else self.body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")

    @property
    def _is_text(self) -> bool:
        kind = self.content_type
        return kind.startswith("text/") or kind.endswith(("+xml", "+json")) or kind in TEXT_TYPES or self._is_html

    def __repr__(self) -> str:
        return f"<Page {self.url} {self.status}>"


def page_of(whole: Whole, file: str, original: bytes | None) -> Page | None:
    """Returns the page that some records tell of, None if it was another errand. ValueError if they can't be read.

    `original` is the payload that a revisit repeats, None if that is not to be had.
    """
    answer, metadata, snapshot = whole
    assert answer is not None
    assert metadata is not None
    # The links are most of the block and come last; who does not ask for them does not wait for them.
    told = facts.decode(facts.without_links(metadata.block))
    if told.errand != "page":
        return None
    is_revisit = answer.kind == "revisit"
    read = _read(answer.block + (original or b"") if is_revisit else answer.block)
    assert read.head is not None, f"{file} at {answer.offset}: an answer without a head was stored"
    head = read.head
    has_content = not is_revisit or original is not None
    return Page(
        url=answer.fields.get("warc-target-uri", ""),
        status=head.status,
        headers=list(head.headers),
        fetched_at=datetime.fromtimestamp(from_warc_date(answer.fields["warc-date"]) / MICRO, UTC),
        seconds=(told.micros or 0) / MICRO,
        depth=told.depth or 0,
        parent=told.parent or None,
        redirected_from=told.chain,
        title=told.title,
        lang=told.lang,
        reasons=told.reasons,
        fields=told.fields,
        kept=told.verdict != facts.DROPPED,
        failure=told.failure or None,
        truncated=answer.fields.get("warc-truncated"),
        is_revisit=is_revisit,
        warc_file=file,
        warc_offset=answer.offset,
        warc_end=whole.end,
        rendered=bool(told.rendered),
        _content=read.content(read.payload()) if has_content else None,
        _codings=head.codings,
        _length=told.content_length or 0,
        _facts=metadata.block,
        _dom=None if snapshot is None else snapshot.block,
    )


def _read(block: bytes) -> AnswerReader:
    read = AnswerReader(_NO_LIMITS)
    read.feed(block)
    return read
