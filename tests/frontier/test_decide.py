"""What an answer means for its host: pages undo what failures did, a robots.txt undoes all of it but the pace."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from skitter.frontier.decide import after_robots, crashed, settled
from skitter.frontier.market import NodeMarket
from skitter.messages import Errand, Failure, Kind, Lease, Outcome, Probed, Reason, State, Stored, Verdict
from skitter.politeness.delay import GOOD_IN_A_ROW, Pace
from skitter.politeness.troubles import Troubles
from skitter.settings import DAY, ScheduleSettings, Settings
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


# The URL: the last capture, and the last try if that failed


def visited(url: UrlRecord, at: float, status: int, failure: Failure | None = None, **facts: object) -> UrlRecord:
    stored = Stored(f"sha256:{status}", f"{status}.warc.gz", status, 9)
    outcome = Outcome(Lease(HREF, HOST, Errand.PAGE, at + 60), at, began=at, status=status, failure=failure)
    outcome = structs.replace(outcome, **({"stored": stored} | facts))
    return settled(outcome, url, HostRecord(HOST, NOW), SETTINGS).url


def capture(url: UrlRecord) -> tuple[object, ...]:
    return url.last_fetched, url.last_status, url.digest, url.file, url.offset


def failed_try(url: UrlRecord) -> tuple[object, ...]:
    return url.failure, url.failed_at, url.failed_status, url.failed_file, url.failed_offset


QUEUED = UrlRecord(HREF, HOST, State.QUEUED, NOW, 0, 1.0, queue=b"q")
NO_CAPTURE, NO_FAILED_TRY = (None, 0, None, None, 0), (None, None, 0, None, 0)
GOOD = (NOW, 200, "sha256:200", "200.warc.gz", 200)


def test_a_first_try_that_fails_is_no_capture() -> None:
    failed = visited(QUEUED, NOW, 403, FORBIDDEN)
    assert capture(failed) == NO_CAPTURE
    assert failed_try(failed) == (FORBIDDEN, NOW, 403, "403.warc.gz", 403)


def test_a_try_that_fails_leaves_the_last_capture_alone_and_a_good_one_clears_it() -> None:
    good = visited(QUEUED, NOW, 200)
    assert (capture(good), failed_try(good)) == (GOOD, NO_FAILED_TRY)
    reset = Failure(Kind.RESET)
    failed = visited(good, NOW + 60, 0, reset, stored=None)
    assert (capture(failed), failed_try(failed)) == (GOOD, (reset, NOW + 60, 0, None, 0))
    again = visited(failed, NOW + 90, 200)
    assert (capture(again), failed_try(again)) == ((NOW + 90, *GOOD[1:]), NO_FAILED_TRY)


def test_a_try_after_which_the_process_died_has_its_time() -> None:
    failed = crashed(visited(QUEUED, NOW, 200), NOW + 60, SETTINGS)
    assert capture(failed) == GOOD
    assert (failed.failed_at, failed.failed_status) == (NOW + 60, 0)


def test_a_redirect_to_the_same_page_in_another_form_is_no_capture_of_it() -> None:
    good = visited(QUEUED, NOW, 200)
    assert capture(visited(good, NOW + 60, 301, better="https://a.org/x")) == GOOD


def test_what_is_skipped_after_an_answer_tells_neither_for_the_host_nor_against_it() -> None:
    """`audit` takes no 404 for a good answer: the host must not be asked any sooner for one."""
    before = structs.replace(SLOWED, pace=Pace(backoff=8.0, good=GOOD_IN_A_ROW - 1))
    lease, stored = Lease(HREF, HOST, Errand.SITEMAP, NOW + 60), Stored("sha256:0", "a.warc.gz", 5, 9)
    outcome = Outcome(lease, NOW + 1, began=NOW, status=404, reason=Reason.NO_SITEMAP, stored=stored)
    url, host, _ = settled(outcome, UrlRecord(HREF, HOST, State.QUEUED, NOW, 0, 1.0, queue=b"q"), before, SETTINGS)
    assert (url.state, url.reason, url.due, url.queue) == (State.SKIPPED, Reason.NO_SITEMAP, None, b"")
    assert (url.last_status, url.last_fetched, url.file, url.offset) == (404, NOW, "a.warc.gz", 5)
    assert (host.requests, host.last_request, host.failures, host.pages) == (8, NOW, SLOWED.failures, 0)
    assert (host.pace, host.health, host.troubles) == (Pace(backoff=8.0), SLOWED.health, SLOWED.troubles)


def test_what_is_skipped_unasked_leaves_the_host_alone() -> None:
    url = UrlRecord(HREF, HOST, State.QUEUED, NOW, 0, 1.0, queue=b"q")
    outcome = Outcome(Lease(HREF, HOST, Errand.PAGE, NOW + 60), NOW, reason=Reason.TRAP)
    after = settled(outcome, url, SLOWED, SETTINGS)
    assert (after.url.state, after.url.last_fetched, after.host) == (State.SKIPPED, None, SLOWED)


def after_probe(failure: Failure | None) -> HostRecord:
    """Returns the host after a page and the probe that it was worth, three seconds later."""
    lease = Lease(HREF, HOST, Errand.PAGE, NOW + 60)
    stored = Stored("sha256:0", "a.warc.gz", 0, 9)
    outcome = Outcome(lease, NOW + 4, began=NOW, status=200, stored=stored, probed=Probed(NOW + 3, failure))
    return settled(outcome, UrlRecord(HREF, HOST, State.QUEUED, NOW, 0, 1.0, queue=b"q"), SLOWED, SETTINGS).host


def test_a_probe_is_the_later_request_and_slows_us_down_as_any() -> None:
    well, gone, busy = map(after_probe, (None, Failure(Kind.GONE), BUSY))
    assert {host.last_request for host in (well, gone, busy)} == {NOW + 3}
    assert {host.requests for host in (well, gone, busy)} == {SLOWED.requests + 2}
    assert busy.pace.backoff == 2 * SLOWED.pace.backoff
    assert well.pace.backoff == gone.pace.backoff == SLOWED.pace.backoff
    assert (well.failures, gone.failures, busy.failures) == (3, 3, 4), "that there is nothing is no failure"


def test_a_page_that_is_none_is_seen_again_after_a_month() -> None:
    terms = NodeMarket(structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True)), lambda: 1.0).terms(SLOWED)
    verdict = Verdict(follow=False, reasons=[Reason.SOFT_404], evidence={Reason.SOFT_404: "as ever"})
    lease, stored = Lease(HREF, HOST, Errand.PAGE, NOW + 60), Stored("sha256:0", "a.warc.gz", 0, 9)
    outcome = Outcome(lease, NOW + 1, began=NOW, status=200, stored=stored, verdict=verdict)
    record = UrlRecord(HREF, HOST, State.QUEUED, NOW, 0, 1.0, queue=b"q")
    url = settled(outcome, record, SLOWED, SETTINGS, terms).url
    assert (url.due, url.evidence) == (NOW + 30 * DAY, verdict.evidence)
    unchanged = structs.replace(outcome, status=304, began=NOW + 30 * DAY, verdict=Verdict())
    again = settled(unchanged, url, SLOWED, SETTINGS, terms).url
    assert (again.due, again.reasons) == (NOW + 60 * DAY, (Reason.SOFT_404,)), "a 304 says that nothing changed"
