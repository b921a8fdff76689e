"""A crawl as an object: open it, take pages as they are stored, close it. `Crawl` awaits, `CrawlSync` blocks.

Both are thin: the crawl runs in a thread (`engine`), its pages come from the archive (`follow`), and how far they were
read is kept in the folder (`bookmark`). Nothing is held back in memory: a slow reader only reads later.
"""

from __future__ import annotations

import asyncio
import inspect
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias, TypeVar, Unpack

from skitter.errors import OperatorError
from skitter.library.bookmark import Bookmark
from skitter.library.engine import Engine, Statistics
from skitter.library.follow import Follower
from skitter.library.options import AnyPath, Options, Seeds, in_our_words, planned
from skitter.library.page import Page

Handler: TypeAlias = Callable[[Page], object]
AnyHandler = TypeVar("AnyHandler", bound=Handler)

POLL = 0.1
"""Seconds until a reader who has read everything looks again."""


class OpenCrawl:
    """What is there while a crawl is open."""

    def __init__(self, directory: Path, engine: Engine) -> None:
        self.directory = directory
        self.engine = engine
        self.bookmark = Bookmark(directory)

    def pages(self) -> Iterator[Page | None]:
        """Yields each page that was not read yet, None when there is none for now; ends with the crawl."""
        follower = Follower(self.directory / "warc", self.bookmark.ends)
        is_last = False
        while not is_last:
            # Asked before we look: what is stored before the end is there to be seen after it.
            is_last = self.engine.has_ended
            yield from follower.fresh()
            if not is_last:
                yield None
        self.engine.raise_error()


class _Face:
    """What both kinds of crawl have in common."""

    def __init__(self, seeds: Seeds = (), out: AnyPath | None = None, **options: Unpack[Options]) -> None:
        self._plan = planned(seeds, out, options)
        self._handlers: list[Handler] = []
        self._open: OpenCrawl | None = None
        self._last: Statistics | None = None

    def page(self, handler: AnyHandler) -> AnyHandler:
        """Has `handler` called with each page as it is stored, by `run`: to be written above a function, `@crawl.page`.

        Several are called in the order in which they were named. What they return is not looked at.
        """
        if not callable(handler):
            raise TypeError(f"@crawl.page goes above a function that takes a page, not above {handler!r}")
        self._handlers.append(handler)
        return handler

    @property
    def directory(self) -> Path:
        """The crawl's folder. A temporary one is there only while the crawl is open."""
        return self._plan.directory or self._opened().directory

    def stop(self) -> None:
        """Has the crawl stop in order, and returns at once: `pages` then ends with the last page that was stored.

        A second call stops the crawl at once; nothing that was stored is lost.
        """
        self._opened().engine.stop()

    def statistics(self) -> Statistics:
        """Returns how the crawl stands, or how it stood when it was closed."""
        if self._open is None and self._last is not None:
            return self._last
        return self._opened().engine.statistics()

    def _opened(self) -> OpenCrawl:
        if self._open is None:
            raise RuntimeError(f"the crawl is not open: use `{self._with()} … as crawl:`")
        return self._open

    def _with(self) -> str:
        return "with CrawlSync(…)"

    def _start(self) -> None:
        if self._open is not None:
            raise RuntimeError("the crawl is open already")
        directory = self._plan.directory or Path(tempfile.mkdtemp(prefix="skitter-"))
        engine = Engine(self._plan.job(directory))
        try:
            engine.start()
            self._open = OpenCrawl(directory, engine)
        except BaseException as error:
            while not engine.wait(POLL):  # Ctrl-C: until the crawl has got so far that it can be stopped
                engine.stop()
            self._remove(directory)
            if isinstance(error, OperatorError):
                raise in_our_words(error, self._plan.given.origins) from None
            raise

    def _close(self, kind: type[BaseException] | None) -> None:
        """Stops what runs, and keeps how far the pages were read. Raises what broke the crawl off, if it was not told.

        A page that was being read when an error came counts as not read.
        """
        opened = self._opened()
        if not opened.engine.is_stopping:
            opened.engine.stop()
        try:
            opened.engine.wait()
        except BaseException:  # Ctrl-C again
            opened.engine.stop()
            opened.engine.wait()
            raise
        finally:
            self._open, self._last = None, opened.engine.statistics()
            if kind not in (None, GeneratorExit):
                opened.bookmark.turn_back()
            if self._plan.directory is not None:
                opened.bookmark.keep()
            self._remove(opened.directory)
        if kind is None:
            opened.engine.raise_error()

    def _remove(self, directory: Path) -> None:
        if self._plan.directory is None:
            shutil.rmtree(directory, ignore_errors=True)

    def __repr__(self) -> str:
        how = "closed" if self._open is None else "ended" if self._open.engine.has_ended else "running"
        return f"<{type(self).__name__} {self._plan.directory or 'in a temporary folder'} {how}>"


