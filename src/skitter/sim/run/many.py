"""Many seeds on all cores: each worker is a process of its own that says one line of JSON for each crawl."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from queue import Queue
from threading import Thread

import msgspec
from msgspec import Struct

from skitter.sim.run.crawl import Result

_decoder = msgspec.json.Decoder(Result)


class Summary(Struct):
    """What came of many crawls."""

    crawls: int = 0
    kills: Counter[str] = msgspec.field(default_factory=Counter)
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    sessions: int = 0
    requests: int = 0
    urls: int = 0
    seconds: float = 0.0
    failing: list[Result] = msgspec.field(default_factory=list)

    def add(self, result: Result) -> None:
        """Counts one crawl."""
        self.crawls += 1
        self.kills.update(result.kills)
        self.faults.update(result.faults)
        self.sessions += result.sessions
        self.requests += result.requests
        self.urls += result.urls
        if result.wrong:
            self.failing.append(result)


def run_many(names: Iterable[str], minutes: float, workers: int, on_result: Callable[[Summary], bool]) -> Summary:
    """Returns what came of `names`, or of as many as `minutes` allow. `on_result` says whether to go on."""
    began = time.monotonic()
    until = [began + 60 * minutes if minutes else float("inf")]
    summary = Summary()
    for result in _results(iter(names), workers, lambda: time.monotonic() < until[0]):
        summary.add(result)
        summary.seconds = time.monotonic() - began
        if not on_result(summary):
            until[0] = 0.0
    return summary


def _results(names: Iterator[str], workers: int, goes_on: Callable[[], bool]) -> Iterator[Result]:
    """Yields results as they come. A worker has one crawl at a time, and the next when it has answered."""
    answers: Queue[tuple[int, bytes]] = Queue()
    running = [_start() for _ in range(workers)]
    under_way: dict[int, str] = {}

    def listen(number: int, worker: subprocess.Popen[bytes]) -> None:
        assert worker.stdout is not None
        for line in worker.stdout:
            answers.put((number, line))
        answers.put((number, b""))

    def send(number: int) -> None:
        name = next(names, None) if goes_on() else None
        stdin = running[number].stdin
        assert stdin is not None
        if name is None:
            stdin.close()
            return
        under_way[number] = name
        stdin.write(f"{name}\n".encode())
        stdin.flush()

    for number, worker in enumerate(running):
        Thread(target=listen, args=(number, worker), daemon=True).start()
        send(number)
    left = len(running)
    while left:
        number, line = answers.get()
        if line:
            under_way.pop(number)
            yield _decoder.decode(line)
            send(number)
            continue
        left -= 1
        if number in under_way:
            name = under_way.pop(number)
            how = f"the worker died with {running[number].wait()}"
            yield Result(name, [how], {}, {}, 0, 0, 0, "")


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "skitter.sim", "--worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
