"""What the logs of a simulated fleet come to: its shards from their first record on, and who worked on them when."""

from __future__ import annotations

from collections.abc import Mapping

from skitter.ports import LOG
from skitter.shard import keys
from skitter.shard.log import codec
from skitter.shard.log.codec import LogRecord, Release, Take, Unreadable, Written
from skitter.shard.log.ownership import Standing, after
from skitter.shard.moving.record import Moves, decode_moves
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


def routes_of(stores: Mapping[int, Entries], made_with: Routes) -> Routes:
    """Returns where slots are by what the shards themselves say, the last word on each."""
    routes = Routes(made_with.domains, made_with.shards)
    for entries in stores.values():
        for slot, place in decode_moves(entries.get(keys.MOVES)).places.items():
            routes.learn(slot, place, is_there=True)
    return routes


class Turns:
    """Under which tenure a request was made, and whether that was released in order."""

    def __init__(self, cluster: Cluster, routes: Routes) -> None:
        self._routes = routes
        self._takes: dict[int, list[tuple[float, str, bytes]]] = {}
        self._released: set[bytes] = set()
        self._came: dict[int, list[tuple[float, int]]] = {}  # slots that moved: when they came to which shard
        for shard in range(cluster.shards):
            standing = Standing()
            takes = self._takes[shard] = []
            for entry, record in zip(cluster.partitions[LOG, shard], records_of(cluster, shard), strict=True):
                standing, counts = after(standing, record)
                if isinstance(record, Take):
                    takes.append((entry.at, entry.life.name, record.id))
                elif counts and isinstance(record, Release):
                    self._released.add(record.id)
                elif counts and isinstance(record, Written) and record.changes.get(keys.MOVES):
                    self._note_came(shard, entry.at, decode_moves(record.changes[keys.MOVES]))

    def __call__(self, request: Request) -> tuple[object, bool]:
        """Returns the tenure, and whether it ended well."""
        came = self._came.get(self._routes.slot_of_host(request.host), ())
        shards = [shard for at, shard in sorted(came) if at <= request.began]
        takes = self._takes[shards[-1] if shards else self._routes.shard_of(request.host)]
        mine = [id_ for at, name, id_ in takes if name == request.life.name and at <= request.began]
        return (mine[-1], mine[-1] in self._released) if mine else (b"", False)

    def _note_came(self, shard: int, at: float, moves: Moves) -> None:
        for slot, place in moves.places.items():
            if place.shard == shard:
                self._came.setdefault(slot, []).append((at, shard))
