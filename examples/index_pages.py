"""A consumer of a fleet's topic of pages: a table of all pages in SQLite, each once.

    python examples/index_pages.py --fleet fleet.toml --into pages.sqlite

Events come at least once (docs/formats/pages.md). The offset of each partition is kept in the same transaction as the
rows, so that a kill at any moment repeats nothing and misses nothing; and of two events of a URL the later one counts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sqlite3
import time
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Message, TopicPartition

from skitter.fleet.file import client_of, read_fleet

TABLES = """
create table if not exists pages (url text primary key, fetched real, status integer, title text, lang text,
    digest text, duplicate_of text, reasons text, file text, offset integer, length integer);
create table if not exists read (partition integer primary key, next integer);
"""
KEEP = """
insert into pages values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (url) do update set fetched = excluded.fetched,
    status = excluded.status, title = excluded.title, lang = excluded.lang, digest = excluded.digest,
    duplicate_of = excluded.duplicate_of, reasons = excluded.reasons, file = excluded.file, offset = excluded.offset,
    length = excluded.length where excluded.fetched >= fetched
"""


def row_of(event: dict[str, Any]) -> tuple[object, ...]:
    """Returns a row of the table."""
    plain = ("url", "fetched", "status", "title", "lang", "digest", "duplicate_of")
    return (
        *(event[name] for name in plain),
        ",".join(event["reasons"]),
        event["file"],
        event["offset"],
        event["record_length"],
    )


def keep(table: sqlite3.Connection, messages: list[Message]) -> None:
    """Keeps what events say, and how far they were read, or neither."""
    with table:
        for message in messages:
            event = json.loads(message.value() or b"{}")
            if event.get("version") == 1:  # what is not known is left alone
                table.execute(KEEP, row_of(event))
            done = (message.partition(), (message.offset() or 0) + 1)
            table.execute("insert or replace into read values (?, ?)", done)


def consumer_of(fleet: Path, table: sqlite3.Connection) -> Consumer:
    """Returns a reader of all partitions, each from where the table says."""
    file = read_fleet(fleet)
    consumer = Consumer(
        client_of(file)
        | {"group.id": f"{file.fleet.name}.index_pages", "enable.auto.commit": False, "auto.offset.reset": "earliest"}
    )
    topic = f"{file.fleet.name}.pages"
    begin = dict(table.execute("select partition, next from read"))
    partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
    consumer.assign([TopicPartition(topic, number, begin.get(number, 0)) for number in partitions])
    return consumer


def main() -> None:
    """Reads until it is stopped, or until nothing has come for a while."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleet", type=Path, required=True, metavar="FILE.toml")
    parser.add_argument("--into", type=Path, required=True, metavar="FILE.sqlite")
    parser.add_argument("--quiet-for", type=float, metavar="S", help="end when nothing has come for so long")
    options = parser.parse_args()
    with contextlib.closing(sqlite3.connect(options.into)) as table:
        table.executescript(TABLES)
        with contextlib.closing(consumer_of(options.fleet, table)) as consumer:
            last = time.monotonic()
            while options.quiet_for is None or time.monotonic() - last < options.quiet_for:
                messages = [one for one in consumer.consume(500, 0.5) if one.error() is None]
                if messages:
                    keep(table, messages)
                    last = time.monotonic()


if __name__ == "__main__":
    main()
