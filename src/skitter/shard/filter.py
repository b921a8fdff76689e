"""A filter over all URLs of a shard, in our own memory: it tells a new URL without a question to the store.

A yes may be wrong and costs that question. A no may never be: the URL would be queued twice. So a filter is right or it
is not asked:

- A URL is added as it arrives, before it can be asked for again.
- A clean close writes the filter beside the store and its digest into the store; an opening takes the digest out before
  anything else is written. A file without its digest is nothing: cut, older than the store, or another store's.
- With no such file the filter is built from the store's keys, a slice at a time, and asked when it is whole.
- If there is no memory for it, or no kernel, there is none, and the store is asked.

A yes is wrong once in 200 times at the most for each layer that a filter has grown by. So one that had to grow is built
anew from the store's keys in a single layer, and is asked meanwhile: it is never wrong more than once in a hundred.
"""

from __future__ import annotations

from xxhash import xxh3_128_digest

from skitter.kernel import IS_NATIVE
from skitter.ports import ShardStore, Stores
from skitter.shard.keys import BAND

if IS_NATIVE:
    from skitter import _native

FILE = "FILTER"
LEAST_LINES = 64
FEWEST_A_LINE = 32
"""URLs for each line of a filter that is built: there is room for 42."""
MOST_FOR_BANDS = 256 * 1024
"""Bytes of a shard's filter over bands: those of some 28,000 pages. Of a larger shard the store is asked."""


class UrlFilter:
    """The filter of one shard, as far as there is one."""

    def __init__(self, stores: Stores, urls: int = 0) -> None:
        """The store has so many `urls` now: should the filter be built, that is what there must be room for."""
        self._stores = stores
        self._held = _native.Filter(max(LEAST_LINES, urls // FEWEST_A_LINE)) if IS_NATIVE else None
        self._whole: _native.Filter | None = None  # what is held, once every URL of the store is in it
        self._next: _native.Filter | None = None  # what is to take its place, in one layer
        self._has_memory = True  # for that
        self.built_to = b""

    def rules_out(self, fingerprint: bytes) -> bool:
        """Whether the URL is new, for sure."""
        return self._whole is not None and fingerprint not in self._whole

    def add(self, fingerprint: bytes) -> None:
        """Adds a URL that arrives."""
        if self._next is not None and not self._next.add(fingerprint):
            self._leave_next()
        while self._held is not None and not self._held.add(fingerprint):
            self._grow(self._held)

    @property
    def is_building(self) -> bool:
        """Whether URLs that are in the store have yet to be added."""
        is_drifting = self._whole is not None and self._whole.layers > 1 and self._has_memory
        return self._held is not None and (self._whole is None or is_drifting)

    def is_begun(self, *, is_committed: bool) -> bool:
        """Whether the URLs behind `built_to` are to be added now. What is built anew begins when all is committed."""
        if self._whole is None or self._next is not None:
            return self.is_building
        return self.is_building and is_committed and self._has_begun(self._whole)

    def build(self, fingerprints: list[bytes], *, is_last: bool) -> None:
        """Adds the next URLs that are in the store, in the order of their fingerprints."""
        self.built_to = fingerprints[-1] if fingerprints else self.built_to
        if self._whole is None:
            for fingerprint in fingerprints:
                self.add(fingerprint)
            self._whole = self._held if is_last else None
        elif self._next is not None:
            if not all(map(self._next.add, fingerprints)):
                self._leave_next()
            elif is_last:
                self._take_next(self._next)

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
        self._leave_next()
        if self._held is not None:
            self._stores.give_memory_back(self._held.size)
        self._held = self._whole = None

    def _grow(self, held: _native.Filter) -> None:
        self._has_memory = True  # others may have given some back
        if self._stores.take_memory(held.growth):
            held.grow()
        else:
            self.drop()

    def _has_begun(self, held: _native.Filter) -> bool:
        """Begins with a filter of the same size in one layer, if there is memory for it."""
        begun = _native.Filter(held.lines)
        self._has_memory = self._stores.take_memory(begun.growth)
        if self._has_memory:
            begun.grow()
            self._next, self.built_to = begun, b""
        return self._has_memory

    def _take_next(self, built: _native.Filter) -> None:
        assert self._held is not None
        self._stores.give_memory_back(self._held.size)
        self._held = self._whole = built
        self._next = None

    def _leave_next(self) -> None:
        """Gives up what was to take its place: more has arrived than it has room for. It is begun with again."""
        if self._next is not None:
            self._stores.give_memory_back(self._next.size)
        self._next = None


class BandFilter(UrlFilter):
    """The same over the bands that pages are kept under (`judge.near`): nearly none that is asked for is there.

    It is small, and not kept over a restart: then it is built again. Nor is it made anew when it has grown, for each
    page has six bands, and a wrong yes costs a question.
    """

    def known(self, keys: list[bytes]) -> list[bytes]:
        """Returns those of the keys of bands that somebody may be kept under."""
        return keys if self._whole is None else self._whole.known_keys(keys)

    def rules_out(self, fingerprint: bytes) -> bool:
        """Whether nobody is kept under a band, by what follows the first letter of its key."""
        return not self.known([BAND + fingerprint])

    def add_keys(self, keys: list[bytes]) -> None:
        """Adds the keys of bands that a page is kept under."""
        if self._held is not None and not self._held.add_keys(keys):
            for key in keys:
                self.add(key[1:])

    def add(self, fingerprint: bytes) -> None:
        """Adds a band that a page is kept under. What all bands of a domain begin with tells none of them."""
        super().add(xxh3_128_digest(BAND + fingerprint))

    @property
    def is_building(self) -> bool:
        """Whether bands that are in the store have yet to be added."""
        return self._held is not None and self._whole is None

    def _grow(self, held: _native.Filter) -> None:
        if held.size + held.growth > MOST_FOR_BANDS:
            self.drop()
        else:
            super()._grow(held)
