"""How some files of a shelf become one without a row lost, whatever is killed when.

A merged file says which WARC files it is made of. It is written under a temporary name, that no reader looks for, and
then renamed; from that moment it counts, and what it was made of is removed. So a row is always there. Between the two,
for as long as it takes to remove some files, it is there twice: no file system exchanges many files for one at once.
So that moment is one in which nobody reads (`quiet`). Our own readers do not see it whatever they do (`index.holding`),
and a kill within it is mended by the next run, which removes whatever is in a merged file already.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

from skitter.store.compact.plan import groups, is_over
from skitter.store.compact.quiet import Quiet
from skitter.store.compact.shelf import Shelf
from skitter.store.disk import Disk
from skitter.store.index.holding import swapping
from skitter.store.index.names import is_merged, next_merged
from skitter.store.index.paths import temporary

Sources = frozenset[str]
"""The WARC files, by their names without ending, whose rows a file has."""

WatchedFolder: TypeAlias = Callable[[Path], AbstractContextManager[Quiet]]
"""Watches a folder until it is quiet."""


class Form(Protocol):
    """What is known of the files of a kind."""

    def merge(self, path: Path, parts: Sequence[Path], made_of: Sequence[str]) -> None: ...

    def sources(self, path: Path) -> Sources: ...


class Merger:
    """Merges the files of one shelf. One process alone may, in a crawl."""

    def __init__(self, directory: Path, shelf: Shelf, form: Form, disk: Disk, watched: WatchedFolder) -> None:
        self._directory = directory
        self._shelf = shelf
        self._form = form
        self._disk = disk
        self._watched = watched

    def mend(self) -> None:
        """Removes what a kill left: files half made, and files that are in a merged one already."""
        for path in self._shelf.half_made():
            self._disk.remove(path)
        with swapping(self._directory):
            self._remove(doubled({name: self._sources(name) for name in self._shelf.sizes()}))

    def merge(self, indexed: Collection[str], now: float) -> int:
        """Merges what is to be, of WARC files whose index is whole (`indexed`). Returns how many files there are less.

        A file that has no CDXJ yet is left alone: its index is made again after a crash, and would be there twice.
        """
        less = 0
        sizes = {name: size for name, size in self._shelf.sizes().items() if is_merged(name) or name in indexed}
        for group in groups(sizes, is_over=is_over(self._shelf.day, now)):
            if not self._become_one(group):
                break  # somebody reads all the time: the next run tries again
            less += len(group) - 1
        return less

    def _become_one(self, group: Sequence[str]) -> bool:
        shelf = self._shelf
        path = shelf.path(next_merged(shelf.day, shelf.sizes()))
        made_of = frozenset[str]().union(*map(self._sources, group))
        self._form.merge(temporary(path), [shelf.path(name) for name in group], sorted(made_of))
        with self._watched(shelf.folder) as quiet:
            while quiet.wait():
                with swapping(self._directory):
                    if quiet.is_broken():
                        continue
                    self._disk.rename(temporary(path), path)
                    self._disk.sync_folder(shelf.folder)
                    self._remove(group)
                    return True
        self._disk.remove(temporary(path))
        return False

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            self._disk.remove(self._shelf.path(name))

    def _sources(self, name: str) -> Sources:
        return self._form.sources(self._shelf.path(name)) if is_merged(name) else frozenset([name])

    def __repr__(self) -> str:
        return f"<Merger of {self._shelf}>"


def doubled(made_of: Mapping[str, Sources]) -> list[str]:
    """Returns the files all of whose rows are in a merged file too, of two merged files the older one."""
    merged = [name for name in made_of if is_merged(name)]
    return [
        name
        for name, mine in made_of.items()
        if any(mine <= made_of[other] and (name < other or not is_merged(name)) for other in merged)
    ]
