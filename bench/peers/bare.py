"""The least that can be called a crawler: fetch, parse, follow, compress. `bare.py SEED FILE`

One connection a host, links once, bodies through zlib at level 1 into one file. Nothing is durable, nobody is asked,
nothing is retried, and what goes wrong ends it.
"""

from __future__ import annotations

import asyncio
import sys
import zlib
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urljoin, urlsplit

import uvloop
from selectolax.lexbor import LexborHTMLParser
from wire import Wire

AT_ONCE = 500


class Bare:
    """A crawl in memory."""

    def __init__(self, archive: BinaryIO) -> None:
        self._archive = archive
        self._seen: set[str] = set()
        self._queues: dict[str, list[str]] = {}
        self._hosts: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(AT_ONCE)

    async def crawl(self, seed: str) -> None:
        """Returns when everything was fetched that is linked to."""
        self._offer(seed)
        while self._hosts:
            done, _ = await asyncio.wait(self._hosts, return_when=asyncio.FIRST_COMPLETED)
            self._hosts -= done
            for task in done:
                task.result()

    def _offer(self, url: str) -> None:
        if url in self._seen:
            return
        self._seen.add(url)
        host = urlsplit(url).netloc
        if host in self._queues:
            self._queues[host].append(url)
            return
        self._queues[host] = [url]
        self._hosts.add(asyncio.create_task(self._visit(host)))

    async def _visit(self, host: str) -> None:
        """Fetches what is queued of a host, until that is nothing."""
        queue = self._queues[host]
        async with self._room:
            wire = Wire(queue[0])
            while queue:
                self._read(url := queue.pop(), await wire.get(url))
            wire.close()
        del self._queues[host]

    def _read(self, url: str, body: bytes) -> None:
        self._archive.write(zlib.compress(body, 1))
        for link in LexborHTMLParser(body).css("a[href]"):
            target = urljoin(url, (link.attributes["href"] or "").partition("#")[0])
            if target.startswith("http"):
                self._offer(target)


async def main() -> None:
    """Crawls to the end."""
    with Path(sys.argv[2]).open("wb") as archive:
        await Bare(archive).crawl(sys.argv[1])


uvloop.run(main())
