"""From what asking for robots.txt gave to what is allowed, and for how long that is good.

It fails closed: whoever did not clearly say that there are no rules is not crawled (RFC 9309 2.3.1).

| what came                                 | access                                                      |
|-------------------------------------------|-------------------------------------------------------------|
| 2xx                                       | the rules in it                                             |
| 304                                       | the last rules, as new; deny if there are none              |
| 4xx but 429                               | allow all: there is no robots.txt                           |
| 429, 5xx, anything else, no answer at all | the last rules, up to 24 h after they were read; then deny  |

Three choices where the RFC leaves one:
- More redirects than we follow MAY be taken as "there is none". We deny: a host that sends us in circles has said
  nothing, and we ask again.
- A body that broke off may lack the rule that matters, so it is a failure. One that was cut at our own limit is not:
  that much we promised to read (2.5).
- Only rules are worth keeping through a failure. After "there is none" a failure denies at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from math import inf

from msgspec import Struct, structs

from skitter.messages import Fetched, Kind, header_values
from skitter.robots.paths import level, path_of
from skitter.robots.rules import ROBOTS_TXT, Rule, Rules, parse
from skitter.settings import DAY, MINUTE, FetchSettings, RobotsSettings

FRESH = DAY
FRESH_RANGE = (MINUTE, DAY)
KEEP_LAST = DAY
AHEAD = 1 / 8
"""Of the time that an answer is good for: three hours of a day."""
FIRST_RETRY = 5 * MINUTE
RETRY_RANGE = (MINUTE, DAY)
_LONGEST = max(FRESH_RANGE[1], RETRY_RANGE[1])

_MAX_AGE = re.compile(r"""max-age\s*=\s*"?([0-9]{1,18})"?""")
_UNCACHED = ("no-cache", "no-store")


class Access(StrEnum):
    """What a robots.txt comes to."""

    ALLOW_ALL = "allow_all"
    DENY_ALL = "deny_all"
    RULES = "rules"
    KEEP_LAST_KNOWN = "keep_last_known"


# The first row that has the status decides; what is in no row is denied, as no answer at all is.
STATUSES: tuple[tuple[range, Access], ...] = (
    (range(200, 300), Access.RULES),
    (range(304, 305), Access.KEEP_LAST_KNOWN),
    (range(429, 430), Access.DENY_ALL),
    (range(400, 500), Access.ALLOW_ALL),
)


class Policy(Struct, frozen=True):
    """What an origin allows us until `good_until`; then robots.txt is due again."""

    access: Access
    good_until: float
    rules: Rules = Rules()
    read_at: float | None = None  # when the rules were read, if there are any
    failures: int = 0  # in a row, up to now
    crawl_delay: float | None = None
    ripe_at: float = inf  # from then on robots.txt is asked for ahead of its end, if there was a good answer

    def is_ripe(self, now: float, delay: float) -> bool:
        """Whether robots.txt is to be asked for again though what is known still holds.

        Should it fail then, the rules go on to hold while it is asked again: pages do not stop for it. Not so of a host
        with a long `delay`, which would be asked for nothing else.
        """
        return now >= self.ripe_at and 2 * delay <= self.good_until - self.ripe_at

    def is_due(self, now: float) -> bool:
        """Whether robots.txt is to be asked for again."""
        # Further off than any answer is good for: the machine's clock was set back since.
        return not now < self.good_until <= now + _LONGEST

    def allows(self, url_or_path: str) -> bool:
        """Whether the URL may be fetched."""
        if self.access is Access.DENY_ALL:
            return level(path_of(url_or_path)) == ROBOTS_TXT
        return self.rules.allows(url_or_path)

    def deciding(self, url_or_path: str) -> Rule | None:
        """Returns the line that decides, or None if it is not a line that does."""
        return self.rules.deciding(url_or_path)


def decide(
    fetched: Fetched,
    last: Policy | None,
    *,
    now: float,
    token: str,
    settings: RobotsSettings,
) -> Policy:
    """Returns the policy after asking for robots.txt and following its redirects. `last` is the one before it."""
    access = _access(fetched)
    if access is Access.RULES:
        rules = parse(fetched.body, token, max_bytes=settings.max_bytes, cut=fetched.truncated is not None)
        return _read(rules, fetched, now, settings)
    if access is Access.ALLOW_ALL:
        good_until = now + fresh_for(fetched)
        return Policy(access, good_until, ripe_at=ripe_at(now, good_until))
    if access is Access.KEEP_LAST_KNOWN and last is not None and last.read_at is not None:
        return _read(last.rules, fetched, now, settings)
    return _after_failure(fetched, last, now)


def fetch_limits(fetch: FetchSettings, robots: RobotsSettings) -> FetchSettings:
    """Returns how a robots.txt is fetched: as much of it as is read, however much or little is taken of a page."""
    return structs.replace(fetch, max_body=robots.max_bytes + 1)  # one more, to see that there is more


def refused_hop(target: str, asked: Sequence[str], settings: RobotsSettings) -> Kind | None:
    """Returns why a redirect to `target` is not followed after `asked`; None: it is (RFC 9309 2.3.1.2)."""
    if target in asked:
        return Kind.REDIRECT_LOOP  # we send nothing that could make the same request end elsewhere
    return Kind.TOO_MANY_REDIRECTS if len(asked) > settings.max_redirects else None


def fresh_for(fetched: Fetched) -> float:
    """Returns for how long an answer is good: 24 h, or what its Cache-Control says within a minute and 24 h."""
    control = ",".join(header_values(fetched.headers, "cache-control")).lower()
    if any(word in control for word in _UNCACHED):
        return FRESH_RANGE[0]
    ages = map(float, _MAX_AGE.findall(control))
    return _within(FRESH_RANGE, min(ages, default=FRESH))


def ripe_at(read_at: float, good_until: float) -> float:
    """Returns when an answer is old enough to be asked for again: an eighth of its time ahead of its end."""
    return good_until - (good_until - read_at) * AHEAD


def retry_after(failures: int, wish: float | None = None) -> float:
    """Returns the wait after so many failures in a row: 5 minutes, doubling up to 24 h, longer if the server wishes."""
    doubling = FIRST_RETRY * 2.0 ** min(max(failures, 1) - 1, 30)
    return _within(RETRY_RANGE, max(doubling, wish or 0.0))


def _access(fetched: Fetched) -> Access:
    access = next((access for statuses, access in STATUSES if fetched.status in statuses), Access.DENY_ALL)
    broke_off = fetched.failure is not None or fetched.truncated not in (None, "length")
    return Access.DENY_ALL if access is Access.RULES and broke_off else access


def _read(rules: Rules, fetched: Fetched, now: float, settings: RobotsSettings) -> Policy:
    delay, good_until = rules.crawl_delay, now + fresh_for(fetched)
    return Policy(
        Access.RULES,
        good_until,
        rules,
        read_at=now,
        crawl_delay=None if delay is None else min(delay, settings.max_crawl_delay),
        ripe_at=ripe_at(now, good_until),
    )


def _after_failure(fetched: Fetched, last: Policy | None, now: float) -> Policy:
    failures = 1 + (last.failures if last is not None else 0)
    again = now + retry_after(failures, fetched.failure.retry_after if fetched.failure is not None else None)
    if last is None or last.read_at is None or now >= last.read_at + KEEP_LAST:
        return Policy(Access.DENY_ALL, again, failures=failures)
    return Policy(
        Access.KEEP_LAST_KNOWN,
        min(again, last.read_at + KEEP_LAST),
        last.rules,
        read_at=last.read_at,
        failures=failures,
        crawl_delay=last.crawl_delay,
    )


def _within(bounds: tuple[float, float], seconds: float) -> float:
    return min(max(seconds, bounds[0]), bounds[1])
