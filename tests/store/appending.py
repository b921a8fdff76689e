"""Appends captures for ever, and says of each that it is stored: to be killed. Arguments: folder, first number."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import time
from pathlib import Path

from skitter.messages import Errand, Fetched, Lease, Link, LinkKind, Url
from skitter.settings import StoreSettings
from skitter.store.archive import Archive
from skitter.store.capture import Capture

CARRIERS = 8


def a_capture(number: int) -> Capture:
    url = f"https://h{number % 7}.example/{number}"
    body = b"body %d " % (number - number % 5) * (1 + number % 400)  # one in five repeats none, the others may
    lease = Lease(url=Url(url, url, f"h{number % 7}.example"), errand=Errand.PAGE, ends=0.0)
    fetched = Fetched(
        lease=lease,
        began=time.time(),
        ended=time.time(),
        request_head=b"GET / HTTP/1.1\r\n\r\n",
        response_head=b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body),
        payload=body,
        status=200,
        body=body,
    )
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
