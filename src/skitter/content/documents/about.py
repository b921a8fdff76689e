"""What the markup of a page says about it: metas, JSON-LD, headings, times. Pure, and linear in the page's length.

Only the tags that matter are looked for, by the kernel or by one expression; what is in comments, scripts and templates
is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from skitter.content.documents.document import Heading, clean, one_line
from skitter.content.documents.linked import Node, first_of, nodes_in
from skitter.content.documents.when import when
from skitter.kernel import IS_NATIVE
from skitter.parse import attributes
from skitter.parse.tokens import ATTRIBUTES

if IS_NATIVE:
    from skitter import _native

MAX_METAS, MAX_HEADINGS, MAX_SCRIPTS, MAX_TIMES = 300, 100, 20, 50
MAX_CONTENT, MAX_HEADING = 2000, 300
MAX_MARKS = 5000
"""Tags that are looked at in all."""
_HEADING_BYTES = 8 * MAX_HEADING

PUBLISHED = (
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date",
    "dcterms.date",
    "date",
    "datepublished",
    "pubdate",
    "publishdate",
    "publish-date",
    "parsely-pub-date",
    "sailthru.date",
    "citation_publication_date",
    "citation_date",
)
"""Metas that say when a page was published, the surest first."""
MODIFIED = (
    "article:modified_time",
    "og:updated_time",
    "og:modified_time",
    "dcterms.modified",
    "dc.date.modified",
    "datemodified",
    "lastmod",
    "last-modified",
)
KEPT = frozenset(
    {"author", "keywords", "news_keywords", "generator", "citation_title", "citation_author", "citation_doi"}
)
"""Metas that are kept as facts, beside those that begin with one of `SPACES`."""
SPACES = ("og:", "article:", "twitter:")

_TAG = re.compile(
    rb"<(?:(!--)|(script|style|textarea|xmp|noscript|template)(?=[\t\n\f\r />])|(meta|time|h[1-6])(?=[\t\n\f\r />]))",
    re.IGNORECASE,
)
_ATTRIBUTES = re.compile(rb"(" + ATTRIBUTES + rb")>", re.DOTALL)
_ENDS = {
    name: re.compile(rb"</" + name + rb"[\t\n\f\r />]", re.IGNORECASE)
    for name in (b"script", b"style", b"textarea", b"xmp", b"noscript", b"template")
}
_HEADING_END = re.compile(rb"</h[1-6]|<h[1-6][\t\n\f\r />]", re.IGNORECASE)
_INNER = re.compile(r"<[^<>]*>?")


Mark: TypeAlias = tuple[str, int, int, int]
"""A tag by its name: where its attributes begin and end, and where what is in it ends if that is passed over."""
Marks: TypeAlias = Callable[[bytes, int], Sequence[Mark]]


class About(Struct, frozen=True, dict=True):
    """What was found."""

    metas: Sequence[tuple[str, str]] = ()  # name or property in lower case, and content
    nodes: Sequence[Node] = ()  # of JSON-LD
    headings: Sequence[Heading] = ()
    times: Mapping[str, str] = {}  # of time elements, by their itemprop

    def content(self, name: str) -> str:
        """Returns the content of the first meta of this name."""
        return self._contents.get(name, "")

    @cached_property
    def _contents(self) -> Mapping[str, str]:
        return {name: content for name, content in reversed(self.metas) if content}

    def published(self) -> float | None:
        """Returns when the page says that it was published."""
        return self._first_date("datePublished", PUBLISHED)

    def modified(self) -> float | None:
        """Returns when the page says that it was last changed."""
        return self._first_date("dateModified", MODIFIED)

    def facts(self) -> Mapping[str, object]:
        """Returns what is kept of it in a row."""
        og = {name: content for name, content in reversed(self.metas) if name.startswith(SPACES)}
        named = {name: content for name, content in reversed(self.metas) if name in KEPT}
        return {key: value for key, value in (("og", og), ("jsonld", list(self.nodes)), ("meta", named)) if value}

    def _first_date(self, prop: str, names: Sequence[str]) -> float | None:
        named = (self._contents[name] for name in names if name in self._contents)
        said = (first_of(self.nodes, prop), *named, self.times.get(prop.lower(), ""))
        return next((found for text in said if text and (found := when(text)) is not None), None)


def about(html: bytes, marks: Marks | None = None) -> About:
    """Returns what a document in UTF-8 says about itself. `marks` finds its tags: the kernel, if nobody is named."""
    metas: list[tuple[str, str]] = []
    scripts: list[str] = []
    headings: list[Heading] = []
    times: dict[str, str] = {}
    for name, start, end, until in (marks or found_marks)(html, MAX_MARKS):
        if name == "meta":
            if len(metas) < MAX_METAS and (meta := _meta(html[start:end])) is not None:
                metas.append(meta)
        elif name == "script":
            if len(scripts) < MAX_SCRIPTS:
                scripts.append(html[end + 1 : until].decode("utf-8", "replace"))
        elif name == "time":
            if len(times) < MAX_TIMES:
                _add_time(times, html[start:end])
        elif len(headings) < MAX_HEADINGS and (heading := _heading(html, int(name[1:]), end + 1)) is not None:
            headings.append(heading)
    return About(metas, nodes_in(scripts), headings, times)


def plain_marks(html: bytes, most: int) -> list[Mark]:
    """Returns the tags that matter, at most so many, in their order; of scripts those of JSON-LD."""
    marks: list[Mark] = []
    at = 0
    while len(marks) < most and (tag := _TAG.search(html, at)) is not None:
        comment, raw, other = tag.groups()
        if comment:
            at = html.find(b"-->", tag.end() - 2)
            if at < 0:
                break
            continue
        written = _ATTRIBUTES.match(html, tag.end())
        if written is None:
            break  # a tag that never ends is none, and all of the rest is in it
        at = until = written.end()
        name = (raw or other).lower()
        if raw:
            end = _ENDS[name].search(html, at)
            if end is None:
                break
            at = until = end.start()
        if not raw or (name == b"script" and b"ld+json" in written[1].lower()):
            marks.append((name.decode(), written.start(), written.end() - 1, until))
    return marks


found_marks: Marks = _native.marks if IS_NATIVE else plain_marks


def _meta(written: bytes) -> tuple[str, str] | None:
    found = attributes.read(written)
    name = found.get(b"name") or found.get(b"property") or found.get(b"itemprop")
    content = found.get(b"content")
    if not name or content is None:
        return None
    said = one_line(attributes.unescape_value(content[: 4 * MAX_CONTENT]), MAX_CONTENT)
    return clean(attributes.unescape_value(name[:400]), 100).strip().lower(), said


def _add_time(times: dict[str, str], written: bytes) -> None:
    found = attributes.read(written)
    prop = attributes.value(found, b"itemprop").strip().lower()[:100]
    if not prop and b"pubdate" in found:
        prop = "datepublished"
    if prop and b"datetime" in found:
        times.setdefault(prop, attributes.value(found, b"datetime")[:64])


def _heading(html: bytes, level: int, at: int) -> Heading | None:
    end = _HEADING_END.search(html, at, at + _HEADING_BYTES)
    inner = html[at : end.start() if end else at + _HEADING_BYTES].decode("utf-8", "replace")
    text = one_line(attributes.unescape(_INNER.sub("", inner)), MAX_HEADING)
    return Heading(level, text) if text else None
