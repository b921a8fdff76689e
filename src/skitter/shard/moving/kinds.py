"""Which slot an entry of a store belongs to, by the kind of its key. Pure.

All that is known of a domain goes where its slot goes. What is kept by fingerprint belongs to the host of its URL, so
that it can be told as long as the URL is there: URLs come last wherever entries are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import NamedTuple

from skitter.shard import keys
from skitter.shard.records import TRIMMED, URLS
from skitter.url.keys import host_of
from skitter.url.routes import Routes


class Belongs(Enum):
    """What an entry belongs to."""

    URL = auto()  # the key has its fingerprint at the end
    RECORD = auto()  # it is the URL's own
    HOST = auto()  # all of the key but the first byte
    TIMED_HOST = auto()  # all but the first byte and the time
    QUEUED = auto()  # the host, then NUL
    ORIGIN = auto()
    DOMAIN = auto()
    TURN = auto()  # one byte, then the domain
    WAITING = auto()  # the domain, then NUL
    BAND = auto()  # the hash of a domain
    SHARD = auto()  # stays


KINDS: Mapping[bytes, Belongs] = {
    b"d": Belongs.URL,
    b"e": Belongs.URL,
    b"l": Belongs.URL,
    b"g": Belongs.URL,
    b"f": Belongs.URL,
    keys.RENDER: Belongs.URL,
    b"h": Belongs.HOST,
    b"c": Belongs.HOST,
    b"i": Belongs.HOST,
    b"y": Belongs.HOST,
    b"j": Belongs.HOST,
    b"z": Belongs.HOST,
    b"a": Belongs.HOST,
    b"s": Belongs.TIMED_HOST,
    b"k": Belongs.TIMED_HOST,
    b"q": Belongs.QUEUED,
    b"t": Belongs.QUEUED,
    b"x": Belongs.QUEUED,
    b"r": Belongs.ORIGIN,
    b"b": Belongs.DOMAIN,
    b"w": Belongs.TURN,
    b"v": Belongs.WAITING,
    b"n": Belongs.BAND,
    b"u": Belongs.RECORD,
    keys.OUTBOX: Belongs.SHARD,
    keys.UNSAFE: Belongs.SHARD,  # its pages may have left: then whoever has them is told
    keys.BUNDLES: Belongs.SHARD,
    b"m": Belongs.SHARD,
}
"""In the order in which entries are looked at: URLs after all that is found by them."""

FINGERPRINT = 16


class Sorting(NamedTuple):
    """Tells slots: `url` reads the record of a URL."""

    routes: Routes
    url: Callable[[bytes], bytes | None]

    def slot_of(self, key: bytes, value: bytes) -> int | None:
        """Returns the slot of an entry; None if it belongs to the shard, and to no domain."""
        match KINDS[key[:1]]:
            case Belongs.URL:
                raw = self.url(key[-FINGERPRINT:])
                return None if raw is None else self._slot_of_record(raw)
            case Belongs.RECORD:
                return self._slot_of_record(value)
            case Belongs.HOST:
                return self._slot_of_host(key[1:])
            case Belongs.TIMED_HOST:
                return self._slot_of_host(key[9:])
            case Belongs.QUEUED:
                return self._slot_of_host(key[1 : key.index(b"\0")])
            case Belongs.ORIGIN:
                return self._slot_of_host(host_of(key[1:].decode()).encode())
            case Belongs.DOMAIN:
                return self.routes.slot_of(key[1:].decode())
            case Belongs.TURN:
                return self.routes.slot_of(key[2:].decode())
            case Belongs.WAITING:
                return self.routes.slot_of(key[1 : key.index(b"\0")].decode())
            case Belongs.BAND:
                return self.routes.slot_of_hash(int.from_bytes(key[1:9], "big"))
            case Belongs.SHARD:
                return None

    def _slot_of_record(self, raw: bytes) -> int | None:
        record = URLS.decode(raw)
        return None if record is TRIMMED else self._slot_of_host(record.host.encode())

    def _slot_of_host(self, host: bytes) -> int:
        return self.routes.slot_of_host(host.decode())
