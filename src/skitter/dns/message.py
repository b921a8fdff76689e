"""Messages of the domain name system as they go over HTTPS (RFC 1035, section 4; RFC 8484). Pure; any bytes at all."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator
from typing import NamedTuple

from skitter.dns.replies import Reply, Said

KINDS = {"A": 1, "AAAA": 28}
_IN = 1
_SIZES = {1: 4, 28: 16}
_RCODES = {0: Said.EMPTY, 2: Said.FAILED, 3: Said.UNKNOWN}
"""What an answer without an address amounts to, by its code; of any other code, the server is of no use."""
_ASKED = struct.pack("!6H", 0, 0x0100, 1, 0, 0, 0)  # no number, so that caches know it again; recursion desired
_RESPONSE, _CUT = 0x8000, 0x0200
_MOST_RECORDS = 1000
_MALFORMED = Reply(Said.NOTHING, detail="an answer that can't be read")


class _Record(NamedTuple):
    kind: int
    ttl: int
    content: bytes


def question(name: str, kind: str) -> bytes:
    """Returns the question for the records of `kind` (A or AAAA) of `name`, which must be a plain host name."""
    labels = b"".join(bytes((len(label),)) + label.encode("ascii") for label in name.split("."))
    return _ASKED + labels + struct.pack("!BHH", 0, KINDS[kind], _IN)


def reply_in(message: bytes, kind: str, age: float = 0.0) -> Reply:
    """Returns what `message` answers to a question for `kind`, given that it lay in a cache for `age`."""
    try:
        _, flags, questions, answers, _, _ = struct.unpack_from("!6H", message)
        if not flags & _RESPONSE or flags & _CUT or answers > _MOST_RECORDS:
            return _MALFORMED
        at = 12
        for _ in range(questions):
            at = _past_name(message, at) + 4
        records = list(_records(message, at, answers))
    except (struct.error, IndexError):
        return _MALFORMED
    return _reply(flags & 0xF, records, KINDS[kind], age)


def _reply(code: int, records: list[_Record], kind: int, age: float) -> Reply:
    addresses = tuple(str(ipaddress.ip_address(one.content)) for one in records if one.kind == kind)
    if code or not addresses:
        return Reply(_RCODES.get(code, Said.NOTHING), detail="no address" if not code else f"code {code}")
    return Reply(Said.FOUND, addresses, max(0.0, min(one.ttl for one in records) - age))


def _records(message: bytes, at: int, count: int) -> Iterator[_Record]:
    for _ in range(count):
        at = _past_name(message, at)
        kind, network, ttl, size = struct.unpack_from("!HHIH", message, at)
        content = message[at + 10 : at + 10 + size]
        if len(content) < size or (network == _IN and _SIZES.get(kind, size) != size):
            raise IndexError(at)
        if network == _IN:
            yield _Record(kind, ttl & 0x7FFFFFFF, content)
        at += 10 + size


def _past_name(message: bytes, at: int) -> int:
    """Returns where a name ends; where it points to need not be read."""
    while size := message[at]:
        if size >= 0xC0:
            return at + 2
        if size > 63:
            raise IndexError(at)
        at += 1 + size
    return at + 1
