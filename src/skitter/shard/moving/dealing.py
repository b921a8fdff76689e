"""Which shards an instruction is for, if it was given for others: where a folder becomes a fleet. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from skitter.messages import Discovered
from skitter.ports import HostRank, Instruction, Ranks, Recrawl, Revive, Seeds
from skitter.url.routes import Routes


def dealt(instruction: Instruction, routes: Routes) -> Iterator[tuple[int, Instruction]]:
    """Yields what an instruction comes to, with the shard that each is for."""
    match instruction:
        case Seeds(seeds):
            by_shard: dict[int, list[Discovered]] = {}
            for seed in seeds:
                by_shard.setdefault(routes.shard_of(seed.host), []).append(seed)
            yield from ((shard, Seeds(some)) for shard, some in by_shard.items())
        case Ranks(worths, hosts):
            domains: dict[int, list[tuple[str, float]]] = {}
            ranks: dict[int, list[HostRank]] = {}
            for domain, worth in worths:
                domains.setdefault(routes.shard_of(domain), []).append((domain, worth))
            for host in hosts:
                ranks.setdefault(routes.shard_of(host.host), []).append(host)
            for shard in domains.keys() | ranks.keys():
                yield shard, Ranks(domains.get(shard, ()), ranks.get(shard, ()))
        case Revive(host=None) | Recrawl(host=None):
            yield from ((shard, structs.replace(instruction, shard=shard)) for shard in range(routes.shards))
        case Revive(host=str(host)) | Recrawl(host=str(host)):
            shard = routes.shard_of(host)
            yield shard, structs.replace(instruction, shard=shard)
        case _:
            name: str = getattr(instruction, "host", "") or getattr(instruction, "domain", "")
            yield routes.shard_of(name), instruction
