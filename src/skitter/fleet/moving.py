"""Slots that come to the shards of a node, and leave them. The rule, and why it holds, is in docs/decisions/0028.

A shard is closed while its slots come or go; its tenancy is kept. Each step below is a record of the shard's log, or a
message that a record has promised: whoever takes the shard after a death goes on with the first that is not done.

    asked      → bundles of the slots' entries go to the other shard's links; nothing has changed yet
    left       → one record: from here on the slots are the other's. Then it is told so, and entries are removed here
    coming     → what was told; each bundle is put in by the record that removes it from those that wait

A domain that outgrew the shard is put into parts there, by records of its log alone; then they go as any other slots.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec import structs
from xxhash import xxh3_128_digest

from skitter.clock import Clock
from skitter.messages import Discovered
from skitter.ports import LINKS, Broker, Instruction, Ranks, Seeds
from skitter.schedule.share import joined, shared_out
from skitter.shard import keys
from skitter.shard.log import links
from skitter.shard.log.codec import Written
from skitter.shard.log.journal import AGAIN
from skitter.shard.log.store import LogStore
from skitter.shard.log.tenancy import Tenancy
from skitter.shard.moving.bundles import Changes, Entry, gathered, opened_as_often, put_in, removed
from skitter.shard.moving.dealing import dealt
from skitter.shard.moving.halves import half_of
from skitter.shard.moving.kinds import Sorting
from skitter.shard.moving.parting import parted, renamed
from skitter.shard.moving.record import (
    ID,
    Asked,
    Bundle,
    HandedOver,
    Leaving,
    Moves,
    Spread,
    bundle_key,
    bundle_prefix,
    cleared,
    come,
    decode_moves,
    encode_moves,
    in_parts,
    left,
    next_epochs,
    parts_known,
    refused,
    with_asked,
    with_coming,
)
from skitter.shard.reader import ShardReader
from skitter.shard.records import METAS, SHARES
from skitter.url.routes import FIRST_EPOCH, ON_ITS_WAY, Place, Routes
from skitter.url.spread import parts_of, slot_of

_log = logging.getLogger(__name__)

Keep: TypeAlias = Callable[[bytes, bytes], None]
Publish: TypeAlias = Callable[[Mapping[int, Place], Mapping[str, int]], None]


class Lost(Exception):  # noqa: N818 (it is no error)
    """The shard is another's: nothing more can be written to it."""


