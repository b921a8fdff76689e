"""One run over all indexes of a crawl: what a kill left is mended, then what is small is merged."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from skitter.errors import MachineError
from skitter.store.compact.lines import Lines
from skitter.store.compact.merge import Form, Merger, WatchedFolder
from skitter.store.compact.quiet import AtOnce, Quiet
from skitter.store.compact.shelf import Shelf, shelves_of
from skitter.store.compact.tables import Tables
from skitter.store.disk import Disk, RealDisk
from skitter.store.index.holding import indexed_files
from skitter.store.index.manifest import write_manifests
from skitter.store.index.paths import CDXJ, cdxj_folder

_log = logging.getLogger(__name__)


def nobody(folder: Path) -> AbstractContextManager[Quiet]:  # noqa: ARG001 (one shape)
    """Gives a folder that nobody else reads."""
    return nullcontext(AtOnce())


def compact(directory: Path, now: float, disk: Disk | None = None, watched: WatchedFolder = nobody) -> int:
    """Returns how many files there are less, when all that is to be is merged; none if another process is at it.

    A folder's files become one when it is quiet, by `watched`. MachineError if some could not be merged: the others are
    all the same.
    """
    with _alone(directory) as is_ours:
        return _compact(directory, now, disk or RealDisk(), watched) if is_ours else 0


def _compact(directory: Path, now: float, disk: Disk, watched: WatchedFolder) -> int:
    less, trouble = 0, None
    for shelf in [one for one in shelves_of(directory) if one.may_be_torn() or one.has_small(now)]:
        try:
            less += _one(directory, shelf, now, disk, watched)
        except OSError as error:
            trouble = MachineError(
                f"indexes can't be merged ({error})", str(shelf.folder), "Make room or mend the disk."
            )
        except MachineError as error:
            trouble = error
            _log.error("%s", error)
    with suppress(OSError):  # the next run writes them
        write_manifests(directory)
    if trouble is not None:
        raise trouble
    return less


def _one(directory: Path, shelf: Shelf, now: float, disk: Disk, watched: WatchedFolder) -> int:
    form: Form = Lines() if shelf.kind == CDXJ else Tables(shelf.kind)
    merger = Merger(directory, shelf, form, disk, watched)
    merger.mend()
    return merger.merge(indexed_files(directory, shelf.day), now)


@contextmanager
def _alone(directory: Path) -> Iterator[bool]:
    folder = cdxj_folder(directory)
    if not folder.is_dir():
        yield False
        return
    held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield _is_free(held)
    finally:
        os.close(held)


def _is_free(held: int) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
