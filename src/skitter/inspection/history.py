"""Every visit to one URL: from the tables of captures and failures, with what its shard plans for it.

A table is made when its WARC file is sealed, so that the last visits may be in none yet; `all_indexed` tells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC
from pathlib import Path
from typing import Any

from msgspec import Struct

from skitter.errors import MachineError
from skitter.inspection.folder import Folder
from skitter.inspection.refused import is_all_indexed
from skitter.inspection.why import meant_by
from skitter.messages import Reason, State
from skitter.politeness.backoff import kind_of_status
from skitter.schedule.belief import mean_rate, unpacked
from skitter.shard.records import UrlRecord
from skitter.store.index.holding import reading
from skitter.store.index.paths import tables_of

NOT_MODIFIED = 304
COLUMNS = {
    "captures": ["fetched_at", "status", "failure", "digest", "bytes", "revisit", "warc_file", "warc_offset"],
    "failures": ["fetched_at", "failure", "warc_file", "warc_offset"],
}


class Visit(Struct, frozen=True):
    """One visit, and what it found. `changed`: it is another than at the visit before; None: there was none."""

    at: float
    status: int  # 0: there was no answer
    failure: str | None
    changed: bool | None
    bytes: int
    file: str
    offset: int


class History(Struct, frozen=True):
    """All visits to a URL, the first one first, and what is planned."""

    url: str
    visits: list[Visit]
    state: State | None  # None: the crawl does not know it
    rate: float | None  # changes a second, as the visits so far speak for; None: too few of them
    interval: float | None
    due: float | None
    late: float | None  # since when it is queued to be seen again
    all_indexed: bool


def history(folder: Folder, text: str) -> History | Reason:
    """Returns the history of the URL written as `text`, or why it is no URL. MachineError if a table can't be read."""
    meant = meant_by(folder, text)
    if isinstance(meant, Reason):
        return meant
    url, record, _ = meant
    href = url.href if record is None else record.href
    visits = told(_rows(folder.directory, {href, url.href, text}))
    return History(href, visits, *_planned(record), is_all_indexed(folder.directory))


def told(rows: Iterable[dict[str, Any]]) -> list[Visit]:
    """Returns the visits that rows of the tables tell of, in order, each compared with the last good one before it."""
    visits: list[Visit] = []
    digest: str | None = None
    for row in sorted(rows, key=lambda row: row["fetched_at"]):
        status, now = row.get("status") or 0, row.get("digest")
        failure = row["failure"] or kind_of_status(status)  # an answer that says there is nothing is a capture too
        is_good = status and not failure
        visits.append(
            Visit(
                row["fetched_at"].replace(tzinfo=UTC).timestamp(),
                status,
                failure,
                _changed(status, digest, now) if is_good else None,
                row.get("bytes") or 0,
                row["warc_file"],
                row["warc_offset"],
            )
        )
        if is_good and status != NOT_MODIFIED:
            digest = now
    return visits


def _changed(status: int, before: str | None, now: str | None) -> bool | None:
    if status == NOT_MODIFIED:
        return False
    return None if before is None else now != before


def _planned(record: UrlRecord | None) -> tuple[State | None, float | None, float | None, float | None, float | None]:
    if record is None:
        return None, None, None, None, None
    watch = record.watch
    rate = None if watch is None or not watch.belief else mean_rate(unpacked(watch.belief))
    interval = None if record.last_fetched is None or record.due is None else record.due - record.last_fetched
    return record.state, rate, interval, record.due, record.late


def _rows(directory: Path, urls: Collection[str]) -> list[dict[str, Any]]:
    # Here and not above: pyarrow takes longer to import than all the rest.
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import compute, dataset

    from skitter.store.index.parquet import SCHEMAS

    found: list[dict[str, Any]] = []
    wanted = compute.field("url").isin(list(urls))
    try:
        with reading(directory):
            for name, columns in COLUMNS.items():
                if files := [str(path) for path in tables_of(directory, name)]:
                    table = dataset.dataset(files, schema=SCHEMAS[name], format="parquet")
                    found += table.to_table(columns=columns, filter=wanted).to_pylist()
    except (pa.ArrowException, OSError) as error:
        remedy = "Remove the index files of that day, all kinds of them: the next start makes them again."
        raise MachineError("a table can't be read", str(error), remedy) from error
    return found
