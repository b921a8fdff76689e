"""What is said between a crawl and the process that reads its PDFs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct as Layout

from msgspec import Struct

LENGTH = Layout("<I")
"""Before each message: how long it is."""

MAX_PAGES = 20_000
MAX_LINKS = 1000
MAX_LINK = 2048


class Order(Struct, frozen=True, array_like=True):
    """A PDF to read: at most so much of it, in so many CPU seconds."""

    body: bytes
    max_text: int
    seconds: float
    has_text: bool = True  # or its links alone


class Paper(Struct, frozen=True, array_like=True):
    """What a PDF says."""

    text: str = ""  # pages are divided by a form feed
    pages: int = 0
    read: int = 0  # pages that were read; the others were too many, or too slow
    info: dict[str, str] = {}  # Title, Author, CreationDate …
    links: Sequence[str] = ()
    trouble: str = ""  # why nothing was read