class CrawlSync(_Face):
    """A crawl for plain scripts and notebooks: `with CrawlSync(seeds, out) as crawl: for page in crawl.pages(): …`"""

    def __enter__(self) -> Self:
        """Begins the crawl, or goes on with the one in the folder. OperatorError, MachineError if that can't be."""
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops the crawl in order if it still runs."""
        self._close(kind)

    def pages(self) -> Iterator[Page]:
        """Yields each page once, as it is stored, until the crawl has ended and all were given."""
        opened = self._opened()
        for page in opened.pages():
            if page is None:
                opened.engine.wait(POLL)
                continue
            opened.bookmark.turn(page)
            yield page

    def run(self) -> Statistics:
        """Crawls from its beginning, or from where it was left, to its end, with each page for those that want it.

        What a handler raises stops the crawl in order; that page comes again when it is taken up.
        """
        for handler in self._handlers:
            if inspect.iscoroutinefunction(handler):
                raise TypeError(f"{handler.__name__} is to be awaited: use skitter.Crawl, and `await crawl.run()`")
        with self:
            for page in self.pages():
                for handler in self._handlers:
                    handler(page)
        return self.statistics()

    def wait(self) -> Statistics:
        """Returns when the crawl has ended, without reading pages."""
        opened = self._opened()
        opened.engine.wait()
        opened.engine.raise_error()
        return opened.engine.statistics()


class Crawl(_Face):
    """A crawl for programs with an event loop: `async with Crawl(seeds, out) as crawl: async for page in …`"""

    async def __aenter__(self) -> Self:
        """Begins the crawl, or goes on with the one in the folder. OperatorError, MachineError if that can't be."""
        starting = asyncio.ensure_future(asyncio.to_thread(self._start))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await starting  # nobody will leave what was not entered
            await self.__aexit__(asyncio.CancelledError, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops the crawl in order if it still runs; at once if that is cancelled too."""
        opened = self._opened()
        closing = asyncio.ensure_future(asyncio.to_thread(self._close, kind))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            opened.engine.stop()
            await closing
            raise

    async def pages(self) -> AsyncIterator[Page]:
        """Yields each page once, as it is stored, until the crawl has ended and all were given."""
        opened = self._opened()
        pages = opened.pages()
        while (page := await asyncio.to_thread(next, pages, _END)) is not _END:
            if page is None:
                await asyncio.sleep(POLL)
                continue
            assert isinstance(page, Page)
            opened.bookmark.turn(page)
            yield page

    async def run(self) -> Statistics:
        """Crawls from its beginning, or from where it was left, to its end, with each page for those that want it.

        Handlers may be plain functions, or such that are awaited. What one raises stops the crawl in order; that page
        comes again when it is taken up.
        """
        async with self:
            async for page in self.pages():
                for handler in self._handlers:
                    if inspect.isawaitable(done := handler(page)):
                        await done
        return self.statistics()

    async def wait(self) -> Statistics:
        """Returns when the crawl has ended, without reading pages."""
        opened = self._opened()
        while not opened.engine.has_ended:
            await asyncio.sleep(POLL)
        opened.engine.raise_error()
        return opened.engine.statistics()

    def _with(self) -> str:
        return "async with Crawl(…)"


_END = object()


def crawl(seeds: Seeds = (), out: AnyPath | None = None, **options: Unpack[Options]) -> Iterator[Page]:
    """Yields the pages of a crawl as they are stored. Leaving the loop stops the crawl in order."""
    return _pages_of(CrawlSync(seeds, out, **options))


def read(directory: AnyPath) -> Iterator[Page]:
    """Yields every page in the folder of a crawl, from its beginning, whether or not it was given before.

    OperatorError if there is no such folder, MachineError if a file in it is damaged.
    """
    folder = Path(directory) / "warc"
    if not folder.is_dir():
        raise OperatorError("directory", str(directory), "is not the folder of a crawl: it has no folder `warc`")
    if (Path(directory) / "bucket").is_dir():
        return _pages_in_bucket(Path(directory))
    return Follower(folder, {}).fresh()


def _pages_in_bucket(directory: Path) -> Iterator[Page]:
    from skitter.store.shipping.bringing import with_bucket  # here: few need it

    with with_bucket(directory, lambda _: None) as folder:
        yield from Follower(folder / "warc", {}).fresh()


def _pages_of(crawl: CrawlSync) -> Iterator[Page]:
    with crawl:
        yield from crawl.pages()
