"""The frontier on a virtual clock: one lease per host, delays kept, nothing lost, counts that add up."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from skitter.bus.codec import decode_batch
from skitter.errors import MachineError, OperatorError
from skitter.frontier import settle
from skitter.frontier.lease import BUSY_HOST_WAIT
from skitter.frontier.policies import RobotsOutcome
from skitter.messages import Discovered, Errand, Failure, Fetched, Kind, Lease, Outcome, Said, Stored, Url
from skitter.parse.shingles import said_of
from skitter.settings import DAY, FrontierSettings, PolitenessSettings, ScheduleSettings, ScopeSettings, Settings
from skitter.shard.rocks import RocksStore
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from tests.frontiers import opened_frontier

SHARDS = 4
SETTINGS = Settings(frontier=FrontierSettings(shards=SHARDS, store_memory=8 * 1024**2))
ALLOW_ALL = b""


class Virtual:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


class Crawler:
    """Plays the part of a node: resolves every name at once, answers every lease as told."""

    def __init__(
        self,
        directory: Path,
        settings: Settings = SETTINGS,
        clock: Virtual | None = None,
        owned: Collection[int] | None = None,
        roll: Callable[[], float] | None = None,
    ) -> None:
        self.roll = roll
        self.clock = clock or Virtual()
        self.owned = range(settings.frontier.shards) if owned is None else owned
        self.directory = directory
        self.settings = settings
        self.requests: list[tuple[float, str, str]] = []
        self.led = 0
        self.robots = ALLOW_ALL
        self.status = 200
        self.open()

    def open(self) -> None:
        roll = self.roll or random.Random(7).random
        self.frontier = opened_frontier(self.directory, self.settings, self.owned, self.clock, roll)

    def reopen(self) -> None:
        self.frontier.close()
        self.open()

    def tick(self) -> None:
        for name in self.frontier.tick():
            self.frontier.resolved(name)

    def lease(self) -> Lease | None:
        self.tick()
        lease = self.frontier.lease_nowait()
        if lease is not None:
            self.requests.append((self.clock.now, lease.host, lease.href))
        return lease

    def next_page(self) -> Lease | None:
        """Goes on in time, answering for robots.txt, until a page is leased; None when nothing is left to wait for."""
        while True:
            lease = self.lease()
            if lease is None:
                at = self.frontier.next_at()
                if at is None or at == float("inf"):
                    return None
                self.clock.now = max(self.clock.now, at)
            elif lease.errand is Errand.ROBOTS:
                self.answer_robots(lease)
            else:
                return lease

    def answer_robots(self, lease: Lease) -> None:
        fetched = Fetched(lease, self.clock.now, self.clock.now, status=self.status, body=self.robots)
        self.frontier.settle(RobotsOutcome(lease, self.clock.now, fetched, self.frontier.judge_robots(lease, fetched)))

    def leads_on(self) -> list[Discovered]:
        """Returns a link that nobody has seen, to a host that is left alone."""
        self.led += 1
        self.frontier.operator.pause("elsewhere.org")
        return [found(f"http://elsewhere.org/{self.led}")]

    def done(self, lease: Lease, **facts: object) -> None:
        outcome = Outcome(lease, self.clock.now, began=self.clock.now, status=200, stored=Stored("d", "f", 0, 1))
        self.frontier.settle(structs.replace(outcome, **facts))

    def crawl(self) -> list[str]:
        fetched = []
        while (lease := self.next_page()) is not None:
            fetched.append(lease.href)
            self.done(lease)
        return fetched

    def states(self) -> dict[str, int]:
        return {state: count for state, count in self.frontier.statistics().states.items() if count}


def found(text: str, priority: float = 0.5, depth: int = 1) -> Discovered:
    url = Canon()(text)
    assert isinstance(url, Url)
    return Discovered(url.href, url.host, fingerprint(url.key), depth, priority)


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path)
    yield crawler
    crawler.frontier.close()


def test_a_url_is_new_once(crawler: Crawler) -> None:
    assert crawler.frontier.discover([found("http://a.org/x"), found("http://a.org/y"), found("http://a.org/x")]) == 2
    assert crawler.frontier.discover([found("http://www.a.org/x/")]) == 0
    crawler.reopen()
    assert crawler.frontier.discover([found("http://a.org/x"), found("http://a.org/z")]) == 1
    assert crawler.states() == {"queued": 3}


@pytest.mark.parametrize("seen_cache", [0, 2, 500_000])
def test_a_link_that_is_twice_on_a_page_is_new_once(tmp_path: Path, seen_cache: int) -> None:
    frontier = structs.replace(SETTINGS.frontier, seen_cache=seen_cache)
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, frontier=frontier))
    links = [found(f"http://a.org/{page}") for page in (*range(5), *range(5))]
    assert crawler.frontier.discover(links) == 5
    assert crawler.frontier.discover(links) == 0
    assert sorted(crawler.crawl()) == [f"http://a.org/{page}" for page in range(5)]
    crawler.frontier.close()


def test_links_that_the_store_could_not_answer_for_are_new_when_they_are_offered_again(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path)
    links = [found(f"http://h{host}.org/") for host in range(20)]
    crawler.frontier.discover([found(f"http://h{host}.org/other") for host in range(20)])
    broken = crawler.frontier._shards.of("h19.org")
    broken.close()
    with pytest.raises(MachineError):
        crawler.frontier.discover(links)
    sound = [link for link in links if crawler.frontier._shards.of(link.host) is not broken]
    assert crawler.frontier.discover(sound) == len(sound) > 5
    with pytest.raises(MachineError):  # of the shard that is broken; the others are closed
        crawler.frontier.close()


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Crawler]:
    """A crawler that never explores: all comes in the order of its priority."""
    crawler = Crawler(tmp_path, roll=lambda: 0.99)
    yield crawler
    crawler.frontier.close()


def test_one_in_five_is_from_further_down_the_queue_so_that_nothing_starves(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://a.org/{number}", priority=number / 1000) for number in range(1000))
    first = [crawler.next_page() for _ in range(1)]
    order = []
    for _ in range(200):
        lease = first.pop() if first else crawler.next_page()
        assert lease is not None
        order.append(int(lease.href.rpartition("/")[2]))
        crawler.done(lease)
    explored = [number for number in order if number < 800]
    assert 20 <= len(explored) <= 60
    assert min(explored) < 200
    crawler.reopen()
    assert len(set(order)) == 200
    assert len(crawler.crawl()) == 800
    assert crawler.states() == {"done": 1000}


def test_what_was_explored_and_given_back_is_leased_again_once(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://a.org/{number}", priority=number / 100) for number in range(100))
    fetched = []
    while (lease := crawler.next_page()) is not None:
        if lease.href not in fetched and len(fetched) % 2:
            crawler.frontier.give_back(lease, crawler.clock.now + 1)
            fetched.append(lease.href)
        else:
            crawler.done(lease)
            fetched.append(lease.href)
    assert crawler.states() == {"done": 100}


def test_everything_discovered_is_fetched_once_best_first(strict: Crawler) -> None:
    crawler = strict
    crawler.frontier.discover(found(f"http://a.org/{number}", priority=number / 100) for number in range(100))
    assert crawler.crawl() == [f"http://a.org/{number}" for number in reversed(range(100))]
    assert crawler.states() == {"done": 100}


def test_equal_priorities_are_first_come_first_served(strict: Crawler) -> None:
    crawler = strict
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(50))
    assert crawler.crawl() == [f"http://a.org/{number}" for number in range(50)]


def test_a_better_url_found_later_goes_first(strict: Crawler) -> None:
    crawler = strict
    crawler.frontier.discover(found(f"http://a.org/{number}", priority=0.3) for number in range(40))
    first = crawler.next_page()
    assert first is not None
    crawler.done(first)
    crawler.frontier.discover([found("http://a.org/best", priority=0.9), found("http://a.org/worst", priority=0.1)])
    order = crawler.crawl()
    assert order[0] == "http://a.org/best"
    assert order[-1] == "http://a.org/worst"
    assert len(order) == 41


def test_robots_txt_comes_first_and_a_full_delay_before_the_page(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    crawler.crawl()
    assert [href for _, _, href in crawler.requests] == ["http://a.org/robots.txt", "http://a.org/x"]
    assert crawler.requests[1][0] - crawler.requests[0][0] >= 1.0


def test_each_origin_has_its_own_robots_txt(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/1"), found("https://a.org/2"), found("http://www.a.org/3")])
    crawler.crawl()
    asked = [href for _, _, href in crawler.requests if href.endswith("robots.txt")]
    assert sorted(asked) == ["http://a.org/robots.txt", "http://www.a.org/robots.txt", "https://a.org/robots.txt"]


def test_what_robots_txt_forbids_is_skipped_with_the_reason(crawler: Crawler) -> None:
    crawler.robots = b"User-agent: *\nDisallow: /no"
    crawler.frontier.discover([*(found(f"http://a.org/no/{n}") for n in range(250)), found("http://a.org/yes")])
    assert crawler.crawl() == ["http://a.org/yes"]
    assert crawler.states() == {"done": 1, "skipped": 250}


def test_a_cut_robots_txt_means_the_same_after_a_restart(tmp_path: Path) -> None:
    # Cut in the middle of its last line, `Allow: /secret-but-public` must not come back as `Allow: /secret`.
    limit = 500 * 1024
    head = b"User-agent: *\nDisallow: /secret\n"
    filler = b"#" * (limit - len(head) - len(b"\nAllow: /secret")) + b"\nAllow: /secret"
    crawler = Crawler(tmp_path)
    crawler.robots = head + filler + b"-but-public\n"
    crawler.frontier.discover([found("http://a.org/yes"), found("http://a.org/secret/1", 0.1)])
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease)
    crawler.reopen()
    assert crawler.crawl() == []
    assert crawler.states() == {"done": 1, "skipped": 1}
    crawler.frontier.close()


def test_nothing_is_fetched_while_robots_txt_cannot_be_read(crawler: Crawler) -> None:
    crawler.status = 500
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.lease()
    assert lease is not None
    assert lease.errand is Errand.ROBOTS
    crawler.answer_robots(lease)
    before = crawler.clock.now
    assert crawler.lease() is None
    assert crawler.states() == {"queued": 1}
    at = crawler.frontier.next_at()
    assert at is not None
    crawler.clock.now = at
    crawler.status = 404
    while crawler.frontier.next_at() is not None and not (page := crawler.next_page()):
        crawler.clock.now += 1
    assert page is not None
    assert page.href == "http://a.org/x"
    assert crawler.clock.now >= before + 60


def test_one_lease_per_host_and_the_delay_kept_over_many_hosts_and_a_restart(crawler: Crawler) -> None:
    hosts = [f"h{number}.example" for number in range(30)]
    crawler.frontier.discover(found(f"http://{host}/{page}") for host in hosts for page in range(8))
    out: list[Lease] = []
    lost = 0
    dice = random.Random(3)
    for step in range(3000):
        lease = crawler.lease()
        if lease is not None:
            assert lease.host not in {other.host for other in out}
            out.append(lease)
        if out and dice.random() < 0.5:
            done = out.pop(dice.randrange(len(out)))
            crawler.answer_robots(done) if done.errand is Errand.ROBOTS else crawler.done(done)
        crawler.clock.now += dice.random() * 0.05
        if step > 300 and len(out) > 2 and not lost:
            lost = len(out)
            out.clear()
            crawler.reopen()
    last: dict[str, float] = {}
    for at, host, _ in crawler.requests:
        assert at - last.get(host, 0.0) >= 1.0 - 1e-6, host
        last[host] = at
    assert lost > 2
    assert len(crawler.requests) == 30 * 9 + lost  # a robots.txt and 8 pages each; what was leased, twice


def test_what_is_leased_at_a_stop_is_queued_again(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    assert crawler.states() == {"leased": 1}
    crawler.reopen()
    assert crawler.states() == {"queued": 1}
    assert crawler.crawl() == ["http://a.org/x"]


def test_a_host_rests_one_full_delay_after_a_start(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x"), found("http://a.org/y")])
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease)
    crawler.reopen()
    crawler.clock.now += 0.9
    assert crawler.lease() is None
    crawler.clock.now += 0.2
    assert crawler.lease() is not None


def test_a_failure_is_tried_again_when_due_and_dies_after_five_tries(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    for tries in range(5):
        lease = None
        while lease is None:
            lease = crawler.next_page()
            if lease is None:
                due = crawler.frontier.statistics().next_due
                assert due is not None
                crawler.clock.now = max(due, crawler.clock.now) + 0.001
        assert lease.tries == tries
        crawler.done(lease, status=500, stored=None, failure=Failure(Kind.SERVER_ERROR))
        assert crawler.states() == ({"failed": 1} if tries < 4 else {"dead": 1})
    assert crawler.frontier.operator.revive() == 1
    assert crawler.states() == {"queued": 1}


def test_429_for_robots_txt_slows_the_host_down_too(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x"), found("https://a.org/y")])
    lease = crawler.lease()
    assert lease is not None
    at = crawler.clock.now
    failure = Failure(Kind.TOO_MANY_REQUESTS, retry_after=50.0)
    fetched = Fetched(lease, at, at, status=429, failure=failure)
    crawler.frontier.settle(RobotsOutcome(lease, fetched.began, fetched, crawler.frontier.judge_robots(lease, fetched)))
    other = crawler.lease()
    while other is None:
        crawler.clock.now += 1
        other = crawler.lease()
    assert other.href == "https://a.org/robots.txt"
    assert crawler.clock.now >= at + 50
    host = crawler.frontier.host("a.org")
    assert host is not None
    assert crawler.frontier.delay_of(host) == 2.0


def test_a_failure_does_not_count_as_the_capture_before(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True)))
    crawler.frontier.discover([found("http://a.org/x")])
    times = []
    for status, failure in ((200, None), (503, Failure(Kind.UNAVAILABLE)), (304, None)):
        lease = crawler.next_page()
        while lease is None:
            crawler.clock.now += 3600
            lease = crawler.next_page()
        times.append((crawler.clock.now, lease.last_fetched))
        crawler.done(lease, status=status, failure=failure)
    assert times[2][1] == times[0][0]
    crawler.frontier.close()


def test_429_slows_the_host_down_and_retry_after_is_kept(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x"), found("http://a.org/y")])
    lease = crawler.next_page()
    assert lease is not None
    at = crawler.clock.now
    failure = Failure(Kind.TOO_MANY_REQUESTS, retry_after=77.0)
    crawler.done(lease, status=429, stored=None, failure=failure)
    following = crawler.next_page()
    assert following is not None
    assert crawler.clock.now >= at + 77
    crawler.done(following)
    again = crawler.clock.now
    crawler.next_page()
    assert crawler.clock.now >= again + 2


def test_a_redirect_to_the_same_key_is_followed_and_its_form_kept(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, status=301, better="http://a.org/x/")
    again = crawler.next_page()
    assert again is not None
    assert again.href == "http://a.org/x/"
    assert again.chain == ("http://a.org/x",)
    crawler.done(again)
    assert crawler.states() == {"done": 1}


def test_a_lease_that_outlives_its_end_returns(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    assert crawler.frontier.ended() == []
    crawler.clock.now = lease.ends
    assert crawler.frontier.ended() == [lease]
    crawler.frontier.expire(lease)
    assert crawler.states() == {"failed": 1}
    crawler.done(lease)  # too late: passed over
    assert crawler.states() == {"failed": 1}


def test_the_lease_of_a_robots_txt_outlives_the_slowest_of_its_redirects(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = None
    while lease is None:
        crawler.tick()
        lease = crawler.frontier.lease_nowait()
        crawler.clock.now += 0.1
    assert lease.errand is Errand.ROBOTS
    settings = Settings()
    slowest = settings.dns.timeout + settings.fetch.total_timeout + lease.delay
    assert lease.ends - crawler.clock.now > (settings.robots.max_redirects + 1) * slowest


def test_a_lease_is_settled_by_value_and_once(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    elsewhere = msgspec.msgpack.decode(msgspec.msgpack.encode(lease), type=Lease)
    assert elsewhere is not lease
    links = [found("http://a.org/y")]
    crawler.done(elsewhere, links=links)
    crawler.done(lease, links=[found("http://a.org/z")])
    assert crawler.states() == {"done": 1, "queued": 1}


def test_a_lease_of_a_run_before_settles_nothing(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    before = crawler.next_page()
    assert before is not None
    crawler.reopen()
    lease = crawler.next_page()
    assert lease is not None
    assert (lease.href, lease.fingerprint) == (before.href, before.fingerprint)
    crawler.done(before)
    assert crawler.states() == {"leased": 1}
    crawler.done(lease)
    assert crawler.states() == {"done": 1}


def test_a_bug_in_deciding_does_not_keep_the_host(crawler: Crawler, monkeypatch: pytest.MonkeyPatch) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None

    def broken(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(settle, "settled", broken)
        with pytest.raises(ValueError, match="a bug"):
            crawler.done(lease)
    crawler.frontier.give_back(lease, crawler.clock.now)
    assert crawler.crawl() == ["http://a.org/x"]


def test_links_are_not_lost_while_their_page_is_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is leased meanwhile writes nothing: a write that failed there took links with it."""
    settings = structs.replace(SETTINGS, frontier=structs.replace(SETTINGS.frontier, shards=1))
    crawler = Crawler(tmp_path, settings)
    crawler.frontier.discover([found("http://a.org/x"), found("http://b.org/y")])
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, links=[found("http://a.org/1"), found("http://a.org/2")])

    def full(*_: object) -> None:
        raise MachineError("the disk is full", "", "")

    with monkeypatch.context() as patch:
        patch.setattr(RocksStore, "write", full)
        crawler.clock.now += 10
        assert crawler.frontier.lease_nowait() is not None
    crawler.reopen()
    assert crawler.states() == {"done": 1, "queued": 3}
    crawler.frontier.close()


