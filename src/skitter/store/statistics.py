"""What the archive has done since it was opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from skitter.store.index.entries import Entry


class Statistics(Struct, frozen=True):
    """Counts since the archive was opened; `waiting` is of this moment."""

    captures: int = 0
    responses: int = 0
    revisits: int = 0
    failures: int = 0  # fetches without an answer
    bytes_received: int = 0  # payloads, before compression
    bytes_written: int = 0
    batches: int = 0
    syncs: int = 0
    sealed: int = 0
    recovered: int = 0
    troubles: int = 0
    indexes_made: int = 0
    indexes_failed: int = 0
    waiting: int = 0


def count_batch(counter: Counter[str], entries: Iterable[Entry], written: int) -> None:
    """Counts a batch that was written."""
    counter["batches"] += 1
    counter["bytes_written"] += written
    for entry in entries:
        kind = "failures" if entry.answer is None else "revisits" if entry.answer.revisit else "responses"
        counter["captures"] += 1
        counter[kind] += 1
        counter["bytes_received"] += entry.facts.received or 0
