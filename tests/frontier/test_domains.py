"""Turns and budgets of domains: a farm gets little, whoever it is linked by, and an honest site loses nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.frontier.budgets import CROWDED
from skitter.judge.traps import SOUNDINGS
from skitter.messages import Discovered, Lease, Said
from skitter.schedule.budget import FIRST_PAGES, SINGLES, DomainFlag
from skitter.settings import DAY, NodeSettings, PolitenessSettings
from tests.frontier.test_frontier import SETTINGS, Crawler, found

NO_DELAY = structs.replace(SETTINGS, politeness=PolitenessSettings(delay=0))
SAYS = Said(words=100)


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path, NO_DELAY)
    yield crawler
    crawler.frontier.close()


def link(href: str, parent: str, supports: float = 0.0) -> Discovered:
    return structs.replace(found(href), parent=parent, supports=supports)


def settle(crawler: Crawler, lease: Lease, links: list[Discovered]) -> None:
    abroad = {one.host for one in links} - {lease.host}
    crawler.done(lease, said=SAYS, links=links, abroad=sorted(abroad), followed=len(links))


def domain_of(host: str) -> str:
    return ".".join(host.split(".")[-2:])


def farm_links(page: int, domains: int, hosts: int) -> list[Discovered]:
    """Returns links to ten hosts of the farm."""
    numbers = [page * 10 + place for place in range(10)]
    return [link(f"http://n{number}.f{number * 7 % domains}.test/", "http://f.test/") for number in numbers]


def test_a_farm_that_honest_sites_link_to_gets_few_pages_a_domain(crawler: Crawler) -> None:
    domains = 20
    honest = [found(f"http://s{site}.test/{page}", depth=0) for site in range(5) for page in range(60)]
    crawler.frontier.discover(honest)
    fetched: Counter[str] = Counter()
    pages = 0
    for _ in range(400):
        lease = crawler.next_page()
        if lease is None or crawler.clock.now > 1_700_050_000:
            break
        fetched[domain_of(lease.host)] += 1
        is_farm = ".f" in lease.host
        entrance = [link(f"http://n{place}.f{place}.test/", lease.href, 1.0) for place in range(domains)]
        pages += is_farm
        # Two honest sites link to the farm; a page of the farm links to ten others.
        is_entrance = lease.href in ("http://s0.test/0", "http://s1.test/0")
        links = farm_links(pages, domains, 1000) if is_farm else entrance if is_entrance else []
        settle(crawler, lease, links)
    farm = {name: times for name, times in fetched.items() if name.startswith("f")}
    assert all(fetched[f"s{site}.test"] == 60 for site in range(5))
    assert len(farm) == domains, "each of them has had its chance"
    assert sum(farm.values()) <= 3 * FIRST_PAGES * domains < 0.2 * sum(fetched.values())


def test_an_honest_domain_that_nobody_knows_is_fetched_whole(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://seed.test/", depth=0)])
    fetched = []
    while (lease := crawler.next_page()) is not None:
        fetched.append(lease.href)
        own = [link(f"http://new.test/{page}", lease.href) for page in range(200)]
        settle(crawler, lease, own if lease.host == "new.test" else [link("http://new.test/0", lease.href, 1.0)])
    assert {f"http://new.test/{page}" for page in range(200)} <= set(fetched)
    assert len(fetched) <= 201 + SOUNDINGS, "but for URLs that are made up to see whether it ends"
    assert crawler.clock.now < 1_700_000_100, "and on the same day"


def test_turns_go_by_domain_not_by_host(crawler: Crawler) -> None:
    one = [found(f"http://only.test/{page}", depth=0) for page in range(300)]
    many = [found(f"http://h{host}.many.test/{page}", depth=0) for host in range(100) for page in range(3)]
    crawler.frontier.discover(one + many)
    for _ in range(200):
        lease = crawler.next_page()
        assert lease is not None
        settle(crawler, lease, [])
    turns = Counter(domain_of(host) for _, host, _ in crawler.requests)
    assert turns["only.test"] == pytest.approx(turns["many.test"], abs=2)


def test_names_without_end_under_a_good_domain_end(crawler: Crawler) -> None:
    """Each host leads to ten new ones: few of them are visited, and the good host loses nothing."""
    crawler.frontier.discover([found(f"http://good.test/{page}", depth=0) for page in range(50)])
    hosts: Counter[str] = Counter()
    made = 0
    while (lease := crawler.next_page()) is not None:
        hosts[lease.host] += 1
        if lease.host == "good.test":
            settle(crawler, lease, [link("http://n.good.test/", lease.href)])
        else:
            settle(crawler, lease, [link(f"http://n{made + place}.good.test/", lease.href) for place in range(10)])
            made += 10
    assert hosts["good.test"] == 50
    assert len(hosts) <= 1 + SINGLES


def test_hosts_that_a_good_host_lists_are_all_visited(crawler: Crawler) -> None:
    listed = [link(f"http://n{number}.good.test/", "http://good.test/") for number in range(300)]
    crawler.frontier.discover([found("http://good.test/", depth=0)])
    hosts = set()
    while (lease := crawler.next_page()) is not None:
        hosts.add(lease.host)
        settle(crawler, lease, listed if lease.host == "good.test" else [])
    assert len(hosts) == 301


def test_hosts_that_two_hosts_lead_to_are_all_visited_though_each_leads_to_more(crawler: Crawler) -> None:
    """A university: every institute links to the next three, so that each is linked to by three others."""
    crawler.frontier.discover([found("http://good.test/", depth=0)])
    hosts = set()
    while (lease := crawler.next_page()) is not None:
        hosts.add(lease.host)
        own = int(lease.host.split(".")[0][1:]) if lease.host != "good.test" else 0
        nearby = range(own + 1, min(own + 4, 60))
        # As `Vouching` does: what a host leads to for the first time is offered again, be it known or not.
        settle(crawler, lease, [link(f"http://n{number}.good.test/", lease.href, 1.0) for number in nearby])
    assert len(hosts) == 60


def test_a_blocked_domain_waits_and_an_allowed_one_goes_on(crawler: Crawler) -> None:
    crawler.frontier.discover([found(f"http://a.test/{page}", depth=0) for page in range(3)])
    crawler.frontier.operator.block("a.test")
    crawler.tick()
    assert crawler.lease() is None
    crawler.frontier.operator.allow("a.test")
    crawler.frontier.committer.commit()
    assert len(crawler.crawl()) == 3


def test_a_boosted_domain_goes_first(crawler: Crawler) -> None:
    seeds = [found(f"http://s{site}.test/{page}", depth=0) for site in range(4) for page in range(100)]
    crawler.frontier.discover(seeds + [found(f"http://dear.test/{page}") for page in range(100)])
    crawler.frontier.operator.boost("dear.test", 50)
    order = []
    for _ in range(150):
        lease = crawler.next_page()
        assert lease is not None
        order.append(lease.host)
        settle(crawler, lease, [])
    assert order.count("dear.test") >= 50
    assert order[:110].count("dear.test") > max(order[:110].count(f"s{site}.test") for site in range(4)) * 1.5


def test_what_is_known_of_a_domain_survives_a_restart(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.test/", depth=0)])
    crawler.frontier.operator.rank([("a.test", 0.75)])
    lease = crawler.next_page()
    assert lease is not None
    settle(crawler, lease, [])
    crawler.reopen()
    record = crawler.frontier._shards.of("a.test").domain("a.test")
    assert record is not None
    assert (record.worth, record.good, record.hosts, record.flags) == (0.75, 1, 1, DomainFlag.SEED)


def test_a_page_that_was_out_when_we_died_has_not_been_had(crawler: Crawler) -> None:
    crawler.frontier.discover([link("http://new.test/0", "http://other.test/")])
    first = crawler.next_page()
    assert first is not None
    assert first.href == "http://new.test/0"
    # While it is out, something else is learnt of its domain, and kept.
    crawler.frontier.discover([link("http://new.test/1", "http://third.test/", 0.01)])
    crawler.frontier.committer.commit()
    crawler.reopen()
    day = crawler.clock.now // DAY
    again = crawler.next_page()
    assert again is not None
    assert crawler.clock.now // DAY == day, "not only when the next day has begun"


def test_a_domain_has_no_more_than_its_share_of_what_is_under_way(tmp_path: Path) -> None:
    node = NodeSettings(in_flight=10, domain_share=0.4)
    crawler = Crawler(tmp_path, structs.replace(NO_DELAY, node=node))
    hot = [found(f"http://h{number}.hot.test/", depth=0) for number in range(30)]
    crawler.frontier.discover([*hot, *(found(f"http://s{number}.test/", depth=0) for number in range(3))])
    under_way: list[Lease] = []
    while (lease := crawler.next_page()) is not None and len(under_way) < 20:
        under_way.append(lease)
        most = Counter(domain_of(one.host) for one in under_way)
        assert most["hot.test"] <= 4
        if len(under_way) == 7:
            break
    assert most["hot.test"] == 4
    assert most.total() == 7, "the others have the rest"
    fetched = {lease.host for lease in under_way}
    while under_way:
        settle(crawler, under_way.pop(0), [])
        crawler.clock.now += CROWDED
        is_crowded = sum(domain_of(one.host) == "hot.test" for one in under_way) == 4
        if not is_crowded and (lease := crawler.next_page()) is not None:
            fetched.add(lease.host)
            under_way.append(lease)
    assert len(fetched) == 33, "all have their turn"
    crawler.frontier.close()


def test_a_host_that_a_single_one_leads_to_counts_once_however_often_its_shard_is_opened(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://good.test/", depth=0)])
    lease = crawler.next_page()
    assert lease is not None
    settle(crawler, lease, [link(f"http://n{number}.good.test/", lease.href) for number in range(SINGLES)])
    for _ in range(2 * SINGLES):  # brought in, and closed before anything is asked
        crawler.clock.now += 10
        crawler.tick()
        crawler.reopen()
    crawler.clock.now += 10
    assert {f"http://n{number}.good.test/" for number in range(SINGLES)} <= set(crawler.crawl())
