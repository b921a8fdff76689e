"""The robots policies in use, parsed. What does not fit is read from the store again."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from math import inf

from msgspec import Struct

from skitter.messages import Discovered, Fetched, Lease, header_values
from skitter.robots.answer import Access, Policy, decide, ripe_at
from skitter.robots.rules import Rules, parse
from skitter.settings import RobotsSettings, Settings
from skitter.shard.records import RobotsRecord
from skitter.shard.writer import Shard

FLAT = 1000
"""What a policy costs without its rules."""
RULE = 500
"""What a rule costs beside its text: some twenty times a short line of a robots.txt."""


def size_of(policy: Policy) -> int:
    """Returns about how many bytes a policy takes in memory."""
    rules = policy.rules
    starred = sum(len(head.starred) for head in rules.heads)
    patterns = len(rules.starts) + len(rules.whole) + starred
    text = sum(map(len, rules.starts)) + sum(map(len, rules.whole)) + sum(map(len, rules.sitemaps))
    return FLAT + RULE * patterns + 100 * len(rules.sitemaps) + 2 * text


class RobotsOutcome(Struct, frozen=True):
    """What settles a lease on a robots.txt: the answer, and the policy that it amounts to."""

    lease: Lease
    at: float
    fetched: Fetched
    policy: Policy
    links: Sequence[Discovered] = ()  # the sitemaps that it names


class Policies:
    """A cache of parsed robots.txt files, bounded by what they take in memory."""

    def __init__(self, settings: Settings) -> None:
        self._token = settings.identity.robots_token
        self._settings = settings.robots
        self._cached: OrderedDict[str, tuple[Policy, int, int]] = OrderedDict()  # with size and shard
        self._size = 0
        self.lookups: Counter[str] = Counter()
        """How often `good` was answered from memory, from the store, or not at all: then a request is needed."""

    def good(self, shard: Shard, origin: str, now: float) -> Policy | None:
        """Returns the policy of an origin if it still holds, None if its robots.txt has to be asked for."""
        was_cached = origin in self._cached
        policy = self.of(shard, origin)
        if policy is None or policy.is_due(now):
            self.lookups["request"] += 1
            return None
        self.lookups["memory" if was_cached else "store"] += 1
        return policy

    def of(self, shard: Shard, origin: str) -> Policy | None:
        """Returns the policy of an origin, good or not, or None if its robots.txt was never asked for."""
        cached = self._cached.get(origin)
        if cached is not None:
            self._cached.move_to_end(origin)
            return cached[0]
        record = shard.robots(origin)
        if record is None:
            return None
        policy = policy_of(record, self._token, self._settings)
        self._keep(shard, origin, policy)
        return policy

    def judged(self, shard: Shard, origin: str, fetched: Fetched, now: float) -> Policy:
        """Returns the policy that an answer to a request for robots.txt amounts to."""
        last = self.of(shard, origin)
        return decide(fetched, last, now=now, token=self._token, settings=self._settings)

    def put(self, shard: Shard, origin: str, policy: Policy, fetched: Fetched) -> bool:
        """Writes a policy along with the shard's settlements, and uses it from now on.

        Returns whether it may allow what the one before it forbade.
        """
        before = self.of(shard, origin)
        body, cut = self._body(shard, origin, policy, fetched)
        record = RobotsRecord(
            policy.access,
            policy.good_until,
            body,
            policy.read_at,
            policy.failures,
            fetched.began,
            fetched.status,
            cut,
            fetched.failure,
            *self._validators(shard, origin, policy, fetched),
        )
        shard.put_robots(origin, record)
        self._keep(shard, origin, policy)
        return before is not None and policy.access is not Access.DENY_ALL and policy.rules != before.rules

    def conditions(self, shard: Shard, origin: str) -> tuple[str | None, str | None]:
        """Returns the ETag and the date by which to ask whether a robots.txt has changed, if its rules are all here."""
        record = shard.robots(origin)
        if record is None or record.read_at is None or record.cut:
            return None, None
        return record.etag, record.last_modified

    def drop(self, shard: Shard) -> None:
        """Forgets the policies of a shard that is closed."""
        for origin in [origin for origin, kept in self._cached.items() if kept[2] == shard.number]:
            self._size -= self._cached.pop(origin)[1]

    def _body(self, shard: Shard, origin: str, policy: Policy, fetched: Fetched) -> tuple[bytes, bool]:
        """Returns the text of the rules, and whether some of it is missing."""
        if policy.read_at is None:
            return b"", False
        if policy.access is Access.RULES and fetched.status != 304:
            limit = self._settings.max_bytes
            return fetched.body[:limit], fetched.truncated is not None or len(fetched.body) > limit
        last = shard.robots(origin)
        return (b"", False) if last is None else (last.body, last.cut)

    def _validators(self, shard: Shard, origin: str, policy: Policy, fetched: Fetched) -> tuple[str | None, str | None]:
        """Returns ETag and date of the body that is kept; none of one that a redirect led to, which has its own."""
        if policy.access is Access.RULES and fetched.status != 304:
            direct = not fetched.lease.chain
            return (_header(fetched, "etag"), _header(fetched, "last-modified")) if direct else (None, None)
        last = shard.robots(origin)
        return (None, None) if last is None or policy.read_at is None else (last.etag, last.last_modified)

    def _keep(self, shard: Shard, origin: str, policy: Policy) -> None:
        before, size = self._cached.pop(origin, None), size_of(policy)
        self._size += size - (before[1] if before is not None else 0)
        self._cached[origin] = (policy, size, shard.number)
        while self._size > self._settings.memory and len(self._cached) > 1:
            self._size -= self._cached.popitem(last=False)[1][1]


def policy_of(record: RobotsRecord, token: str, settings: RobotsSettings) -> Policy:
    """Returns the policy that was written as `record`."""
    has_rules = record.read_at is not None
    rules = parse(record.body, token, max_bytes=settings.max_bytes, cut=record.cut) if has_rules else Rules()
    delay = None if rules.crawl_delay is None else min(rules.crawl_delay, settings.max_crawl_delay)
    is_good = record.access in (Access.RULES, Access.ALLOW_ALL)
    ripe = ripe_at(record.fetched_at, record.good_until) if is_good else inf
    return Policy(record.access, record.good_until, rules, record.read_at, record.failures, delay, ripe)


def _header(fetched: Fetched, name: str) -> str | None:
    values = header_values(fetched.headers, name)
    return values[0] if values else None
