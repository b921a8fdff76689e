from __future__ import annotations

import typing

import pytest
from msgspec import structs

from skitter.frontier.tally import Tallied
from skitter.messages import Discovered, Errand, Failure, Fetched, Kind, Lease, Link, LinkKind, Reason
from skitter.node.counters import BYTES, CONTENT_TYPES, LINKS, SECONDS, Counted, Counters, Ended, ended, with_parts
from skitter.ports import ArchiveStatistics, ResolverStatistics
from skitter.reading.meaning import Reading
from skitter.shard.seen import SeenStatistics
from skitter.supervisor.progress import NOTHING, added
from tests.metrics.reports import frontier

FOUND = Discovered("http://a.org/y", "a.org", b"y" * 16, 1, 0.5)
LINK = Link("http://a.org/", "a", LinkKind.NAVIGATION, False, "")


def lease(errand: Errand = Errand.PAGE, chain: tuple[str, ...] = ()) -> Lease:
    return Lease("http://a.org/x", "a.org", errand, 100.0, chain=chain)


def page(
    status: int = 200, body: bytes = b"", seconds: float = 0.0, content_type: str | None = "text/html", **facts: object
) -> Fetched:
    headers = [("Server", "x"), *([("Content-Type", content_type)] if content_type is not None else [])]
    known: dict[str, object] = {"lease": lease(), "address": "127.0.0.1"}
    return Fetched(began=1.0, ended=1.0 + seconds, status=status, body=body, headers=headers, **(known | facts))  # type: ignore[arg-type]


def carried(fetched: Fetched, reading: Reading | None = None) -> Counted:
    counters = Counters()
    counters.fetched(fetched)
    counters.carried(fetched, reading or Reading())
    return counters.counted()


def filled(buckets: dict[int, int]) -> dict[int, int]:
    return {place: count for place, count in buckets.items() if count}


@pytest.mark.parametrize(
    ("seconds", "place"), [(0.0, 0), (0.004, 0), (0.125, 5), (0.25, 5), (0.5, 6), (59.0, 12), (1000.0, len(SECONDS))]
)
def test_seconds_fall_into_buckets_up_to_and_with_the_bound(seconds: float, place: int) -> None:
    counted = carried(page(seconds=seconds))
    assert filled(counted.fetch_buckets) == {place: 1}
    assert counted.fetch_seconds == pytest.approx(seconds)


@pytest.mark.parametrize(("size", "place"), [(0, 0), (1000, 0), (1001, 1), (10_000_001, len(BYTES))])
def test_bytes_fall_into_buckets(size: int, place: int) -> None:
    counted = carried(page(body=bytes(size)))
    assert filled(counted.page_buckets) == {place: 1}
    assert counted.page_bytes == size


@pytest.mark.parametrize(("links", "place"), [(0, 0), (1, 1), (2, 2), (1000, 9), (1001, len(LINKS))])
def test_links_fall_into_buckets(links: int, place: int) -> None:
    counted = carried(page(), Reading(encoding="utf-8", links=[LINK] * links))
    assert filled(counted.outlink_buckets) == {place: 1}
    assert counted.outlinks == links


def test_what_was_not_read_as_html_has_no_links_to_count() -> None:
    assert filled(carried(page(content_type="image/png")).outlink_buckets) == {}


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("text/html", "text/html"),
        ("Text/HTML; charset=utf-8", "text/html"),
        (" application/pdf ;x", "application/pdf"),
        ("application/x-made-up-1", "other"),
        ("", "other"),
        (None, "none"),
    ],
)
def test_content_types_are_few(header: str | None, name: str) -> None:
    assert carried(page(content_type=header)).content_types == {name: 1}


def test_types_that_servers_make_up_do_not_become_names() -> None:
    counters = Counters()
    for number in range(1000):
        counters.carried(page(content_type=f"x-{number}/y"), Reading())
    assert set(counters.content_types) <= CONTENT_TYPES | {"other", "none"}


@pytest.mark.parametrize("hops", [0, 1, 10])
def test_redirects_before_a_page(hops: int) -> None:
    chain = tuple(f"http://a.org/{number}" for number in range(hops))
    assert carried(page(lease=lease(chain=chain))).hops == {hops: 1}


@pytest.mark.parametrize(
    ("fetched", "reading"),
    [
        (page(301), Reading()),
        (page(404), Reading(failure=Failure(Kind.GONE))),
        (page(200), Reading(failure=Failure(Kind.BOMB))),
        (page(0, failure=Failure(Kind.RESET)), Reading(failure=Failure(Kind.RESET))),
        (page(200, lease=lease(Errand.SITEMAP)), Reading()),
    ],
    ids=["redirect", "not found", "failed while it was read", "no answer", "sitemap"],
)
def test_what_is_no_page_has_no_size_type_or_hops(fetched: Fetched, reading: Reading) -> None:
    counted = carried(fetched, reading)
    assert (filled(counted.page_buckets), counted.content_types, counted.hops) == ({}, {}, {})
    assert counted.requests == 1


ENDS = {
    "ok": (page(200), Ended.OK, 1),
    "not modified": (page(304), Ended.OK, 1),
    "a redirect": (page(301), Ended.REDIRECTED, 1),
    "an error": (page(404), Ended.ERROR, 1),
    "our fault or theirs": (page(503), Ended.ERROR, 1),
    "a status that is none": (page(999), Ended.ERROR, 1),
    "an answer that can't be read": (page(200, failure=Failure(Kind.BAD_ENCODING)), Ended.BROKEN, 1),
    "no answer": (page(0, failure=Failure(Kind.READ_TIMEOUT)), Ended.BROKEN, 1),
    "refused": (page(0, address=None, failure=Failure(Kind.REFUSED)), Ended.NO_CONNECTION, 0),
    "no handshake": (page(0, address=None, failure=Failure(Kind.TLS_FAILED)), Ended.NO_CONNECTION, 0),
    "no such name": (page(0, address=None, failure=Failure(Kind.DNS_UNKNOWN)), Ended.NOT_TRIED, 0),
    "a private address": (page(0, address=None, failure=Failure(Kind.ADDRESS_REFUSED)), Ended.NOT_TRIED, 0),
}


