"""Settings that are each in range and can't stand together. Pure: settings in, what is wrong with them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skitter.errors import OperatorError
from skitter.settings import Settings


class AtMost(NamedTuple):
    """Of two settings the first must not be above the second."""

    low: str
    high: str
    why: str


ORDERS = (
    AtMost("politeness.delay", "politeness.max_delay", "back-off begins with the one and ends with the other"),
    AtMost("fetch.connect_timeout", "fetch.total_timeout", "to connect is a part of the request"),
    AtMost("fetch.first_byte_timeout", "fetch.total_timeout", "to wait for the first byte is a part of the request"),
    AtMost("dns.min_ttl", "dns.max_ttl", "an answer can't be kept at least longer than at most"),
)


class Contradiction(NamedTuple):
    """A setting, and what it would have to be, the others being as they are."""

    key: str
    value: object
    right: str


def require_consistent(settings: Settings, names: Mapping[str, str]) -> None:
    """Raises one OperatorError for all contradictions together. `names` are what the operator called what they said."""
    found = [OperatorError(names.get(key, key), value, right) for key, value, right in contradictions(settings, names)]
    if found:
        first, *others = found
        raise OperatorError(first.key, first.value, "\n".join([first.right, *map(str, others)]))


def contradictions(settings: Settings, names: Mapping[str, str]) -> Iterator[Contradiction]:
    """Yields what can't stand together. Of two in the wrong order, the one that was said is at fault, not a default."""
    for order in ORDERS:
        low, high = _number(settings, order.low), _number(settings, order.high)
        if low <= high:
            continue
        if order.low in names or order.high not in names:
            right = f"must be at most {names.get(order.high, order.high)}, which is {high:g}: {order.why}"
            yield Contradiction(order.low, low, right)
        else:
            yield Contradiction(order.high, high, f"must be at least {order.low}, which is {low:g}: {order.why}")
    yield from _short_leases(settings, names)
    yield from _denied_again(settings, names)


def _short_leases(settings: Settings, names: Mapping[str, str]) -> Iterator[Contradiction]:
    """A lease that ends before its request does has its host asked again meanwhile.

    That holds for robots.txt too: the lease for that is as long as one for each redirect.
    """
    lookup, request, lease = settings.dns.timeout, settings.fetch.total_timeout, settings.frontier.lease_seconds
    if lookup + request >= lease:
        parts = " and ".join(
            f"{names.get(key, key)}, which is {value:g}"
            for key, value in (("fetch.total_timeout", request), ("dns.timeout", lookup))
        )
        right = f"must be above {lookup + request:g}, the sum of {parts}: a lease must outlive its request"
        yield Contradiction("frontier.lease_seconds", lease, right)


def _denied_again(settings: Settings, names: Mapping[str, str]) -> Iterator[Contradiction]:
    both = [pattern for pattern in settings.scope.allow if pattern in settings.scope.deny]
    if both:
        right = f"{both[0]!r} is in {names.get('scope.deny', 'scope.deny')} too: what matches it is never fetched"
        yield Contradiction("scope.allow", settings.scope.allow, right)


def _number(settings: Settings, key: str) -> float:
    section, _, name = key.partition(".")
    return float(getattr(getattr(settings, section), name))
