"""For all tests: an example may take as long as it takes. A machine that stalls for a moment breaks no promise.

And real servers, for those that ask for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

from skitter.servers.child import Unavailable
from tests.servers.kafka import Broker
from tests.servers.postgres import PostgresServer
from tests.servers.s3 import S3Server

AnyServer = TypeVar("AnyServer", Broker, S3Server, PostgresServer)

# Nobody reads the text of these crawls: its tables would cost each of hundreds a second. `tests/content` makes them.
os.environ.setdefault("SKITTER_CONTENT_TEXT", "off")

# On top of what is in force: under CI, examples are the same in each run.
settings.register_profile(
    "patient",
    parent=settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, *settings().suppress_health_check],
)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A real Kafka broker, one for each worker that asks. Topics are a test's own; who kills it starts it again."""
    yield from _started(Broker, tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A real S3 server, one for each worker that asks. Prefixes are a test's own; who kills it starts it again."""
    yield from _started(S3Server, tmp_path_factory.mktemp("s3"))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A real PostgreSQL, one for each worker that asks. Databases are a test's own; who kills it starts it again."""
    for server in _started(PostgresServer, tmp_path_factory.mktemp("postgres")):
        yield server
        server.remove()


def _started(make: Callable[[Path], AnyServer], folder: Path) -> Iterator[AnyServer]:
    try:
        server = make(folder)
    except Unavailable as why:
        pytest.skip(f"no {make.__name__} on this machine: {why}")  # counted: no promise that needs it was shown
    server.start()
    try:
        yield server
    finally:
        server.kill()
