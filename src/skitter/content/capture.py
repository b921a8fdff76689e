"""One capture as the tables need it, and its rows. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

from skitter.content.documents.document import Document, Limits, Reader, Told
from skitter.content.documents.readers import read
from skitter.content.optout import OptOut
from skitter.content.pictures.exif import exif
from skitter.content.pictures.size import picture
from skitter.messages import Headers, header_values
from skitter.parse.language import language_in
from skitter.parse.sniffing import essence, media_of

MAX_FACTS = 16 * 1024
MICRO = 1_000_000
MAX_DECLARED = 100

Row = tuple[Any, ...]


class Seen(Struct, frozen=True, dict=True):
    """A capture with its body, and where it is in the archive."""

    url: str
    host: str
    micros: int
    status: int
    headers: Headers
    body: bytes
    file: str
    offset: int
    length: int
    digest: str = ""
    size: int | None = None  # of the body when it was fetched, if that is known
    parent: str = ""
    fields: Mapping[str, str] = {}  # what plug-ins found in it when it was fetched
    is_revisit: bool = False
    is_known: bool = False  # a revisit of the same URL: what it says is in the table already
    is_rendered: bool = False
    is_dropped: bool = False  # a plug-in has it left out

    @cached_property
    def declared(self) -> str:
        """The media type that the server said."""
        return essence(_first(self.headers, "content-type"))[:MAX_DECLARED]

    @cached_property
    def media(self) -> str:
        """The media type that it is."""
        nosniff = "nosniff" in _first(self.headers, "x-content-type-options").lower()
        return media_of(self.body, _first(self.headers, "content-type") or None, nosniff=nosniff)

    @property
    def is_cut(self) -> bool:
        """Whether some of the body is not in the archive."""
        return self.size is not None and self.size > len(self.body)


def told_by(seen: Seen, limits: Limits, readers: Mapping[str, Reader]) -> Told:
    """Returns what a capture says."""
    return read(Document(seen.url, seen.body, seen.media, seen.headers, seen.is_cut), limits, readers)


def text_row(seen: Seen, told: Told, reserved: OptOut) -> Row:
    """Returns the row of the table `text`, in the order of its schema."""
    language = language_in(told.text, told.declared_lang)
    fields = {**seen.fields, **told.fields}
    return (
        seen.url,
        seen.host,
        seen.micros,
        seen.digest or None,
        seen.status,
        seen.declared or None,
        seen.media,
        told.how,
        seen.is_rendered,
        seen.is_revisit,
        told.title or None,
        told.description or None,
        language.tag,
        language.share,
        None if seen.is_known else told.text or None,
        len(told.text.split()),
        [{"level": level, "text": text} for level, text in told.headings],
        _micros(told.published),
        _micros(told.modified),
        as_json(told.facts),
        msgspec.json.encode(fields).decode() if fields else None,
        reserved.noindex,
        reserved.noarchive,
        reserved.nosnippet,
        reserved.noai,
        reserved.noimageai,
        reserved.tdm_reservation,
        reserved.tdm_policy or None,
        reserved.content_signal or None,
        reserved.content_usage or None,
        [str(use) for use in reserved.reserved],
        seen.file,
        seen.offset,
        seen.length,
    )


def image_row(seen: Seen, reserved: OptOut) -> Row:
    """Returns the row of the table `images`, in the order of its schema."""
    found = picture(seen.body, seen.media)
    tags = exif(found.exif) if found.exif else {}
    return (
        seen.url,
        seen.host,
        seen.micros,
        seen.digest or None,
        seen.declared or None,
        seen.media,
        len(seen.body) if seen.size is None else seen.size,
        not seen.is_cut,
        found.width,
        found.height,
        as_json(tags),
        seen.parent or None,
        reserved.noindex,
        reserved.noimageai,
        [str(use) for use in reserved.reserved],
        seen.file,
        seen.offset,
        seen.length,
    )


def as_json(facts: Mapping[str, object]) -> str | None:
    """Returns facts as JSON of at most `MAX_FACTS` bytes: those that come last are left out first. None: none."""
    kept = dict(facts)
    while kept:
        text = msgspec.json.encode(kept)
        if len(text) <= MAX_FACTS:
            return text.decode()
        name, value = next(reversed(kept.items()))
        shorter = _halved(value)
        if shorter is None:
            del kept[name]
        else:
            kept[name] = shorter
    return None


def _halved(value: object) -> object | None:
    if isinstance(value, list) and len(value) > 1:
        return value[: len(value) // 2]
    if isinstance(value, dict) and len(value) > 1:
        return dict(list(value.items())[: len(value) // 2])
    return None


def _micros(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * MICRO)


def _first(headers: Headers, name: str) -> str:
    return next(iter(header_values(headers, name)), "")
