"""What was seen of late: the memory of the kernel where it was built, else sets of Python's.

The kernel's takes 8 bytes for a fingerprint, sets take 105: a set remembers a thirteenth of them in the same memory.
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

    def remember(self, fingerprint: bytes) -> None:
        """Remembers a fingerprint, and may forget others for it."""
        ...


def recent(size: int) -> Recent:
    """Returns a memory that takes no more than `size` fingerprints do in the kernel's."""
    return _native.Recent(size) if IS_NATIVE else Generations(size // DEARER)


class Generations:
    """A memory in two sets: when the young one is full, the old one is forgotten."""

    def __init__(self, size: int) -> None:
        self._half = max(1, size // 2)
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()
        self.hits = 0

    def has(self, fingerprint: bytes) -> bool:
        """Whether the fingerprint is remembered."""
        found = fingerprint in self._young or fingerprint in self._old
        self.hits += found
        return found

    __call__ = has

    def remember(self, fingerprint: bytes) -> None:
        """Remembers a fingerprint, and may forget others for it."""
        self._young.add(fingerprint)
        if len(self._young) >= self._half:
            self._old, self._young = self._young, set()
