"""What the kernel says of processes that a test has started."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from skitter.servers.child import RUNNING


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started, servers of tests aside; none if it is gone."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [child for child in map(int, found) if child not in RUNNING]


def children_since() -> Callable[[], list[int]]:
    """Returns what tells the processes that this one has started since now: what another test left is not ours."""
    before = frozenset(children(os.getpid()))
    return lambda: [child for child in children(os.getpid()) if child not in before]


async def wait_for(what: Callable[[], bool], seconds: float = 30) -> None:
    """Returns when `what()` is true, in an event loop."""
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.02)
