"""What the archive has done since it was opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from skitter.store.index.entries import Entry


def count_batch(counter: Counter[str], entries: Iterable[Entry], written: int) -> None:
    """Counts a batch that was written."""
    counter["batches"] += 1
    counter["bytes_written"] += written
    for entry in entries:
        kind = "failures" if entry.answer is None else "revisits" if entry.answer.revisit else "responses"
        counter["captures"] += 1
        counter[kind] += 1
        counter["bytes_received"] += entry.facts.received or 0
