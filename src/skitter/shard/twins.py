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


class Shelves(NamedTuple):
    """The keys that a page is kept under, and the fingerprints of those that are there, where anyone is."""

    keys: list[bytes]
    kept: dict[bytes, bytes]


def shelves_of(shard: Shard, domain: str, signature: bytes, common: Sequence[int] = ()) -> Shelves:
    """Returns where a page with this signature is kept and looked up."""
    found = near.bands(signature, common, keys.band_prefix(domain))
    asked = shard.bands.known(found)
    if not asked:  # nearly always
        return Shelves(found, {})
    return Shelves(found, {key: kept for key, kept in zip(asked, shard.get_many(asked), strict=True) if kept})


def find_twin(shard: Shard, shelves: Shelves, signature: bytes, own: bytes, common: Sequence[int] = ()) -> Twin | None:
    """Returns the page on the shelves that says the same as the one with this signature, other than that itself."""
    if not shelves.kept:
        return None
    looked_at = {own}
    for kept in shelves.kept.values():
        for fingerprint in _each(kept):
            if fingerprint in looked_at:
                continue
            looked_at.add(fingerprint)
            other = shard.get(keys.signature_key(fingerprint))
            if other is not None and near.is_near(signature, other, common):
                return Twin(fingerprint, near.similarity(signature, other, common))
    return None


def keep_page(shard: Shard, shelves: Shelves, signature: bytes, fingerprint: bytes) -> None:
    """Keeps a page that says something new on its shelves."""
    found, there = shelves
    shard.put(keys.signature_key(fingerprint), signature)
    shard.put_bands([key for key in found if key not in there] if there else found, fingerprint)
    for key, kept in there.items():
        if len(kept) < near.MOST_PAGES * _SIZE and fingerprint not in kept:
            shard.put_band(key, kept + fingerprint)


def move_page(shard: Shard, domain: str, shelves: Shelves, fingerprint: bytes, common: Sequence[int] = ()) -> None:
    """Takes a page that says something else now from the shelves that it was kept on and that are not its own now."""
    before = shard.get(keys.signature_key(fingerprint))
    for key, kept in shelves_of(shard, domain, before, common).kept.items() if before else ():
        if key not in shelves.keys and fingerprint in kept:
            shard.put_band(key, b"".join(one for one in _each(kept) if one != fingerprint))


def _each(kept: bytes) -> list[bytes]:
    return [kept[at : at + _SIZE] for at in range(0, len(kept), _SIZE)]
