"""What was seen of late: the memory of the kernel where it was built, else dicts of Python's.

The kernel's takes 8 bytes for a fingerprint, dicts take some 100: they remember a thirteenth in the same memory.

Whoever asks does not know the shard of a URL yet, so one memory serves all shards of a node. But a shard may leave the
node, and what was remembered of it and not committed is to be fetched all the same: `forget` makes it new again.
"""

from __future__ import annotations

from typing import Protocol

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native

DEARER = 13


class Recent(Protocol):
    """A bounded memory of fingerprints."""

    @property
    def hits(self) -> int:
        """How often `has` said yes."""
        ...

    def has(self, fingerprint: bytes) -> bool:
        """Whether the fingerprint is remembered."""
        ...

    def __call__(self, fingerprint: bytes) -> bool:
        """What `has` says. The kernel knows its own memory when it is handed one, and asks it without a detour."""
        ...

    def remember(self, fingerprint: bytes, shard: int) -> None:
        """Remembers a fingerprint of the shard of that number, and may forget others for it."""
        ...

    def forget(self, shard: int) -> None:
        """Forgets all fingerprints of the shard of that number, and no others."""
        ...


def recent(size: int) -> Recent:
    """Returns a memory that takes no more than `size` fingerprints do in the kernel's."""
    return _native.Recent(size) if IS_NATIVE else Generations(size // DEARER)


class Generations:
    """A memory in two dicts, from fingerprint to shard: when the young one is full, the old one is forgotten."""

    def __init__(self, size: int) -> None:
        self._half = max(1, size // 2)
        self._young: dict[bytes, int] = {}
        self._old: dict[bytes, int] = {}
        self.hits = 0

    def has(self, fingerprint: bytes) -> bool:
        """Whether the fingerprint is remembered."""
        found = fingerprint in self._young or fingerprint in self._old
        self.hits += found
        return found

    __call__ = has

    def remember(self, fingerprint: bytes, shard: int) -> None:
        """Remembers a fingerprint of the shard of that number, and may forget others for it."""
        self._young[fingerprint] = shard
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}

    def forget(self, shard: int) -> None:
        """Forgets all fingerprints of the shard of that number, and no others."""
        self._young = {fingerprint: other for fingerprint, other in self._young.items() if other != shard}
        self._old = {fingerprint: other for fingerprint, other in self._old.items() if other != shard}
