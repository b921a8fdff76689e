"""Bytes of any kind in, a Page out. What is broken is read as browsers read it; nothing raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from skitter.messages import Directives, Headers, LinkKind, Page, Refresh, header_values
from skitter.parse import charset, link_header, refresh, text
from skitter.parse.attributes import Attributes, value
from skitter.parse.attributes import read as read_attributes
from skitter.parse.links import Links
from skitter.parse.resolve import HTTP, Resolver
from skitter.parse.tokens import Mark, Markup, scan
from skitter.robots import directives
from skitter.settings import ParseSettings
from skitter.url.parse import parse

MAX_TITLE = 1000
MAX_DESCRIPTION = 4000

# Markup for those who run no scripts and show no frames, as we do.
INSTEAD = (b"noscript", b"noframes")
# What says something about the whole page.
ABOUT = frozenset({b"html", b"base", b"meta", b"title", *INSTEAD})


def read(body: bytes, url: str, headers: Headers, settings: ParseSettings, token: str) -> Page:
    """Returns what a document says. `url` is where it was found, `token` the name that robots directives know us by."""
    html, encoding = charset.to_utf8(body, next(iter(header_values(headers, "content-type")), None))
    markup = scan(html)
    about = [mark for mark in markup.marks if mark[0] in ABOUT]
    metas = list(_all(about, b"meta"))
    resolve = Resolver(_base(about, url), encoding)
    links = _links(markup, about, resolve, settings)
    return Page(
        url=url,
        base=resolve.base,
        encoding=encoding,
        links=tuple(links),
        title=text.short(next((mark[2] for mark in about if mark[0] == b"title"), None), MAX_TITLE),
        description=" ".join(next(_contents(metas, b"name", "description"), "").split())[:MAX_DESCRIPTION],
        lang=_lang(about, metas, headers),
        canonical=_canonical(links, headers, url),
        refresh=_refresh(metas, headers, resolve),
        directives=_directives(metas, headers, token),
        text=text.visible(markup.text, settings.max_text),
        links_cut=links.cut,
    )


def _all(marks: Sequence[Mark], tag: bytes) -> Iterator[Attributes]:
    """Yields the attributes of every tag of this name."""
    return (read_attributes(mark[1]) for mark in marks if mark[0] == tag)


def _base(about: Sequence[Mark], url: str) -> str:
    """Returns the base URL: the first base with an href counts, and is resolved against the document's own URL."""
    first = next((base for base in _all(about, b"base") if b"href" in base), None)
    base = parse(value(first, b"href"), url) if first else None
    return base if base is not None and base.startswith(HTTP) else url


def _links(markup: Markup, about: Sequence[Mark], resolve: Resolver, settings: ParseSettings) -> Links:
    """Returns the links; those in markup for others than browsers come last, since it is read by itself.

    Its metas are left out: most often they are a refresh to a page that says that the site needs JavaScript.
    """
    links = Links(resolve, settings)
    links.read(markup)
    instead = b"\n".join([mark[2] or b"" for mark in about if mark[0] in INSTEAD])
    if instead:
        more = scan(instead)
        links.read(Markup(more.text, [mark for mark in more.marks if mark[0] != b"meta"]))
    return links


def _lang(about: Sequence[Mark], metas: Sequence[Attributes], headers: Headers) -> str:
    """Returns the language of the root element, else the one that the pragma or the header gives if it gives one."""
    root = next(_all(about, b"html"), {})
    defaults = chain(_contents(metas, b"http-equiv", "content-language"), header_values(headers, "content-language"))
    single = (language for language in defaults if "," not in language)
    return (value(root, b"lang") or value(root, b"xml:lang") or next(single, "")).strip()


def _canonical(links: Links, headers: Headers, url: str) -> str | None:
    """Returns the canonical URL: the first link element that gives one, which is nearer to the page than a header."""
    written = link_header.targets(header_values(headers, "link"), "canonical")
    sent = filter(None, map(Resolver(url, "utf-8"), written))
    return next(chain((link.url for link in links if link.kind is LinkKind.CANONICAL), sent), None)


def _refresh(metas: Sequence[Attributes], headers: Headers, resolve: Resolver) -> Refresh | None:
    """Returns the first refresh that leads to a page we can fetch; the header is there before the markup."""
    for content in chain(header_values(headers, "refresh"), _contents(metas, b"http-equiv", "refresh")):
        asked = refresh.read(content)
        url = asked and resolve(asked[1])
        if asked and url:
            return Refresh(asked[0], url)
    return None


def _directives(metas: Sequence[Attributes], headers: Headers, token: str) -> Directives:
    named = [(value(meta, b"name"), value(meta, b"content")) for meta in metas]
    sent = directives.from_headers(header_values(headers, "x-robots-tag"), token)
    return directives.merge(directives.from_meta(named, token), sent)


def _contents(metas: Sequence[Attributes], key: bytes, wanted: str) -> Iterator[str]:
    """Yields the content of each meta whose attribute `key` is `wanted`."""
    return (value(meta, b"content") for meta in metas if value(meta, key).strip().lower() == wanted)
