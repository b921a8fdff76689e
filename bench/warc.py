"""What storing costs: each compressor on real pages, then the whole archive.

Run: python bench/warc.py FOLDER_OF_HTML
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from isal import isal_zlib
from zlib_ng import zlib_ng

from skitter.messages import Errand, Fetched, Lease, Link, LinkKind
from skitter.ports import Capture
from skitter.settings import StoreSettings
from skitter.store.archive import Archive

CAPTURES, CARRIERS, LINKS, ROUNDS = 3000, 64, 49, 5
WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs", "while", "pages", "link", "to", "others")


def pages_of(folder: Path) -> list[bytes]:
    """Returns up to 300 pages of 28 to 40 KB, in an order that is always the same."""
    fitting = [path for path in sorted(folder.rglob("*.html")) if 28_000 < path.stat().st_size < 40_000]
    random.Random(1).shuffle(fitting)
    return [path.read_bytes() for path in fitting[:300]]


def cost(pages: list[bytes], work: Callable[[bytes], bytes]) -> tuple[float, float]:
    """Returns CPU seconds per 1000 pages (the best of some rounds), and what is left of the size."""
    best, left = float("inf"), 0
    for _ in range(ROUNDS):
        start = time.process_time()
        left = sum(len(work(page)) for page in pages)
        best = min(best, time.process_time() - start)
    return best / len(pages) * 1000, left / sum(map(len, pages))


def a_capture(pages: list[bytes], number: int, links: int) -> Capture:
    chance = random.Random(number)
    body = pages[number % len(pages)] + b"<!-- %d -->" % number
    host = f"h{number % 200}.example.org"
    href = f"https://{host}/page/{number}.html"
    found = [
        Link(
            f"https://h{chance.randrange(200)}.example.org/{chance.choice(WORDS)}/{chance.randrange(9999)}.html",
            "a",
            LinkKind.NAVIGATION,
            False,
            " ".join(chance.choices(WORDS, k=4)),
        )
        for _ in range(links)
    ]
    headers = [("Server", "nginx"), ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))]
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    fetched = Fetched(
        lease=Lease(href=href, host=host, errand=Errand.PAGE, ends=0.0, depth=3),
        began=1_794_775_551.0 + number,
        ended=1_794_775_551.1 + number,
        address="192.0.2.7",
        request_head=f"GET /page/{number}.html HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\n\r\n".encode(),
        response_head=f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode(),
        payload=body,
        status=200,
        headers=headers,
        body=body,
    )
    return Capture(fetched, links=found, title="A page", lang="en", encoding="utf-8")


async def archive_cost(pages: list[bytes], level: int, links: int) -> tuple[float, float]:
    """Returns CPU seconds per 1000 captures, indexes included, and bytes of WARC per capture."""
    captures = iter([a_capture(pages, number, links) for number in range(CAPTURES)])

    async def carry(archive: Archive) -> None:
        for capture in captures:
            await archive.append(capture)

    with tempfile.TemporaryDirectory() as folder:
        settings = StoreSettings(gzip_level=level)
        start = time.process_time()
        archive = Archive(Path(folder), settings, node="0", facts={}, clock=time.time)
        async with archive, asyncio.TaskGroup() as tasks:
            for _ in range(CARRIERS):
                tasks.create_task(carry(archive))
        return (time.process_time() - start) / CAPTURES * 1000, archive.statistics().bytes_written / CAPTURES


def main(folder: Path) -> None:
    pages = pages_of(folder)
    print(f"{len(pages)} pages of {sum(map(len, pages)) // len(pages)} bytes")
    works: dict[str, Callable[[bytes], bytes]] = {"sha256": lambda page: sha256(page).digest()}
    for level in (1, 4, 6):
        works[f"zlib {level}"] = lambda page, level=level: zlib.compress(page, level, 31)  # type: ignore[misc]
        works[f"zlib-ng {level}"] = lambda page, level=level: zlib_ng.compress(page, level, 31)  # type: ignore[misc]
    for level in (0, 1, 2, 3):
        works[f"isal {level}"] = lambda page, level=level: isal_zlib.compress(page, level, 31)  # type: ignore[misc]
    for name, work in works.items():
        seconds, left = cost(pages, work)
        print(f"{name:12} {seconds:.3f} s/1000  {left:.4f} of the size")
    for level, links in ((4, LINKS), (4, 0), (1, LINKS), (6, LINKS)):
        seconds, size = min(asyncio.run(archive_cost(pages, level, links)) for _ in range(3))
        print(f"archive, gzip_level {level}, {links} links: {seconds:.3f} s/1000, {size:.0f} bytes each")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
