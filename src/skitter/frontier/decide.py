"""What follows from an outcome, for the URL and for its host. Pure: records in, records out.

The URL: done, scheduled, queued again in a better form, failed with a due time, skipped, or dead.
The host: its pace, its troubles, its health, what it has used of its quota.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import structs

from skitter.frontier.again import ONCE, Terms, dropped
from skitter.frontier.claiming import after_visit, claim_after, seen_as_claimed
from skitter.frontier.rendernote import note_after
from skitter.messages import Failure, Kind, Outcome, Reason, State, Stored
from skitter.politeness import backoff, troubles
from skitter.politeness.delay import answered_badly, answered_well, base_delay, delay_of, next_visit, slowed
from skitter.politeness.gone import back_by
from skitter.politeness.health import health_after
from skitter.politeness.load import load_wait, outlasts_a_restart
from skitter.schedule.policy import Market, Place
from skitter.settings import DAY, Settings
from skitter.shard.records import HostFlag, HostRecord, UrlRecord

HEAVY = 0.05
"""CPU seconds of reading above which a page is heavy: hardly a page is, that is not meant to be."""
SHARE = 0.05
"""The part of a node's time that the heavy pages of one host may take. The host waits out the rest."""

GIVEN_UP = (State.DEAD, State.SKIPPED)


class Settled(NamedTuple):
    """Both records after an outcome, and the market if pages are seen again."""

    url: UrlRecord
    host: HostRecord
    market: Market | None = None


class Asked(NamedTuple):
    """What the robots.txt of an origin asks for."""

    origin: str
    crawl_delay: float | None


NOTHING = Asked("", None)


def settled(
    outcome: Outcome,
    url: UrlRecord,
    host: HostRecord,
    settings: Settings,
    terms: Terms | None = None,
    new: int = 0,
) -> Settled:
    """Returns what the URL and the host become. Pages are seen again on these `terms`; `new` links came of this one."""
    after = _settled(outcome, url, host, settings, terms, new)
    if terms is not None and url.watch is not None and after.url.state in GIVEN_UP:
        after = given_up(after, url, terms.market)
    # They were the later requests: their answers are the last that the host gave.
    for probed in (*outcome.parts, outcome.probed):
        if probed is not None:
            host = after_robots(after.host, probed.failure, probed.began, outcome.at, settings, probed.took)
            after = after._replace(
                host=with_crawl_delay(host, probed.origin, probed.crawl_delay) if probed.origin else host
            )
    return after


def given_up(after: Settled, url: UrlRecord, market: Market) -> Settled:
    """Returns what is left of a page that was to be seen again and is not any more."""
    _, place, market = dropped(url, after.host.place or Place(), market)
    return Settled(structs.replace(after.url, watch=None), structs.replace(after.host, place=place), market)


def _settled(
    outcome: Outcome, url: UrlRecord, host: HostRecord, settings: Settings, terms: Terms | None, new: int
) -> Settled:
    if outcome.failure is not None:
        return _failed(outcome, outcome.failure, url, after_request(host, outcome.began, outcome.took), settings)
    if outcome.reason is not None:
        return _skipped(outcome, outcome.reason, url, host)
    host = _answered(outcome, host, settings)
    if outcome.better is not None:
        chain = (*url.chain, url.href)
        return Settled(structs.replace(url, href=outcome.better, chain=chain), host)
    return _done(outcome, url, host, settings, terms, new)


def after_robots(
    host: HostRecord, failure: Failure | None, began: float, now: float, settings: Settings, took: float = 0.0
) -> HostRecord:
    """Returns the host after its robots.txt, or a probe, was asked for: a 429 slows us down there as anywhere."""
    host = after_request(host, began, took)
    if failure is None or not backoff.is_host_failure(failure.kind):
        # Its pace stays: that it gives away its robots.txt does not tell that it bears more of us. So does `audit`.
        calmed = troubles.answered_well(host.troubles)
        return structs.replace(host, troubles=calmed, health=health_after(host.health, None))
    return _after_failure(host, failure, 0, now, settings)[0]


def slowed_ahead(
    host: HostRecord,
    failure: Failure | None,
    began: float,
    now: float,
    settings: Settings,
    asked: Asked = NOTHING,
    took: float = 0.0,
) -> HostRecord | None:
    """Returns the host as slow as an answer asks us to be, to be noted before the answer is stored; None: no slower.

    After a crash the archive then never shows a wish that we know nothing of. If a Crawl-delay became shorter, that
    counts when the answer is settled.
    """
    slows = failure is not None and backoff.RETRY[failure.kind].slows
    longer = asked.crawl_delay is not None and asked.crawl_delay > host.crawl_delays.get(asked.origin, 0.0)
    if not slows and not longer and not outlasts_a_restart(took, host_delay(host, settings), settings.politeness):
        return None
    host = after_request(host, began, took)
    if failure is not None and slows:
        host = _after_failure(host, failure, 0, now, settings)[0]
    return with_crawl_delay(host, asked.origin, asked.crawl_delay) if longer else host