def test_a_host_whose_urls_have_just_arrived_waits_for_the_commit(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    assert crawler.crawl() == ["http://a.org/x"]
    crawler.frontier.discover([found("http://a.org/y")])
    crawler.clock.now += 10
    assert crawler.frontier.lease_nowait() is None
    crawler.frontier.committer.commit()
    lease = crawler.frontier.lease_nowait()
    assert lease is not None
    assert lease.href == "http://a.org/y"


def classes(crawler: Crawler) -> dict[str, int]:
    """The hosts that wait on disk, with their classes."""
    found = (key for shard in crawler.frontier._shards.opened.values() for key, _ in shard.iterate(b"w"))
    return {key[2:].decode(): key[1] for key in found}


def test_a_host_keeps_its_class_across_restarts(crawler: Crawler) -> None:
    priorities = {"a.org": 0.5, "b.org": 0.1, "c.org": 0.01, "d.org": 0.001}
    crawler.frontier.discover([found(f"http://{host}/", priority, depth=0) for host, priority in priorities.items()])
    for _ in range(2):
        crawler.frontier.committer.commit()
        waiting = classes(crawler)
        assert waiting == {"a.org": 0, "b.org": 1, "c.org": 2, "d.org": 3}
        crawler.tick()
        crawler.frontier.committer.commit()
        assert classes(crawler) == {}, "all are in memory"
        crawler.reopen()


def test_a_host_that_wakes_keeps_its_class(tmp_path: Path) -> None:
    settings = structs.replace(SETTINGS, frontier=structs.replace(SETTINGS.frontier, window_hosts=1))
    crawler = Crawler(tmp_path, settings)
    crawler.frontier.discover([found("http://a.org/1", 0.001), found("http://a.org/2", 0.001)])
    lease = crawler.next_page()
    assert lease is not None
    failure = Failure(Kind.UNAVAILABLE, retry_after=3600.0)
    crawler.frontier.settle(Outcome(lease, crawler.clock.now, began=crawler.clock.now, status=503, failure=failure))
    crawler.frontier.discover([found("http://b.org/1")])
    crawler.tick()
    crawler.tick()
    assert crawler.frontier.host("a.org") is None
    assert crawler.frontier.host("b.org") is not None
    crawler.clock.now += 3700
    for shard in crawler.frontier._shards.opened.values():
        for name, front_class in shard.take_waking(crawler.clock.now, 10):
            assert (name, front_class) == ("a.org", 3)
            break
        else:
            continue
        break
    else:
        raise AssertionError("nobody woke")
    crawler.frontier.close()


@pytest.mark.parametrize(("cost", "gap"), [(1.0, 20.0), (0.2, 4.0), (0.04, 1.0), (0.0, 1.0)])
def test_a_host_with_heavy_pages_takes_a_twentieth_of_our_time(crawler: Crawler, cost: float, gap: float) -> None:
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(4))
    while (lease := crawler.next_page()) is not None:
        crawler.done(lease, cost=cost)
    starts = [at for at, _, href in crawler.requests if not href.endswith("robots.txt")]
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert gaps == [pytest.approx(gap, abs=0.001)] * 3


