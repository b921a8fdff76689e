"""What the kernel says of a process and all that descends from it: memory, CPU time, and who they are."""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec import Struct

_TICKS = os.sysconf("SC_CLK_TCK")
_LONGEST = 65536


class Use(Struct, frozen=True):
    """What they use."""

    memory: int = 0  # bytes that are theirs: what is only mapped from files is not
    cpu: float = 0.0  # seconds, with those of children that have ended
    pids: tuple[int, ...] = ()


def use(pid: int) -> Use:
    """Returns what a process and its descendants use."""
    pids = tuple(descendants(pid))
    return Use(sum(map(_memory, pids)), sum(map(_cpu, pids)), pids)


def descendants(pid: int) -> Iterator[int]:
    """Yields a process and all that it has started, and so on; nothing of what has ended."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        try:
            with os.scandir(f"/proc/{one}/task") as tasks:  # any thread may have started some
                waiting += [int(child) for task in tasks for child in _read(f"{task.path}/children").split()]
        except OSError:
            continue
        yield one


def is_there(pid: int) -> bool:
    """Whether a process runs: one that waits to be reaped does not."""
    return _fields(pid)[:1] not in ([], [b"Z"], [b"X"])


def _memory(pid: int) -> int:
    lines = _read(f"/proc/{pid}/status").splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith((b"RssAnon:", b"RssShmem:")))


def _cpu(pid: int) -> float:
    return sum(map(int, _fields(pid)[11:15])) / _TICKS


def _fields(pid: int) -> list[bytes]:
    """The fields of `stat` behind the name, which may hold anything."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def _read(path: str) -> bytes:
    """What is in a file of the kernel's, empty if it is gone: without ceremony, there are sixty of them in a look."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, _LONGEST)
    except OSError:
        return b""
    finally:
        os.close(file)
