"""Answers by name, each until its time and as a last resort for longer; the least used go when there are too many."""

from __future__ import annotations

from skitter.ports import Resolution, Resolved


class Cache:
    """Holds at most `size` answers."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[str, tuple[float, float, Resolution]] = {}  # in the order of use

    def get(self, name: str, now: float) -> Resolution | None:
        """Returns what is known of `name`, unless its time is over."""
        kept = self._kept.get(name)
        # `since` counts for a clock that was set back: what was learnt in the future would hold for too long.
        if kept is None or not kept[0] <= now < kept[1]:
            return None
        del self._kept[name]
        self._kept[name] = kept
        return kept[2]

    def expired(self, name: str) -> Resolved | None:
        """Returns the addresses that were known of `name`, though their time may be over."""
        answer = self._kept[name][2] if name in self._kept else None
        return answer if isinstance(answer, Resolved) else None

    def put(self, name: str, answer: Resolution, now: float, until: float) -> None:
        """Keeps `answer` from `now` to `until`, in place of what was known before."""
        self._kept.pop(name, None)
        self._kept[name] = (now, until, answer)
        while len(self._kept) > self._size:
            del self._kept[next(iter(self._kept))]

    def __len__(self) -> int:
        return len(self._kept)
