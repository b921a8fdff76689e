"""What is kept of a body, by what it is. Pure: a table of ours, and before it the operator's (`content.types`).

    video/* drop            nothing of the body
    image/* head            its first 64 KB: enough for what it is, its size and its EXIF
    application/zip keep    all
    audio/* refuse          not even fetched, as far as its server says what it is

Digest and length in the metadata record are those of the whole body, whatever is kept of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from msgspec import structs

from skitter.errors import OperatorError
from skitter.messages import Errand, Fetched, Headers, header_values
from skitter.parse.sniffing import essence, media_of

HEAD = 64 * 1024
ALWAYS = frozenset({Errand.ROBOTS, Errand.SITEMAP})
"""What these say decides what is fetched: `audit` must see it."""


class Keep(StrEnum):
    """How much of a body is kept."""

    KEEP = "keep"
    HEAD = "head"
    DROP = "drop"
    REFUSE = "refuse"


OURS: Sequence[tuple[str, Keep]] = (
    ("audio/*", Keep.HEAD),
    ("video/*", Keep.HEAD),
    ("application/ogg", Keep.HEAD),
    ("font/*", Keep.HEAD),
    ("*/*", Keep.KEEP),
)

MOST = {Keep.KEEP: None, Keep.HEAD: HEAD, Keep.DROP: 0, Keep.REFUSE: 0}
"""Bytes of a payload that are stored; None: all."""

Table: TypeAlias = tuple[tuple[str, Keep], ...]
_RIGHT = "must be a media type and one of keep, head, drop, refuse, as `video/* drop`"


@lru_cache(maxsize=16)
def table_of(rows: tuple[str, ...]) -> Table:
    """Returns the operator's table with ours behind it. OperatorError for a row that means nothing."""
    return (*(_parsed(f"content.types[{place}]", row) for place, row in enumerate(rows)), *OURS)


@lru_cache(maxsize=16)
def least_of(rows: tuple[str, ...]) -> int:
    """Returns how many bytes are kept of any body, whatever it is."""
    return min(most for _, keep in table_of(rows) if (most := MOST[keep]) is not None)


def keep_of(media: str, table: Table) -> Keep:
    """Returns how much is kept of a body of this type: the first row that fits counts."""
    return next((keep for pattern, keep in table if _fits(media, pattern)), Keep.KEEP)


def refuses(rows: tuple[str, ...]) -> Callable[[Headers], bool] | None:
    """Returns what tells from the headers of an answer whether its body is refused; None: nothing is."""
    table = table_of(rows)
    if not any(keep is Keep.REFUSE for _, keep in table):
        return None

    def is_refused(headers: Headers) -> bool:
        declared = essence(next(iter(header_values(headers, "content-type")), ""))
        return bool(declared) and keep_of(declared, table) is Keep.REFUSE

    return is_refused


def kept(fetched: Fetched, rows: tuple[str, ...]) -> Fetched:
    """Returns an answer with no more of its payload than is to be kept; its body, which is digested, stays whole."""
    # What it is need not be asked of a body that is no longer than what is kept of any.
    if len(fetched.payload) <= least_of(rows) or fetched.lease.errand in ALWAYS:
        return fetched
    most = MOST[keep_of(media_type(fetched), table_of(rows))]
    if most is None or len(fetched.payload) <= most:
        return fetched
    return structs.replace(fetched, payload=fetched.payload[:most], truncated="length")


def media_type(fetched: Fetched) -> str:
    """Returns what an answer is, whatever its server says."""
    declared = header_values(fetched.headers, "content-type")
    options = header_values(fetched.headers, "x-content-type-options")
    nosniff = bool(options) and "nosniff" in options[0].lower()
    return media_of(fetched.body, declared[0] if declared else None, nosniff=nosniff)


def _fits(media: str, pattern: str) -> bool:
    return pattern in ("*/*", media) or (pattern.endswith("/*") and media.startswith(pattern[:-1]))


def _parsed(key: str, row: str) -> tuple[str, Keep]:
    words = row.lower().split()
    if len(words) != 2 or not essence(words[0]) or words[1] not in list(Keep):
        raise OperatorError(key, row, _RIGHT)
    return words[0], Keep(words[1])
