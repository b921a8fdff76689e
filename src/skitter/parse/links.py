"""The links of a page, with what they are to it.

A URL comes once for each kind of link, where it first appears. It is nofollow only if the page nowhere links to it
without: one link that may be followed is enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from skitter.messages import Link, LinkKind
from skitter.parse import attributes, refresh, text
from skitter.parse.attributes import Attributes, value
from skitter.parse.resolve import Resolver
from skitter.parse.tokens import Markup
from skitter.robots.directives import is_nofollow
from skitter.settings import ParseSettings

Target = tuple[LinkKind, bytes]
"""What a link is, and its href as written."""

RELS = {
    "canonical": LinkKind.CANONICAL,
    "stylesheet": LinkKind.EMBED,  # before alternate: an alternate stylesheet is a stylesheet
    "icon": LinkKind.EMBED,
    "apple-touch-icon": LinkKind.EMBED,
    "apple-touch-icon-precomposed": LinkKind.EMBED,
    "mask-icon": LinkKind.EMBED,
    "manifest": LinkKind.EMBED,
    "preload": LinkKind.EMBED,
    "modulepreload": LinkKind.EMBED,
    "next": LinkKind.RELATED,
    "prev": LinkKind.RELATED,
    "previous": LinkKind.RELATED,
    "alternate": LinkKind.RELATED,
}

# Which attributes of an element hold the URL of something shown in the page, and which hold several of them.
EMBEDS = {
    b"img": ((b"src", b"data-src", b"data-original"), (b"srcset", b"data-srcset")),
    b"script": ((b"src",), ()),
    b"audio": ((b"src",), ()),
    b"video": ((b"src", b"poster"), ()),
    b"source": ((b"src", b"data-src"), (b"srcset", b"data-srcset")),
    b"track": ((b"src",), ()),
    b"embed": ((b"src",), ()),
    b"object": ((b"data",), ()),
    b"input": ((b"src",), ()),
}

_NAVIGATION, _EMBED = LinkKind.NAVIGATION, LinkKind.EMBED
_CANDIDATE = re.compile(rb"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = re.compile(rb"(?:[^(,]|\([^)]*+\)?)*+")


class Links:
    """Collects the links of one page: the first `max_links`, and as many embeds, which never crowd out links."""

    def __init__(self, resolve: Resolver, settings: ParseSettings) -> None:
        self._resolve = resolve
        self._max_anchor = settings.max_anchor
        self._found: dict[tuple[LinkKind, str], Link] = {}
        self._room = {True: settings.max_links, False: settings.max_links}  # for embeds, for links
        self._full: set[LinkKind] = set()

    def __iter__(self) -> Iterator[Link]:
        """Yields the links in the order of the page."""
        return iter(self._found.values())

    @property
    def cut(self) -> bool:
        """Whether the page had more links than the limit; embeds are not counted."""
        return _NAVIGATION in self._full

    def read(self, markup: Markup) -> None:
        """Adds the links of a document."""
        found, full, resolve = self._found, self._full, self._resolve.written
        for number, (tag, written, _, _) in enumerate(markup.marks):
            reader = _READERS.get(tag)
            if reader is None:
                continue
            for kind, href in reader(tag, written):
                url = None if kind in full else resolve(href)
                if url is None:
                    continue
                known = found.get((kind, url))
                if known is None:
                    self._keep(kind, url, markup, number)
                elif known.nofollow and not is_nofollow(attributes.rel(written)):
                    found[kind, url] = known._replace(nofollow=False)

    def _keep(self, kind: LinkKind, url: str, markup: Markup, number: int) -> None:
        is_embed = kind is _EMBED
        if not self._room[is_embed]:
            self._full.update(other for other in LinkKind if (other is _EMBED) == is_embed)
            return
        self._room[is_embed] -= 1
        tag, written, _, _ = markup.marks[number]
        rel = attributes.rel(written)
        anchor = text.anchor(markup, number, self._max_anchor)
        self._found[kind, url] = Link(url, _NAMES[tag], kind, rel != "" and is_nofollow(rel), anchor)


def candidates(srcset: bytes) -> Iterator[bytes]:
    """Yields the URLs of a srcset, as the HTML standard parses it."""
    at = 0
    while candidate := _CANDIDATE.match(srcset, at):
        url, at = candidate[1], candidate.end()
        if not url.endswith(b","):
            descriptors = _DESCRIPTORS.match(srcset, at)
            at = descriptors.end() if descriptors else at
        if url := url.rstrip(b","):
            yield url


def _navigation(_: bytes, written: bytes) -> Sequence[Target]:
    href = attributes.href(written)
    return () if href is None else [(_NAVIGATION, href)]


def _frame(_: bytes, written: bytes) -> Sequence[Target]:
    return _targets(LinkKind.FRAME, attributes.read(written), b"src")


def _form(_: bytes, written: bytes) -> Sequence[Target]:
    found = attributes.read(written)
    is_get = value(found, b"method").lower() not in ("post", "dialog")
    return _targets(LinkKind.FORM, found, b"action") if is_get else ()


def _meta(_: bytes, written: bytes) -> Sequence[Target]:
    found = attributes.read(written)
    is_refresh = value(found, b"http-equiv").lower() == "refresh"
    asked = refresh.read(value(found, b"content")) if is_refresh else None
    return ((LinkKind.REFRESH, asked[1].encode("utf-8", "replace")),) if asked else ()


def _link(_: bytes, written: bytes) -> Sequence[Target]:
    found = attributes.read(written)
    rels = value(found, b"rel").lower().split()
    kind = next((kind for rel, kind in RELS.items() if rel in rels), None)
    return () if kind is None else _targets(kind, found, b"href")


def _embed(tag: bytes, written: bytes) -> Sequence[Target]:
    single, several = EMBEDS[tag]
    found = attributes.read(written)
    urls = [url for name in several for url in candidates(found.get(name, b""))]
    return [*_targets(_EMBED, found, *single), *((_EMBED, url) for url in urls)]


def _targets(kind: LinkKind, found: Attributes, *names: bytes) -> Sequence[Target]:
    """Returns a target for each href that is not empty; only `a` and `area` mean the page itself by an empty one."""
    hrefs = [found.get(name, b"") for name in names]
    return [(kind, href) for href in hrefs if href.strip()]


_READERS: dict[bytes, Callable[[bytes, bytes], Sequence[Target]]] = {
    b"a": _navigation,
    b"area": _navigation,
    b"link": _link,
    b"iframe": _frame,
    b"frame": _frame,
    b"form": _form,
    b"meta": _meta,
} | dict.fromkeys(EMBEDS, _embed)
_NAMES = {tag: tag.decode() for tag in _READERS}