@pytest.mark.parametrize("max_stale", [10, 0])
def test_of_a_maze_the_rest_is_skipped_also_after_a_restart_but_not_the_seeds(tmp_path: Path, max_stale: int) -> None:
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, scope=ScopeSettings(max_stale=max_stale)))
    crawler.frontier.discover([found("http://a.org/day/1"), found("http://a.org/other", priority=0.1)])
    crawler.frontier.discover([found("http://a.org/day/777777", depth=0, priority=0.01)])
    fetched = []
    while (lease := crawler.next_page()) is not None and len(fetched) < 200:
        fetched.append(lease.href)
        days = [f"http://a.org/day/{number}" for number in range(len(fetched), len(fetched) + 3)]
        links = [structs.replace(found(day), parent=lease.href) for day in days if "/day/" in lease.href]
        crawler.done(lease, said=Said(brief="the same"), links=links)
        if len(fetched) in (8, 20):
            crawler.reopen()
    assert {"http://a.org/other", "http://a.org/day/777777"} <= set(fetched) or not max_stale
    assert len(fetched) < 4 * max_stale if max_stale else len(fetched) == 200
    assert ("skipped" in crawler.states()) == bool(max_stale)
    crawler.frontier.close()


def closed_maze(crawler: Crawler) -> int:
    """Walks into a maze until its rest is put aside; returns how many pages that took."""
    crawler.frontier.discover([found("http://a.org/day/1")])
    fetched = 0
    while (lease := crawler.next_page()) is not None:
        fetched += 1
        links = [structs.replace(found(f"http://a.org/day/{fetched + step}"), parent=lease.href) for step in (1, 2)]
        crawler.done(lease, said=Said(brief="the same"), links=links)
    crawler.frontier.committer.commit()
    return fetched


