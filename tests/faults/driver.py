"""Kills a crawl on a seeded schedule, as often as it is told to, and lets it come to its end after that."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from skitter.folder.locks import nodes_at_work
from skitter.messages import State
from tests.faults.crawler import Crawl, Web, settled
from tests.faults.moments import wait_for_flush, wait_for_roll

PATIENCE = 8.0
"""A roll or a flush that has not come by then is not waited for: the kill is one at random."""

PAUSES = (0.5, 2.0, 6.0, 6.0)
"""Seconds that are waited for the next kill at the most."""

MOST_WORK = 20_000
"""Bytes of the server's log, about 70 requests, that are waited for at the most."""

INSTANTS = (0.0, 0.0005, 0.002)
"""How long after the first sign of a roll or a flush the kill comes."""

ARRIVAL = 0.5
"""A request may reach the server's log so long after the kill of whoever sent it."""

ORDERLY = 12.0
"""Nodes whose supervisor was killed finish what they have under way, and are gone by then."""


class How(StrEnum):
    """What is killed, or when."""

    NODE = "a node"
    SUPERVISOR = "the supervisor"
    ALL = "all at once"
    START = "all, during a start"
    STOP = "all, during a stop"
    ROLL = "all nodes, during a WARC roll"
    FLUSH = "all, during a RocksDB flush"


class Kill(NamedTuple):
    """A kill that was made, and the time until which it may have cut something off."""

    how: How
    at: float
    until: float


class Ordeal(NamedTuple):
    """What was done to a crawl and how it ended; `done` is when each page was first known to be settled."""

    kills: Sequence[Kill]
    done: Mapping[str, float]
    ended: Mapping[str, object]


class Driver:
    """One crawl and its kills. Every kill leaves a crawl that runs, or is being started again."""

    def __init__(self, crawl: Crawl, web: Web, dice: random.Random) -> None:
        self._crawl = crawl
        self._web = web
        self._dice = dice
        self.kills: list[Kill] = []
        self.done: dict[str, float] = {}
        self._steps: dict[How, Callable[[], None]] = {
            How.NODE: self._kill_node,
            How.SUPERVISOR: self._kill_supervisor,
            How.ALL: self._kill_all,
            How.START: self._kill_start,
            How.STOP: self._kill_stop,
            How.ROLL: self._kill_roll,
            How.FLUSH: self._kill_flush,
        }

    def kill(self, how: How) -> None:
        """Waits until some work is done, or just a while, and kills."""
        work = self._web.log.stat().st_size + self._dice.uniform(0, MOST_WORK)
        until = time.monotonic() + self._dice.choice(PAUSES)
        while self._web.log.stat().st_size < work and time.monotonic() < until:
            time.sleep(0.01)
        self._steps[how]()

    def _made(self, how: How, until: float = ARRIVAL) -> None:
        now = time.monotonic()
        self.kills.append(Kill(how, now, now + until))

    def _kill_node(self) -> None:
        self._crawl.kill_node(self._dice)
        self._made(How.NODE)

    def _kill_supervisor(self) -> None:
        self._crawl.kill_supervisor()
        self._made(How.SUPERVISOR, ORDERLY)
        self._crawl.start()

    def _kill_all(self, how: How = How.ALL) -> None:
        self._crawl.kill_all()
        self._made(how)
        if not nodes_at_work(self._crawl.out):
            self._note_what_is_settled()
        self._crawl.start()

    def _kill_start(self) -> None:
        self._kill_all()
        time.sleep(self._dice.uniform(0.02, 1.6))
        self._kill_all(How.START)

    def _kill_stop(self) -> None:
        self._crawl.stop(self._dice.choice((signal.SIGINT, signal.SIGTERM)))
        time.sleep(self._dice.uniform(0.0, 0.7))
        if self._crawl.is_running():
            self._kill_all(How.STOP)
        else:
            self._start_again()

    def _kill_roll(self) -> None:
        moment = wait_for_roll(self._crawl.out, PATIENCE)
        time.sleep(self._dice.choice(INSTANTS))
        self._crawl.kill_nodes()
        self._made(How.ROLL if moment is not None else How.NODE)

    def _kill_flush(self) -> None:
        # RocksDB writes a table when its buffer is full, when it is opened after a kill, and when it is closed.
        if self._dice.random() < 0.5:
            self._kill_all()
        else:
            self._crawl.stop()
        moment = wait_for_flush(self._crawl.out, PATIENCE)
        time.sleep(self._dice.choice(INSTANTS))
        if self._crawl.is_running():
            self._kill_all(How.FLUSH if moment is not None else How.ALL)
        else:
            self._start_again()

    def _start_again(self) -> None:
        """Starts what has stopped in order, or was asked to before it could listen."""
        code, _, told = self._crawl.end()
        assert code in (0, 3, -signal.SIGINT, -signal.SIGTERM), told
        self._crawl.start()

    def _note_what_is_settled(self) -> None:
        now = time.monotonic()
        for record in settled(self._crawl.out):
            if record.state is State.DONE:
                self.done.setdefault(record.href, now)


def drive(crawl: Crawl, web: Web, seed: int, kills: int) -> Ordeal:
    """Crawls to the end, with so many kills on the way if it lives to see them."""
    dice = random.Random(seed)
    driver = Driver(crawl, web, dice)
    crawl.start()
    for how in schedule(dice):
        if len(driver.kills) >= kills or not crawl.is_running():
            break
        driver.kill(how)
    return Ordeal(driver.kills, driver.done, crawl.finish(timeout=900))


def schedule(dice: random.Random) -> Iterator[How]:
    """Yields the kinds of the kills in the order in which they come: each as often as any other, in the long run."""
    while True:
        deck = list(How)
        dice.shuffle(deck)
        yield from deck
