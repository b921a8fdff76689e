"""The URLs that were given up, and why."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from skitter.inspection.folder import Folder
from skitter.messages import Failure, State
from skitter.shard.records import URLS


class Dead(Struct, frozen=True):
    """One URL that was given up."""

    url: str
    host: str
    tries: int
    failure: Failure | None
    last_fetched: float | None
    parent: str | None


def dead(folder: Folder, host: str | None = None) -> Iterator[Dead]:
    """Yields the URLs that were given up, of one host or of all."""
    for shard in folder.shards():
        if not shard.counts().get(State.DEAD):
            continue
        for _, raw in shard.items(b"u"):
            record = URLS.decode(raw)
            if record.state is State.DEAD and host in (None, record.host):
                yield Dead(record.href, record.host, record.tries, record.failure, record.last_fetched, record.parent)
