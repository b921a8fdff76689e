"""Databases of a test's own, and the process that feeds a sink, as a crawl starts it."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skitter.config.load import load
from skitter.sinks.address import parse_sink
from skitter.sinks.opening import Place, opened_sink
from skitter.sinks.postgres.sink import PostgresSink
from tests.servers.postgres import PostgresServer

_numbers = itertools.count()


class Database(NamedTuple):
    """One database of a server that runs."""

    server: PostgresServer
    name: str

    @property
    def url(self) -> str:
        """Its address."""
        return self.server.url(self.name)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Returns what a query finds."""
        with self.server.connect(self.name) as connection:
            return connection.execute(query).fetchall()  # type: ignore[call-overload, no-any-return]

    def count(self, table: str) -> int:
        """Returns how many rows a table has."""
        return int(self.rows(f"select count(*) from {table}")[0][0])

    def do(self, statement: str) -> None:
        """Carries out a statement."""
        with self.server.connect(self.name) as connection:
            connection.execute(statement)  # type: ignore[call-overload]


@pytest.fixture
def database(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Database:
    """An empty database, whose password is in the environment."""
    name = f"rows{next(_numbers)}"
    postgres.ensure()
    postgres.make(name)
    monkeypatch.setenv("PGPASSWORD", postgres.environment["PGPASSWORD"])
    return Database(postgres, name)


def sink_to(url: str, directory: Path) -> PostgresSink:
    """Returns the sink of a crawl's folder."""
    sink = opened_sink(parse_sink(url), Place(directory, load([directory / "skitter.toml"]).settings))
    assert isinstance(sink, PostgresSink)
    return sink


class Feeder:
    """`python -m skitter.sinks`, which may be killed and started again."""

    def __init__(self, directory: Path, url: str) -> None:
        self._arguments = [sys.executable, "-m", "skitter.sinks", str(directory), url]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._arguments, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe)

    def kill(self) -> None:
        """Ends it with SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def end(self) -> tuple[int, str]:
        """Tells it that the crawl is over; returns how it ended and what it said."""
        assert self._process is not None
        said = self._process.communicate(timeout=600)[1].decode()
        code, self._process = self._process.returncode, None
        return code, said


@pytest.fixture
def feeder() -> Iterator[Callable[[Path, str], Feeder]]:
    made: list[Feeder] = []

    def make(directory: Path, url: str) -> Feeder:
        made.append(Feeder(directory, url))
        return made[-1]

    yield make
    for one in made:
        one.kill()


def wait_until(is_so: Callable[[], bool], seconds: float = 600.0) -> None:
    """Returns as soon as it is so; an error after a time that no machine needs."""
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)
