"""The hosts in memory: a window on all hosts that have something queued.

Front tier: which hosts are brought in is drawn by the class of their best URL, with a share for exploration.
Back tier: the hosts that are in sit in the ready heap by the time they may next be visited.
When the window is full, hosts with nothing to do make room, then hosts that are asleep for long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import structs

from skitter.frontier.decide import host_delay, host_load, may_visit_at, no_later
from skitter.frontier.domain import Domain, DomainMemory
from skitter.frontier.host import WAITING, Event, Host, Stage
from skitter.frontier.ready import ReadyHosts
from skitter.frontier.sharing import Sharing
from skitter.frontier.waiting import WaitingShards
from skitter.politeness.hours import earliest, of_host, parsed
from skitter.schedule.budget import (
    HOSTS_IN_A_ROW,
    Name,
    class_of_host,
    may_bring_single,
    most_at_once,
    pages_left,
    quota,
    room_for_hosts,
)
from skitter.schedule.priority import (
    EXPLORATION,
    TURNS,
    class_of_rank,
    draw_turn,
    is_single,
    purpose_of_turn,
    rank_of,
    turn_of_rank,
)
from skitter.schedule.shares import Purpose
from skitter.settings import DAY, Settings
from skitter.shard import keys
from skitter.shard.records import HostFlag, HostRecord
from skitter.shard.writer import Shard

LONG = 30.0
"""A host that is asleep for longer than this may be put out of the window."""

BATCH = 500
"""Hosts brought in or put out at a time, so that the loop never waits long."""


class Window:
    """The hosts in memory, by name."""

    def __init__(self, settings: Settings, roll: Callable[[], float], domains: DomainMemory) -> None:
        self._settings = settings
        self._hours = parsed(settings.politeness.hours)
        self.domains = domains
        self._roll = roll
        self._hosts: dict[str, Host] = {}
        # No methods of our own: they are called for every host that a page leads to.
        self.get: Callable[[str], Host | None] = self._hosts.get
        self.has: Callable[[str], bool] = self._hosts.__contains__
        self._idle: dict[str, Host] = {}
        self._asleep: dict[str, Host] = {}  # those who fell asleep and were not looked at since
        self.ready = ReadyHosts()
        self.sharing = Sharing(settings)
        self._waiting = WaitingShards(TURNS)
        self._arrived: list[str] = []  # hosts that are to be resolved

    def __len__(self) -> int:
        return len(self._hosts)

    def __iter__(self) -> Iterator[Host]:
        return iter(self._hosts.values())

    # A host's waiting

    def take_settings(self, settings: Settings, now: float) -> None:
        """Goes on with other settings: every host that waits, waits as long as they want it to."""
        self._settings = settings
        self.sharing.take_settings(settings)
        self._hours = parsed(settings.politeness.hours)
        for host in list(self._hosts.values()):
            if host.stage in WAITING:
                self.rest(host, now)

    def rest(self, host: Host, now: float) -> None:
        """Puts a host that holds no lease where it belongs: into the heap, or aside if it is paused."""
        delay = self.delay_of(host)
        at = max(now, self.may_visit_at(host, delay))
        self.rest_until(host, at, asleep=at > now + max(delay, host_load(host.record, self._settings)))
        self.note_room(host.domain, now)

    def may_visit_at(self, host: Host, delay: float) -> float:
        """Returns when a host may next be visited, by its record and its delay."""
        rested_since = host.shard.opened_at if host.shard.was_used else 0.0
        load = host_load(host.record, self._settings)
        return may_visit_at(host.record, rested_since, delay, load, self.quota_of(host))

    def quota_of(self, host: Host) -> int:
        """Returns the requests that a host may have in a day."""
        record = host.record
        return quota(self._settings.frontier.daily_quota, host.domain.record, record.health, record.worth)

    def opens_at(self, host: Host, at: float) -> float:
        """Returns when a host that its delay allows to be visited `at` may be, by the hours that it is kept for."""
        if not self._hours or not (rows := of_host(self._hours, host.record.host)):
            return at
        return earliest(rows, at, host.record.last_request, self.delay_of(host))

    def delay_of(self, host: Host) -> float:
        """Returns the delay that a host is visited with."""
        return host_delay(host.record, self._settings)

    def take_out(self, host: Host) -> None:
        """Makes a host ready whose time has come, out of its turn."""
        self.ready.remove(host)
        self._idle.pop(host.record.host, None)
        self._count(host, is_active=True)
        host.step(Event.RIPE)

    def is_crowded(self, domain: Domain) -> bool:
        """Whether as many pages of a domain are under way as there may be."""
        node = self._settings.node
        return node.domain_share < 1 and domain.out >= most_at_once(node.domain_share, node.in_flight)

    def rest_until(self, host: Host, at: float, *, asleep: bool = False) -> None:
        """Puts a host that holds no lease into the heap, to be ready `at`; it is asleep if that is not its delay."""
        if host.shard.is_draining:
            self._drop(host, at)
            return
        if self._hours and (opens := self.opens_at(host, at)) > at:
            at, asleep = opens, True
        self._idle.pop(host.record.host, None)
        self._count(host, is_active=not asleep and not host.record.flags & HostFlag.PAUSED)
        if host.record.flags & HostFlag.PAUSED:
            host.step(Event.PAUSED)
            self.ready.remove(host)
            host.at = at
            return
        host.step(Event.FALLS_ASLEEP if asleep else Event.RESTS)
        if asleep:
            self._asleep[host.record.host] = host
        self.ready.push(host, at)

    def idle(self, host: Host, now: float) -> None:
        """Puts a ready host with nothing queued aside."""
        host.step(Event.EMPTIED)
        self._count(host, is_active=False)
        self._idle[host.record.host] = host
        self.note_room(host.domain, now)

    def head(self, host: Host, purpose: Purpose) -> list[bytes] | None:
        """Returns the first URLs of one of the host's queues, best first, as entries of `keys.queue_entry`.

        None: some that have just arrived must be committed first, else they would be passed over.
        """
        lane = host.lanes[purpose]
        if lane.urls or not lane.more:
            return lane.urls
        if host.shard.has_new(host.record.host):
            return None
        limit = self._settings.frontier.window_urls
        prefix = keys.queue_prefix(host.record.host, purpose)
        found = host.shard.scan(prefix, after=prefix + lane.horizon, limit=limit)
        lane.urls = [keys.queue_entry(key, fingerprint) for key, fingerprint in found]
        lane.more = len(found) == limit
        lane.horizon = keys.entry_place(lane.urls[-1]) if found else lane.horizon
        return lane.urls

    def tail(self, host: Host, purpose: Purpose) -> bytes | None:
        """Returns an entry from further down a queue, once in five times: else those would never have a turn."""
        lane = host.lanes[purpose]
        # With few URLs at its head nothing of it has to wait for long.
        is_short = 4 * len(lane.urls) < self._settings.frontier.window_urls
        if is_short or not lane.more or self._roll() >= EXPLORATION:
            return None
        prefix = keys.queue_prefix(host.record.host, purpose)
        # From anywhere between the last one in memory and none: what is two links deeper is worth a third.
        after = max(lane.horizon, keys.place_of(keys.entry_priority(lane.horizon) * self._roll()))
        found = host.shard.scan(prefix, after=prefix + after, limit=1)
        return keys.queue_entry(*found[0]) if found else None

    def offer(self, host: Host, queue_key: bytes, fingerprint: bytes, now: float) -> None:
        """Tells a host in memory of a URL that was added to its queue."""
        host.offer(queue_key, fingerprint, self._settings.frontier.window_urls)
        if host.stage is Stage.IDLE:
            self.rest(host, now)

    # Coming and going

    def note_waiting(self, shard: Shard, turn: int) -> None:
        """Takes note that a host waits to be brought in, when it is the turn of such hosts."""
        if not shard.is_draining:
            self._waiting.note(shard.number, turn)

    def note_opened(self, shard: Shard) -> None:
        """Takes note of a shard that was just opened: an earlier run may have left hosts that wait."""
        for turn in range(TURNS if shard.was_used else 0):
            self.note_waiting(shard, turn)

    def has_room_and_waiting(self) -> bool:
        """Whether the next fill may bring hosts in."""
        return bool(self._waiting) and (len(self._hosts) < self._settings.frontier.window_hosts or bool(self._idle))

    def fill(self, shards: Mapping[int, Shard], now: float) -> None:
        """Brings hosts in while there is room. What the shards hold must be committed."""
        size = self._settings.frontier.window_hosts
        searched: list[tuple[int, int]] = []
        for _ in range(BATCH):
            if not self._waiting or (len(self._hosts) >= size and not self._make_room(now)):
                break
            self._bring_in_next(shards, now, searched)
        for number, turn in searched:
            self._waiting.note(number, turn)

    def take_arrived(self) -> list[str]:
        """Returns the hosts that were brought in since the last call: they are to be resolved."""
        arrived, self._arrived = self._arrived, []
        return arrived

    def resolved(self, name: str, now: float) -> None:
        """Lets a host whose name was looked up take part."""
        host = self._hosts.get(name)
        if host is not None and host.stage is Stage.RESOLVING:
            self.rest(host, now)

    def drain(self, shard: Shard) -> None:
        """Drops the hosts of a shard that is to be closed, but for those that hold a lease: they go when it ends."""
        self._waiting.drop(shard.number)
        for host in [host for host in self._hosts.values() if host.shard is shard and host.lease is None]:
            # The room that one leaves wakes others of its domain that are at rest, and they go at once.
            if self._hosts.get(host.record.host) is host:
                self._drop(host, 0.0)

    def _bring_in_next(self, shards: Mapping[int, Shard], now: float, searched: list[tuple[int, int]]) -> None:
        """Brings the next hosts in. A shard that was searched to its end is noted: domains may be in it still, or soon.

        Who no longer waits, and who has begun to, is in the store with the next commit; then it is searched again.
        """
        turn = draw_turn(self._roll, self.sharing.share, self._waiting.turns())
        number, after = self._waiting.pick(turn, self._roll())
        shard, prefix = shards[number], keys.waiting_prefix(turn)
        found = shard.scan(prefix, after=after, limit=1)
        if not found:
            self._waiting.remove(number, turn)
            if after or shard.is_dirty():
                searched.append((number, turn))
            return
        key = found[0][0]
        self._waiting.go_on(number, turn, key)
        domain = self.domains.named(shard, key[len(prefix) :].decode(), now)
        if not self._bring_in_some(domain, purpose_of_turn(turn), now):
            shard.delete(key)

    def _bring_in_some(self, domain: Domain, purpose: Purpose, now: float) -> bool:
        """Brings in hosts of a domain, as many as it may have; returns whether more may come at its next turn."""
        size, record = self._settings.frontier.window_hosts, domain.record
        room = min(room_for_hosts(record, domain.inside, size), HOSTS_IN_A_ROW, max(1, size - len(self._hosts)))
        if pages_left(record, int(now // DAY)) < 1:
            room = 0 if domain.held else 1  # one of them waits for the next day, and so for all
        found = _waiting_for(purpose, domain, room + 1)
        for key in found[:room]:
            rank, name = keys.rank_and_host(key)
            if is_single(rank) and not self._is_admitted(domain, name):
                domain.has_more = True
                return False
            if name not in self._hosts and (lower := self._lower_class(domain, name, rank)) is not None:
                lower_rank = rank_of(lower, is_single=is_single(rank), purpose=purpose)
                domain.shard.wait_lower(key, lower_rank, name)
                self.note_waiting(domain.shard, turn_of_rank(lower_rank))
                continue
            domain.shard.bring_in(key, rank, name)
            if name not in self._hosts:
                self.bring_in(domain.shard, name, now, rank)
        has_more = len(found) > room
        # Those that wait for the other purpose may have been passed over for want of room, too.
        domain.has_more = has_more or (domain.has_more and bool(_waiting_for(Purpose(1 - purpose), domain, 1)))
        return has_more and self._has_room(domain, now)

    def _is_admitted(self, domain: Domain, name: str) -> bool:
        """Whether a host may come in that a single host of its domain leads to; it counts once, when it first does."""
        if name in self._hosts or domain.shard.host(name) is not None:
            return True
        if not may_bring_single(domain.record):
            return False
        domain.change(structs.replace(domain.record, singles=domain.record.singles + 1))
        # Not when it is visited: whoever closes the shard before that has it come in again, and would count it again.
        domain.shard.put_host(HostRecord(name, domain.shard.opened_at, name=Name.SINGLE))
        return True

    @staticmethod
    def _lower_class(domain: Domain, name: str, rank: int) -> int | None:
        """Returns the class of a host that was found to be worth less since it began to wait; None: it has its turn.

        What a host is worth counts for all of its queue alike: the order within stays, and no URL need be changed.
        """
        known = None if domain.record.worth is None else domain.shard.host(name)
        if known is None or known.worth is None:
            return None
        best = domain.shard.scan(keys.queue_prefix(name, purpose_of_turn(turn_of_rank(rank))), limit=1)
        if not best:
            return None
        lower = class_of_host(domain.record, keys.entry_priority(keys.queue_entry(*best[0])), known.worth)
        return lower if lower > class_of_rank(rank) else None

    def bring_in(self, shard: Shard, name: str, now: float, rank: int = 0) -> Host:
        """Takes a host into memory."""
        record = no_later(shard.host(name) or HostRecord(name, shard.opened_at), now, self._settings)
        if not record.requests:
            record = structs.replace(record, name=Name.SINGLE if is_single(rank) else Name.KNOWN)
        domain = self.domains.of(shard, name, now)
        host = Host(domain, record, class_of_rank(rank), shard.judgement(name))
        domain.held += 1
        self._count(host, is_active=True)
        host.step(Event.BROUGHT_IN)
        self._hosts[name] = host
        self._arrived.append(name)
        return host

    def note_room(self, domain: Domain, now: float) -> None:
        """Has more hosts of a domain brought in, if some wait for which there was no room, and wakes those at rest."""
        if domain.at_rest and pages_left(domain.record, int(now // DAY)) >= 1:
            resting, domain.at_rest = domain.at_rest, []
            for host in resting:
                if self._hosts.get(host.record.host) is host and host.stage is Stage.ASLEEP:
                    self.rest(host, now)
        if domain.has_more and self._has_room(domain, now) and not domain.shard.is_draining:
            domain.has_more = False
            first = [key for purpose in Purpose for key in _waiting_for(purpose, domain, 1)]
            for turn in {turn_of_rank(keys.rank_and_host(key)[0]) for key in first} or {0}:
                domain.shard.await_turn(turn, domain.record.domain)
                self.note_waiting(domain.shard, turn)

    def _has_room(self, domain: Domain, now: float) -> bool:
        room = room_for_hosts(domain.record, domain.inside, self._settings.frontier.window_hosts)
        return room > 0 and pages_left(domain.record, int(now // DAY)) >= 1

    def _make_room(self, now: float) -> bool:
        if self._idle:
            host = self._idle[next(iter(self._idle))]
            host.shard.put_out(host.record.host)
            self._drop(host, now)
            return True
        return self._put_sleepers_out(now)

    def _put_sleepers_out(self, now: float) -> bool:
        # Whoever has no long sleep before him now will not have one until he falls asleep again: a full window must not
        # be searched at every tick.
        fallen, self._asleep = self._asleep, {}
        long = [host for host in fallen.values() if host.stage is Stage.ASLEEP and host.at > now + LONG]
        for host in long[:BATCH]:
            host.shard.put_out(host.record.host, host.at, host.rank())
            self._drop(host, now)
        self._asleep.update((host.record.host, host) for host in long[BATCH:])
        return bool(long)

    def _drop(self, host: Host, now: float) -> None:
        self.ready.remove(host)
        self._idle.pop(host.record.host, None)
        self._asleep.pop(host.record.host, None)
        del self._hosts[host.record.host]
        self._count(host, is_active=False)
        host.domain.held -= 1
        self.note_room(host.domain, now)

    @staticmethod
    def _count(host: Host, *, is_active: bool) -> None:
        host.domain.inside += is_active - host.is_active
        host.is_active = is_active


def _waiting_for(purpose: Purpose, domain: Domain, limit: int) -> list[bytes]:
    """Returns the keys of hosts of a domain that wait for a purpose, those that come first in front."""
    name = domain.record.domain
    found = domain.shard.scan(keys.hosts_prefix(name), after=keys.hosts_start(name, purpose), limit=limit)
    return [key for key, _ in found if purpose_of_turn(turn_of_rank(keys.rank_and_host(key)[0])) is purpose]
