"""The keys of a shard's store: one letter for the kind, then what it is ordered by. See docs/formats/frontier.md. Pure.

u fingerprint                         every URL ever discovered
h host                                every host ever visited, or about to be though a single host leads to it
c host                                how many URLs of a host are in which state
r origin                              its robots.txt
q host 0 rank(2) serial(8)            what is queued of a host to be discovered, best first, then first come
t host 0 rank(2) serial(8)            what is queued of it to be seen again
v domain 0 rank host                  hosts with something queued that are not in memory, those that come first in front
w turn domain                         domains of which such hosts may be brought in
i host                                hosts in memory; its rank is the value
s until(8) host                       hosts asleep that are not in memory; the rank is the value
b domain                              what is known of a domain, see schedule.budget
d due(8) fingerprint                  what is due at a time: retries and re-crawls
e at(8) fingerprint                   URLs that were given up then, until they are trimmed
l due(8) fingerprint                  re-crawls that were due then and are queued: late
x host 0 fingerprint                  what robots.txt or a pattern forbids, and traps: looked at again
                                      when that may have changed
y host                                hosts of which it may have: how far that look has come
k at(8) host                          when the closed corners of a host are looked at again
o shard(2) serial(8)                  links for shards of other nodes, until they are acknowledged
j host                                what judging the pages of a host has brought
z host                                what of the URLs of a host makes no difference
a host                                the host that it is a mirror of
n domain(8) band                      pages of a domain that say things alike, see shard.twins
g fingerprint                         the signature of what a page says
f fingerprint                         pages of the sample that tells how fresh the copies are
R rank(2) since(8) fingerprint        pages that wait for a browser, best first, then first come
p file 0 serial(8)                    pages in an archive file that is not safe yet, see shard.unsafe
H handover(16) attempt(16) number(4)  entries that come from another shard, until all of them are there
m name                                facts about the shard itself
"""

from __future__ import annotations

import struct

from xxhash import xxh3_64_digest

from skitter.schedule.priority import RANKS_OF_HOSTS
from skitter.schedule.shares import Purpose

VERSION = 4

COUNTS = b"mcounts"
META = b"mmeta"
PURGED = b"mpurged"
TRIMMED = b"mtrimmed"
SHARE = b"mshare"
MOVES = b"mmoves"  # slots that come and go, in a fleet, see shard.moving
LOG = b"mlog"  # how far the store has come in its log, in a fleet

_RANK = struct.Struct(">HQ")
_DUE = struct.Struct(">Q")
_OUT = struct.Struct(">HQ")
_DESTINATION = struct.Struct(">H")

OUTBOX = b"o"
UNSAFE = b"p"
BUNDLES = b"H"
BAND = b"n"
RENDER = b"R"
QUEUES = (b"q", b"t")
"""By purpose."""
_PURPOSES = dict(zip(QUEUES, Purpose, strict=True))
RANKS = 65535
"""Steps of priority that are told apart: finer than the formula is right."""


def end_of(prefix: bytes) -> bytes:
    """Returns the first key that comes after all that start with `prefix`; nothing if none can."""
    short = prefix.rstrip(b"\xff")
    return short[:-1] + bytes((short[-1] + 1,)) if short else b""


def url_key(fingerprint: bytes) -> bytes:
    return b"u" + fingerprint


def host_key(host: str) -> bytes:
    return b"h" + host.encode()


def counts_key(host: str) -> bytes:
    return b"c" + host.encode()


def robots_key(origin: str) -> bytes:
    return b"r" + origin.encode()


def queue_prefix(host: str, purpose: Purpose = Purpose.DISCOVERY) -> bytes:
    """No host has a NUL in it, so that no host's queue is part of another's."""
    return QUEUES[purpose] + host.encode() + b"\0"


def queue_key(host: str, priority: float, serial: int, purpose: Purpose = Purpose.DISCOVERY) -> bytes:
    """The best priority sorts first."""
    rank = round((1.0 - min(1.0, max(0.0, priority))) * RANKS)
    return queue_prefix(host, purpose) + _RANK.pack(rank, serial)


def queue_of(queue_key: bytes) -> Purpose:
    """Returns which of the two queues of a host a key is of."""
    return _PURPOSES[queue_key[:1]]


