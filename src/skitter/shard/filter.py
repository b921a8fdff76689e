"""A filter over all URLs of a shard, in our own memory: it tells a new URL without a question to the store.

A yes may be wrong and costs that question. A no may never be: the URL would be queued twice. So a filter is right or it
is not asked:

- A URL is added as it arrives, before it can be asked for again.
- A clean close writes the filter beside the store and its digest into the store; an opening takes the digest out before
  anything else is written. A file without its digest is nothing: cut, older than the store, or another store's.
- With no such file the filter is built from the store's keys, a slice at a time, and asked when it is whole.
- If there is no memory for it, or no kernel, there is none, and the store is asked.
"""

from __future__ import annotations

from xxhash import xxh3_128_digest

from skitter.kernel import IS_NATIVE
from skitter.ports import ShardStore, Stores

if IS_NATIVE:
    from skitter import _native

FILE = "FILTER"


class UrlFilter:
    """The filter of one shard, as far as there is one."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._held = _native.Filter() if IS_NATIVE else None
        self._whole: _native.Filter | None = None  # what is held, once every URL of the store is in it
        self.built_to = b""

    def rules_out(self, fingerprint: bytes) -> bool:
        """Whether the URL is new, for sure."""
        return self._whole is not None and fingerprint not in self._whole

    def add(self, fingerprint: bytes) -> None:
        """Adds a URL that arrives."""
        if self._held is not None and not self._held.add(fingerprint):
            self._grow(self._held)
            self.add(fingerprint)

    @property
    def is_building(self) -> bool:
        """Whether URLs that are in the store have yet to be added."""
        return self._held is not None and self._whole is None

    def build(self, fingerprints: list[bytes], *, is_last: bool) -> None:
        """Adds the next URLs that are in the store, in the order of their fingerprints."""
        for fingerprint in fingerprints:
            self.add(fingerprint)
        self.built_to = fingerprints[-1] if fingerprints else self.built_to
        self._whole = self._held if is_last else None

    def load(self, store: ShardStore, digest: bytes) -> None:
        """Takes the filter that was saved beside `store`, if it is the one of that digest; else it is built."""
        if self._held is None or not digest:
            return
        raw = store.read_beside(FILE)
        loaded = _native.Filter.from_bytes(raw) if raw is not None and xxh3_128_digest(raw) == digest else None
        if loaded is not None and self._stores.take_memory(loaded.size):
            self._held = self._whole = loaded

    def save(self, store: ShardStore) -> bytes:
        """Writes the filter beside `store`, if it is whole, and returns its digest; none if it was not written."""
        if self._whole is None:
            return b""
        raw = self._whole.to_bytes()
        return xxh3_128_digest(raw) if store.write_beside(FILE, raw) else b""

    def drop(self) -> None:
        """Gives its memory back. There is no filter from now on."""
        if self._held is not None:
            self._stores.give_memory_back(self._held.size)
        self._held = self._whole = None

    def _grow(self, held: _native.Filter) -> None:
        if self._stores.take_memory(held.growth):
            held.grow()
        else:
            self.drop()
