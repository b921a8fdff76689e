"""The bytes of each kind of WARC/1.1 record (ISO 28500:2017) that Skitter writes, before compression.

All records of one fetch have the same WARC-Date: the moment the request began (the standard wants one date for one
capture event). The metadata record says how long it took, so that the end is known too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import urandom

from msgspec import Struct

from skitter.messages import Fetched
from skitter.ports import Earlier
from skitter.store.index.facts import one_line
from skitter.store.warc.dates import to_micros, warc_date
from skitter.store.warc.frames import frame
from skitter.store.warc.heads import reading_of

Fields = Iterable[tuple[str, str]]

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_REQUEST, _RESPONSE = "application/http;msgtype=request", "application/http;msgtype=response"
_FIELDS = "application/warc-fields"
RENDERED = "urn:rendered:"
"""Before the URL of a page, in the URI of its snapshot."""


def new_ids() -> tuple[str, str, str, str]:
    """Returns WARC-Record-IDs that no other record has, for the records of one fetch."""
    text = urandom(16).hex()
    # Random UUIDs (RFC 9562, version 4), written out: the standard library's take ten times as long. Those of one fetch
    # differ in the digit of which the RFC leaves two bits free; 120 others are random.
    start, end = f"<urn:uuid:{text[:8]}-{text[8:12]}-4{text[13:16]}-", f"{text[17:20]}-{text[20:]}>"
    return f"{start}8{end}", f"{start}9{end}", f"{start}a{end}", f"{start}b{end}"


class Event(Struct, frozen=True):
    """One fetch, with what all its records say alike."""

    fetched: Fetched
    target: str  # its WARC-Target-URI
    micros: int  # when the request began
    fields: str
    is_plain: bool  # every reader finds the end of the answer's head where it is
    status: int  # that and the media type are what the head says, if it is plain
    mime: str


def event_of(fetched: Fetched) -> Event:
    """Returns what the records of a fetch are made of."""
    target, micros = one_line(fetched.lease.href), to_micros(fetched.began)
    fields = f"WARC-Date: {warc_date(micros)}\r\nWARC-Target-URI: {target}\r\n"
    if fetched.address:
        fields += f"WARC-IP-Address: {fetched.address}\r\n"
    return Event(fetched, target, micros, fields, *reading_of(fetched.response_head))


def warcinfo(name: str, facts: Mapping[str, str], micros: int) -> bytes:
    """Returns the record at the head of the file `name`: who wrote it, with what, under which rules."""
    said = {**facts, "format": "WARC File Format 1.1"}
    block = "".join(f"{key}: {one_line(value)}\r\n" for key, value in said.items()).encode()
    record_id, *_ = new_ids()
    fields = [("WARC-Type", "warcinfo"), ("WARC-Record-ID", record_id), ("WARC-Date", warc_date(micros))]
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


def resource(event: Event, record_id: str, refers_to: str, dom: bytes, digest: str) -> bytes:
    """Returns the record of a page as it stood in a browser. Its URI is none that replay would show for the page."""
    more = (
        f"WARC-Date: {warc_date(event.micros)}\r\nWARC-Target-URI: {RENDERED}{event.target}\r\n"
        f"WARC-Refers-To: {refers_to}\r\nWARC-Payload-Digest: {digest}\r\n"
        "Content-Type: text/html; charset=utf-8\r\n"
    )
    return _record("resource", record_id, more, dom)


def metadata(event: Event, record_id: str, concurrent: str | None, block: tuple[bytes, bytes]) -> bytes:
    """Returns the record that says what was made of a fetch; `concurrent` is its answer, or its request."""
    more = f"{_concurrent(concurrent)}Content-Type: {_FIELDS}\r\n"
    return _record("metadata", record_id, event.fields + more, *block)


def record(fields: Fields, block: bytes) -> bytes:
    """Returns a record of these fields and this block, with its length and digest."""
    return frame("".join(f"{name}: {value}\r\n" for name, value in fields).encode("utf-8", "replace"), block, b"")


def _record(kind: str, record_id: str, fields: str, block: bytes, more: bytes = b"") -> bytes:
    text = f"WARC-Type: {kind}\r\nWARC-Record-ID: {record_id}\r\n{fields}"
    return frame(text.encode("utf-8", "replace"), block, more)


def _concurrent(record_id: str | None) -> str:
    return f"WARC-Concurrent-To: {record_id}\r\n" if record_id else ""
