"""Who may work in a crawl's folder, and how it is seen that somebody does.

DIR/crawl.json      the seeds and when it began
DIR/skitter.toml    its settings
DIR/domains.txt     which domain a host belongs to, frozen when the crawl was created, see `folder.routesfile`
DIR/routes.json     which shard a domain is in, frozen with it
DIR/moved.json      the fleet that it has gone to, see `folder.moved`
DIR/lock            held by the supervisor while it runs
DIR/inbox/          the operator's instructions, not yet carried out, see `folder.inbox` and `folder.orders`
DIR/api-tokens      who may ask the API
DIR/api-log.jsonl   what was changed through it
DIR/complaints.jsonl  what people wrote about hosts
DIR/frontier/       every URL and host, one store per shard
DIR/warc/           the archive
DIR/parquet/ranks/  what domains and hosts are worth, see `rank.published`
DIR/run/            sockets and logs of the nodes, names that they looked up, and how the last run went
DIR/read.json       how far a library user has read its pages, see `library.bookmark`
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from skitter.errors import OperatorError

OURS_ALONE = 0o700

LOCK_PATIENCE = 0.5
"""Who looks whether a crawl runs holds the lock for a moment; whoever starts one waits that long for it."""


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Holds the folder for one supervisor."""
    _make(directory)
    with (directory / "lock").open("a+") as file:
        until = time.monotonic() + LOCK_PATIENCE
        while not _lock(file):
            if time.monotonic() > until:
                right = f"is in use by process {_holder(file) or '?'}: stop that crawl first"
                raise OperatorError("--out", str(directory), right)
            time.sleep(0.02)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def running(directory: Path) -> int | None:
    """Returns the process that crawls in `directory` (0: it has not said yet), or None if none does."""
    try:
        file = (directory / "lock").open()
    except OSError:
        return None
    with file:
        return None if _lock(file) else _holder(file) or 0


@contextlib.contextmanager
def nodes_lock(directory: Path) -> Iterator[int]:
    """Yields a descriptor that every node is born with: the last of them to die lets go of it, however they die.

    Born with, for a supervisor can be killed between the start of a node and the node's first line.
    """
    with (directory / "run" / "nodes.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield file.fileno()


def nodes_at_work(directory: Path) -> bool:
    """Whether nodes are at work. After their supervisor was killed they finish what they have under way."""
    with (_private(directory / "run") / "nodes.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _private(folder: Path) -> Path:
    """Returns `folder`, made for its owner alone: whoever can write to a socket in it can speak as a node."""
    folder.mkdir(mode=OURS_ALONE, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) != OURS_ALONE:  # made by an earlier version, or by someone else
        try:
            folder.chmod(OURS_ALONE)
        except PermissionError:
            raise OperatorError("--out", str(folder), "belongs to another user: remove it, it is made anew") from None
    return folder


@contextlib.contextmanager
def editing(directory: Path) -> Iterator[None]:
    """Holds the folder's small files, so that of two who change them neither undoes the other's change."""
    held = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OperatorError("--out", str(directory), "is a file, not a folder") from None
    except OSError as error:
        raise OperatorError("--out", str(directory), f"can't be made ({error.strerror})") from None


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(file: IO[str]) -> int | None:
    file.seek(0)
    text = file.read().strip()
    return int(text) if text.isdecimal() else None
