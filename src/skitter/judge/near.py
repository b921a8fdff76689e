"""Whether two pages say the same. Pure."""

from __future__ import annotations

from skitter.messages import Said

_HASH = 4
NEAR = 0.8


def signature_of(said: Said) -> bytes:
    """Returns what is kept of what a page says."""
    return said.simhash.to_bytes(8, "big") + said.sample


def bands(signature: bytes) -> list[bytes]:
    """Returns the keys that a page is looked up under."""
    hashes = _hashes(signature)
    return [first + second for first, second in zip(hashes[:6:2], hashes[1:6:2], strict=False)]


def similarity(one: bytes, other: bytes) -> float:
    """Returns the share of what either says that both say."""
    mine, theirs = set(_hashes(one)), set(_hashes(other))
    union = sorted(mine | theirs)[:64]
    return sum(said in mine and said in theirs for said in union) / len(union) if union else 0.0


def is_near(one: bytes, other: bytes) -> bool:
    """Whether two pages say the same."""
    return similarity(one, other) >= NEAR


def _hashes(signature: bytes) -> list[bytes]:
    return [signature[at : at + _HASH] for at in range(8, len(signature), _HASH)]