def crashed(url: UrlRecord, now: float, settings: Settings) -> UrlRecord:
    """Returns the URL after the process died in the middle of reading it.

    Counted apart from its other tries: a page that somebody's `kill -9` hit must not be closer to its end for that.
    """
    crashes = url.crashes + 1
    decision = backoff.next_try(Kind.CRASHED_US, url.crashes, now, settings.politeness)
    return structs.replace(
        url,
        state=State.DEAD if decision.due is None else State.FAILED,
        queue=b"",
        due=decision.due,
        failure=Failure(Kind.CRASHED_US, "once" if crashes == 1 else f"{crashes} times in a row"),
        crashes=crashes,
        **_tried(now, 0, None),
    )


def with_crawl_delay(host: HostRecord, origin: str, crawl_delay: float | None) -> HostRecord:
    """Returns the host after one of its robots.txt was read."""
    delays = {name: delay for name, delay in host.crawl_delays.items() if name != origin}
    if crawl_delay is not None:
        delays[origin] = crawl_delay
    return structs.replace(host, crawl_delays=delays)


def after_request(host: HostRecord, began: float | None, took: float = 0.0) -> HostRecord:
    """Returns the host after a request went out to it, if one did, whose answer took so long."""
    return host if began is None else structs.replace(host, **_requested(host, began, took))


