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
    moves = [decode_moves(entries.get(keys.MOVES)) for entries in stores.values()]
    for domain, parts in [one for some in moves for one in some.spread.items()]:
        routes.learn_spread(domain, parts)
    for slot, place in [one for some in moves for one in some.places.items()]:
        routes.learn(slot, place, is_there=True)
    return routes


class Turns:
    """Under which tenure a request was made, and whether that was released in order."""

    def __init__(self, cluster: Cluster, routes: Routes, at_last: Routes) -> None:
        self._routes = routes
        self._at_last = at_last
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
        slots = {self._routes.slot_of_host(request.host), self._at_last.slot_of_host(request.host)}
        # Of a domain in parts those of its part come after those of the whole, which it may have left since.
        came = [one for slot in sorted(slots) for one in sorted(self._came.get(slot, ()))]
        shards = [shard for at, shard in came if at <= request.began]
        takes = self._takes[shards[-1] if shards else self._routes.shard_of(request.host)]
        mine = [id_ for at, name, id_ in takes if name == request.life.name and at <= request.began]
        return (mine[-1], mine[-1] in self._released) if mine else (b"", False)

    def _note_came(self, shard: int, at: float, moves: Moves) -> None:
        for slot, place in moves.places.items():
            if place.shard == shard:
                self._came.setdefault(slot, []).append((at, shard))
