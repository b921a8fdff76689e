"""Discovery and refresh each have their share: of a host, of hosts that are ready, and of those that are brought in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.messages import Discovered, Said, Stored
from skitter.settings import DAY, FrontierSettings, PolitenessSettings, ScheduleSettings, Settings
from skitter.sim.run.months import BEGIN, Changing, months, offered
from tests.frontier.test_frontier import SETTINGS, Crawler, found

AGAIN = structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True, check_share=0.0))


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path, AGAIN)
    yield crawler
    crawler.frontier.close()


def seen_before(crawler: Crawler, *places: str) -> None:
    """Has pages fetched, and goes on to when all of them are due again."""
    crawler.frontier.discover([found(f"http://{place}") for place in places])
    assert len(leased(crawler, 1000)) == len(places)
    crawler.clock.now += 100 * DAY


def leased(crawler: Crawler, number: int) -> list[str]:
    """Returns what is leased next, and fetches it."""
    hrefs = list[str]()
    while len(hrefs) < number:
        lease = crawler.next_page()
        if lease is not None:
            crawler.done(lease)
            hrefs.append(lease.href)
        elif not crawler.frontier.has_waiting():
            break
    return hrefs


def kinds(hrefs: list[str]) -> Counter[str]:
    return Counter("old" if "/old" in href else "new" for href in hrefs)


@pytest.mark.parametrize("priority", [0.9, 0.01])
def test_a_host_that_has_both_takes_turns_however_important_either_is(crawler: Crawler, priority: float) -> None:
    seen_before(crawler, *(f"a.org/old{n}" for n in range(40)))
    crawler.frontier.discover([found(f"http://a.org/new{n}", priority) for n in range(40)])
    crawler.tick()
    fetched = leased(crawler, 40)
    assert 16 <= kinds(fetched)["old"] <= 20, "refresh finds nothing new here, and has a little less than its half"
    turns = "".join("o" if "/old" in href else "n" for href in fetched)
    assert "nnnn" not in turns, "in turn, not one after the other"


def test_where_one_has_nothing_to_do_the_other_takes_all(crawler: Crawler) -> None:
    seen_before(crawler, *(f"a.org/old{n}" for n in range(10)))
    assert kinds(leased(crawler, 10)) == {"old": 10}
    crawler.frontier.discover([found(f"http://a.org/new{n}") for n in range(10)])
    assert kinds(leased(crawler, 10)) == {"new": 10}


def test_new_pages_that_come_one_at_a_time_do_not_keep_refresh_waiting(crawler: Crawler) -> None:
    seen_before(crawler, *(f"a.org/old{n}" for n in range(40)))
    fetched = []
    for n in range(40):
        crawler.frontier.discover([found(f"http://a.org/new{n}")])
        crawler.frontier.committer.commit()
        fetched += leased(crawler, 1)
    assert 16 <= kinds(fetched)["old"] <= 20


def test_many_hosts_of_one_kind_do_not_crowd_out_the_other(tmp_path: Path) -> None:
    settings = structs.replace(AGAIN, politeness=PolitenessSettings(delay=0.0))
    crawler = Crawler(tmp_path, settings)
    seen_before(crawler, *(f"h{n}.org/old{m}" for n in range(60) for m in range(2)))
    crawler.frontier.discover([found(f"http://few{n}.org/new{m}") for n in range(3) for m in range(40)])
    for _ in range(5):
        crawler.tick()
    assert kinds(leased(crawler, 60))["new"] == pytest.approx(30, abs=6)
    crawler.frontier.close()


def test_hosts_are_brought_in_for_both(tmp_path: Path) -> None:
    settings = structs.replace(AGAIN, frontier=FrontierSettings(shards=1, window_hosts=4))
    crawler = Crawler(tmp_path, settings)
    seen_before(crawler, *(f"h{n}.org/old" for n in range(80)))
    crawler.frontier.discover([found(f"http://new{n}.org/new") for n in range(80)])
    assert 12 <= kinds(leased(crawler, 40))["new"] <= 28
    rest = leased(crawler, 200)
    assert len(rest) == 120, "nobody is forgotten"
    crawler.frontier.close()


def test_a_restart_keeps_both_queues(crawler: Crawler) -> None:
    seen_before(crawler, *(f"a.org/old{n}" for n in range(6)))
    crawler.frontier.discover([found(f"http://a.org/new{n}") for n in range(6)])
    crawler.tick()
    crawler.reopen()
    crawler.frontier.discover([found("http://a.org/new9")])  # opens the store
    assert kinds(leased(crawler, 40)) == {"old": 6, "new": 7}


def test_a_list_is_read_for_what_is_new(crawler: Crawler) -> None:
    crawler.frontier.operator.pause("b.org")
    crawler.frontier.discover([found("http://a.org/")])
    for visit in range(4):
        lease = crawler.next_page()
        assert lease is not None
        crawler.done(lease, links=[found(f"http://b.org/{visit}/{n}") for n in range(5)])
        crawler.clock.now += 40 * DAY
    assert crawler.frontier.statistics().shared.leased == {"discovery": 3, "refresh": 1}, "one to learn that it is one"


def test_what_is_leased_and_gained_is_counted_by_purpose(crawler: Crawler) -> None:
    seen_before(crawler, "a.org/old1", "a.org/old2")
    shared = crawler.frontier.statistics().shared
    assert shared.leased == {"discovery": 2, "refresh": 0}
    assert shared.gained["discovery"] > 0.0 == shared.gained["refresh"]
    for simhash in (0, 2**63 - 1):
        lease = crawler.next_page()
        assert lease is not None
        crawler.done(lease, stored=Stored("e", "f", 0, 1), said=Said(words=50, simhash=simhash))
    after = crawler.frontier.statistics().shared
    assert after.leased == {"discovery": 2, "refresh": 2}
    assert 0.0 < after.gained["refresh"] <= shared.gained["discovery"]
    assert after.share == pytest.approx(0.5, abs=0.02)


def too_much_of_both(changes: list[float]) -> tuple[float, float]:
    """Returns the share of refresh in the requests to such a host, and what its share is at the end."""
    settings = Settings(
        frontier=FrontierSettings(shards=1),
        politeness=PolitenessSettings(delay=600.0),
        schedule=ScheduleSettings(recrawl=True, classes=("test news",)),
    )
    pages = {f"http://h.test/old{n}": Changing("", changes) for n in range(150)}
    pages |= {f"http://h.test/new{n}": Changing("", ()) for n in range(900)}

    def lists(href: str, at: float) -> list[Discovered] | None:
        last = int((at - BEGIN) / DAY * 100)
        made = [offered(f"http://h.test/new{n}", depth=2) for n in range(max(0, last - 50), last)]
        return made if href == "http://h.test/" else None

    with months(settings, pages, lists) as crawl:
        crawl.seed(["http://h.test/", *(href for href in pages if "/old" in href)])
        crawl.run(BEGIN + 9 * DAY)
        late = [one for one in crawl.asked if one.at > BEGIN + 4 * DAY and one.href != "http://h.test/"]
        return sum(one.is_again for one in late) / len(late), crawl.frontier.statistics().shared.share


@pytest.mark.slow
def test_neither_starves_on_a_host_that_has_too_much_of_both() -> None:
    often, never = too_much_of_both([BEGIN + n * 3600.0 for n in range(24 * 9)]), too_much_of_both([])
    assert all(0.15 <= asked <= 0.85 for asked, _ in (often, never))
    assert often[1] > never[1] + 0.1, "refresh has more where it brings more"


def test_what_both_have_brought_outlives_a_kill() -> None:
    pages = {href: Changing(href, ()) for href in (f"http://h{n}.test/" for n in range(20))}
    settings = Settings(frontier=FrontierSettings(shards=4), schedule=ScheduleSettings(recrawl=True, every=DAY))
    with months(settings, pages, lambda _href, _at: None) as crawl:
        crawl.seed(list(pages))
        crawl.run(BEGIN + 20 * DAY)
        before = crawl.frontier.statistics().shared.share
        crawl.kill()
        assert crawl.frontier.statistics().shared.share == pytest.approx(before)
        assert before < 0.45, "or nothing was learnt: these pages never change"
