"""What all nodes of a fleet must agree on: its routes, settings and seeds. Kept in the topic `crawl`.

No node has settings of its own: what a crawl does must not depend on which machine does it.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from skitter.bus.kafka import KafkaBroker
from skitter.bus.table import Table, post, put
from skitter.bus.topics import CRAWL
from skitter.errors import MachineError, OperatorError
from skitter.messages import Discovered
from skitter.ports import LINKS, Seeds
from skitter.settings import Settings
from skitter.shard.log import links
from skitter.url.routes import FIRST_EPOCH, SLOTS, Place, Routes

VERSION = 1
FACTS, ROUTES, DOMAINS, DRAIN, PLACE, SPREAD = "facts", "routes", "domains", "drain/", "place/", "spread/"
EXPORTED = "exported"
SEEDS_AT_ONCE = 200


class Facts(Struct, frozen=True, kw_only=True):
    """What a crawl is."""

    version: int = VERSION
    created: float
    shards: int
    settings: Settings
    seeds: Sequence[str] = ()
    is_grown: bool = False  # from a folder: what a shard knows came to it as its first handover
    archive: str = ""  # the number by which its bucket knows it, if that had one before there was a fleet


class Exported(Struct, frozen=True):
    """That the crawl has gone to a folder: no node is to work on it any more."""

    to: str
    at: float


class Drain(Struct, frozen=True):
    """That a node is to leave, if it was started before that time."""

    at: float


_facts = msgspec.json.Decoder(Facts)
_drains = msgspec.json.Decoder(Drain)
_exported = msgspec.json.Decoder(Exported)
_places = msgspec.json.Decoder(Place)


def facts_in(table: Table) -> Facts | None:
    """Returns what is known of the crawl; None if it was never made."""
    raw = table.rows.get(FACTS)
    if raw is None:
        return None
    try:
        facts = _facts.decode(raw)
    except ValueError as error:
        raise _unreadable(str(error)) from None
    if facts.version != VERSION:
        raise _unreadable(f"they are of version {facts.version}, and this Skitter knows {VERSION}")
    return facts


def routes_in(table: Table) -> Routes:
    """Returns the routes of the crawl."""
    try:
        routes = Routes.from_json(table.rows[ROUTES], zlib.decompress(table.rows[DOMAINS]))
    except (KeyError, ValueError, zlib.error) as error:
        raise _unreadable(repr(error)) from None
    routes.is_fixed = False
    facts = facts_in(table)
    if facts is not None and facts.is_grown:
        routes.epochs = dict.fromkeys(range(SLOTS), FIRST_EPOCH)
    for domain, parts in spread_in(table):
        routes.learn_spread(domain, parts)
    for slot, place in places_in(table):
        routes.learn(slot, place, is_there=True)
    return routes


def places_in(table: Table) -> Iterator[tuple[int, Place]]:
    """Yields where slots are that have moved, as far as that was told: each by the last of its moves."""
    last: dict[int, Place] = {}
    for key, raw in table.rows.items():
        if key.startswith(PLACE):
            slot, place = int(key.removeprefix(PLACE).partition("/")[0]), _places.decode(raw)
            if slot not in last or last[slot].epoch < place.epoch:
                last[slot] = place
    yield from last.items()


def spread_in(table: Table) -> Iterator[tuple[str, int]]:
    """Yields the domains that are in parts, and in how many, as far as that was told."""
    for key, raw in table.rows.items():
        if key.startswith(SPREAD):
            yield key.removeprefix(SPREAD), msgspec.json.decode(raw, type=int)


def tell_places(broker: KafkaBroker, places: Mapping[int, Place], spread: Mapping[str, int]) -> None:
    """Tells all nodes where slots are, if that can be told just now. Who is not told finds out by and by."""
    for domain, parts in spread.items():
        broker.publish(CRAWL, f"{SPREAD}{domain}", msgspec.json.encode(parts))
    # A row for each move: a shard that gave a slot away long ago says so again when it is taken, and must not have the
    # last word.
    for slot, place in places.items():
        broker.publish(CRAWL, f"{PLACE}{slot}/{place.epoch}", msgspec.json.encode(place))


def exported_in(table: Table) -> Exported | None:
    """Returns where the crawl has gone, if it has left the fleet."""
    raw = table.rows.get(EXPORTED)
    return None if raw is None else _exported.decode(raw)


def keep_exported(client: Mapping[str, Any], fleet: str, exported: Exported) -> None:
    """Returns when it is safe that the crawl has left the fleet."""
    put(client, fleet, CRAWL, {EXPORTED: msgspec.json.encode(exported)})


def drained_at(table: Table, node: str) -> float:
    """Returns when a node was last told to leave; 0 if never."""
    raw = table.rows.get(DRAIN + node)
    return _drains.decode(raw).at if raw is not None else 0.0


def make_facts(client: Mapping[str, Any], fleet: str, facts: Facts, routes: Routes) -> None:
    """Returns when the facts of a new crawl are safe. Its routes come first: facts say that it is there."""
    frozen = routes.domains.frozen()
    put(client, fleet, CRAWL, {DOMAINS: zlib.compress(frozen), ROUTES: routes.to_json(frozen)})
    keep_facts(client, fleet, facts)


def keep_facts(client: Mapping[str, Any], fleet: str, facts: Facts) -> None:
    """Returns when other facts are safe."""
    put(client, fleet, CRAWL, {FACTS: msgspec.json.encode(facts)})


def tell_to_leave(client: Mapping[str, Any], fleet: str, nodes: Collection[str], at: float) -> None:
    """Tells nodes to leave."""
    put(client, fleet, CRAWL, {DRAIN + node: msgspec.json.encode(Drain(at)) for node in nodes})


def post_seeds(client: Mapping[str, Any], fleet: str, seeds: Sequence[Discovered], routes: Routes) -> None:
    """Returns when seeds are safe in the links of their shards."""
    by_shard: dict[int, list[Discovered]] = {}
    for seed in seeds:
        by_shard.setdefault(routes.shard_of(seed.host), []).append(seed)
    messages = [
        (LINKS, shard, None, links.told(Seeds(some[start : start + SEEDS_AT_ONCE])))
        for shard, some in by_shard.items()
        for start in range(0, len(some), SEEDS_AT_ONCE)
    ]
    post(client, fleet, [(topic, shard, key, value) for topic, shard, key, value in messages])


def require_same(facts: Facts, shards: int) -> None:
    """Returns if the fleet file names the shards that the crawl was made with."""
    if facts.shards != shards:
        right = f"this fleet was made with {facts.shards}, which can't be changed"
        raise OperatorError("fleet.shards", shards, right)


def _unreadable(why: str) -> MachineError:
    remedy = "Start the Skitter that made this fleet, or make another one under another name."
    return MachineError(f"what the fleet is can't be read ({why})", CRAWL, remedy)
