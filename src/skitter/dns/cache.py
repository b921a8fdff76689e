"""Answers by name, each until its time, the least used given up first when there are too many."""

from __future__ import annotations

from skitter.ports import Resolution


class Cache:
    """Holds at most `size` answers."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[str, tuple[float, float, Resolution]] = {}  # in the order of use

    def get(self, name: str, now: float) -> Resolution | None:
        """Returns what is known of `name`, unless its time is over."""
        kept = self._kept.pop(name, None)
        if kept is None:
            return None
        since, until, answer = kept
        # `since` counts for a clock that was set back: what was learnt in the future would hold for too long.
        if not since <= now < until:
            return None
        self._kept[name] = kept
        return answer

    def put(self, name: str, answer: Resolution, now: float, until: float) -> None:
        """Keeps `answer` from `now` to `until`, in place of what was known before."""
        self._kept.pop(name, None)
        self._kept[name] = (now, until, answer)
        while len(self._kept) > self._size:
            del self._kept[next(iter(self._kept))]

    def __len__(self) -> int:
        return len(self._kept)
