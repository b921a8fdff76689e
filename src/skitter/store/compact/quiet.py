"""Waits until nobody reads a folder, so that files can be merged without a reader missing one that it has listed.

A reader lists a folder and opens the files later, one after the other. No file system lets many files become one for a
reader who is in the middle of that. But the kernel tells (inotify) whenever a folder is listed or a file in it opened.
So we wait until that was long ago. A folder that is read every few seconds is never left alone for long: the longer we
have waited, the shorter a pause is enough, down to `LEAST`. If it is read all the time, its files stay as they are.
"""

from __future__ import annotations

import ctypes
import math
import os
import select
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from skitter.store.index.paths import TEMPORARY

LEAST = 2.0
"""Seconds without a reader: never fewer."""
HALF = 120.0
"""Seconds after which half as many are enough."""
PATIENCE = 1800.0
"""So long is waited for a moment, until the next run of merging."""
LOOK_EVERY = 0.2

_OPENED = 0x20  # IN_OPEN
_EVENT = struct.Struct("iIII")
_ROOM = 65536


class Quiet(Protocol):
    """When a folder can be changed."""

    def wait(self) -> bool:
        """Returns when nobody has read for long enough; False: that never came."""

    def is_broken(self) -> bool:
        """Whether somebody has read since."""


class AtOnce:
    """Nobody else reads, or nobody can tell."""

    def wait(self) -> bool:
        """Returns True at once."""
        return True

    def is_broken(self) -> bool:
        """Returns False."""
        return False


class Watched:
    """A folder that an inotify descriptor tells of. At first nobody must have read it for `longest` seconds."""

    def __init__(self, descriptor: int, longest: float, clock: Callable[[], float]) -> None:
        self._descriptor = descriptor
        self._longest = longest
        self._clock = clock
        self._began = self._heard = clock()

    def wait(self) -> bool:
        """Returns whether there was a pause that is long enough, as soon as there is."""
        while True:
            now = self._clock()  # before it is looked for events: what comes in between is seen the next time
            is_broken = self.is_broken()
            if not is_broken and now - self._heard >= enough(self._longest, now - self._began):
                return True
            if now - self._began >= PATIENCE:
                return False
            if not is_broken:
                select.select([self._descriptor], [], [], LOOK_EVERY)

    def is_broken(self) -> bool:
        """Returns whether somebody has listed the folder or opened a file, since this was last asked."""
        is_broken = False
        while select.select([self._descriptor], [], [], 0)[0]:
            is_broken |= any(not name.endswith(TEMPORARY) for name in _names(os.read(self._descriptor, _ROOM)))
        if is_broken:
            self._heard = self._clock()
        return is_broken


def enough(longest: float, waited: float) -> float:
    """Returns how long a pause must be after we have waited so long for one."""
    return min(longest, max(LEAST, longest * math.pow(0.5, waited / HALF)))


@contextmanager
def watching(folder: Path, longest: float, clock: Callable[[], float] = time.monotonic) -> Iterator[Quiet]:
    """Gives what tells when a folder is quiet. Where the kernel can't, it is taken to be."""
    descriptor = _watch(folder) if longest > 0 else -1
    if descriptor < 0:
        yield AtOnce()
        return
    try:
        yield Watched(descriptor, longest, clock)
    finally:
        os.close(descriptor)


def _watch(folder: Path) -> int:
    """Returns a descriptor that tells of every opening of the folder and of files in it; -1 if there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        return -1
    descriptor = int(libc.inotify_init1(os.O_CLOEXEC))
    if descriptor >= 0 and libc.inotify_add_watch(descriptor, os.fsencode(folder), _OPENED) < 0:
        os.close(descriptor)
        return -1
    return descriptor


def _names(events: bytes) -> Iterator[str]:
    """Yields the file that each event is about; of the folder itself, no name."""
    at = 0
    while at < len(events):
        *_, length = _EVENT.unpack_from(events, at)
        at += _EVENT.size + length
        yield os.fsdecode(events[at - length : at].rstrip(b"\0"))
