"""The topic `pages`: an event for each page that was stored, for whoever indexes or parses elsewhere.

An event is sent after the page is stored and before it is settled, and waited for: a crash in between means that the
page is fetched again, and has two events. So each page has one at least. `docs/formats/pages.md` describes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from skitter.bus.topics import PAGES
from skitter.errors import MachineError
from skitter.messages import PAGE_ERRANDS, Stored, header_values
from skitter.ports import Archive, ArchiveStatistics, Capture
from skitter.store.warc.places import relative_path

VERSION = 1
AGAIN = 1.0
"""Seconds until an event that the brokers did not acknowledge is sent again."""


class PageEvent(Struct, frozen=True, kw_only=True):
    """One page that was stored. Its fields are the schema: what is added later has a default."""

    version: int = VERSION
    url: str
    host: str
    fetched: float
    status: int
    type: str  # Content-Type as the server said it
    length: int  # of the body, with encodings undone
    digest: str
    file: str  # of the archive, below its address
    offset: int
    record_length: int
    revisit: bool
    node: str
    depth: int
    parent: str | None
    chain: Sequence[str]
    title: str
    lang: str
    encoding: str
    simhash: str  # 16 hex digits; nothing if there is no text to speak of
    reasons: Sequence[str]
    duplicate_of: str | None
    links: int


def event_of(capture: Capture, stored: Stored, node: str) -> PageEvent | None:
    """Returns the event of a capture; None: it is no answer to a request for a page."""
    fetched, verdict = capture.fetched, capture.verdict
    lease = fetched.lease
    if lease.errand not in PAGE_ERRANDS or not fetched.status:
        return None
    types = header_values(fetched.headers, "content-type")
    return PageEvent(
        url=lease.href,
        host=lease.host,
        fetched=fetched.began,
        status=fetched.status,
        type=types[0] if types else "",
        length=len(fetched.body),
        digest=stored.digest,
        file=f"warc/{relative_path(stored.file)}",
        offset=stored.offset,
        record_length=stored.length,
        revisit=stored.revisit,
        node=node,
        depth=lease.depth,
        parent=lease.parent,
        chain=lease.chain,
        title=capture.title,
        lang=capture.lang,
        encoding=capture.encoding,
        simhash="" if capture.simhash is None else f"{capture.simhash:016x}",
        reasons=[reason.value for reason in verdict.reasons],
        duplicate_of=verdict.duplicate_of,
        links=len(capture.links),
    )


class Poster(Protocol):
    """Whoever takes events: `bus.kafka.KafkaBroker`."""

    async def post(self, topic: str, key: str, record: bytes) -> int | None:
        """Returns the offset of a record under a key, in whatever partition; None: nobody can say."""
        ...


class TellingArchive:
    """See `ports.Archive`: what it stores, it tells of."""

    def __init__(self, archive: Archive, poster: Poster, node: str) -> None:
        self._archive = archive
        self._poster = poster
        self._node = node

    async def append(self, capture: Capture) -> Stored:
        """See `ports.Archive`. An event that can't be had through is tried until the lease of its page is over."""
        stored = await self._archive.append(capture)
        event = event_of(capture, stored, self._node)
        if event is not None:
            await self._tell(event)
        return stored

    async def _tell(self, event: PageEvent) -> None:
        record = msgspec.json.encode(event)
        while await self._poster.post(PAGES, event.host, record) is None:
            await asyncio.sleep(AGAIN)

    def is_writable(self) -> bool:
        """See `ports.Archive`."""
        return self._archive.is_writable()

    @property
    def trouble(self) -> MachineError | None:
        """See `ports.Archive`."""
        return self._archive.trouble

    async def wait_writable(self) -> None:
        """See `ports.Archive`."""
        await self._archive.wait_writable()

    def statistics(self) -> ArchiveStatistics:
        """See `ports.Archive`."""
        return self._archive.statistics()
