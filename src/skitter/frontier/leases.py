"""The leases that are out. A lease is a value: it is known by its shard and its serial, whoever brings it back."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from skitter.frontier.host import Event, Host
from skitter.messages import Lease
from skitter.shard.writer import Shard


class Leases:
    """Who holds which host. Each lease is taken back once."""

    def __init__(self) -> None:
        self._out: dict[tuple[int, int], Host] = {}

    def __len__(self) -> int:
        return len(self._out)

    def __iter__(self) -> Iterator[Host]:
        return iter(self._out.values())

    def hold(self, host: Host, lease: Lease, event: Event) -> Lease:
        """Gives the lease out: its host is nobody else's until it is taken back."""
        host.step(event)
        host.lease = lease
        self._out[lease.shard, lease.serial] = host
        return lease

    def host_of(self, lease: Lease) -> Host | None:
        """Returns the host that the lease holds; None: it has ended, and what it brought counts for nothing."""
        return self._out.get((lease.shard, lease.serial))

    def prolong(self, lease: Lease, ends: float) -> Lease:
        """Returns a lease that is out with a later end: one more request is to be made under it."""
        host = self._out[lease.shard, lease.serial]
        host.lease = longer = structs.replace(lease, ends=max(lease.ends, ends))
        return longer

    def take_back(self, lease: Lease) -> None:
        """Ends a lease that is out."""
        host = self._out.pop((lease.shard, lease.serial))
        host.lease = None

    def ended(self, now: float) -> list[Lease]:
        """Returns those that have outlived their end."""
        return [host.lease for host in self._out.values() if host.lease is not None and host.lease.ends <= now]

    def of(self, shard: Shard) -> list[Lease]:
        """Returns those of one shard."""
        return [host.lease for host in self._out.values() if host.lease is not None and host.shard is shard]
