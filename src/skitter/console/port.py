"""The seam: one crawl, as the API and the dashboard see it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from skitter.console.acts import Act, Done
from skitter.console.readings import Reading
from skitter.console.views import (
    Complaint,
    CrawlLine,
    Entry,
    Event,
    HostsPage,
    HostView,
    Overview,
    Series,
    SettingLine,
    UrlsPage,
)
from skitter.inspection.domains import DomainLook
from skitter.inspection.history import History
from skitter.inspection.why import Story
from skitter.messages import Reason


class Console(Protocol):
    """One crawl, running or not. Looking never slows it: nothing here waits for a node, and each look is bounded.

    All raise `Busy` if too many look at once, and OperatorError, which names the field, for what can't be answered.
    """

    async def crawl(self) -> CrawlLine:
        """Returns which crawl this is."""
        ...

    async def overview(self) -> Overview:
        """Returns how it stands."""
        ...

    async def hosts(
        self, search: str = "", sort: str = "queued", *, descending: bool = True, cursor: str = "", limit: int = 50
    ) -> HostsPage:
        """Returns a page of the hosts whose name has `search` in it, in the order of a column of `HostRow`."""
        ...

    async def host(self, name: str) -> HostView | None:
        """Returns a host, as of now; None: the crawl does not know it."""
        ...

    async def why(self, url: str) -> Story | Reason:
        """Returns the story of a URL, or why it is none."""
        ...

    async def history(self, url: str) -> History | Reason:
        """Returns every visit to a URL, or why it is none."""
        ...

    async def readings(self, url: str) -> Sequence[Reading]:
        """Returns what the page said at its last changes, as far as the archive has its text, the first one first."""
        ...

    async def urls(self, prefix: str, cursor: str = "", limit: int = 50) -> UrlsPage:
        """Returns known URLs that begin with `prefix`, which names a host at least."""
        ...

    async def review(self) -> Sequence[DomainLook]:
        """Returns the domains that were blocked until the operator decides; as old as the table of hosts."""
        ...

    async def series(self, span: float = 3600.0) -> Series:
        """Returns numbers over the last `span` seconds, a day at the most."""
        ...

    async def settings(self) -> Sequence[SettingLine]:
        """Returns the settings that can change while a crawl runs, as they are."""
        ...

    async def changes(self, limit: int = 100) -> Sequence[Entry]:
        """Returns the last changes, the newest first."""
        ...

    async def complaints(self, limit: int = 100) -> Sequence[Complaint]:
        """Returns the last complaints, the newest first."""
        ...

    def events(self) -> AsyncIterator[Event]:
        """Yields what happens from now on; whoever takes too long to take it loses what is older. Busy: too many."""
        ...

    async def act(self, who: str, act: Act) -> Done:
        """Returns when what the operator wants is safe on disk, and in the log of changes under the name `who`."""
        ...


class Busy(Exception):  # noqa: N818 - no fault of anybody
    """Too many ask at once: ask again in so many seconds."""

    def __init__(self, seconds: int = 1) -> None:
        super().__init__(f"Too many ask at once: ask again in {seconds} s.")
        self.seconds = seconds