class Moving:
    """The moves of a node's shards. `publish` tells others where slots are, and which domains are in parts, if it can.

    `forget` has the node forget which links it has sent to a shard: some may come back to us, from where slots went.
    """

    def __init__(
        self,
        broker: Broker,
        routes: Routes,
        clock: Clock,
        forget: Callable[[int], None],
        publish: Publish = lambda *_: None,
    ) -> None:
        self._broker = broker
        self._routes = routes
        self._clock = clock
        self._forget = forget
        self._publish = publish
        self._moves: dict[LogStore, Moves] = {}
        self.came = self.gone = 0

    def __repr__(self) -> str:
        return f"<Moving: {self.came} handovers came, {self.gone} went>"

    # What comes through the links of an open shard

    def take(self, store: LogStore, message: Bundle | HandedOver | Asked | Spread, keep: Keep) -> None:
        """Takes a message; `keep` writes entries that are safe together with how far the links were read."""
        moves = self._moves[store]
        if isinstance(message, Bundle):
            if message.handover not in moves.had:
                keep(bundle_key(message), links.encode(message))
            return
        moves = with_coming(moves, message) if isinstance(message, HandedOver) else with_asked(moves, message)
        self._moves[store] = moves
        keep(keys.MOVES, encode_moves(moves))

    def shards(self) -> range:
        """Returns all shards of the fleet."""
        return range(self._routes.count())

    def sorted_out(
        self, instruction: Instruction, owns: Callable[[str], bool]
    ) -> Iterator[tuple[Instruction, int | None]]:
        """Yields what an instruction comes to, each with the shard that it is handed on to; None: it is for us."""
        if isinstance(instruction, Seeds):
            by_shard: dict[int | None, list[Discovered]] = {}
            for seed in instruction.seeds:
                shard = None if owns(seed.host) else self._routes.destination_of(seed.host)
                by_shard.setdefault(shard, []).append(seed)
            yield from ((Seeds(seeds), shard) for shard, seeds in by_shard.items())
            return
        if isinstance(instruction, Ranks):
            yield from self._sorted_ranks(instruction, owns)
            return
        if (domain := getattr(instruction, "domain", None)) in self._routes.spread:
            for name in self._routes.names_of(domain):  # each part is a domain to whoever has it
                one = structs.replace(instruction, domain=name)
                yield one, None if owns(name) else self._routes.destination_of(name)
            return
        host: str | None = getattr(instruction, "host", None) or getattr(instruction, "domain", None)
        if host is None or owns(host):
            yield instruction, None
        else:
            yield instruction, self._routes.destination_of(host)

    def _sorted_ranks(self, ranks: Ranks, owns: Callable[[str], bool]) -> Iterator[tuple[Instruction, int | None]]:
        """Yields what is ours of a nightly look; what it says of domains in parts goes to each of these."""
        if not self._routes.spread:
            yield ranks, None
            return
        worths = [(name, worth) for domain, worth in ranks.worths for name in self._routes.names_of(domain)]
        for shard, some in dealt(Ranks(worths, ranks.hosts), self._routes):
            assert isinstance(some, Ranks)
            is_ours = any(owns(name) for name, _ in some.worths) or any(owns(one.host) for one in some.hosts)
            yield some, None if is_ours else shard % ON_ITS_WAY

    def is_pending(self, store: LogStore) -> bool:
        """Whether the shard is to be closed, for `work` to be done on it."""
        return self._moves[store].is_pending

    def forget(self, store: LogStore) -> None:
        """Takes note that a shard is no longer ours."""
        self._moves.pop(store, None)

    # What is done while it is closed

    async def work(self, store: LogStore, tenancy: Tenancy) -> bool:
        """Brings all moves of a shard to their end. False if the shard was lost meanwhile."""
        self._moves[store] = decode_moves(store.get(keys.MOVES))
        self.hear_spread(self._moves[store].spread)
        try:
            await self._finish_leaving(store, tenancy)
            while self._moves[store].coming:
                await self._let_in(store, tenancy)
            while asked := self._moves[store].asked:
                if isinstance(asked[0], Spread):
                    await self._part(store, tenancy, asked[0])
                else:
                    await self._let_go(store, tenancy, asked[0])
        except Lost:
            self.forget(store)
            return False
        self._learn(store)
        return True

    def _learn(self, store: LogStore) -> None:
        """Takes note of where slots are, by what their shard says. It knows best, whatever we heard elsewhere."""
        places = self._moves[store].places
        # We may have been told that slots are to come here of which nobody here knows yet.
        told = {
            slot: Place(epoch, store.shard)
            for slot, epoch in self._routes.epochs.items()
            if self._routes.shard_in(slot) == store.shard and (slot not in places or places[slot].epoch < epoch)
        }
        self.hear(places | told)
        news = {slot: one for slot, one in places.items() if self._is_news(slot, one, store.shard)}
        self._publish(news, self._moves[store].spread)

    def _is_news(self, slot: int, place: Place, here: int) -> bool:
        if place.epoch < self._routes.epochs.get(slot, 0):
            return False  # somebody else has said better
        return place.shard != here or place.epoch > FIRST_EPOCH

    def correct(self, told: Mapping[int, Place]) -> None:
        """Says again what others must not be left without: of each slot the topic keeps what was said last, if old."""
        epochs, place_of = self._routes.epochs, self._routes.place_of
        self._publish({slot: place_of(slot) for slot, place in told.items() if place.epoch < epochs.get(slot, 0)}, {})

    def hear_spread(self, spread: Mapping[str, int]) -> None:
        """Takes note of domains that are said to be in parts. Where these are is another thing to hear of."""
        for domain, parts in spread.items():
            self._routes.learn_spread(domain, parts)

    def hear(self, places: Mapping[int, Place]) -> None:
        """Takes note of where slots are said to be. One is in a shard of ours only when that shard says so."""
        ours = {store.shard: moves.places for store, moves in self._moves.items()}
        before = set()
        for slot, place in places.items():
            known = ours.get(place.shard)
            is_there = known is None or (slot in known and known[slot].epoch >= place.epoch)
            before.add(self._routes.learn(slot, place, is_there=is_there))
        for shard in before - {None}:
            assert shard is not None
            self._forget(shard)

    # Slots that come

    async def _let_in(self, store: LogStore, tenancy: Tenancy) -> None:
        message = self._moves[store].coming[0]
        for key in [key for key, _ in store.iterate(bundle_prefix(message.handover))]:  # one at a time in memory
            bundle = links.decode(store.get(key) or b"")
            assert isinstance(bundle, Bundle)
            if bundle.attempt == message.attempt:
                await self._commit(store, tenancy, put_in(bundle.entries, store.get) | {key: None})
            else:
                await self._commit(store, tenancy, {key: None})  # of an attempt that broke off
        reader = ShardReader(store.shard, store)
        now = self._clock()
        meta = opened_as_often(store.get(keys.META), store.shard, self._routes.shards, message.opened, now)
        share = SHARES.encode(joined(reader.kept_share(), message.share))
        moves = come(self._moves[store], store.shard)
        changes: Changes = {keys.META: meta, keys.SHARE: share, keys.MOVES: encode_moves(moves)}
        if message.purged:
            changes[keys.PURGED] = (reader.purged() + message.purged).to_bytes(8, "big")
        await self._commit(store, tenancy, changes)
        self._moves[store] = moves
        self.hear_spread(moves.spread)
        self.came += 1

    # Slots that go

    async def _part(self, store: LogStore, tenancy: Tenancy, asked: Spread) -> None:
        """Puts a domain into parts, and has those that are to be elsewhere asked to go there."""
        moves, domain, parts = self._moves[store], asked.domain, len(asked.over)
        home = self._routes.slot_of(domain)
        if not self._is_here(home, moves, store.shard):
            if (known := moves.places.get(home)) is not None:
                await self._post(known.shard, links.encode(asked), tenancy)
            await self._note(store, tenancy, refused(moves, asked.handover))
            return
        if domain in moves.spread:
            _log.warning("shard %d: %s is in parts already", store.shard, domain)
            await self._note(store, tenancy, refused(moves, asked.handover))
            return
        for changes in renamed(store, domain, parts):
            await self._commit(store, tenancy, changes)
        then = [
            Asked(xxh3_128_digest(asked.handover + shard.to_bytes(2, "big")), shard, slots)
            for shard, slots in _by_shard(asked).items()
            if shard != store.shard
        ]
        moves = in_parts(moves, asked, store.shard, then)
        await self._commit(store, tenancy, parted(store, domain, parts) | {keys.MOVES: encode_moves(moves)})
        self._moves[store] = moves
        self.hear_spread(moves.spread)

    async def _let_go(self, store: LogStore, tenancy: Tenancy, asked: Asked) -> None:
        moves = self._moves[store]
        slots = frozenset(asked.slots or await half_of(store, self._routes))
        await self._hand_on(asked, slots, moves, tenancy)
        slots = frozenset(slot for slot in slots if self._is_here(slot, moves, store.shard))
        if not slots or asked.to == store.shard:
            _log.warning("shard %d: there is nothing to move to shard %d", store.shard, asked.to)
            await self._note(store, tenancy, refused(moves, asked.handover))
            return
        message = await self._sent(store, tenancy, asked, slots)
        await self._note(store, tenancy, left(moves, Leaving(asked.to, message)))
        await self._finish_leaving(store, tenancy)

    async def _hand_on(self, asked: Asked, slots: frozenset[int], moves: Moves, tenancy: Tenancy) -> None:
        """Asks whoever has the slots that have gone meanwhile."""
        gone: dict[int, list[int]] = {}
        for slot in sorted(slots & moves.places.keys()):
            if (shard := moves.places[slot].shard) not in (tenancy.shard, asked.to):
                gone.setdefault(shard, []).append(slot)
        for shard, some in gone.items():
            # A handover has one source: two with one id would be one to the shard that they go to.
            other = xxh3_128_digest(asked.handover + shard.to_bytes(2, "big"))
            await self._post(shard, links.encode(Asked(other, asked.to, some)), tenancy)

    def _is_here(self, slot: int, moves: Moves, shard: int) -> bool:
        known = moves.places.get(slot)
        return known.shard == shard if known is not None else self._routes.shard_in(slot) == shard

    async def _sent(self, store: LogStore, tenancy: Tenancy, asked: Asked, slots: frozenset[int]) -> HandedOver:
        """Returns the message that ends a handover, when all before it is safe in the links of the other shard."""
        attempt, number, urls = secrets.token_bytes(ID), 0, 0
        for some in gathered(store, Sorting(self._routes, _reading(store)), slots):
            if some is None:
                await asyncio.sleep(0)
                continue
            bundle = Bundle(asked.handover, attempt, number, some)
            await self._post(asked.to, links.encode(bundle), tenancy)
            urls += _urls_in(some)
            number += 1
        reader = ShardReader(store.shard, store)
        all_urls = sum(reader.counts().values())
        _, share = shared_out(reader.kept_share(), urls / all_urls if all_urls else 0.0)
        epochs = next_epochs(self._moves[store], sorted(slots))
        raw = store.get(keys.META)
        opened = 0 if raw is None else METAS.decode(raw).opened
        known = self._moves[store]
        facts = (asked.handover, attempt, number, epochs, opened, share)
        return HandedOver(*facts, spread=known.spread, parts=parts_known(known))

    async def _finish_leaving(self, store: LogStore, tenancy: Tenancy) -> None:
        leaving = self._moves[store].leaving
        if leaving is None:
            return
        await self._post(leaving.to, links.encode(leaving.message), tenancy)
        slots = frozenset(slot for slot, _ in leaving.message.epochs)
        for some in gathered(store, Sorting(self._routes, _reading(store)), slots):
            if some is None:
                await asyncio.sleep(0)
                continue
            await self._commit(store, tenancy, removed(some, store.get))
        kept = _without(ShardReader(store.shard, store), leaving.message)
        moves = cleared(self._moves[store])
        await self._commit(store, tenancy, {keys.SHARE: kept, keys.MOVES: encode_moves(moves)})
        self._moves[store] = moves
        self.gone += 1

    # Writing

    async def _note(self, store: LogStore, tenancy: Tenancy, moves: Moves) -> None:
        await self._commit(store, tenancy, {keys.MOVES: encode_moves(moves)})
        self._moves[store] = moves

    async def keep(self, store: LogStore, tenancy: Tenancy, changes: Changes) -> None:
        """Writes what came through the links of a closed shard. `Lost` if it is not ours any more."""
        await self._commit(store, tenancy, changes)

    async def _commit(self, store: LogStore, tenancy: Tenancy, changes: Changes) -> None:
        offset = await tenancy.append(Written(tenancy.id, changes))
        if offset is None:
            raise Lost
        store.write_through(changes, offset, tenancy.id)

    async def _post(self, shard: int, message: bytes, tenancy: Tenancy) -> None:
        while await self._broker.append(LINKS, shard, message) is None:
            if tenancy.is_lost:
                raise Lost
            await asyncio.sleep(AGAIN)


def _reading(store: LogStore) -> Callable[[bytes], bytes | None]:
    return lambda mark: store.get(keys.url_key(mark))


def _by_shard(asked: Spread) -> dict[int, list[int]]:
    """Returns the slots of parts by the shards that they are to go to."""
    found: dict[int, list[int]] = {}
    for name, shard in zip(parts_of(asked.domain, len(asked.over)), asked.over, strict=True):
        found.setdefault(shard, []).append(slot_of(name))
    return found


def _urls_in(entries: list[Entry]) -> int:
    return sum(key.startswith(b"u") for key, _ in entries)


def _without(reader: ShardReader, message: HandedOver) -> bytes:
    """Returns what is left of a shard's share. By what it was when slots left: nobody has worked on it since."""
    share = reader.kept_share()
    part = message.share.pages / share.pages if share.pages else 0.0
    return SHARES.encode(shared_out(share, min(1.0, part))[0])
