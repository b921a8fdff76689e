"""A document, and what it says. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from skitter.messages import Headers


class Heading(NamedTuple):
    """A heading of a document, by its level from 1."""

    level: int
    text: str


class Document(Struct, frozen=True):
    """What a reader is given: a body with every encoding undone, and what came with it."""

    url: str
    body: bytes
    media: str  # as it was sniffed
    headers: Headers = ()
    is_cut: bool = False  # the rest of the body is not in the archive


class Told(Struct, frozen=True):
    """What a document says. What it does not say is empty or None; all texts are valid as UTF-8."""

    how: str  # the name of the reader
    title: str = ""
    description: str = ""
    text: str = ""
    declared_lang: str = ""
    headings: Sequence[Heading] = ()
    published: float | None = None  # epoch seconds
    modified: float | None = None
    facts: Mapping[str, object] = {}  # by where they come from: og, jsonld, meta, pdf
    fields: Mapping[str, str] = {}  # what plug-ins extract
    metas: Sequence[tuple[str, str]] = ()  # names and contents, for what they say to robots
    links: Sequence[str] = ()  # that no other reader finds


class Limits(NamedTuple):
    """How much is read, and how well."""

    grade: str = "best"  # or quick
    max_bytes: int = 4 * 1024**2
    max_text: int = 1_000_000


Reader: TypeAlias = Callable[[Document, Limits], Told]
"""It never raises for what is in a document: what is broken says less."""


def clean(text: str, limit: int) -> str:
    """Returns text as it can be stored: valid, without NUL, and no longer than `limit` characters."""
    text = text[:limit].replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def one_line(text: str, limit: int) -> str:
    """Returns text on one line."""
    return " ".join(clean(text, 4 * limit).split())[:limit]
