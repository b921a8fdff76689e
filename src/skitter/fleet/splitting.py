"""What the operator asks of shards: to be split, to give slots to another, to spread a domain. See docs/decisions/0028.

Nothing is done here but asking: whoever owns the shard, now or later, does it, and then says where its slots are.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skitter.bus.table import Table, post
from skitter.bus.topics import CRAWL, add_partition, partitions_of
from skitter.errors import OperatorError
from skitter.fleet.facts import facts_in, places_in, routes_in
from skitter.fleet.file import FleetFile, client_of
from skitter.ports import LINKS
from skitter.shard.log import links
from skitter.shard.moving.record import ID, Asked, Spread
from skitter.url.routes import SLOTS, Place, Routes
from skitter.url.spread import MOST_PARTS, parts_of

LOOK = 1.0
TELL_EVERY = 5.0
NOT_YET = "not all done yet: it goes on with whoever owns the shard, now or later; do not ask for it again"


def split_shard(file: FleetFile, shard: int, to: int | None, patience: float) -> Iterator[str]:
    """Has about half of a shard go to a new one, or to `to`. Yields how it goes, for `patience` seconds at the most."""
    client, name = client_of(file), file.fleet.name
    with contextlib.closing(Table(client, name, CRAWL)) as table:
        _routes(table, name)
        count = partitions_of(client, name)
        _require_shard("SHARD", shard, count)
        if to is None:
            if count >= SLOTS:
                raise OperatorError("SHARD", shard, f"there are {SLOTS} shards already, and can't be more")
            to = add_partition(client, name, count)
            yield f"made shard {to}"
        _require_shard("--to", to, to + 1 if to >= count else count)
        before = _there(table, to)
        _ask(client, name, {shard: Asked(secrets.token_bytes(ID), to)})
        yield f"shard {shard} is asked to give about half of its slots to shard {to}"
        yield from _waited(table, to, before, 1, patience)


def move_slots(file: FleetFile, what: Sequence[str], to: int, patience: float) -> Iterator[str]:
    """Has slots, by number or by a domain in them, go to a shard. Yields how it goes."""
    client, name = client_of(file), file.fleet.name
    with contextlib.closing(Table(client, name, CRAWL)) as table:
        routes = _routes(table, name)
        _require_shard("--to", to, partitions_of(client, name))
        slots = {_slot(text, routes) for text in what}
        before = _there(table, to)
        by_shard: dict[int, list[int]] = {}
        for slot in sorted(slots):
            if (shard := routes.shard_in(slot)) != to:
                by_shard.setdefault(shard, []).append(slot)
        if not by_shard:
            yield f"shard {to} has them already"
            return
        _ask(client, name, {shard: Asked(secrets.token_bytes(ID), to, some) for shard, some in by_shard.items()})
        wanted = sum(map(len, by_shard.values()))
        yield f"{wanted} slots of shards {', '.join(map(str, by_shard))} are asked to go to shard {to}"
        yield from _waited(table, to, before, wanted, patience)


def spread_domain(file: FleetFile, domain: str, over: Sequence[int], patience: float) -> Iterator[str]:
    """Has the hosts of a domain be dealt out to parts, one in each of the shards `over`. Yields how it goes."""
    client, name = client_of(file), file.fleet.name
    with contextlib.closing(Table(client, name, CRAWL)) as table:
        routes = _routes(table, name)
        if (whole := routes.domains.domain_of(domain)) != domain:
            raise OperatorError(
                "DOMAIN", domain, f"is a host of the domain {whole}: a domain is spread, with all its hosts"
            )
        if domain in routes.spread:
            raise OperatorError(
                "DOMAIN", domain, f"is in {routes.spread[domain]} parts already, which can't be changed"
            )
        if not 1 < len(over) <= MOST_PARTS:
            raise OperatorError(
                "--over", ",".join(map(str, over)), f"must be 2 to {MOST_PARTS} shards, one for each part"
            )
        for shard in over:
            _require_shard("--over", shard, partitions_of(client, name))
        home = routes.shard_in(routes.slot_of(domain))
        spread = Spread(secrets.token_bytes(ID), domain, over)
        post(client, name, [(LINKS, home, None, links.encode(spread))])
        yield f"{domain}, which is in shard {home}, is asked to be in {len(over)} parts"
        slots = [routes.slot_of(part) for part in parts_of(domain, len(over))]
        wanted = {slot: shard for slot, shard in zip(slots, over, strict=True) if shard != home}
        yield from _waited_for(table, wanted, patience)


def _waited_for(table: Table, wanted: Mapping[int, int], patience: float) -> Iterator[str]:
    """Yields when slots are said to be in their shards, or that nobody has said so."""
    began = time.monotonic()
    while time.monotonic() - began < patience:
        table.refresh()
        if wanted.items() <= {slot: place.shard for slot, place in places_in(table)}.items():
            yield "all parts are where they are to be"
            return
        time.sleep(LOOK)
    yield NOT_YET


def _routes(table: Table, fleet: str) -> Routes:
    table.refresh()
    if facts_in(table) is None:
        raise OperatorError("fleet.name", fleet, "has no crawl yet: `skitter fleet init` makes one")
    return routes_in(table)


def _slot(text: str, routes: Routes) -> int:
    if not text.isdecimal():
        return routes.slot_of_host(text.lower())
    if int(text) >= SLOTS:
        raise OperatorError("SLOT", text, f"must be 0 to {SLOTS - 1}, or a domain")
    return int(text)


def _require_shard(key: str, shard: int, count: int) -> None:
    if not 0 <= shard < count:
        raise OperatorError(key, shard, f"must be one of this fleet's shards, 0 to {count - 1}")


def _ask(client: Mapping[str, Any], fleet: str, asked: Mapping[int, Asked]) -> None:
    post(client, fleet, [(LINKS, shard, None, links.encode(one)) for shard, one in asked.items()])


def _there(table: Table, shard: int) -> dict[int, Place]:
    return {slot: place for slot, place in places_in(table) if place.shard == shard}


def _waited(table: Table, to: int, before: Mapping[int, Place], wanted: int, patience: float) -> Iterator[str]:
    """Yields when slots are said to be in their new shard, or that nobody has said so."""
    began = told = time.monotonic()
    while (now := time.monotonic()) - began < patience:
        table.refresh()
        new = sum(before.get(slot) != place for slot, place in _there(table, to).items())
        if new >= wanted:
            yield f"{new} slots are shard {to}'s"
            return
        if now - told > TELL_EVERY:
            told = now
            yield f"asked for {now - began:.0f} s ago; {new} slots are there. It is done by the node that has the shard"
        time.sleep(LOOK)
    yield NOT_YET
