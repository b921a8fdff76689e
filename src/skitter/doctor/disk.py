"""The disk under a crawl's folder: whether there is room, and how long it takes until bytes are safe."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from skitter.doctor.finding import Finding, Level
from skitter.settings import Settings

WRITTEN, PIECE = 64 * 1024**2, 1024**2
SYNCS = 20
SLOW_SYNC = 0.1
"""Seconds from which on commits, several in a second, wait for one another."""
SLOW_WRITE = 20e6


def of_disk(settings: Settings, folder: Path) -> Iterator[Finding]:
    """Yields what is to say of the disk that `folder` is on, or will be. Something is written there, and removed."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    try:
        free = shutil.disk_usage(there).free
        speed, sync = _measured(there)
    except OSError as error:
        advice = "choose another --out, or mend its rights"
        yield Finding("disk", Level.BAD, f"{there} can't be written to ({error.strerror})", advice)
        return
    wanted = settings.frontier.purge_below + WRITTEN
    if free < wanted:
        advice = "make room, or choose another --out: a crawl stops before its disk is full"
        yield Finding("room", Level.BAD, f"{free / 1e9:.1f} GB free, and {wanted / 1e9:.1f} GB are kept free", advice)
    else:
        yield Finding("room", Level.GOOD, f"{free / 1e9:.1f} GB free at {there.resolve()}")
    level = Level.GOOD if speed >= SLOW_WRITE else Level.POOR
    yield Finding("disk", level, f"{speed / 1e6:.0f} MB/s written", "" if level is Level.GOOD else "a quicker disk")
    level = Level.GOOD if sync <= SLOW_SYNC else Level.POOR
    advice = "a disk whose sync is quick: an SSD, not a network's"
    yield Finding("sync", level, f"{sync * 1e3:.1f} ms until bytes are safe", "" if level is Level.GOOD else advice)


def _measured(folder: Path) -> tuple[float, float]:
    """Returns bytes a second, and the seconds of a sync in the middle."""
    with tempfile.TemporaryFile(dir=folder) as file:
        began, piece = time.monotonic(), os.urandom(PIECE)
        for _ in range(WRITTEN // PIECE):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
        speed = WRITTEN / max(1e-6, time.monotonic() - began)
        syncs = []
        for _ in range(SYNCS):
            began = time.monotonic()
            file.write(piece[:4096])
            file.flush()
            os.fdatasync(file.fileno())
            syncs.append(time.monotonic() - began)
    return speed, sorted(syncs)[len(syncs) // 2]
