"""A node whose stations are timed: `probe.py RESULT`, with an order on standard input as any node has it.

The functions that are stations are wrapped before the node starts. Time goes to the station that was entered last, so
that what it calls at another station is not counted twice; an `await` counts only while it runs. What is left of the
main thread's CPU time is glue: the event loop, the sockets, the tasks. Other threads are told by their names.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import resource
import runpy
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

GLUE = "glue"
STATIONS = {
    "lease": ("skitter.frontier.frontier:Frontier.lease_nowait", "skitter.frontier.frontier:Frontier.tick"),
    "fetch": (
        "skitter.dns.resolver:Resolver.resolve",
        "skitter.fetch.fetcher:HttpFetcher.fetch",
        "skitter.fetch.connection:Connection.connection_made",
        "skitter.fetch.connection:Connection.data_received",
        "skitter.fetch.connection:Connection.eof_received",
        "skitter.fetch.connection:Connection.connection_lost",
    ),
    "decode": ("skitter.fetch.fetcher:decode", "skitter.parse.charset:to_utf8"),
    "parse": ("skitter.parse.html:read",),
    "canonicalise": ("skitter.parse.outlinks:read",),
    "scope": ("skitter.reading.read:_followed",),
    "seen": ("skitter.frontier.discover:Discovery.discover",),
    "store": (
        "skitter.store.archive:Archive.append",
        "skitter.store.warc.writer:Writer.claim",
        "skitter.store.warc.writer:Writer.filled",
        "skitter.node.carry:_capture",
    ),
    "judge": (
        "skitter.frontier.judging:Judging.judge",
        "skitter.frontier.judging:Judging.settled",
        "skitter.frontier.budgets:Budgets.settled",
    ),
    "settle": (
        "skitter.frontier.frontier:Frontier.settle",
        "skitter.frontier.committer:Committer.commit",
        "skitter.frontier.frontier:Frontier.slow_ahead",
        "skitter.frontier.frontier:Frontier.judge_robots",
    ),
    "report": ("skitter.node.node:Node.status",),
}
"""Station → where its functions are looked up when they are called."""

_clock = time.thread_time_ns


class Times:
    """The main thread's CPU time by station."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self.switches: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._station, self._since = GLUE, _clock()
        self._thread = threading.get_ident()

    def enter(self, station: str) -> str:
        """Gives the time from now on to a station that was called; returns the one that had it."""
        self.calls[station] += 1
        return self.switch(station)

    def switch(self, station: str) -> str:
        """Gives the time from now on to a station; returns the one that had it."""
        now, before = _clock(), self._station
        self.spent[before] += now - self._since
        self._station, self._since = station, now
        self.switches[station] += 1
        return before

    def begin(self) -> None:
        """Forgets what was until now."""
        self.switch(GLUE)
        for counter in (self.spent, self.switches, self.calls):
            counter.clear()

    def is_here(self) -> bool:
        """Whether we are on the thread that is timed."""
        return threading.get_ident() == self._thread

    def overhead(self) -> float:
        """Returns what one `switch` costs, in nanoseconds."""
        spare, rounds = Times(), 20_000
        began = _clock()
        for _ in range(rounds):
            spare.switch(GLUE)
        return (_clock() - began) / rounds


TIMES = Times()


class Steps:
    """A coroutine of a station: timed whenever it runs."""

    def __init__(self, station: str, running: Generator[Any, Any, Any]) -> None:
        self._station, self._running = station, running

    def __await__(self) -> Steps:
        return self

    def __iter__(self) -> Steps:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, value: Any) -> Any:
        before = TIMES.switch(self._station)
        try:
            return self._running.send(value)
        finally:
            TIMES.switch(before)

    def throw(self, error: BaseException, *_: object) -> Any:
        before = TIMES.switch(self._station)
        try:
            return self._running.throw(error)
        finally:
            TIMES.switch(before)

    def close(self) -> None:
        self._running.close()


def timed(station: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function with its time given to a station."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        def stepwise(*arguments: Any, **named: Any) -> Steps:
            TIMES.calls[station] += 1
            return Steps(station, function(*arguments, **named))

        return stepwise

    @functools.wraps(function)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        if not TIMES.is_here():
            return function(*arguments, **named)
        before = TIMES.enter(station)
        try:
            return function(*arguments, **named)
        finally:
            TIMES.switch(before)

    return wrapped


def install() -> None:
    """Wraps every station. One that is not there is told and left out: its time is its caller's."""
    for station, places in STATIONS.items():
        for place in places:
            module, _, path = place.partition(":")
            owner: Any = importlib.import_module(module)
            *outer, name = path.split(".")
            for part in outer:
                owner = getattr(owner, part)
            if hasattr(owner, name):
                setattr(owner, name, timed(station, getattr(owner, name)))
            else:
                sys.stderr.write(f"probe: no {place}; `{station}` is short of it\n")


def threads() -> dict[str, float]:
    """Returns the CPU seconds of each thread but the main one, by name."""
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    found: Counter[str] = Counter()
    for task in Path("/proc/self/task").iterdir():
        number = int(task.name)
        if number == os.getpid():
            continue
        try:
            spent = int((task / "schedstat").read_text().split()[0]) / 1e9
            found[names.get(number) or (task / "comm").read_text().strip()] += spent
        except OSError:
            continue  # it has just ended
    return dict(found)


def main() -> None:
    """Runs the node with its stations timed, and writes what they took."""
    result = Path(sys.argv[1])
    install()
    told: dict[str, Any] = {}
    node = importlib.import_module("skitter.node.node").Node
    run = node.run

    async def run_and_look(self: Any, notes: list[str]) -> None:
        told["start"] = time.process_time()
        TIMES.begin()
        before, threads_before = resource.getrusage(resource.RUSAGE_THREAD), threads()
        await run(self, notes)
        TIMES.switch(GLUE)
        after, cost = resource.getrusage(resource.RUSAGE_THREAD), TIMES.overhead()
        told["process"] = time.process_time() - told["start"]
        told["kernel"] = after.ru_stime - before.ru_stime
        told["main"] = sum(TIMES.spent.values()) / 1e9
        told["spent"] = {station: spent / 1e9 for station, spent in TIMES.spent.items()}
        told["calls"], told["switches"], told["overhead"] = dict(TIMES.calls), dict(TIMES.switches), cost / 1e9
        told["threads"] = {name: spent - threads_before.get(name, 0.0) for name, spent in threads().items()}

    node.run = run_and_look
    # The node is to come back to us, not to leave at once.
    setattr(importlib.import_module("skitter.leaving"), "leave_after", lambda work: work())  # noqa: B010
    sys.argv = ["skitter.node"]
    try:
        runpy.run_module("skitter.node", run_name="__main__")
    finally:
        told["end"] = time.process_time() - told["start"] - told["process"]
        result.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
