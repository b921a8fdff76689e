"""Each host of a crawl: what it has queued and done, how it is, and when it has its turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import inf

from msgspec import Struct

from skitter.frontier.decide import base_of, host_delay, host_load, may_visit_at
from skitter.inspection.folder import Folder, ShardLook
from skitter.inspection.standing import Standing
from skitter.messages import State
from skitter.politeness.hours import Hours, earliest, of_host, parsed, slowness
from skitter.robots.answer import Access
from skitter.schedule.budget import DomainRecord, is_blocked, is_proven, may_bring_single, pages_left, quota
from skitter.settings import DAY, Settings
from skitter.shard.records import STATES, HostFlag, HostRecord, RobotsRecord


class HostLook(Struct, frozen=True):
    """What is known of one host."""

    host: str
    standing: Standing
    next_at: float | None  # when it may be visited next; None: nothing is planned
    urls: dict[str, int]
    delay: float
    delay_because: str
    health: float
    requests: int
    pages: int
    failures: int
    last_request: float | None
    asleep_until: float | None
    worth: float | None = None  # by the nightly look
    took: float = 0.0  # seconds that its last answer took


def hosts(folder: Folder, now: float) -> list[HostLook]:
    """Returns every host that the crawl knows, those with the most to do first."""
    found: list[HostLook] = []
    for shard in folder.shards():
        found += hosts_of(shard, folder.settings, now)
    return sorted(found, key=lambda one: (-one.urls["queued"], -one.requests, one.host))


def host_named(folder: Folder, host: str, now: float) -> HostLook | None:
    """Returns one host, or None if the crawl does not know it."""
    shard = folder.shard(folder.shard_of(host))
    if shard is None:
        return None
    urls = shard.host_counts(host)
    if not urls.total() and shard.host(host) is None:
        return None
    return _look(shard, host, urls, folder.settings, now)


def host_look(
    record: HostRecord,
    robots: Sequence[RobotsRecord],
    urls: Counter[State],
    settings: Settings,
    now: float,
    domain: DomainRecord | None = None,
    is_single: Callable[[str], bool] = lambda _host: False,
) -> HostLook:
    """Returns what the records of a host and its domain and the number of its URLs in each state come to."""
    allowed = quota(settings.frontier.daily_quota, domain, record.health, record.worth)
    standing, next_at = _standing(record, robots, urls, settings, now, allowed)
    if standing in (Standing.NEW, Standing.READY) and domain is not None:
        standing, next_at = _by_domain(domain, standing, next_at, now)
    if standing is Standing.NEW and domain is not None:
        standing, next_at = _by_name(domain, is_single(record.host), next_at)
    asleep_until = record.troubles.asleep_until
    return HostLook(
        record.host,
        standing,
        next_at,
        {state.value: urls[state] for state in State},
        *_delay(record, settings, now),
        record.health,
        record.requests,
        record.pages,
        record.failures,
        record.last_request or None,
        asleep_until if asleep_until > now else None,
        record.worth,
        record.took,
    )


def _by_domain(
    domain: DomainRecord, standing: Standing, next_at: float | None, now: float
) -> tuple[Standing, float | None]:
    if is_blocked(domain):
        return Standing.BLOCKED, None
    day = int(now // DAY)
    return (standing, next_at) if pages_left(domain, day) >= 1 else (Standing.OVER_BUDGET, (day + 1) * DAY)


def _by_name(domain: DomainRecord, is_single: bool, next_at: float | None) -> tuple[Standing, float | None]:
    """Returns what a host that was never visited waits for, by what its name and its domain are worth."""
    if is_single and not may_bring_single(domain):
        return Standing.SINGLE, None
    return (Standing.NEW if is_proven(domain) else Standing.UNVOUCHED), next_at


def _delay(record: HostRecord, settings: Settings, now: float) -> tuple[float, str]:
    """Returns the delay at this hour, and why it is that."""
    delay, slow = host_delay(record, settings), slowness(_hours(record, settings), now)
    load = host_load(record, settings)
    if 1.0 < slow < inf and delay * slow > load:
        return delay * slow, "hours"
    return (load, "load") if load > delay else (delay, delay_because(record, settings))


def _hours(record: HostRecord, settings: Settings) -> list[Hours]:
    return of_host(parsed(settings.politeness.hours), record.host)


def delay_because(record: HostRecord, settings: Settings) -> str:
    """Returns which of the rules gives the host its delay."""
    base = base_of(record, settings)
    if record.pace.backoff > base:
        return "back-off"
    if record.agreed_delay is not None:
        return "agreed"
    return "robots.txt" if base > settings.politeness.delay else "default"


def _standing(
    record: HostRecord,
    robots: Sequence[RobotsRecord],
    urls: Counter[State],
    settings: Settings,
    now: float,
    allowed: int,
) -> tuple[Standing, float | None]:
    if record.flags & HostFlag.PAUSED:
        return Standing.PAUSED, None
    if not urls[State.QUEUED]:
        return Standing.IDLE, None
    at = max(now, may_visit_at(record, 0.0, host_delay(record, settings), host_load(record, settings), allowed))
    rows = _hours(record, settings)
    at = earliest(rows, at, record.last_request, host_delay(record, settings))
    if record.troubles.asleep_until > now:
        return Standing.ASLEEP, at
    if slowness(rows, now) == inf:
        return Standing.OFF_HOURS, at
    closed = [one.good_until for one in robots if one.access is Access.DENY_ALL and one.good_until > now]
    if closed and len(closed) == len(robots):
        return Standing.NO_ROBOTS, max(at, min(closed))
    if at >= (record.quota_day + 1) * DAY > now:
        return Standing.OVER_QUOTA, at
    return (Standing.READY if record.requests else Standing.NEW), at


def hosts_of(shard: ShardLook, settings: Settings, now: float) -> Iterator[HostLook]:
    """Yields every host of a shard that has a URL."""
    for key, raw in shard.iterate(b"c"):
        yield _look(shard, key[1:].decode(), STATES.by_state(STATES.decode(raw)), settings, now)


def _look(shard: ShardLook, name: str, urls: Counter[State], settings: Settings, now: float) -> HostLook:
    record = shard.host(name) or HostRecord(name, now)
    domain = shard.domain(shard.domain_of(name))
    return host_look(record, shard.robots_of(name), urls, settings, now, domain, shard.is_single)