def test_of_a_closed_corner_one_url_a_week_is_looked_at_again(crawler: Crawler) -> None:
    walked = closed_maze(crawler)
    skipped = crawler.states()["skipped"]
    assert walked < 60
    assert skipped > 0
    for week in (1, 2):
        crawler.clock.now += 7 * DAY + 1
        crawler.tick()
        lease = crawler.next_page()
        assert lease is not None
        crawler.done(lease, said=Said(brief="the same"))
        assert crawler.next_page() is None
        assert crawler.states().get("skipped", 0) == skipped - week
        crawler.reopen()


def test_a_closed_corner_that_says_something_new_is_opened_again(crawler: Crawler) -> None:
    settings = structs.replace(SETTINGS, scope=ScopeSettings(max_stale=1))
    crawler.frontier.close()
    crawler.settings = settings
    crawler.open()
    closed_maze(crawler)
    skipped = crawler.states()["skipped"]
    crawler.clock.now += 7 * DAY + 1
    crawler.tick()
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, said=said_of(" ".join(f"something else {number}" for number in range(20))))
    again = []
    while (lease := crawler.next_page()) is not None:
        again.append(lease.href)
        crawler.done(lease, said=Said(brief=f"something else {lease.href}"))
    assert len(again) == skipped - 1
    assert "skipped" not in crawler.states()


