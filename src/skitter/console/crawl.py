"""The console of a crawl in a folder, running or not, see `port.Console`.

Three kinds of looks, none of which a node hears of: what the supervisor writes every two seconds, a survey of all hosts
that is made at intervals, and single records out of the stores, opened to read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from skitter import __version__
from skitter.clock import Clock
from skitter.config.fields import FIELDS
from skitter.config.running import AT_RUN_TIME
from skitter.console.acts import Act, Complain, Done
from skitter.console.doing import do, setting
from skitter.console.events import Events
from skitter.console.finding import host_view, urls_page
from skitter.console.health import health
from skitter.console.lately import live_of
from skitter.console.looks import Looks
from skitter.console.readings import Reading, readings
from skitter.console.series import SeriesReader
from skitter.console.surveying import Surveying
from skitter.console.views import (
    Complaint,
    CrawlLine,
    Entry,
    Event,
    HostsPage,
    HostView,
    Live,
    Overview,
    Series,
    SettingLine,
    UrlsPage,
)
from skitter.folder.jsonlines import CHANGES, COMPLAINTS, append_line, last_lines
from skitter.folder.locks import running
from skitter.inspection.domains import DomainLook
from skitter.inspection.folder import Folder
from skitter.inspection.history import History, history
from skitter.inspection.why import Story, why
from skitter.messages import Reason
from skitter.supervisor.lastrun import read_last_run

LISTENS = 1.0
"""Seconds between two looks for something new to tell."""


class FolderConsole:
    """The console of the crawl in `directory`. Use it in `async with`."""

    def __init__(self, directory: Path, clock: Clock = time.time, *, survey_every: float = 5.0) -> None:
        self._directory = directory
        self._clock = clock
        self._looks = Looks(directory)
        self._stories = Looks(directory)  # these may read tables of the archive, which takes long: hosts don't wait
        self._events = Events()
        self._series = SeriesReader(directory)
        self._surveying = Surveying(directory, survey_every)
        self._beside: list[asyncio.Task[None]] = []
        self._acting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        self._beside = [asyncio.create_task(self._surveying.keep()), asyncio.create_task(self._keep_telling())]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        self._looks.close()
        self._stories.close()

    def __repr__(self) -> str:
        return f"<FolderConsole of {self._directory}, {len(self._events)} listen>"

    async def crawl(self) -> CrawlLine:
        """See `port.Console`."""

        def line(folder: Folder) -> CrawlLine:
            is_running = running(self._directory) is not None
            crawl = folder.crawl
            return CrawlLine(self._name, str(self._directory), crawl.created, is_running, len(crawl.seeds))

        return await self._looks.ask(line)

    async def overview(self) -> Overview:
        """See `port.Console`."""
        now, live = self._clock(), self._live()
        is_running = running(self._directory) is not None
        found = await self._surveying.survey()
        return Overview(
            self._name,
            str(self._directory),
            __version__,
            now,
            is_running,
            health(live, now, is_running=is_running),
            live,
            None if found is None else found.status,
            None if found is None else found.at,
        )

    async def hosts(
        self, search: str = "", sort: str = "queued", *, descending: bool = True, cursor: str = "", limit: int = 50
    ) -> HostsPage:
        """See `port.Console`."""
        table = await self._surveying.table()

        def page() -> HostsPage:
            return table.page(search, sort, descending=descending, cursor=cursor, limit=limit)

        return await asyncio.to_thread(page)

    async def host(self, name: str) -> HostView | None:
        """See `port.Console`."""
        return await self._looks.ask(lambda folder: host_view(folder, name, self._clock()))

    async def why(self, url: str) -> Story | Reason:
        """See `port.Console`."""
        return await self._stories.ask(lambda folder: why(folder, url, self._clock()))

    async def history(self, url: str) -> History | Reason:
        """See `port.Console`."""
        return await self._stories.ask(lambda folder: history(folder, url))

    async def readings(self, url: str) -> Sequence[Reading]:
        """See `port.Console`."""
        return await self._looks.ask(lambda folder: readings(folder, url))

    async def urls(self, prefix: str, cursor: str = "", limit: int = 50) -> UrlsPage:
        """See `port.Console`."""
        return await self._looks.ask(lambda folder: urls_page(folder, prefix, cursor, limit, self._clock()))

    async def review(self) -> Sequence[DomainLook]:
        """See `port.Console`."""
        await self._surveying.table()
        found = await self._surveying.survey()
        return [] if found is None else found.review

    async def series(self, span: float = 3600.0) -> Series:
        """See `port.Console`."""
        return self._series.series(span, self._clock())

    async def settings(self) -> Sequence[SettingLine]:
        """See `port.Console`."""

        def told(folder: Folder) -> list[SettingLine]:
            known = ((key, FIELDS[key]) for key in sorted(AT_RUN_TIME))
            return [
                SettingLine(key, setting(folder.settings, key), field.default, f"{field.meaning} ({field.right})")
                for key, field in known
            ]

        return await self._looks.ask(told)

    async def changes(self, limit: int = 100) -> Sequence[Entry]:
        """See `port.Console`."""
        return last_lines(self._directory / CHANGES, Entry, limit)

    async def complaints(self, limit: int = 100) -> Sequence[Complaint]:
        """See `port.Console`."""
        return last_lines(self._directory / COMPLAINTS, Complaint, limit)

    def events(self) -> AsyncIterator[Event]:
        """See `port.Console`."""
        return self._events.listen()

    async def act(self, who: str, act: Act) -> Done:
        """See `port.Console`."""
        async with self._acting:  # so that what was before is what the act before left
            done = await self._looks.ask(lambda folder: do(folder, act), is_fresh=True)
        now = self._clock()
        if isinstance(act, Complain):
            append_line(self._directory / COMPLAINTS, Complaint(now, who, done.target, act.text, act.act))
        entry = Entry(now, who, type(act).__name__, done.target, done.before, done.after)
        append_line(self._directory / CHANGES, entry)
        self._events.tell(Event("act", entry))
        return done

    @property
    def _name(self) -> str:
        return self._directory.resolve().name

    def _live(self) -> Live | None:
        run = read_last_run(self._directory)
        return None if run is None else live_of(run)

    async def _keep_telling(self) -> None:
        at, note = 0.0, -1
        while True:
            await asyncio.sleep(LISTENS)
            if not len(self._events) or (live := self._live()) is None or live.at == at:
                continue
            at = live.at
            self._events.tell(Event("live", live))
            for one in live.notes if note >= 0 else ():
                if one.number > note:
                    self._events.tell(Event("note", one))
            note = max((one.number for one in live.notes), default=0)


def require_crawl(directory: Path) -> None:
    """Raises if there is no crawl in `directory`."""
    with Folder(directory):
        pass
