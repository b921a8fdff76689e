"""Sitemaps: the URLs that a site lists of itself, as XML, as an index of more sitemaps, as a feed or as plain text.

What the sitemap protocol says is read as it says; what is found on the web is read as it was meant: wrong or missing
namespaces, missing or unclosed tags, a break in the middle. What can't be read is left out; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skitter.messages import Sitemap
from skitter.parse.entries import EntryReader, Shape
from skitter.parse.json_feed import read_json
from skitter.parse.listing import Listing
from skitter.parse.markup import End, Leaf, Start, Text, attributes_of, tokens
from skitter.parse.unpack import unpack
from skitter.settings import ParseSettings

# A plain-text sitemap is a list of URLs, one a line, so nothing marks it as one but that its lines are URLs.
_LINE = re.compile(r"[^\r\n]+")
_URL_LINE = re.compile(r"\s*+https?://\S++\s*+", re.IGNORECASE)
_JUDGED_LINES = 100

# An entry has 6 to 10 tags, with images a few dozen. 50 MB of nothing but tags would cost a minute.
_TOKENS_PER_URL = 50
_MIN_TOKENS = 100_000

_SITEMAP_ENTRIES = frozenset({"url", "sitemap"})
# Nothing is made of the last one. It is named so that one that is never closed does not swallow what follows.
_SITEMAP_FIELDS = {"loc": "url", "lastmod": "modified", "changefreq": "frequency", "priority": "priority"}
_FEED_FIELDS = {
    "link": "url",
    "guid": "guid",
    **dict.fromkeys(("updated", "modified", "dcterms:modified"), "modified"),
    **dict.fromkeys(("pubdate", "published", "issued", "dc:date"), "published"),
}
_URLSET = Shape("urlset", _SITEMAP_ENTRIES, _SITEMAP_FIELDS, loose=True)
_INDEX = Shape("index", _SITEMAP_ENTRIES, _SITEMAP_FIELDS, loose=True)
_FEED = Shape("feed", frozenset({"item", "entry"}), _FEED_FIELDS, loose=False)

# By the first element of the document: its name without prefix, in lower case.
_SHAPES = {
    "urlset": _URLSET,
    "url": _URLSET,
    "sitemapindex": _INDEX,
    "sitemap": _INDEX,
    **dict.fromkeys(("rss", "rdf", "channel", "feed"), _FEED),
}
# A prefix that is bound to one of these is as good as none. Extensions are `…/sitemap-image/…` and the like.
_OWN_NAMESPACES = ("/schemas/sitemap/", "purl.org/rss/", "w3.org/2005/atom", "purl.org/atom/")


def read(body: bytes, url: str, content_type: str | None, settings: ParseSettings) -> Sitemap:
    """Returns what the sitemap at `url` lists, in its order; kind `none` if it is no sitemap. Takes any bytes."""
    text, cut = unpack(body, content_type, settings.max_sitemap_bytes)
    listing = Listing(url, settings.max_sitemap_urls)
    if text.startswith("<"):
        kind = _read_markup(text, listing)
    else:
        kind = read_json(text, listing) if text.startswith("{") else _read_lines(text, listing)
    return Sitemap(kind=kind, entries=tuple(listing.entries), cut=cut or listing.is_over, hub=listing.hub)


def _read_lines(text: str, listing: Listing) -> str:
    first = list(islice(_lines(text), _JUDGED_LINES))
    urls = sum(_URL_LINE.fullmatch(line) is not None for line in first)
    if not urls or 2 * urls < len(first):
        return "none"
    for line in _lines(text):
        if listing.is_over:
            break
        if len(line.split(maxsplit=1)) == 1:
            listing.add(line)
    return "urlset"


def _lines(text: str) -> Iterator[str]:
    return (match[0] for match in _LINE.finditer(text) if not match[0].isspace())


def _read_markup(text: str, listing: Listing) -> str:
    stream = tokens(text)
    root = next((token for token in stream if not isinstance(token, Text)), None)
    shape = _SHAPES.get(root.name.rpartition(":")[2].lower()) if isinstance(root, Start | Leaf) else None
    if root is None or shape is None:
        return "none"
    reader = EntryReader(shape, _own_prefixes(root), listing)
    most = max(_MIN_TOKENS, _TOKENS_PER_URL * listing.limit)
    reader.take(root)
    for count, token in enumerate(stream):
        if listing.is_over or count > most:
            listing.is_over = True
            break
        reader.take(token)
    reader.finish()
    return shape.kind


def _own_prefixes(root: Start | Leaf | End) -> frozenset[str]:
    """Returns the prefixes under which the document's own elements may come: none, the root's, and its synonyms."""
    declared = attributes_of(root) if isinstance(root, Start) else {}
    synonyms = {
        name.removeprefix("xmlns:")
        for name, space in declared.items()
        if name.startswith("xmlns:") and any(mark in space.lower() for mark in _OWN_NAMESPACES)
    }
    return frozenset({"", root.name.rpartition(":")[0].lower(), *synonyms})