def test_a_paused_host_is_left_alone_until_it_is_resumed(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x"), found("http://b.org/y")])
    crawler.tick()
    crawler.frontier.operator.pause("a.org")
    assert crawler.crawl() == ["http://b.org/y"]
    crawler.reopen()
    assert crawler.crawl() == []
    crawler.frontier.operator.resume("a.org")
    assert crawler.crawl() == ["http://a.org/x"]


def test_an_agreed_delay_takes_the_place_of_the_default(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(5))
    crawler.frontier.operator.agree("a.org", 0.25)
    crawler.crawl()
    gaps = [after[0] - before[0] for before, after in zip(crawler.requests, crawler.requests[1:], strict=False)]
    assert all(0.25 <= gap < 0.3 for gap in gaps)


def test_a_crawl_delay_is_kept(crawler: Crawler) -> None:
    crawler.robots = b"User-agent: skitter\nCrawl-delay: 7"
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(3))
    crawler.crawl()
    gaps = [after[0] - before[0] for before, after in zip(crawler.requests, crawler.requests[1:], strict=False)]
    assert all(gap >= 7 for gap in gaps)


def test_the_daily_quota_of_a_host(tmp_path: Path) -> None:
    frontier = structs.replace(SETTINGS.frontier, daily_quota=4)
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, frontier=frontier))
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(6))
    crawler.crawl()
    by_day: dict[int, int] = {}
    for at, _, _ in crawler.requests:
        by_day[int(at // 86400)] = by_day.get(int(at // 86400), 0) + 1
    assert list(by_day.values()) == [4, 3]  # robots.txt counts too
    crawler.frontier.close()


def test_hosts_that_are_asleep_for_long_make_room_and_come_back(tmp_path: Path) -> None:
    frontier = structs.replace(SETTINGS.frontier, window_hosts=5)
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, frontier=frontier))
    crawler.frontier.discover(found(f"http://h{host}.example/") for host in range(20))
    began, failure = crawler.clock.now, Failure(Kind.TOO_MANY_REQUESTS, retry_after=500.0)
    asked: set[str] = set()
    while crawler.clock.now < began + 60:  # each host says, when it is asked for the first time, to come back later
        lease = crawler.lease()
        if lease is None:
            crawler.clock.now += 0.5
            continue
        asked.add(lease.host)
        at = crawler.clock.now
        fetched = Fetched(lease, at, at, status=429, failure=failure)
        crawler.frontier.settle(
            RobotsOutcome(lease, fetched.began, fetched, crawler.frontier.judge_robots(lease, fetched))
        )
        assert crawler.frontier.statistics().hosts <= 5
    assert len(asked) == 20
    crawler.clock.now = began + 600
    while crawler.states().get("queued", 0) and crawler.clock.now < began + 7 * 86400:
        crawler.crawl()
        crawler.clock.now += 60
    assert crawler.states() == {"done": 20}
    crawler.frontier.close()


