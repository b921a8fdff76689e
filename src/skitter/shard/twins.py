"""Which page of a domain says the same as another: an index by parts of what they say.

A page is kept under a few keys, so that a look-up takes the same time however many pages the domain has; under each key
only the first few pages are kept. A page that says what another one says is not kept: it is always compared with that
one, and so no chain of small steps leads away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skitter.judge import near
from skitter.shard import keys
from skitter.shard.writer import Shard

_SIZE = 16


class Twin(NamedTuple):
    """The page that says the same."""

    fingerprint: bytes
    similarity: float


def find_twin(shard: Shard, domain: str, signature: bytes, own: bytes, common: Sequence[int] = ()) -> Twin | None:
    """Returns the page of the domain that says the same as the one with this signature, other than that itself."""
    looked_at = {own}
    for band in near.bands(signature, common):
        kept = shard.get(keys.band_key(domain, band)) or b""
        for at in range(0, len(kept), _SIZE):
            fingerprint = kept[at : at + _SIZE]
            if fingerprint in looked_at:
                continue
            looked_at.add(fingerprint)
            other = shard.get(keys.signature_key(fingerprint))
            if other is not None and near.is_near(signature, other, common):
                return Twin(fingerprint, near.similarity(signature, other, common))
    return None


def keep_page(shard: Shard, domain: str, signature: bytes, fingerprint: bytes, common: Sequence[int] = ()) -> None:
    """Keeps a page that says something new under its keys, in place of what it said before."""
    before = shard.get(keys.signature_key(fingerprint))
    if before == signature or not signature:
        return
    if before is not None:
        _forget(shard, domain, before, fingerprint, common)
    shard.put(keys.signature_key(fingerprint), signature)
    for band in near.bands(signature, common):
        key = keys.band_key(domain, band)
        kept = shard.get(key) or b""
        if len(kept) < near.MOST_PAGES * _SIZE and fingerprint not in _each(kept):
            shard.put(key, kept + fingerprint)


def _forget(shard: Shard, domain: str, signature: bytes, fingerprint: bytes, common: Sequence[int]) -> None:
    for band in near.bands(signature, common):
        key = keys.band_key(domain, band)
        kept = shard.get(key) or b""
        if fingerprint in _each(kept):
            shard.put(key, b"".join(one for one in _each(kept) if one != fingerprint))


def _each(kept: bytes) -> list[bytes]:
    return [kept[at : at + _SIZE] for at in range(0, len(kept), _SIZE)]
