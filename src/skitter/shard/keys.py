"""The keys of a shard's store: one letter for the kind, then what it is ordered by. See docs/formats/frontier.md.

u fingerprint                         every URL ever discovered
h host                                every host ever visited
r origin                              its robots.txt
q host 0 rank(2) serial(8)            what is queued of a host, best first, then first come
w class host                          hosts with something queued that are not in memory
d due(8) fingerprint                  what is due at a time: retries and re-crawls
o node(2) serial(8)                   links for the shards of other nodes, until they are acknowledged
m name                                facts about the shard itself
"""

from __future__ import annotations

import struct

VERSION = 1

COUNTS = b"mcounts"
META = b"mmeta"

_RANK = struct.Struct(">HQ")
_DUE = struct.Struct(">Q")
_OUT = struct.Struct(">HQ")


def url_key(fingerprint: bytes) -> bytes:
    return b"u" + fingerprint


def host_key(host: str) -> bytes:
    return b"h" + host.encode()


def robots_key(origin: str) -> bytes:
    return b"r" + origin.encode()


def queue_prefix(host: str) -> bytes:
    """No host has a NUL in it, so that no host's queue is part of another's."""
    return b"q" + host.encode() + b"\0"


def queue_key(host: str, priority: float, serial: int) -> bytes:
    """The best priority sorts first; 65,535 steps are finer than the formula is right."""
    return queue_prefix(host) + _RANK.pack(round((1.0 - min(1.0, max(0.0, priority))) * 65535), serial)


def queue_entry(queue_key: bytes, fingerprint: bytes) -> bytes:
    """Returns what a host in memory keeps of a queued URL: its place in the queue, then its fingerprint.

    One string of 26 bytes: entries of one host sort as their keys do, and take a third of the memory of the pair.
    """
    return queue_key[-_RANK.size :] + fingerprint


def entry_place(entry: bytes) -> bytes:
    """Returns the end of the queue key of an entry."""
    return entry[: _RANK.size]


def entry_fingerprint(entry: bytes) -> bytes:
    return entry[_RANK.size :]


def waiting_prefix(front_class: int) -> bytes:
    return b"w" + bytes((front_class,))


def waiting_key(front_class: int, host: str) -> bytes:
    return waiting_prefix(front_class) + host.encode()


def inside_key(host: str) -> bytes:
    return b"i" + host.encode()


def due_key(due: float, fingerprint: bytes) -> bytes:
    """Milliseconds since the epoch: sorts by time."""
    return b"d" + _DUE.pack(max(0, int(due * 1000))) + fingerprint


def due_of(key: bytes) -> tuple[float, bytes]:
    """Returns the time of a `d` or `s` key and what is due then."""
    return _DUE.unpack_from(key, 1)[0] / 1000, key[9:]


def asleep_key(until: float, host: str) -> bytes:
    return b"s" + _DUE.pack(max(0, int(until * 1000))) + host.encode()


def outbox_key(node: int, serial: int) -> bytes:
    """The node is the one of that run: another number of nodes may share the links out differently."""
    return b"o" + _OUT.pack(node, serial)