def test_a_small_window_still_reaches_every_host(tmp_path: Path) -> None:
    frontier = structs.replace(SETTINGS.frontier, window_hosts=5, window_urls=2)
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, frontier=frontier))
    pages = {f"http://h{host}.example/{page}" for host in range(60) for page in range(7)}
    crawler.frontier.discover(found(page, priority=random.Random(page).random()) for page in sorted(pages))
    fetched: list[str] = []
    while crawler.states().get("queued", 0):
        lease = crawler.next_page()
        if lease is None:
            continue
        assert crawler.frontier.statistics().hosts <= 5
        fetched.append(lease.href)
        crawler.done(lease)
    assert sorted(fetched) == sorted(pages)
    crawler.frontier.close()


def test_pages_are_scheduled_when_re_crawling(tmp_path: Path) -> None:
    settings = structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True))
    crawler = Crawler(tmp_path, settings)
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, etag='"v1"')
    assert crawler.states() == {"scheduled": 1}
    due = crawler.frontier.statistics().next_due
    assert due is not None
    crawler.clock.now = due + 1
    again = crawler.next_page()
    assert again is not None
    assert again.etag == '"v1"'
    crawler.frontier.close()


def test_the_number_of_shards_is_fixed(crawler: Crawler, tmp_path: Path) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    crawler.frontier.close()
    other = structs.replace(SETTINGS, frontier=structs.replace(SETTINGS.frontier, shards=8))
    with pytest.raises(OperatorError, match=r"frontier\.shards = 8: this crawl was created with 4"):
        opened_frontier(tmp_path, other, range(8), crawler.clock)


