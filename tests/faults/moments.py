"""The moments at which a kill hurts most: a WARC file is being rolled, RocksDB is writing a table. The kernel tells."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import time
from collections.abc import Callable, Iterable
from pathlib import Path

MODIFIED, MOVED_IN, CREATED = 0x2, 0x80, 0x100
_EVENT = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)


class Watch:
    """Names of files that appear in some folders, as they appear (inotify)."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._fd = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        assert self._fd >= 0, os.strerror(ctypes.get_errno())
        for folder in folders:
            _libc.inotify_add_watch(self._fd, os.fsencode(folder), MOVED_IN | CREATED)

    def wait(self, is_wanted: Callable[[str], bool], seconds: float) -> str | None:
        """Returns the first wanted name from now on, None if there is none in time."""
        self._names()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            select.select([self._fd], [], [], left)
            for name in self._names():
                if is_wanted(name):
                    return name
        return None

    def close(self) -> None:
        os.close(self._fd)

    def _names(self) -> list[str]:
        try:
            raw = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return []
        names, at = [], 0
        while at < len(raw):
            *_, length = _EVENT.unpack_from(raw, at)
            at += _EVENT.size + length
            names.append(os.fsdecode(raw[at - length : at].rstrip(b"\0")))
        return names


def wait_for_roll(out: Path, seconds: float) -> str | None:
    """Returns when a WARC file is begun or sealed, or the index of one is begun or done."""
    folders = [*out.glob("warc/*/*/*"), out / "cdxj", *out.glob("parquet/*/*/*/*")]
    return _wait(folders, (".open", ".warc.gz", ".tmp", ".cdxj", ".parquet"), seconds)


def wait_for_flush(out: Path, seconds: float) -> str | None:
    """Returns when RocksDB begins to write a table of a shard."""
    return _wait(out.glob("frontier/*"), (".sst",), seconds)


def _wait(folders: Iterable[Path], endings: tuple[str, ...], seconds: float) -> str | None:
    watch = Watch(folders)
    try:
        return watch.wait(lambda name: name.endswith(endings), seconds)
    finally:
        watch.close()
