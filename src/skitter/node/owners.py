"""Which node owns which shard, at this moment."""

from __future__ import annotations

from skitter.url.routes import Routes


class Owners:
    """The owners of all shards. At the start of a crawl on one machine they are dealt out by turns."""

    def __init__(self, number: int, nodes: int, routes: Routes) -> None:
        self.number = number  # ours
        self.nodes = nodes
        self._routes = routes
        self._owners = [shard % nodes for shard in range(routes.shards)]

    def __repr__(self) -> str:
        return f"<Owners: {len(self.owned())} of {len(self._owners)} shards are ours, node {self.number}>"

    def owned(self) -> frozenset[int]:
        """Returns our own shards."""
        return frozenset(shard for shard, owner in enumerate(self._owners) if owner == self.number)

    def of_shard(self, shard: int) -> int:
        """Returns the node that owns a shard."""
        return self._owners[shard]

    def of_host(self, host: str) -> int:
        """Returns the node that owns a host."""
        return self._owners[self._routes.shard_of(host)]

    def move(self, shard: int, node: int) -> None:
        """Takes note that a shard is another node's from now on."""
        self._owners[shard] = node
