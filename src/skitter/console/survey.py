"""Looks at every host of a crawl, and leaves what it found for the API: `python -m skitter.console DIR`.

DIR/run/hosts.arrow    the table of hosts, sorted by host
DIR/run/survey.json    when it was made, and what else takes a look at everything: `status`, domains in review

In a process of its own, which gives way to the crawl, one shard at a time. Both files are written whole or not at all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
from msgspec import Struct

from skitter.console.table import COLUMNS, SCHEMA
from skitter.folder.atomic import whole, write_whole
from skitter.inspection.domains import DomainLook, in_review
from skitter.inspection.folder import Folder
from skitter.inspection.hosts import HostLook, hosts_of
from skitter.inspection.status import Status, status

TABLE, SUMMARY = "hosts.arrow", "survey.json"
MOST_IN_REVIEW = 1000
GIVES_WAY = 5
"""Beside what whoever starts it gives way."""


class Survey(Struct, frozen=True):
    """What a look at everything found."""

    at: float
    took: float
    status: Status
    review: Sequence[DomainLook]


def survey(directory: Path) -> Survey:
    """Looks at everything, writes both files, and returns what the second says."""
    now, began = time.time(), time.monotonic()
    run = directory / "run"
    run.mkdir(mode=0o700, exist_ok=True)
    with Folder(directory) as folder:
        batches = [_batch(hosts_of(shard, folder.settings, now)) for shard in folder.shards()]
        table = pa.Table.from_batches(batches, SCHEMA).sort_by("host")
        with whole(run / TABLE, on_disk=False) as stream, pa.ipc.new_file(stream, SCHEMA) as writer:
            writer.write_table(table)
        standing, review = status(folder, now), in_review(folder, now)[:MOST_IN_REVIEW]
    found = Survey(now, time.monotonic() - began, standing, review)
    write_whole(run / SUMMARY, msgspec.json.encode(found), on_disk=False)
    return found


def read_survey(directory: Path) -> Survey | None:
    """Returns what the last look found; None if there was none, or it can't be read."""
    try:
        return msgspec.json.decode((directory / "run" / SUMMARY).read_bytes(), type=Survey)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _batch(looks: Iterable[HostLook]) -> pa.RecordBatch:
    columns: list[list[object]] = [[] for _ in COLUMNS]
    for look in looks:
        for column, value in zip(columns, _row(look), strict=True):
            column.append(value)
    arrays = [pa.array(column, SCHEMA.field(name).type) for name, column in zip(COLUMNS, columns, strict=True)]
    return pa.record_batch(arrays, schema=SCHEMA)


def _row(look: HostLook) -> tuple[object, ...]:
    urls = look.urls
    return (
        look.host,
        look.standing.value,
        look.next_at,
        urls["queued"],
        urls["done"] + urls["scheduled"],
        urls["failed"],
        urls["skipped"],
        urls["dead"],
        look.delay,
        look.delay_because,
        look.health,
        look.requests,
        look.pages,
        look.failures,
        look.last_request,
        look.worth,
    )


def main(directory: Path) -> None:
    """Does it once, giving way to everybody else on the machine."""
    os.nice(GIVES_WAY)
    pa.set_cpu_count(1)
    survey(directory)