@pytest.mark.parametrize(("fetched", "how", "requests"), ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("errand", list(Errand))
def test_every_fetch_is_counted_once_by_errand_and_end(
    fetched: Fetched, how: Ended, requests: int, errand: Errand
) -> None:
    counters = Counters()
    counters.fetched(structs.replace(fetched, lease=lease(errand)))
    counted = counters.counted()
    assert counted.fetches == {f"{errand.value} {how.value}": 1}
    assert counted.requests == sum(counted.fetch_buckets.values()) == requests, "only what went out took its time"


def test_every_kind_of_failure_without_a_connection_is_one_of_two() -> None:
    """A new kind of failure must say whether somebody was dialled."""
    ends = {kind: ended(page(0, address=None, failure=Failure(kind))) for kind in Kind}
    not_tried = {kind for kind, how in ends.items() if how is Ended.NOT_TRIED}
    assert not_tried == {Kind.DNS_UNKNOWN, Kind.DNS_FAILED, Kind.ADDRESS_REFUSED, Kind.ROBOTS_UNREADABLE}


def test_bytes_are_counted_as_they_came() -> None:
    counters = Counters()
    counters.fetched(page(response_head=b"12345", payload=b"678", body=b"unpacked to more"))
    counted = counters.counted()
    assert (counted.received, counted.statuses) == (8, {200: 1})


@pytest.mark.parametrize("errand", [Errand.PAGE, Errand.SITEMAP])
def test_failures_are_counted_by_kind(errand: Errand) -> None:
    failed = page(0, lease=lease(errand), address=None, failure=Failure(Kind.REFUSED))
    assert carried(failed, Reading(failure=Failure(Kind.REFUSED))).failures == {"refused": 1}
    assert carried(page(404, lease=lease(errand)), Reading(failure=Failure(Kind.GONE))).failures == {"gone": 1}
    assert carried(page(200, lease=lease(errand))).failures == {}


def test_links_that_are_followed_and_that_are_not() -> None:
    reading = Reading(found=[FOUND] * 2, known=3, refused={0: Reason.TOO_DEEP, 4: Reason.TOO_DEEP, 7: Reason.TRAP})
    counted = added(carried(page(), reading), carried(page(), reading))
    assert (counted.links, counted.refused) == (10, {"too_deep": 4, "trap": 2})


def test_faults_of_pages() -> None:
    faulty = Reading(encoding="utf-8", malformed=["cut", "undecodable"])
    assert carried(page(), faulty).malformed == {"cut": 1, "undecodable": 1}
    assert carried(page(404), faulty).malformed == {}, "it is no page"


def test_what_the_other_parts_have_counted() -> None:
    held = frontier(
        seen=SeenStatistics(in_memory=10, in_store=5, new=7, false_positives=2),
        tallied=Tallied(
            leases={"page": 3},
            expired=1,
            failures={"lease_expired": 1, "gone": 1},
            skipped={"trap": 2},
            traps={"shape": 1},
            robots={"rules": 4},
            lookups={"memory": 8},
            crawl_delays=9,
            loads=8,
        ),
    )
    dns = ResolverStatistics(asked=5, hits=95, joined=3, unknown=2, failed=1, kept=50, in_flight=4, told=6, stale=7)
    archive = ArchiveStatistics(responses=6, revisits=3, failures=1, bytes_written=777, waiting=8)
    counted = with_parts(structs.replace(NOTHING, failures={"gone": 2}), held, dns, archive)
    assert counted.seen == {"memory": 10, "store": 5, "filter": 5, "false_positive": 2}
    assert counted.captures == {"response": 6, "revisit": 3, "failure": 1}
    by_source = {"cache": 95, "server": 5, "joined": 3, "shared": 6}
    assert counted.dns == by_source | {"unknown": 2, "failed": 1, "stale": 7, "unanswered": 0}
    assert (counted.leases, counted.expired, counted.skipped) == ({"page": 3}, 1, {"trap": 2})
    assert (counted.robots_read, counted.crawl_delays, counted.written) == ({"rules": 4}, 9, 777)
    assert counted.loads == 8
    assert counted.failures == {"gone": 3, "lease_expired": 1}
    assert (counted.traps, counted.robots_lookups) == ({"shape": 1}, {"memory": 8})


def test_every_field_can_be_added_up() -> None:
    for name, kind in typing.get_type_hints(Counted).items():
        assert kind in (int, float) or typing.get_origin(kind) is dict, name
    twice = added(carried(page(body=b"x" * 5000)), carried(page(body=b"x" * 5000)))
    assert filled(twice.page_buckets) == {2: 2}
    assert twice.content_types == {"text/html": 2}


@pytest.mark.parametrize(("status", "counts"), [(200, False), (404, False), (429, True), (503, True), (500, False)])
def test_hosts_that_turn_us_away_are_told_by_name(status: int, counts: bool) -> None:
    counters = Counters()
    counters.fetched(page(status=status))
    assert (counters.turned_away.most(10, 2.0) == {"a.org": pytest.approx(1 / 32, abs=0.01)}) is counts
