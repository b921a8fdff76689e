"""Appends captures for ever, and says of each that it is stored: to be killed. Arguments: folder, first number."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import time
from pathlib import Path

from skitter.messages import Link, LinkKind
from skitter.ports import Capture
from skitter.settings import StoreSettings
from skitter.store.archive import Archive
from tests.store.answers import answered

CARRIERS = 8


def a_capture(number: int) -> Capture:
    url = f"https://h{number % 7}.example/{number}"
    body = b"body %d " % (number - number % 5) * (1 + number % 400)  # one in five repeats none, the others may
    fetched = answered(url, f"h{number % 7}.example", body)
    return Capture(fetched, links=[Link(url, "a", LinkKind.NAVIGATION, False, "again")])


async def carry(archive: Archive, numbers: itertools.count[int]) -> None:
    for number in numbers:
        stored = await archive.append(a_capture(number))
        os.write(1, f"{number} {stored.file} {stored.offset}\n".encode())


async def main(folder: Path, first: int) -> None:
    settings = StoreSettings(roll_bytes=200_000, sync_seconds=0.1)
    numbers = itertools.count(first)
    async with Archive(folder, settings, node="n1", facts={}, clock=time.time) as archive, asyncio.TaskGroup() as tasks:
        for _ in range(CARRIERS):
            tasks.create_task(carry(archive, numbers))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
