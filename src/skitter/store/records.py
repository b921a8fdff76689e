"""The bytes of each kind of WARC/1.1 record (ISO 28500:2017) that Skitter writes, before compression.

All records of one fetch have the same WARC-Date: the moment the request began (the standard wants one date for one
capture event). The metadata record says how long it took, so that the end is known too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from os import urandom
from typing import NamedTuple

from skitter.messages import Fetched
from skitter.store.capture import Earlier
from skitter.store.dates import to_micros, warc_date
from skitter.store.facts import one_line
from skitter.store.heads import has_plain_end

Fields = Iterable[tuple[str, str]]

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_REQUEST, _RESPONSE = "application/http;msgtype=request", "application/http;msgtype=response"
_FIELDS = "application/warc-fields"


def new_id() -> str:
    """Returns a WARC-Record-ID that no other record has."""
    text = urandom(16).hex()
    # A random UUID (RFC 9562, version 4), written out: the standard library's takes six times as long.
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}>"


class Event(NamedTuple):
    """One fetch, with what all its records say alike."""

    fetched: Fetched
    target: str  # its WARC-Target-URI
    micros: int  # when the request began
    fields: str
    is_plain: bool  # every reader finds the end of the answer's head where it is


def event_of(fetched: Fetched) -> Event:
    """Returns what the records of a fetch are made of."""
    target, micros = one_line(fetched.lease.url.href), to_micros(fetched.began)
    fields = f"WARC-Date: {warc_date(micros)}\r\nWARC-Target-URI: {target}\r\n"
    if fetched.address:
        fields += f"WARC-IP-Address: {fetched.address}\r\n"
    return Event(fetched, target, micros, fields, has_plain_end(fetched.response_head))


def warcinfo(name: str, facts: Mapping[str, str], micros: int) -> bytes:
    """Returns the record at the head of the file `name`: who wrote it, with what, under which rules."""
    said = {**facts, "format": "WARC File Format 1.1"}
    block = "".join(f"{key}: {one_line(value)}\r\n" for key, value in said.items()).encode()
    fields = [("WARC-Type", "warcinfo"), ("WARC-Record-ID", new_id()), ("WARC-Date", warc_date(micros))]
    return record([*fields, ("WARC-Filename", name), ("Content-Type", _FIELDS)], block)


def request(event: Event, record_id: str, concurrent: str | None) -> bytes:
    """Returns the record of a request that was sent."""
    more = f"{_concurrent(concurrent)}Content-Type: {_REQUEST}\r\n"
    return _record("request", record_id, event.fields + more, event.fetched.request_head)


def response(event: Event, record_id: str, payload_digest: str) -> bytes:
    """Returns the record of an answer, head and payload exactly as received."""
    fetched, more = event.fetched, f"Content-Type: {_RESPONSE}\r\n"
    # Tools look for the end of the head themselves. Where one may see another end, the digest would read as a fault.
    if event.is_plain:
        more += f"WARC-Payload-Digest: {payload_digest}\r\n"
    if fetched.truncated:
        more += f"WARC-Truncated: {fetched.truncated}\r\n"
    return _record("response", record_id, event.fields + more, fetched.response_head, fetched.payload)


def revisit(event: Event, record_id: str, earlier: Earlier, profile: str) -> bytes:
    """Returns the record of an answer whose payload an `earlier` capture holds: the head only."""
    more = (
        f"Content-Type: {_RESPONSE}\r\nWARC-Profile: {profile}\r\n"
        f"WARC-Refers-To-Target-URI: {one_line(earlier.url)}\r\n"
        f"WARC-Refers-To-Date: {warc_date(to_micros(earlier.at))}\r\n"
    )
    if earlier.record:
        more += f"WARC-Refers-To: {earlier.record}\r\n"
    if earlier.file:
        # Not in the standard, but known to other tools under these names: no index is needed to find the payload.
        more += f"WARC-Refers-To-Filename: {earlier.file}\r\nWARC-Refers-To-File-Offset: {earlier.offset}\r\n"
    if earlier.payload_digest:
        more += f"WARC-Payload-Digest: {earlier.payload_digest}\r\n"
    return _record("revisit", record_id, event.fields + more, event.fetched.response_head)


def metadata(event: Event, concurrent: str | None, block: bytes) -> bytes:
    """Returns the record that says what was made of a fetch; `concurrent` is its answer, or its request."""
    more = f"{_concurrent(concurrent)}Content-Type: {_FIELDS}\r\n"
    return _record("metadata", new_id(), event.fields + more, block)


def record(fields: Fields, *blocks: bytes) -> bytes:
    """Returns a record of these fields and a block of these parts, with its length and digest."""
    return _framed("".join(f"{name}: {value}\r\n" for name, value in fields), *blocks)


def _record(kind: str, record_id: str, fields: str, *blocks: bytes) -> bytes:
    return _framed(f"WARC-Type: {kind}\r\nWARC-Record-ID: {record_id}\r\n{fields}", *blocks)


def _framed(fields: str, *blocks: bytes) -> bytes:
    digest = sha256()
    for part in blocks:
        digest.update(part)
    head = (
        f"WARC/1.1\r\n{fields}WARC-Block-Digest: sha256:{digest.hexdigest()}\r\n"
        f"Content-Length: {sum(map(len, blocks))}\r\n\r\n"
    )
    return b"".join((head.encode("utf-8", "replace"), *blocks, b"\r\n\r\n"))


def _concurrent(record_id: str | None) -> str:
    return f"WARC-Concurrent-To: {record_id}\r\n" if record_id else ""
