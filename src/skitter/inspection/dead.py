"""The URLs that were given up, and why."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from skitter.inspection.folder import Folder
from skitter.messages import Failure, State
from skitter.shard.records import TRIMMED, URLS, UrlRecord


class Dead(Struct, frozen=True):
    """One URL that was given up."""

    url: str
    host: str
    tries: int  # that failed, since it was last fetched
    failure: Failure | None
    failed_at: float | None  # when it was given up
    failed_status: int  # of the answer then; 0: there was none
    last_fetched: float | None  # when it was last to be had; None: it never was
    parent: str | None


def dead(folder: Folder, host: str | None = None) -> Iterator[Dead]:
    """Yields the URLs that were given up, of one host or of all."""
    for shard in folder.shards():
        if not shard.counts().get(State.DEAD):
            continue
        for _, raw in shard.iterate(b"u"):
            record = URLS.decode(raw)
            if record.state is State.DEAD and record is not TRIMMED and host in (None, record.host):
                yield _dead(record)


def _dead(record: UrlRecord) -> Dead:
    return Dead(
        record.href,
        record.host,
        record.tries + record.crashes,
        record.failure,
        record.failed_at,
        record.failed_status,
        record.last_fetched,
        record.parent,
    )
