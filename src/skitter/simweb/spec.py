"""What one URL of the simulated web is: the one description from which the answer is made and the truth is told."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from skitter.messages import LinkKind


class What(StrEnum):
    """What is found at a URL."""

    PAGE = "page"
    REDIRECT = "redirect"
    FILE = "file"  # a body that is not made from links
    SITEMAP = "sitemap"
    SITEMAP_INDEX = "sitemap_index"
    ERROR = "error"
    ANIMAL = "animal"  # of the zoo


class Anchor(NamedTuple):
    """A link: as the page writes it, and where it leads."""

    href: str
    url: str
    nofollow: bool = False
    kind: LinkKind = LinkKind.NAVIGATION


class Legacy(NamedTuple):
    """An old charset, words written in it, and how it is told."""

    charset: str
    words: str
    in_header: bool = False
    in_meta: bool = False


class Spec(Struct, frozen=True, kw_only=True):
    """One URL. What can't be said in a field can't happen at it."""

    what: What = What.PAGE
    status: int = 200
    title: str = ""
    links: Sequence[Anchor] = ()
    follow: bool = True  # False: the page asks not to follow its links
    location: str = ""  # as written
    target: str = ""  # where that leads
    seed: str = ""  # the text of a page depends on this alone
    size: int = 0
    head: str = ""  # more tags for the head
    body: bytes = b""  # of a file
    media: str = "text/html; charset=utf-8"
    packed: bool = False  # Content-Encoding: gzip
    gzipped: bool = False  # the file itself is gzip
    chunked: bool = False
    legacy: Legacy | None = None
    validators: bool = False  # ETag and Last-Modified
    delay: float = 0.0  # before the first byte
    failing: int = 0  # the status of the first answers; -1: they are no answers but resets
    failures: int = 0  # how many of them fail; -1: all
    retry_after: int = 0  # what the failing ones say; 0: nothing
    endless: bool = False  # one of infinitely many: the truth stops here
    animal: str = ""


RESET = -1
ALWAYS = -1
