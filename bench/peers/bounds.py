"""What one part of the work costs if nothing else is done: `bounds.py fetch|parse|zlib|isal FILE`

FILE lists a URL and its file for each page. Only `fetch` asks the server; the others read the files.
"""

from __future__ import annotations

import asyncio
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import uvloop
from isal import isal_zlib
from selectolax.lexbor import LexborHTMLParser
from wire import Wire

AT_ONCE = 500


async def fetch(urls: list[str]) -> None:
    """Fetches every page, one connection a host."""
    hosts: dict[str, list[str]] = defaultdict(list)
    for url in urls:
        hosts[urlsplit(url).netloc].append(url)
    room = asyncio.Semaphore(AT_ONCE)

    async def visit(ours: list[str]) -> None:
        async with room:
            wire = Wire(ours[0])
            for url in ours:
                await wire.get(url)
            wire.close()

    async with asyncio.TaskGroup() as group:
        for ours in hosts.values():
            group.create_task(visit(ours))


WORK: dict[str, Callable[[bytes], object]] = {
    "parse": LexborHTMLParser,
    "zlib": lambda body: zlib.compress(body, 1),
    "isal": lambda body: isal_zlib.compress(body, 2),
}


def main() -> None:
    """Does one part of the work for every page."""
    part, listed = sys.argv[1:]
    rows = [line.split("\t") for line in Path(listed).read_text(encoding="utf-8").splitlines()]
    if part == "fetch":
        uvloop.run(fetch([url for url, _ in rows]))
        return
    for _, file in rows:
        WORK[part](Path(file).read_bytes())


main()