def place_of(priority: float) -> bytes:
    """Returns the end of a queue key that all of at least this priority come before."""
    return queue_key("", priority, 0)[-_RANK.size :]


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


def entry_priority(entry: bytes) -> float:
    """Returns the priority that a queue key was made with, as far as it is kept."""
    return float(1.0 - _RANK.unpack_from(entry)[0] / RANKS)


def waiting_prefix(turn: int) -> bytes:
    return b"w" + bytes((turn,))


def waiting_key(turn: int, domain: str) -> bytes:
    return waiting_prefix(turn) + domain.encode()


def hosts_prefix(domain: str) -> bytes:
    return b"v" + domain.encode() + b"\0"


def hosts_start(domain: str, purpose: Purpose) -> bytes:
    """Returns a key that comes before those of a domain's hosts that wait for this purpose, and after all others."""
    return hosts_prefix(domain) + bytes((purpose * RANKS_OF_HOSTS,))


def host_waiting_key(domain: str, rank: int, host: str) -> bytes:
    return hosts_prefix(domain) + bytes((rank,)) + host.encode()


def rank_and_host(key: bytes) -> tuple[int, str]:
    """Returns the rank and the host of a `v` key."""
    tail = key[key.index(b"\0") + 1 :]
    return tail[0], tail[1:].decode()


def domain_key(domain: str) -> bytes:
    return b"b" + domain.encode()


def inside_key(host: str) -> bytes:
    return b"i" + host.encode()


def timed_key(prefix: bytes, at: float, what: bytes) -> bytes:
    """Milliseconds since the epoch: sorts by time."""
    return prefix + _DUE.pack(max(0, int(at * 1000))) + what


def due_of(key: bytes) -> tuple[float, bytes]:
    """Returns the time of a timed key and what waits until then."""
    return _DUE.unpack_from(key, 1)[0] / 1000, key[9:]


def forbidden_prefix(host: str) -> bytes:
    return b"x" + host.encode() + b"\0"


def forbidden_key(host: str, fingerprint: bytes) -> bytes:
    return forbidden_prefix(host) + fingerprint


def recheck_key(host: str) -> bytes:
    return b"y" + host.encode()


def judgement_key(host: str) -> bytes:
    return b"j" + host.encode()


def dust_key(host: str) -> bytes:
    return b"z" + host.encode()


def mirror_key(host: str) -> bytes:
    return b"a" + host.encode()


def band_prefix(domain: str) -> bytes:
    return BAND + xxh3_64_digest(domain.encode())


def signature_key(fingerprint: bytes) -> bytes:
    return b"g" + fingerprint


def sample_key(fingerprint: bytes) -> bytes:
    return b"f" + fingerprint


def render_key(priority: float, since: float, fingerprint: bytes) -> bytes:
    """The best priority sorts first."""
    rank = round((1.0 - min(1.0, max(0.0, priority))) * RANKS)
    return RENDER + _RANK.pack(rank, max(0, int(since * 1000))) + fingerprint


def render_fingerprint(key: bytes) -> bytes:
    return key[1 + _RANK.size :]


def render_since(key: bytes) -> float:
    """Returns since when the page of an `R` key waits."""
    return float(_RANK.unpack_from(key, 1)[1] / 1000)


def unsafe_prefix(file: str) -> bytes:
    return UNSAFE + file.encode() + b"\0"


def unsafe_key(file: str, serial: int) -> bytes:
    return unsafe_prefix(file) + _DUE.pack(serial)


def unsafe_file(key: bytes) -> str:
    """Returns the file of a `p` key."""
    return key[1:].partition(b"\0")[0].decode()


def outbox_prefix(destination: int) -> bytes:
    return OUTBOX + _DESTINATION.pack(destination)


def outbox_key(destination: int, serial: int) -> bytes:
    return OUTBOX + _OUT.pack(destination, serial)


def outbox_destination(key: bytes) -> int:
    """Returns the shard that the links under an `o` key are for."""
    number: int = _DESTINATION.unpack_from(key, 1)[0]
    return number


def outbox_end(destination: int) -> bytes:
    """Returns a key that comes after all that are kept for a shard."""
    return OUTBOX + _DESTINATION.pack(destination) + b"\xff" * 9
