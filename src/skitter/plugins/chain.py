"""All plug-ins of a node, in their order: opened together, asked page by page, closed together.

Each plug-in that runs apart has a thread that waits for it, so that the node never does. Pages wait there for their
turn; while too many do, `is_behind` keeps the node from leasing more, so that a slow plug-in slows a crawl and no lease
ends for it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from skitter.errors import OperatorError
from skitter.messages import Fetched, Page
from skitter.parse.outlinks import IsKnown
from skitter.plugins.calls import Answer, Call, Part, Trouble
from skitter.plugins.loading import KEY, require_named_well
from skitter.plugins.meaning import (
    as_parsed,
    document_of,
    is_page,
    page_of,
    seen_page,
    seen_urls,
    type_of,
    with_looked,
    with_trouble,
    with_weighed,
)
from skitter.plugins.plugin import Plugin, PluginStatistics
from skitter.plugins.steps import Steps, looking, reading, weighing
from skitter.reading.meaning import Reading, Rules
from skitter.settings import PluginSettings

BEHIND = 20.0
"""Seconds of work that may wait for a plug-in; then no more pages are leased."""

R = TypeVar("R")


class Parsing(NamedTuple):
    """What an answer means; and if a plug-in has read it, its text, and the page that it makes."""

    reading: Reading
    text: str | None = None
    page: Page | None = None


@contextlib.contextmanager
def opened(settings: PluginSettings) -> Iterator[Plugins | None]:
    """Yields the plug-ins that are in use, each ready; None if there are none. OperatorError if one can't be loaded."""
    require_named_well(settings)
    if not settings.use:
        yield None
        return
    with contextlib.ExitStack() as closing:
        plugins = []
        for name in settings.use:
            plugins.append(Plugin(name, settings))
            closing.callback(plugins[-1].close)
        yield closing.enter_context(Plugins(plugins))


def require_loadable(settings: PluginSettings) -> None:
    """Raises for plug-ins that a node could not load."""
    with opened(settings):
        pass


class Plugins:
    """The plug-ins of one process. In a node they are awaited; elsewhere `now` waits for them."""

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self.all = plugins
        self._pages = [one for one in plugins if Part.PAGE in one.parts]
        self._urls = [one for one in plugins if Part.URL in one.parts]
        self._parsers = _parsers(plugins)
        self._threads = {one.label: ThreadPoolExecutor(1, f"plugin-{one.label}") for one in plugins if not one.is_quick}
        self._waiting = dict.fromkeys(self._threads, 0)

    # What to do with a page

    def parsing(self, fetched: Fetched, read: Reading, rules: Rules, is_known: IsKnown) -> Steps[Plugin, Parsing]:
        """Finds what an answer means that Skitter does not read itself, and its text."""
        media_type = type_of(fetched, read)
        plugin = self._parsers.get(media_type)
        if plugin is None or read.said is not None or not is_page(fetched, read):
            return Parsing(read)
        parsed = yield from reading(plugin, document_of(fetched, media_type))
        if isinstance(parsed, Trouble):
            return Parsing(with_trouble(read, plugin.label, parsed))
        if parsed is None:
            return Parsing(read)
        page = page_of(fetched, parsed, rules, is_known)
        return Parsing(as_parsed(fetched, page, parsed, rules), parsed.text, page)

    def judging(self, fetched: Fetched, read: Reading, rules: Rules, text: str | None) -> Steps[Plugin, Reading]:
        """Finds what is thought of a page, and of what it leads to."""
        read = yield from self.looking(fetched, read, text)
        return (yield from self.weighing(read, rules))

    def looking(self, fetched: Fetched, read: Reading, text: str | None) -> Steps[Plugin, Reading]:
        """Finds what is thought of a page."""
        if not self._pages or not is_page(fetched, read):
            return read
        media_type = type_of(fetched, read)
        is_read = read.said is not None or media_type.startswith("text/")
        looked = yield from looking(self._pages, seen_page(fetched, read, media_type, text), is_read=is_read)
        return with_looked(read, looked)

    def weighing(self, read: Reading, rules: Rules) -> Steps[Plugin, Reading]:
        """Finds what is thought of the URLs that a page, list or redirect leads to."""
        if not self._urls or not read.found:
            return read
        weighed = yield from weighing(self._urls, seen_urls(read.found))
        return with_weighed(read, weighed, rules)

    # Two ways to have it done

    def now(self, steps: Steps[Plugin, R]) -> R:
        """Returns what steps come to."""
        try:
            plugin, call = next(steps)
            while True:
                plugin, call = steps.send(plugin.ask(call))
        except StopIteration as end:
            result: R = end.value
            return result

    async def wait(self, steps: Steps[Plugin, R]) -> R:
        """Returns what steps come to, when each plug-in has had its turn."""
        try:
            plugin, call = next(steps)
            while True:
                plugin, call = steps.send(await self._asked(plugin, call))
        except StopIteration as end:
            result: R = end.value
            return result

    async def _asked(self, plugin: Plugin, call: Call) -> Answer:
        thread = self._threads.get(plugin.label)
        if thread is None:
            return plugin.ask(call)
        self._waiting[plugin.label] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, plugin.ask, call)
        finally:
            self._waiting[plugin.label] -= 1

    def is_behind(self) -> bool:
        """Whether so much waits for a plug-in that no more pages should be leased."""
        return any(
            count > 1 and count * one.seconds_a_call > BEHIND
            for one in self.all
            if (count := self._waiting.get(one.label, 0))
        )

    def statistics(self) -> dict[str, PluginStatistics]:
        """Returns what each has done, by label."""
        return {one.label: one.statistics() for one in self.all}

    def __enter__(self) -> Plugins:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends everything at once: who waits for a plug-in hears that it died."""
        for one in self.all:
            one.close()
        for thread in self._threads.values():
            thread.shutdown(wait=True, cancel_futures=True)

    def __repr__(self) -> str:
        return f"<Plugins {list(self.all)}>"


def _parsers(plugins: Sequence[Plugin]) -> dict[str, Plugin]:
    found: dict[str, Plugin] = {}
    for one in plugins:
        for media_type in one.media_types if Part.PARSER in one.parts else ():
            if media_type in found:
                right = f"reads {media_type}, which {found[media_type].name} reads already: leave one of them out"
                raise OperatorError(KEY, one.name, right)
            found[media_type] = one
    return found
