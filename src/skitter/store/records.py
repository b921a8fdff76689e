"""The bytes of each kind of WARC/1.1 record (ISO 28500:2017) that Skitter writes, before compression.

All records of one fetch have the same WARC-Date: the moment the request began (the standard wants one date for one
capture event). The metadata record says how long it took, so that the end is known too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from os import urandom

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


def warcinfo(name: str, facts: Mapping[str, str], micros: int) -> bytes:
    """Returns the record at the head of the file `name`: who wrote it, with what, under which rules."""
    said = {**facts, "format": "WARC File Format 1.1"}
    block = "".join(f"{key}: {one_line(value)}\r\n" for key, value in said.items()).encode()
    fields = [("WARC-Type", "warcinfo"), ("WARC-Record-ID", new_id()), ("WARC-Date", warc_date(micros))]
    return record([*fields, ("WARC-Filename", name), ("Content-Type", _FIELDS)], block)


def request(fetched: Fetched, record_id: str, concurrent: str | None) -> bytes:
    """Returns the record of a request that was sent."""
    return record(
        [*_common(fetched, "request", record_id, concurrent), ("Content-Type", _REQUEST)], fetched.request_head
    )


def response(fetched: Fetched, record_id: str, payload_digest: str) -> bytes:
    """Returns the record of an answer, head and payload exactly as received."""
    fields = [*_common(fetched, "response", record_id), ("Content-Type", _RESPONSE)]
    # Tools look for the end of the head themselves. Where one may see another end, the digest would read as a fault.
    if has_plain_end(fetched.response_head):
        fields.append(("WARC-Payload-Digest", payload_digest))
    if fetched.truncated:
        fields.append(("WARC-Truncated", fetched.truncated))
    return record(fields, fetched.response_head, fetched.payload)


def revisit(fetched: Fetched, record_id: str, earlier: Earlier, profile: str) -> bytes:
    """Returns the record of an answer whose payload an `earlier` capture holds: the head only."""
    fields = [
        *_common(fetched, "revisit", record_id),
        ("Content-Type", _RESPONSE),
        ("WARC-Profile", profile),
        ("WARC-Refers-To-Target-URI", one_line(earlier.url)),
        ("WARC-Refers-To-Date", warc_date(to_micros(earlier.at))),
    ]
    if earlier.record:
        fields.append(("WARC-Refers-To", earlier.record))
    if earlier.file:
        # Not in the standard, but known to other tools under these names: no index is needed to find the payload.
        fields.append(("WARC-Refers-To-Filename", earlier.file))
        fields.append(("WARC-Refers-To-File-Offset", str(earlier.offset)))
    if earlier.payload_digest:
        fields.append(("WARC-Payload-Digest", earlier.payload_digest))
    return record(fields, fetched.response_head)


def metadata(fetched: Fetched, concurrent: str | None, block: bytes) -> bytes:
    """Returns the record that says what was made of a fetch; `concurrent` is its answer, or its request."""
    fields = [*_common(fetched, "metadata", new_id(), concurrent), ("Content-Type", _FIELDS)]
    return record(fields, block)


def record(fields: Fields, *blocks: bytes) -> bytes:
    """Returns a record of these fields and a block of these parts, with its length and digest."""
    digest = sha256()
    for part in blocks:
        digest.update(part)
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    head = (
        f"WARC/1.1\r\n{lines}WARC-Block-Digest: sha256:{digest.hexdigest()}\r\n"
        f"Content-Length: {sum(map(len, blocks))}\r\n\r\n"
    )
    return b"".join((head.encode("utf-8", "replace"), *blocks, b"\r\n\r\n"))


def target(fetched: Fetched) -> str:
    """Returns the WARC-Target-URI of a fetch."""
    return one_line(fetched.lease.url.href)


def _common(fetched: Fetched, kind: str, record_id: str, concurrent: str | None = None) -> list[tuple[str, str]]:
    fields = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", record_id),
        ("WARC-Date", warc_date(to_micros(fetched.began))),
        ("WARC-Target-URI", target(fetched)),
    ]
    if fetched.address:
        fields.append(("WARC-IP-Address", fetched.address))
    if concurrent:
        fields.append(("WARC-Concurrent-To", concurrent))
    return fields
