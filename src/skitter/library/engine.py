"""One run of a crawl, in a thread with an event loop of its own.

So it does not matter to the crawl what else the program does: whether it has an event loop (a notebook does), and
whether that is kept busy for long. What the nodes report is always heard.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from threading import Event, Thread

from msgspec import Struct

from skitter.clock import steady_clock
from skitter.supervisor.job import Job
from skitter.supervisor.progress import Progress, Snapshot
from skitter.supervisor.run import Finished, Run

_log = logging.getLogger("skitter")


class Statistics(Struct, frozen=True):
    """How a crawl stands. What is counted is counted for this run; `urls` is for all runs."""

    pages: int
    bytes: int  # as they came over the wire
    requests: int  # with those for robots.txt and sitemaps
    statuses: dict[int, int]
    failures: dict[str, int]
    urls: dict[str, int]  # by state
    discovered: int
    left: int  # still to be fetched or to be tried again
    seconds: float
    pages_per_second: float  # of late
    ended: str | None = None  # why: done, waiting, pages, seconds, stopped; None: it runs, or broke off

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to fetch."""
        return self.ended is not None and not self.left


class Engine:
    """Runs `job` once. Any thread may call."""

    every = 0.5

    def __init__(self, job: Job) -> None:
        self._job = job
        self._begun, self._ended = Event(), Event()
        self._run: Run | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._snapshot: Snapshot | None = None
        self._finished: Finished | None = None
        self._error: BaseException | None = None
        self.is_stopping = False
        # A daemon: a program that ends without closing the crawl is not held up; the nodes then stop by themselves.
        self._thread = Thread(target=self._live, name="skitter-crawl", daemon=True)

    def start(self) -> None:
        """Returns when the crawl has begun. Raises what prevents it."""
        self._thread.start()
        self._begun.wait()
        self.raise_error()

    def stop(self) -> None:
        """Has the crawl stop in order; a second call stops it at once."""
        if self._loop is None or self._run is None:
            return
        self.is_stopping = True
        with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended
            self._loop.call_soon_threadsafe(self._run.stop)

    def wait(self, seconds: float | None = None) -> bool:
        """Returns whether the crawl has ended, as soon as it has or after `seconds`."""
        return self._ended.wait(seconds)

    @property
    def has_ended(self) -> bool:
        """Whether the crawl has ended and nobody writes to its folder any more."""
        return self._ended.is_set()

    def raise_error(self) -> None:
        """Raises what broke the crawl off, if anything did: once."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def statistics(self) -> Statistics:
        """Returns how things stand."""
        finished = self._finished
        if finished is not None:
            return _statistics(finished.snapshot, finished.ending.why)
        return _statistics(self._snapshot or Progress(self._job.nodes, 0.0).snapshot(0.0), None)

    def show(self, snapshot: Snapshot) -> None:
        """See `run.Watcher`."""
        self._snapshot = snapshot
        self._begun.set()

    def note(self, text: str) -> None:
        """See `run.Watcher`."""
        _log.warning("%s", text)

    def _live(self) -> None:
        try:
            self._finished = asyncio.run(self._crawl())
        except BaseException as error:  # noqa: BLE001 (raised again in the thread of whoever uses the crawl)
            self._error = error
        finally:
            self._ended.set()
            self._begun.set()

    async def _crawl(self) -> Finished:
        self._loop = asyncio.get_running_loop()
        self._run = Run(self._job, self, steady_clock())
        return await self._run.run()

    def __repr__(self) -> str:
        return f"<Engine {self._job.directory} {'ended' if self.has_ended else 'running'}>"


def _statistics(snapshot: Snapshot, ended: str | None) -> Statistics:
    counted = snapshot.counted
    return Statistics(
        counted.pages,
        counted.received,
        counted.requests,
        counted.statuses,
        counted.failures,
        snapshot.states,
        snapshot.discovered,
        snapshot.left,
        snapshot.seconds,
        snapshot.page_rate,
        ended,
    )
