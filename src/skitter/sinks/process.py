"""The process that feeds one sink beside a crawl: `python -m skitter.sinks DIR ADDRESS`.

Its standard input is the crawl: when that ends, it catches up, within a bound, and ends too. It dies without harm at
any moment. A second thread says how it stands, so that a sink which hangs is seen to hang.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from skitter.config.load import load
from skitter.errors import SinkError, SkitterError
from skitter.folder.crawlfile import settings_file
from skitter.settings import Settings
from skitter.sinks.address import SinkAddress, parse_sink
from skitter.sinks.feed import Feed
from skitter.sinks.kept import Bookmarks, SinkState, held, write_state
from skitter.sinks.opening import Place, opened_sink
from skitter.sinks.source import ArchiveSource

POLL = 0.5
"""Seconds until the archive is looked at again when all of it was given."""
EVERY = 1.0
"""Seconds between two words about how it stands."""
LAST_TRIES = 1.0
"""Seconds between two tries, at the most, once the crawl is over: there is not much time left."""


def main(arguments: list[str]) -> int:
    """Feeds until the crawl is over and all was given, or no time is left. Returns 0, or what broke."""
    for sign in (signal.SIGINT, signal.SIGHUP):  # for everyone at the terminal; the crawl says what it means
        signal.signal(sign, signal.SIG_IGN)
    directory, text = Path(arguments[0]), arguments[1]
    over = threading.Event()
    threading.Thread(target=_hear, args=(over,), daemon=True).start()
    try:
        _feed(directory, text, over)
    except SkitterError as error:
        sys.stderr.write(f"skitter: {error}\n")
        return error.exit_code
    return 0


def _hear(over: threading.Event) -> None:
    sys.stdin.buffer.read()
    over.set()


def _feed(directory: Path, text: str, over: threading.Event) -> None:
    settings = settings_in(directory)
    address = parse_sink(text)
    try:
        with held(directory, address.name):
            _feed_to(address, directory, settings, over)
    except SkitterError as error:
        behind = ArchiveSource(directory, Bookmarks(directory, address.name).read(), ()).behind()
        state = SinkState(str(address), time.time(), lag_bytes=behind, lag_captures=min(1, behind), trouble=str(error))
        write_state(directory, address.name, state)
        raise


def _feed_to(address: SinkAddress, directory: Path, settings: Settings, over: threading.Event) -> None:
    if address.scheme == "plugin":
        from skitter.plugins.sinks import limit_memory  # here: few crawls have any

        limit_memory(settings.plugins)
    sink = opened_sink(address, Place(directory, settings))
    feed = Feed(
        str(address),
        sink,
        lambda bookmark: ArchiveSource(directory, bookmark, sink.tables),
        Bookmarks(directory, address.name),
        time.time,
    )

    def tell(*, is_over: bool = False) -> None:
        write_state(directory, address.name, feed.state(is_over=is_over))

    telling = threading.Thread(target=_keep_telling, args=(tell,), daemon=True)
    telling.start()
    try:
        run(feed, over, settings.sinks.closing_seconds)
    finally:
        tell(is_over=True)
        feed.close()


def run(feed: Feed, over: threading.Event, closing_seconds: float) -> None:
    """Feeds until it is over and all was given, or `closing_seconds` after that."""
    until = float("inf")
    while True:
        is_last = over.is_set()  # asked before we look: what was stored before the end is there to be seen after it
        if is_last:
            until = min(until, time.monotonic() + closing_seconds)
        wait = 0.0
        try:
            if not feed.step():
                wait = POLL
        except SinkError as error:
            wait = feed.failed(error)
        if (is_last and wait and not feed.trouble) or time.monotonic() >= until:
            return
        if wait and over.is_set():
            time.sleep(max(0.0, min(wait, LAST_TRIES, until - time.monotonic())))
        elif wait:
            over.wait(wait)


def settings_in(directory: Path) -> Settings:
    """Returns the settings of the crawl in a folder."""
    file = settings_file(directory)
    return load([file] if file is not None else []).settings


def _keep_telling(tell: Callable[[], None]) -> None:
    while True:
        tell()
        time.sleep(EVERY)
