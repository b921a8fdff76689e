"""A node that stores bodies which others store too. Arguments: folder, node, how many bodies, and where to stop.

`claimed`: it stops when it has claimed the first body, `written`: when that is written but not yet known, `-`: never.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from skitter.ports import Capture
from skitter.settings import StoreSettings
from skitter.store import archive as module
from skitter.store.archive import Archive
from skitter.store.bodies.memory import Bodies, Known, StoredBody
from tests.store.answers import answered

CARRIERS = 16
EACH = 3
"""How often a node meets each body."""


class Stopping(Bodies):
    """A memory that says where it is, and stays there."""

    stop = "-"

    def claim(self, keys: Iterable[bytes]) -> Known:
        known = super().claim(keys)
        self._stop("claimed")
        return known

    def remember(self, places: Iterable[tuple[bytes, StoredBody]]) -> None:
        self._stop("written")
        super().remember(places)

    def _stop(self, name: str) -> None:
        if self.stop == name:
            print(name, flush=True)
            time.sleep(60)


def a_capture(node: str, number: int, turn: int) -> Capture:
    url = f"https://{node}.example/{number}/{turn}"
    body = b"body %d " % number * (1 + number % 100)
    return Capture(answered(url, f"{node}.example", body))


async def main(folder: Path, node: str, count: int, stop: str) -> None:
    Stopping.stop = stop
    module.PATIENCE = 60.0  # however slow the machine is, nobody stores a copy because of that
    captures = [a_capture(node, number, turn) for turn in range(EACH) for number in range(count)]
    random.Random(node).shuffle(captures)
    settings = StoreSettings(roll_bytes=50_000, sync_seconds=0.1)
    archive = Archive(folder, settings, node=node, facts={}, clock=time.time, bodies=lambda: Stopping(folder))

    async def carry() -> None:
        while captures:
            await archive.append(captures.pop())

    async with archive, asyncio.TaskGroup() as tasks:
        for _ in range(CARRIERS):
            tasks.create_task(carry())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]))