def test_a_reserved_host_is_not_leased_and_owes_its_delay_afterwards(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    crawler.tick()
    held = crawler.frontier.reserve("a.org")
    assert isinstance(held, Lease)
    assert crawler.frontier.reserve("a.org") == 0.25  # busy
    assert crawler.lease() is None
    crawler.frontier.release(held, crawler.clock.now)
    crawler.frontier.committer.commit()
    assert crawler.frontier.reserve("a.org") == pytest.approx(1.0)
    assert crawler.lease() is None
    crawler.clock.now += 1.01
    assert crawler.lease() is not None
    assert crawler.frontier.reserve("a.org") == 0.25


def test_a_host_that_nobody_knew_can_be_reserved(crawler: Crawler) -> None:
    held = crawler.frontier.reserve("new.org")
    assert isinstance(held, Lease)
    crawler.frontier.release(held, crawler.clock.now)
    crawler.frontier.discover([found("http://new.org/x")])
    crawler.tick()
    assert crawler.lease() is None
    crawler.clock.now += 1.01
    assert crawler.lease() is not None


def test_what_arrives_for_a_host_that_was_reserved_is_found_after_a_restart(crawler: Crawler) -> None:
    held = crawler.frontier.reserve("new.org")
    assert isinstance(held, Lease)
    crawler.frontier.discover([found("http://new.org/x")])
    crawler.frontier.release(held, crawler.clock.now)
    crawler.reopen()
    page = crawler.next_page()
    assert page is not None
    assert page.href == "http://new.org/x"


def test_links_for_other_nodes_wait_in_the_outbox_until_delivered(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, owned=range(SHARDS - 1))
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    found_there = [found(f"http://other{number}.org/") for number in range(20)]
    elsewhere = [one.href for one in found_there if not crawler.frontier.owns(one.host)]
    assert 0 < len(elsewhere) < 20
    crawler.done(lease, links=found_there)
    assert crawler.states() == {"done": 1, "queued": 20 - len(elsewhere)}
    crawler.reopen()
    parcels = crawler.frontier.outbox.pending(SHARDS - 1, limit=100)
    assert sum(parcel.links.count(b"http://other") for parcel in parcels) == len(elsewhere)
    crawler.frontier.outbox.delivered(SHARDS - 1, parcels)
    crawler.reopen()
    assert crawler.frontier.outbox.is_empty()
    crawler.frontier.close()


def test_a_shard_is_handed_over_while_the_others_are_worked_on(tmp_path: Path) -> None:
    """What one owner knew of it the next one knows, and nothing that it remembers of it counts any more."""
    first, clock = Crawler(tmp_path), Virtual()
    first.clock = clock
    first.open()
    hosts = [f"h{number}.org" for number in range(12)]
    first.frontier.discover(found(f"http://{host}/{page}") for host in hosts for page in range(3))
    leases = [lease for _ in range(5) if (lease := first.next_page()) is not None]
    moving = leases[0].shard
    out = first.frontier.drain_shard(moving)
    assert {lease.serial for lease in out} == {lease.serial for lease in leases if lease.shard == moving}
    with pytest.raises(AssertionError, match="has leases out"):
        first.frontier.close_shard(moving)
    for lease in out:
        first.done(lease)
    first.frontier.close_shard(moving)
    second = Crawler(tmp_path, clock=clock, owned=[])
    second.frontier.add_shard(moving)
    late = found(f"http://{leases[0].host}/late")
    assert not first.frontier.owns(late.host)
    assert second.frontier.discover([late]) == 1
    for lease in leases:
        first.done(lease)
    fetched = first.crawl() + second.crawl()
    settled = [lease.href for lease in leases]
    assert sorted(fetched + settled) == sorted([f"http://{h}/{p}" for h in hosts for p in range(3)] + [late.href])
    first.frontier.close()
    second.frontier.close()


def test_no_delay_at_all_if_the_operator_says_so(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, politeness=PolitenessSettings(delay=0)))
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(20))
    began = crawler.clock.now
    assert len(crawler.crawl()) == 20
    assert crawler.clock.now - began < 0.01
    crawler.frontier.close()


