"""Which node owns which shard, at this moment."""

from __future__ import annotations

from skitter.url.routes import ON_ITS_WAY, SLOTS, Routes

NOBODY = -1
"""The owner of a host that is on its way from one shard to another."""


class Owners:
    """The owners of all shards. At the start of a crawl on one machine they are dealt out by turns."""

    def __init__(self, number: int, nodes: int, routes: Routes) -> None:
        self.number = number  # ours
        self.nodes = nodes
        self._routes = routes
        self._owners = [shard % nodes for shard in range(SLOTS)]  # in a fleet there may be more shards later

    def __repr__(self) -> str:
        return f"<Owners: {len(self.owned())} of {self._routes.count()} shards are ours, node {self.number}>"

    def owned(self) -> frozenset[int]:
        """Returns our own shards."""
        found = enumerate(self._owners[: self._routes.count()])
        return frozenset(shard for shard, owner in found if owner == self.number)

    def of_shard(self, shard: int) -> int:
        """Returns the node that owns a shard."""
        return self._owners[shard]

    def of_host(self, host: str) -> int:
        """Returns the node that owns a host."""
        shard = self._routes.shard_of(host)
        return self._owners[shard] if shard < ON_ITS_WAY else NOBODY

    def move(self, shard: int, node: int) -> None:
        """Takes note that a shard is another node's from now on."""
        self._owners[shard] = node
