"""The digests of one answer.

Three things can be digested, and each has its reader. The *payload* is what followed the head, exactly as stored:
WARC-Payload-Digest, which every WARC tool recomputes. The *entity* is the payload without chunk framing, which differs
from answer to answer by accident: it decides whether a payload is known. The *content* is the body with every encoding
undone: it decides whether a page has changed. Mostly they are the same bytes, and then they are digested once.
"""

from __future__ import annotations

import re

from msgspec import Struct

from skitter.messages import Fetched, Headers, Kind, header_values
from skitter.store.warc.sha256 import sha256

WHOLE_IN_SPITE_OF = frozenset(
    {
        Kind.GONE,
        Kind.FORBIDDEN,
        Kind.CLIENT_ERROR,
        Kind.TOO_MANY_REQUESTS,
        Kind.UNAVAILABLE,
        Kind.SERVER_ERROR,
        Kind.ODD_STATUS,
        Kind.REDIRECT_LOOP,
        Kind.TOO_MANY_REDIRECTS,
        Kind.BAD_REDIRECT,
    }
)
"""Failures that are about what an answer says, not about how much of it arrived."""


class Digests(Struct, frozen=True):
    """The digests of one answer; `key` is None if the payload must not stand for another, nor another for it."""

    payload: str
    content: str
    key: bytes | None


def digests_of(fetched: Fetched) -> Digests:
    """Returns the digests of an answer."""
    payload, body = fetched.payload, fetched.body
    payload_digest = sha256(payload)
    transfer = _codings(fetched.headers, "transfer-encoding")
    entity = unchunked(payload) if transfer == "chunked" else None
    if entity is None:
        entity, entity_digest = payload, payload_digest
    else:
        entity_digest = sha256(entity)
    content_digest = entity_digest if body == entity else sha256(body)
    key = None
    if payload and is_whole(fetched):
        # A revisit is replayed as its own head before the earlier payload: both must be encoded in the same way.
        codings = f"{transfer}\n{_codings(fetched.headers, 'content-encoding')}"
        key = sha256(entity_digest + codings.encode("utf-8", "replace"))
    text = f"sha256:{payload_digest.hex()}"
    return Digests(text, text if content_digest is payload_digest else f"sha256:{content_digest.hex()}", key)


def is_whole(fetched: Fetched) -> bool:
    """Whether all of the answer is here."""
    return fetched.truncated is None and (fetched.failure is None or fetched.failure.kind in WHOLE_IN_SPITE_OF)


def unchunked(payload: bytes) -> bytes | None:
    """Returns the payload without its chunk framing (RFC 9112, 7.1), None if the framing is broken."""
    pieces: list[bytes] = []
    at = 0
    while size_line := _SIZE_LINE.match(payload, at):
        start = size_line.end()
        end = start + int(size_line[1], 16)
        if end == start:
            return b"".join(pieces)
        if payload[end : end + 2] != b"\r\n":
            return None
        pieces.append(payload[start:end])
        at = end + 2
    return None


def _codings(headers: Headers, name: str) -> str:
    values = header_values(headers, name)
    return ",".join(values).replace(" ", "").lower() if values else ""


_SIZE_LINE = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]{0,1000})?\r\n")
