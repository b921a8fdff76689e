"""Entries of a store as bundles: gathered where slots leave, put in where they come, removed where they were. Pure.

Counts follow the URLs: whatever is put in or removed together has the counts of the shard with it, so that they add up
after each step, and a step that was done is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol, TypeAlias

from skitter.messages import State
from skitter.shard import keys
from skitter.shard.hostcounts import PLACE
from skitter.shard.moving.kinds import KINDS, Belongs, Sorting
from skitter.shard.records import METAS, STATES, TRIMMED, TRIMMED_BYTES, URLS, Meta

MOST_BYTES = 2 * 1024**2
"""Bytes of a bundle, about: a record of a log holds many times that."""
AT_ONCE = 2000
"""Entries that are looked at before others have their turn."""

Entry: TypeAlias = tuple[bytes, bytes]
Changes: TypeAlias = dict[bytes, "bytes | None"]
Get: TypeAlias = Callable[[bytes], "bytes | None"]


class Entries(Protocol):
    """A store to read from."""

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of an entry."""
        ...

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[Entry]:
        """Yields the entries that start with `prefix`, in order."""
        ...


def entries_of(store: Entries, sorting: Sorting) -> Iterator[tuple[int | None, Entry]]:
    """Yields all entries that belong to a domain, with their slots.

    A slot of None is that of URLs of which nothing is known but that they are dead: whose they are can't be told.
    """
    for kind, belongs in KINDS.items():
        if belongs is not Belongs.SHARD:
            for entry in store.iterate(kind):
                yield sorting.slot_of(*entry), entry


def gathered(store: Entries, sorting: Sorting, slots: Collection[int]) -> Iterator[list[Entry] | None]:
    """Yields all entries of some slots, some at a time, and None now and then to let others have their turn."""
    some: list[Entry] = []
    size = 0
    for looked, (slot, entry) in enumerate(entries_of(store, sorting)):
        if looked % AT_ONCE == AT_ONCE - 1:
            yield None
        if slot not in slots:
            continue
        some.append(entry)
        size += len(entry[0]) + len(entry[1])
        if size > MOST_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def put_in(entries: Iterable[Entry], get: Get) -> Changes:
    """Returns the changes that put entries into a store that has none of their domains."""
    changes: Changes = {}
    counts, trimmed = STATES.decode(get(keys.COUNTS)), int.from_bytes(get(keys.TRIMMED) or b"", "big")
    was_trimmed = trimmed
    for key, value in entries:
        kind = KINDS[key[:1]]
        if kind is Belongs.RECORD:
            before = get(key)
            if before is not None and value == TRIMMED_BYTES:
                continue  # found anew since, in another shard
            if before == TRIMMED_BYTES:
                trimmed, counts[PLACE[State.DEAD]] = trimmed - 1, counts[PLACE[State.DEAD]] - 1
            record = URLS.decode(value)
            trimmed += record is TRIMMED
            counts[PLACE[record.state]] += 1
        elif key[:1] == b"c" and (there := get(key)) is not None:
            both = zip(STATES.decode(there), STATES.decode(value), strict=True)
            value = STATES.encode([one + other for one, other in both])
        changes[key] = value
    changes[keys.COUNTS] = STATES.encode(counts)
    if trimmed != was_trimmed:
        changes[keys.TRIMMED] = trimmed.to_bytes(8, "big")
    return changes


def removed(entries: Iterable[Entry], get: Get) -> Changes:
    """Returns the changes that take entries out of a store."""
    changes: Changes = {}
    counts = STATES.decode(get(keys.COUNTS))
    for key, value in entries:
        if KINDS[key[:1]] is Belongs.RECORD:
            counts[PLACE[URLS.decode(value).state]] -= 1
        changes[key] = None
    changes[keys.COUNTS] = STATES.encode(counts)
    return changes


def opened_as_often(raw: bytes | None, shard: int, shards: int, opened: int, now: float) -> bytes:
    """Returns the facts of a shard to which entries have come from a store that was opened so often.

    Serials grow with the openings, and no queue may have one twice. The filter that was kept lacks what has come.
    """
    meta = Meta(shard, shards, now) if raw is None else METAS.decode(raw)
    return METAS.encode(Meta(shard, shards, meta.created, max(meta.opened, opened)))
