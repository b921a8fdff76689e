"""PDFs on the path of a page: read for their links, in a process with limits that is begun with the first of them.

One that can't be read has none: it is stored and settled all the same. Its text is for the table of texts, which is
made elsewhere; to find the links alone takes a fraction of the time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from skitter.content.pdf.desk import PdfDesk, is_installed
from skitter.messages import Fetched
from skitter.parse.outlinks import IsKnown
from skitter.reading.linked import is_unread_pdf, with_links
from skitter.reading.meaning import Reading, Rules
from skitter.settings import ContentSettings

BEHIND = 8
"""PDFs that may wait to be read; then no more pages are leased, so that no lease ends for it."""


class Papers:
    """Reads the PDFs of a node, one after the other."""

    def __init__(self, desk: PdfDesk) -> None:
        self._desk = desk
        self._thread = ThreadPoolExecutor(1, "pdf")
        self._waiting = 0
        self.read = 0

    async def linked(self, fetched: Fetched, reading: Reading, rules: Rules, is_known: IsKnown) -> Reading:
        """Returns what an answer means; of a PDF, with its links."""
        if not is_unread_pdf(fetched, reading):
            return reading
        self._waiting += 1
        try:
            paper = await asyncio.get_running_loop().run_in_executor(self._thread, self._desk.links, fetched.body)
        finally:
            self._waiting -= 1
        self.read += 1
        return with_links(fetched, reading, paper.links, rules, is_known)

    def is_behind(self) -> bool:
        """Whether so many wait that no more pages should be leased."""
        return self._waiting >= BEHIND

    def close(self) -> None:
        """Ends its process; who waits hears that there are no links."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._desk.close()

    def __repr__(self) -> str:
        return f"<Papers read={self.read} waiting={self._waiting}>"


@contextlib.contextmanager
def papers_of(settings: ContentSettings) -> Iterator[Papers | None]:
    """Yields who reads PDFs for their links, if that is wanted and possible."""
    if not settings.pdf_links or not is_installed():
        yield None
        return
    with contextlib.closing(Papers(PdfDesk(settings))) as papers:
        yield papers
