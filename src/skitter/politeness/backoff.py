"""What follows from a failed fetch: one table from the kind of failure to the waits and tries, and whose it is.

A URL is tried a few times only, so the waits grow steeply (×8): five tries reach from a blip of seconds to an outage
of a day. What is the host's own failure also makes the whole host wait (`troubles`), since its other URLs would fare
no better and asking on would be rude. What may come from our going too fast also slows the host down (`delay`).
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from skitter.messages import Kind
from skitter.politeness.troubles import NO_TROUBLES, Troubles, grown, out_of_reach, server_error
from skitter.settings import DAY, HOUR, MINUTE, PolitenessSettings

STEEP = 8.0
ONCE = 1
ENDLESS = 2**31 - 1


class Whose(StrEnum):
    """Whose failure it is: who has to wait."""

    URL = "url"
    HOST = "host"


class Retry(Struct, frozen=True, kw_only=True):
    """A row of the table: the URL waits `first`, then `growth` times as long each time, at most `ceiling`."""

    why: str
    first: float = 0.0
    growth: float = STEEP
    ceiling: float = DAY
    tries: int | None = None  # tries before the URL is dead; None: as many as the operator allows
    whose: Whose = Whose.URL
    slows: bool = False  # doubles the host's delay
    server_error: bool = False  # five of these in a day put the host to sleep
    heeds_retry_after: bool = False  # the server's own wish replaces our wait


class Decision(Struct, frozen=True):
    """What becomes of the URL and of its host."""

    due: float | None  # when the URL is tried again; None: it is dead
    slows: bool  # the host's delay doubles
    troubles: Troubles  # the host's, with the time until which it is asleep


HOST = Whose.HOST
RETRY: dict[Kind, Retry] = {
    Kind.GONE: Retry(tries=ONCE, why="404, 410 and 451 are final answers"),
    Kind.FORBIDDEN: Retry(first=7 * DAY, growth=1, ceiling=7 * DAY, why="we are not wanted: ask once a week at most"),
    Kind.CLIENT_ERROR: Retry(first=DAY, tries=2, why="our request is wrong and will be wrong again, or it was a 408"),
    Kind.TOO_MANY_REQUESTS: Retry(
        first=30, whose=HOST, slows=True, heeds_retry_after=True, why="we went too fast: the URL is fine"
    ),
    Kind.UNAVAILABLE: Retry(
        first=30, whose=HOST, slows=True, server_error=True, heeds_retry_after=True, why="overloaded or in maintenance"
    ),
    # The waits are such that one broken page, tried five times, does not make five errors within a day.
    Kind.SERVER_ERROR: Retry(first=5 * MINUTE, server_error=True, why="broken for this page or for all: errors tell"),
    Kind.ODD_STATUS: Retry(first=DAY, tries=2, why="no status of HTTP; some hosts use 999 to turn robots away"),
    Kind.CONNECT_TIMEOUT: Retry(first=MINUTE, whose=HOST, why="down, or our packets are dropped"),
    Kind.READ_TIMEOUT: Retry(first=MINUTE, tries=3, slows=True, why="a heavy page, or a host under strain: go easy"),
    Kind.TOO_SLOW: Retry(first=HOUR, tries=2, why="it would hold the host's one connection for too long again"),
    Kind.REFUSED: Retry(first=MINUTE, whose=HOST, why="nothing listens: perhaps a restart, perhaps for good"),
    Kind.RESET: Retry(first=MINUTE, slows=True, why="a blip, or a guard that finds us too fast"),
    Kind.STALE: Retry(first=10, why="an idle connection timed out: nobody's fault, and a new one will do"),
    Kind.UNREACHABLE: Retry(first=5 * MINUTE, whose=HOST, why="no route: networks take minutes to heal"),
    Kind.DNS_UNKNOWN: Retry(first=HOUR, tries=3, whose=HOST, why="names seldom come into being; a zone may be broken"),
    Kind.DNS_FAILED: Retry(first=MINUTE, whose=HOST, why="the name servers fail, which is often soon repaired"),
    Kind.TLS_FAILED: Retry(first=HOUR, tries=3, whose=HOST, why="no common protocol, or a broken middle box"),
    Kind.BAD_CERTIFICATE: Retry(
        first=DAY, growth=2, ceiling=7 * DAY, whose=HOST, why="waits for somebody to renew it, which takes days"
    ),
    Kind.BAD_RESPONSE: Retry(first=10 * MINUTE, tries=3, why="cut off in the middle, or no HTTP at all"),
    Kind.HEADERS_TOO_LARGE: Retry(first=DAY, tries=2, why="made by the page: it seldom changes"),
    Kind.BAD_ENCODING: Retry(first=DAY, tries=2, why="made by the server's settings: it seldom changes"),
    Kind.BOMB: Retry(tries=ONCE, why="meant to harm, or useless to us: never again"),
    Kind.REDIRECT_LOOP: Retry(
        first=DAY, tries=2, why="a mistake that may be mended, or a wall for those without cookies"
    ),
    Kind.TOO_MANY_REDIRECTS: Retry(first=DAY, tries=2, why="like a loop, only longer"),
    Kind.BAD_REDIRECT: Retry(first=DAY, tries=2, why="a mistake that may be mended"),
    Kind.ADDRESS_REFUSED: Retry(
        first=DAY, tries=2, whose=HOST, why="a private address: wrong for a while, or an attack"
    ),
    # RFC 9309 2.3.1.4: what can't be read forbids all. The URL was not asked for, so no try of it is spent.
    Kind.ROBOTS_UNREADABLE: Retry(first=5 * MINUTE, tries=ENDLESS, whose=HOST, why="we may not know, so we wait"),
    Kind.LEASE_EXPIRED: Retry(first=MINUTE, why="our own fault; counted, so that a page that kills nodes ends"),
    Kind.OUR_BUG: Retry(first=DAY, tries=2, why="the page is kept from harm and us from it; a new version may read it"),
    # Most of these were innocent: somebody ended the process at that moment. So the first wait is next to nothing.
    Kind.CRASHED_US: Retry(first=1, why="a page that kills the process each time must end; one that did not is fine"),
    Kind.BROWSER_FAILED: Retry(first=HOUR, tries=3, why="a page that breaks browsers; what was read of it stays"),
}

STATUSES: dict[int, Kind] = {
    401: Kind.FORBIDDEN,
    403: Kind.FORBIDDEN,
    404: Kind.GONE,
    407: Kind.FORBIDDEN,
    410: Kind.GONE,
    429: Kind.TOO_MANY_REQUESTS,
    451: Kind.GONE,
    503: Kind.UNAVAILABLE,
}
HUNDREDS: dict[int, Kind | None] = {2: None, 3: None, 4: Kind.CLIENT_ERROR, 5: Kind.SERVER_ERROR}


def kind_of_status(status: int) -> Kind | None:
    """Returns what an answer's status says went wrong; None for 2xx and 3xx, which are no failures."""
    return STATUSES.get(status) or HUNDREDS.get(status // 100, Kind.ODD_STATUS)


def is_host_failure(kind: Kind) -> bool:
    """Says whether a failure tells against the host, and not only against the URL."""
    row = RETRY[kind]
    return row.whose is Whose.HOST or row.slows or row.server_error


def next_try(
    kind: Kind,
    tries: int,
    now: float,
    settings: PolitenessSettings,
    *,
    troubles: Troubles = NO_TROUBLES,
    retry_after: float | None = None,
) -> Decision:
    """Decides what follows from a failure of a URL that failed `tries` times before, on a host with these troubles."""
    row = RETRY[kind]
    wish = _wish(row, settings, retry_after)
    wait = grown(row.first, row.growth, row.ceiling, tries) if wish is None else wish
    dead = tries + 1 >= _tries(row, settings)
    return Decision(
        due=None if dead else now + wait,
        slows=row.slows,
        troubles=_troubles(row, troubles, now, wish),
    )


def _wish(row: Retry, settings: PolitenessSettings, retry_after: float | None) -> float | None:
    if retry_after is None or not row.heeds_retry_after:
        return None
    return min(settings.max_retry_after, max(0.0, retry_after))


def _tries(row: Retry, settings: PolitenessSettings) -> int:
    if row.tries is None:
        return settings.max_tries
    return row.tries if row.tries == ENDLESS else min(row.tries, settings.max_tries)


def _troubles(row: Retry, troubles: Troubles, now: float, wish: float | None) -> Troubles:
    if row.server_error:
        troubles = server_error(troubles, now)
    if row.whose is Whose.HOST:
        troubles = out_of_reach(troubles, now, wish)
    return troubles
