"""What the logs of a simulated fleet come to: its shards from their first record on, and who worked on them when."""

from __future__ import annotations

from skitter.ports import LOG
from skitter.shard.log import codec
from skitter.shard.log.codec import LogRecord, Release, Take, Unreadable, Written
from skitter.shard.log.ownership import Standing, after
from skitter.sim.disk import Entries
from skitter.sim.fleet.cluster import Cluster
from skitter.sim.web import Request
from skitter.url.routes import Routes


def records_of(cluster: Cluster, shard: int) -> list[LogRecord]:
    """Returns all records of a shard's log."""
    found = []
    for entry in cluster.partitions[LOG, shard]:
        record = codec.decode(entry.raw)
        assert not isinstance(record, Unreadable), record.why
        found.append(record)
    return found


def replayed(cluster: Cluster) -> dict[int, Entries]:
    """Returns the stores that the logs come to, by shard."""
    stores = {}
    for shard in range(cluster.shards):
        entries, standing = Entries(), Standing()
        for record in records_of(cluster, shard):
            standing, counts = after(standing, record)
            if counts and isinstance(record, Written):
                entries.apply(list(record.changes.items()))
        stores[shard] = entries
    return stores


class Turns:
    """Under which tenure a request was made, and whether that was released in order."""

    def __init__(self, cluster: Cluster, routes: Routes) -> None:
        self._routes = routes
        self._takes: dict[int, list[tuple[float, str, bytes]]] = {}
        self._released: set[bytes] = set()
        for shard in range(cluster.shards):
            standing = Standing()
            takes = self._takes[shard] = []
            for entry, record in zip(cluster.partitions[LOG, shard], records_of(cluster, shard), strict=True):
                standing, counts = after(standing, record)
                if isinstance(record, Take):
                    takes.append((entry.at, entry.life.name, record.id))
                elif counts and isinstance(record, Release):
                    self._released.add(record.id)

    def __call__(self, request: Request) -> tuple[object, bool]:
        """Returns the tenure, and whether it ended well."""
        takes = self._takes[self._routes.shard_of(request.host)]
        mine = [id_ for at, name, id_ in takes if name == request.life.name and at <= request.began]
        return (mine[-1], mine[-1] in self._released) if mine else (b"", False)
