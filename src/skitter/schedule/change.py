"""What has changed on a page since the visit before. Pure.

Bytes change all the time: a clock, an advertisement, a token in a form. What counts is what a page says: its title and
its main text, digits aside (`parse.sketch`). How far the new text is from the old one tells an edit from another page.
Of what is no page only the bytes are known, and the server's word that they do not matter.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

CLOCK_ERROR = 60.0
"""How far a server's clock may be off before Last-Modified misleads us: RFC 9110 section 8.8.2.2 takes a minute."""
EDITED = 20
"""Bits in which the SimHashes of a text and of its edited form differ, at the most; of two texts half of 64 do."""


class Change(StrEnum):
    """What kind of change a visit has found."""

    NONE = "none"
    BYTES = "bytes"  # other bytes that say the same
    TEXT = "text"  # some of what it says
    REWRITTEN = "rewritten"  # it says something else, or is no page


MATTERS = {Change.NONE: False, Change.BYTES: False, Change.TEXT: True, Change.REWRITTEN: True}
"""Whether our copy was out of date."""


class Visit(Struct, frozen=True):
    """What a visit saw of a page that tells one version from another."""

    at: float
    digest: str | None = None  # None: not sent, because nothing had changed (304)
    etag: str | None = None
    last_modified: float | None = None
    sketch: bytes = b""  # nothing: it is no page, or nobody looked
    simhash: int = 0


def change_of(before: Visit, after: Visit) -> Change:
    """Returns what has changed between two visits."""
    if after.digest is None or after.digest == before.digest:
        return Change.NONE
    if not (before.sketch and after.sketch):
        return Change.REWRITTEN if _is_other(before, after) else Change.BYTES
    if before.sketch == after.sketch:
        return Change.BYTES
    return Change.TEXT if (before.simhash ^ after.simhash).bit_count() <= EDITED else Change.REWRITTEN


def opaque(etag: str) -> str:
    """Returns an entity tag without its mark of weakness: RFC 9110 8.8.3.2, the comparison that caches use."""
    return etag.strip().removeprefix("W/")


def _is_other(before: Visit, after: Visit) -> bool:
    """Whether other bytes are another version, by all that the server says.

    Its word that they are not counts. Its word that they are does not alone: what is the same may be saved again.
    """
    if before.etag is not None and after.etag is not None:
        return opaque(before.etag) != opaque(after.etag)
    return not _is_older(before, after)


def _is_older(before: Visit, after: Visit) -> bool:
    if after.last_modified is None:
        return False
    if before.last_modified is not None:  # two dates of one clock, so no error to allow for
        return after.last_modified <= before.last_modified
    return after.last_modified < before.at - CLOCK_ERROR
