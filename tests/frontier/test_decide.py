"""What an answer means for its host: pages undo what failures did, a robots.txt undoes all of it but the pace."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from skitter.frontier.decide import after_robots, settled
from skitter.messages import Errand, Failure, Kind, Lease, Outcome, State, Stored
from skitter.politeness.delay import GOOD_IN_A_ROW, Pace
from skitter.politeness.troubles import Troubles
from skitter.settings import DAY, Settings
from skitter.shard.records import HostRecord, UrlRecord

SETTINGS = Settings()
NOW = 20_000.5 * DAY
HREF, HOST = "http://a.org/x", "a.org"
SLOWED = HostRecord(
    HOST, NOW - DAY, pace=Pace(backoff=8.0), troubles=Troubles(failures=2), health=0.5, requests=7, failures=3
)
FORBIDDEN, BUSY = Failure(Kind.FORBIDDEN), Failure(Kind.TOO_MANY_REQUESTS)


def page(host: HostRecord, failure: Failure | None) -> HostRecord:
    lease = Lease(HREF, HOST, Errand.PAGE, NOW + 60)
    stored = Stored("sha256:0", "a.warc.gz", 0, 9)
    outcome = Outcome(lease, NOW + 1, began=NOW, status=200, failure=failure, stored=stored)
    return settled(outcome, UrlRecord(HREF, HOST, State.QUEUED, NOW, 0, 1.0, queue=b"q"), host, SETTINGS).host


def robots(host: HostRecord, failure: Failure | None) -> HostRecord:
    return after_robots(host, failure, NOW, NOW + 1, SETTINGS)


# What was answered: the back-off after ten such answers in a row, the times that the host was out of reach, its health.
ANSWERS = {
    "a page": (page, None, 4.0, 0, 0.55),
    "a page that is forbidden": (page, FORBIDDEN, 8.0, 2, 0.5),
    "a robots.txt": (robots, None, 8.0, 0, 0.55),
    "a robots.txt that is forbidden": (robots, FORBIDDEN, 8.0, 0, 0.55),
}


@pytest.mark.parametrize(("ask", "failure", "backoff", "out_of_reach", "health"), ANSWERS.values(), ids=ANSWERS)
def test_a_host_that_was_slowed(
    ask: Callable[[HostRecord, Failure | None], HostRecord],
    failure: Failure | None,
    backoff: float,
    out_of_reach: int,
    health: float,
) -> None:
    host = ask(SLOWED, failure)
    assert (host.troubles.failures, host.health) == (out_of_reach, pytest.approx(health))
    for _ in range(GOOD_IN_A_ROW - 1):
        host = ask(host, failure)
    assert host.pace.backoff == backoff


@pytest.mark.parametrize("ask", [page, robots])
def test_one_that_finds_us_too_fast_is_asked_half_as_often(
    ask: Callable[[HostRecord, Failure | None], HostRecord],
) -> None:
    host = ask(SLOWED, BUSY)
    assert (host.pace, host.failures) == (Pace(backoff=16.0), SLOWED.failures + 1)
    assert host.troubles.asleep_until > NOW


@pytest.mark.parametrize("ask", [page, robots])
@pytest.mark.parametrize("failure", [None, FORBIDDEN, BUSY], ids=["well", "forbidden", "too fast"])
def test_every_request_is_counted(
    ask: Callable[[HostRecord, Failure | None], HostRecord], failure: Failure | None
) -> None:
    used = structs.replace(SLOWED, quota_day=20_000, quota_used=4)
    host = ask(used, failure)
    assert (host.last_request, host.requests, host.quota_used) == (NOW, SLOWED.requests + 1, 5)
    assert ask(structs.replace(used, quota_day=19_999), failure).quota_used == 1, "of another day"
    assert host.pages == (1 if ask is page and failure is None else 0)
