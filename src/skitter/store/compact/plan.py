"""Which index files of a day are merged, and into what. Pure: names and sizes in, groups of names out.

While a day lasts, files are merged when there are too many of them; when it is over, all that are not large. Each merge
makes fewer files of more, so that there is an end to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from skitter.store.index.names import is_merged

LARGE = 512 * 1024**2
"""A file of so many bytes is left as it is, and a merged one ends when it has as many."""

MANY = 48
"""So many files of a day that lasts are merged; each node makes one an hour, or more if it is quick."""

MOST = 64
"""Files that are read at a time."""

GRACE = 2 * 3600.0
"""A day is over when so much of the next one is: then its last files are sealed and have their indexes."""


def is_over(day: str, now: float) -> bool:
    """Whether nothing more is to be expected of a day, but for what comes late."""
    ended = datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC).timestamp() + 86400
    return now >= ended + GRACE


def groups(sizes: Mapping[str, int], *, is_over: bool) -> list[list[str]]:
    """Returns which files of a day become one, each group in the order of their names."""
    small = sorted(name for name, size in sizes.items() if size < LARGE and (is_over or not is_merged(name)))
    if not is_over and len(small) < MANY:
        return []
    return [group for group in _filled(small, sizes) if len(group) > 1]


def _filled(names: Sequence[str], sizes: Mapping[str, int]) -> Iterator[list[str]]:
    group: list[str] = []
    total = 0
    for name in names:
        group.append(name)
        total += sizes[name]
        if total >= LARGE or len(group) == MOST:
            yield group
            group, total = [], 0
    yield group