def test_a_host_that_another_node_asks_is_left_alone_also_after_our_death(crawler: Crawler) -> None:
    """That node's request lives on when we die: a start must not send a second one."""
    crawler.frontier.discover([found("http://a.org/x")])
    crawler.tick()
    lease = crawler.frontier.reserve("a.org", for_other=True)
    assert isinstance(lease, Lease)
    crawler.frontier.committer.commit()
    died = crawler.clock.now
    crawler.reopen()
    assert crawler.next_page() is not None
    assert crawler.requests[0][0] >= died + crawler.settings.frontier.lease_seconds


def test_a_host_that_another_node_has_asked_is_asked_a_delay_later(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    crawler.tick()
    lease = crawler.frontier.reserve("a.org", for_other=True)
    assert isinstance(lease, Lease)
    assert crawler.frontier.reserve("a.org") == BUSY_HOST_WAIT
    asked = crawler.clock.now
    crawler.frontier.release(lease, asked)
    crawler.reopen()
    assert crawler.next_page() is not None
    assert asked + 1 <= crawler.requests[0][0] < asked + 2


@pytest.mark.parametrize("is_committed", [True, False])
def test_links_for_a_shard_that_becomes_ours_meanwhile_are_taken(is_committed: bool, tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, owned=range(SHARDS - 1))
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    links = [found(f"http://other{number}.org/") for number in range(20)]
    elsewhere = [one for one in links if not crawler.frontier.owns(one.host)]
    crawler.frontier.settle(Outcome(lease, crawler.clock.now, began=crawler.clock.now, status=200, links=links))
    if is_committed:
        crawler.frontier.committer.commit()
    crawler.frontier.add_shard(SHARDS - 1)
    crawler.frontier.committer.commit()
    parcels = crawler.frontier.outbox.pending(SHARDS - 1, limit=100)
    assert sum(crawler.frontier.discover(decode_batch(parcel.links)) for parcel in parcels) == len(elsewhere) > 0
    crawler.frontier.close()


def test_a_host_that_says_429_to_a_request_for_another_is_slowed_as_anywhere(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    crawler.tick()
    lease = crawler.frontier.reserve("a.org")
    assert isinstance(lease, Lease)
    asked = crawler.clock.now
    crawler.frontier.release(lease, asked, Failure(Kind.TOO_MANY_REQUESTS, retry_after=60.0))
    crawler.reopen()
    assert crawler.next_page() is not None
    assert crawler.requests[0][0] >= asked + 60