def _requested(host: HostRecord, began: float, took: float) -> dict[str, Any]:
    """Returns what a request changes in a host."""
    day = int(began // DAY)
    used = host.quota_used + 1 if day == host.quota_day else 1
    return {"last_request": began, "quota_day": day, "quota_used": used, "requests": host.requests + 1, "took": took}


def base_of(host: HostRecord, settings: Settings) -> float:
    """Returns the host's delay on a good day."""
    if host.agreed_delay is None and not host.crawl_delays:
        return settings.politeness.delay  # as nearly all have it
    return base_delay(
        settings.politeness,
        max_crawl_delay=settings.robots.max_crawl_delay,
        crawl_delay=max(host.crawl_delays.values(), default=None),
        agreed=host.agreed_delay,
    )


def host_delay(host: HostRecord, settings: Settings) -> float:
    """Returns the seconds between two requests to the host, as it is now."""
    return delay_of(host.pace, base_of(host, settings))


def host_load(host: HostRecord, settings: Settings) -> float:
    """Returns the seconds that the host is left alone after its last request for how long the answer took."""
    return load_wait(host.took, settings.politeness)


def may_visit_at(host: HostRecord, rested_since: float, delay: float, load: float, daily_quota: int) -> float:
    """Returns when the host may next be visited. `rested_since` is when its shard was opened, if that is later."""
    at = next_visit(max(host.last_request, rested_since), delay, host.troubles.asleep_until)
    if load > delay:
        at = max(at, next_visit(host.last_request, load))
    at = max(at, host.reserved_until, host.last_request + host.burden / SHARE)
    if host.quota_used >= daily_quota:
        at = max(at, (host.quota_day + 1) * DAY)
    return float("inf") if host.flags & HostFlag.PAUSED else at


def no_later(host: HostRecord, now: float, settings: Settings) -> HostRecord:
    """Returns the host without times that lie too far ahead to be: the machine's clock was set back since."""
    longest = max(settings.politeness.max_retry_after, settings.politeness.max_delay, DAY)
    asleep = min(host.troubles.asleep_until, now + longest)
    return structs.replace(
        host,
        last_request=min(host.last_request, now),
        troubles=structs.replace(host.troubles, asleep_until=asleep),
        quota_day=min(host.quota_day, int(now // DAY)),
    )


def _failed(outcome: Outcome, failure: Failure, url: UrlRecord, host: HostRecord, settings: Settings) -> Settled:
    host, due_at = _after_failure(host, failure, url.tries, outcome.at, settings)
    if due_at is None and failure.kind is Kind.GONE and url.digest is not None:
        due_at = back_by(outcome.status, url.tries, outcome.at, settings.schedule.gone_tries)
    url = structs.replace(
        url,
        state=State.DEAD if due_at is None else State.FAILED,
        queue=b"",
        due=due_at,
        tries=url.tries + 1,
        failure=failure,
        **_tried(outcome.at, outcome.status, outcome.stored),
    )
    return Settled(url, host)


def _tried(at: float | None, status: int, stored: Stored | None) -> dict[str, Any]:
    """Returns what a try leaves in a URL beside its failure. The last capture is another matter: it stays."""
    return {
        "failed_at": at,
        "failed_status": status,
        "failed_file": stored.file if stored is not None else None,
        "failed_offset": stored.offset if stored is not None else 0,
        "late": None,
    }


_NOT_FAILED = _tried(None, 0, None)


def _skipped(outcome: Outcome, reason: Reason, url: UrlRecord, host: HostRecord) -> Settled:
    """What is skipped after it was asked for tells neither for the host nor against it: no good answer, no failure."""
    if outcome.began is not None:
        host = structs.replace(after_request(host, outcome.began, outcome.took), pace=answered_badly(host.pace))
        url = structs.replace(url, last_status=outcome.status, last_fetched=outcome.began)
        if outcome.stored is not None:
            url = structs.replace(url, file=outcome.stored.file, offset=outcome.stored.offset)
    return Settled(structs.replace(url, state=State.SKIPPED, reason=reason, queue=b"", due=None, late=None), host)


def _after_failure(
    host: HostRecord, failure: Failure, tries: int, now: float, settings: Settings
) -> tuple[HostRecord, float | None]:
    """Returns the host after a failure, and when what failed is due again, if ever."""
    decision = backoff.next_try(
        failure.kind, tries, now, settings.politeness, troubles=host.troubles, retry_after=failure.retry_after
    )
    base = base_of(host, settings)
    pace = slowed(host.pace, base, settings.politeness.max_delay) if decision.slows else answered_badly(host.pace)
    health = health_after(host.health, failure.kind)
    after = structs.replace(host, pace=pace, troubles=decision.troubles, health=health, failures=host.failures + 1)
    return after, decision.due


def _answered(outcome: Outcome, host: HostRecord, settings: Settings) -> HostRecord:
    if outcome.began is None:
        return host
    return structs.replace(
        host,
        **_requested(host, outcome.began, outcome.took),
        pace=answered_well(host.pace, base_of(host, settings)) if host.pace.backoff else host.pace,
        troubles=troubles.answered_well(host.troubles),
        health=health_after(host.health, None),
        pages=host.pages + (outcome.stored is not None),
        burden=outcome.cost if outcome.cost > HEAVY else 0.0,
    )


def _done(
    outcome: Outcome, url: UrlRecord, host: HostRecord, settings: Settings, terms: Terms | None, new: int
) -> Settled:
    assert outcome.began is not None, "a page that is done was asked for"
    stored = outcome.stored
    digest = stored.digest if stored is not None and outcome.status != 304 else None
    again = ONCE if terms is None else seen_as_claimed(outcome, url, host, terms, new)
    if terms is not None:
        host = after_visit(host, url, again, outcome.began, terms.market.votes)
    is_flooded = Reason.FLOOD in outcome.verdict.reasons
    due = _tomorrow(outcome.at, again.due) if is_flooded else again.due
    note, retry = note_after(outcome, url, settings.politeness)
    due = retry if due is None else due if retry is None else min(due, retry)
    url = structs.replace(
        url,
        state=State.DONE if due is None else State.SCHEDULED,
        queue=b"",
        due=due,
        tries=0,
        crashes=0,
        failure=None,
        **_NOT_FAILED,
        last_fetched=outcome.began,
        last_status=outcome.status,
        digest=digest or url.digest,
        file=stored.file if stored is not None else url.file,
        offset=stored.offset if stored is not None else url.offset,
        etag=outcome.etag if outcome.status != 304 else url.etag,
        last_modified=outcome.last_modified if outcome.status != 304 else url.last_modified,
        chain=(),
        reasons=tuple(outcome.verdict.reasons) if outcome.status != 304 else url.reasons,
        evidence=dict(outcome.verdict.evidence) if outcome.status != 304 else url.evidence,
        duplicate_of=outcome.verdict.duplicate_of if outcome.status != 304 else url.duplicate_of,
        canonical=outcome.canonical if outcome.status != 304 else url.canonical,
        claim=url.claim if terms is None else claim_after(outcome, url),
        render=note,
        **again.facts,
    )
    # Of a page that is as before nothing is sent, and so no link would be found.
    return Settled(structs.replace(url, etag=None, last_modified=None) if is_flooded else url, host, again.market)


def _tomorrow(now: float, due: float | None) -> float:
    """Returns when a page is due whose links were left for the next day."""
    tomorrow = (now // DAY + 1) * DAY
    return tomorrow if due is None else min(due, tomorrow)
