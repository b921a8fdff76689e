"""Which reader reads which media type. Pure: the table that plug-ins add to.

A type is looked for as it is, then by its suffix (`application/geo+json` is JSON), then by what it belongs to
(`text/*`). What nothing knows has no text.
"""

from __future__ import annotations

from collections.abc import Mapping

from skitter.content.documents.document import Document, Limits, Reader, Told
from skitter.content.documents.page import read_html
from skitter.content.documents.plain import read_feed, read_json, read_plain

BY_TYPE: Mapping[str, Reader] = {
    "text/html": read_html,
    "application/xhtml+xml": read_html,
    "application/json": read_json,
    "text/json": read_json,
    "application/ld+json": read_json,
    "application/rss+xml": read_feed,
    "application/atom+xml": read_feed,
    "application/rdf+xml": read_feed,
    "text/xml": read_feed,
    "application/xml": read_feed,
    "*/*+json": read_json,
    "text/*": read_plain,
}

UNREAD = frozenset({"text/css", "text/javascript", "text/ecmascript", "application/javascript"})
"""Text that is said to browsers and not to readers."""


def reader_of(media: str, readers: Mapping[str, Reader] = BY_TYPE) -> Reader | None:
    """Returns the reader of a media type, None if there is none."""
    if media in readers or media in UNREAD:
        return readers.get(media)
    suffix = media.rpartition("+")[2] if "+" in media else ""
    return readers.get(f"*/*+{suffix}") or readers.get(f"{media.partition('/')[0]}/*")


def read(document: Document, limits: Limits, readers: Mapping[str, Reader] = BY_TYPE) -> Told:
    """Returns what a document says to the reader of its type; `none` if nothing knows that type."""
    reader = reader_of(document.media, readers)
    return Told("none") if reader is None else reader(document, limits)
