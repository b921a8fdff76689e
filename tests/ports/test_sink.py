"""The contract of `ports.Sink`, kept by files, by what else is built in, and by the twin in memory."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skitter.ports import Rows, Sink
from skitter.settings import Settings
from skitter.sim.sink import MemoryPlace, MemorySink
from skitter.sinks.json_lines import FileSink
from skitter.sinks.postgres.sink import PostgresSink
from skitter.sinks.tables import TABLES
from tests.servers.postgres import PostgresServer

AT = datetime(2026, 11, 18, 8, 0, 0, 123456, UTC)
CAPTURES = TABLES["captures"]


class There(NamedTuple):
    """How one comes to a sink, at first and after a death, and the keys of what it has."""

    again: Callable[[], Sink]
    keys: Callable[[], list[str]]


_databases = itertools.count()


@pytest.fixture(params=["file", "memory", pytest.param("postgres", marks=pytest.mark.slow)])
def there(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> There:
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        name = f"contract{next(_databases)}"
        server.make(name)
        monkeypatch.setenv("PGPASSWORD", server.environment["PGPASSWORD"])

        def urls() -> list[str]:
            with server.connect(name) as connection:
                return sorted(str(url) for (url,) in connection.execute("select url from crawl_log"))

        return There(lambda: PostgresSink(server.url(name), name, "crawl", Settings(), str), urls)
    if request.param == "memory":
        place = MemoryPlace()
        return There(lambda: MemorySink(place, ["captures"]), lambda: sorted(key[1] for key in place.rows))
    file = tmp_path / "rows.jsonl"

    def keys() -> list[str]:
        return sorted(json.loads(line)["url"] for line in file.read_text().split("\n")[:-1])

    return There(lambda: FileSink(file, ["captures"]), keys)


def rows(*urls: str, title: Any = "A title") -> Rows:
    known: dict[str, Any] = dict.fromkeys(CAPTURES.columns) | {"fetched_at": AT, "status": 200, "title": title}
    known |= {"host": "a.test", "revisit": False, "insecure": False, "reasons": ["noindex"], "outlinks": 3, "bytes": 9}
    known |= {"warc_file": "a.warc.gz", "warc_offset": 0, "warc_length": 1, "simhash": 2**64 - 1}
    return Rows("captures", CAPTURES.columns, CAPTURES.keys, [tuple((known | {"url": url}).values()) for url in urls])


def bookmark(there: There) -> bytes | None:
    with contextlib.closing(there.again()) as sink:
        return sink.open()


def test_what_was_committed_is_there_with_its_bookmark(there: There) -> None:
    sink = there.again()
    assert not sink.open()
    sink.write(rows("http://a.test/1", "http://a.test/2"))
    sink.commit(b"one")
    sink.close()
    assert there.keys() == ["http://a.test/1", "http://a.test/2"]
    assert bookmark(there) == b"one"


def test_a_sink_that_was_closed_can_be_opened_again(there: There) -> None:
    sink = there.again()
    sink.open()
    sink.close()
    sink.close()
    assert not sink.open()
    sink.write(rows("http://a.test/1"))
    sink.commit(b"one")
    assert there.keys() == ["http://a.test/1"]
    sink.close()


def test_what_was_not_committed_is_forgotten_when_it_comes_again(there: There) -> None:
    sink = there.again()
    sink.open()
    sink.write(rows("http://a.test/1"))
    sink.commit(b"one")
    sink.write(rows("http://a.test/2"))
    sink.close()
    again = there.again()
    assert again.open() == b"one"
    again.write(rows("http://a.test/2"))
    again.commit(b"two")
    again.close()
    assert there.keys() == ["http://a.test/1", "http://a.test/2"]
    assert bookmark(there) == b"two"


def test_a_killed_writer_leaves_nothing_half(there: There) -> None:
    sink = there.again()
    sink.open()
    sink.write(rows("http://a.test/1"))
    sink.commit(b"one")
    sink.write(rows(*(f"http://a.test/{n}" for n in range(1000))))  # and is never heard of again
    again = there.again()
    assert again.open() == b"one"
    again.commit(b"two")
    again.close()
    sink.close()
    again = there.again()
    assert again.open() == b"two"
    again.close()
    assert there.keys() == ["http://a.test/1"]


@pytest.mark.parametrize("title", ["", None, "a\0b", "line\nbreak\u2028", "🕷" * 300, "\x1b[31m", '"\\\\'])
def test_any_text_can_be_written(there: There, title: str | None) -> None:
    sink = there.again()
    sink.open()
    sink.write(rows("http://a.test/1", title=title))
    sink.commit(b"one")
    sink.close()
    assert there.keys() == ["http://a.test/1"]
