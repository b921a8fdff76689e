"""A host that is an alias of another: its URLs stand for the other's, nothing is lost, and all of it can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from skitter.bus.codec import decode_batch
from skitter.frontier.frontier import Frontier
from skitter.judge.dust import ENOUGH, SAMPLES
from skitter.messages import Discovered, Reason, State
from skitter.parse.shingles import said_of
from skitter.ports import HostRank
from skitter.settings import ScopeSettings
from tests.frontier.plays import prose
from tests.frontier.test_frontier import SETTINGS, Crawler, found

MIRROR, ORIGINAL = "copy.org", "b.org"
ALIAS = HostRank(MIRROR, 0.2, f"http://{ORIGINAL}", SAMPLES)


def taken_for_an_alias(frontier: Frontier, rank: HostRank = ALIAS) -> None:
    frontier.operator.rank((), [rank])
    frontier.committer.commit()


def state(crawler: Crawler, href: str) -> tuple[State, Reason | None] | None:
    one = found(href)
    record = crawler.frontier._shards.of(one.host).url(one.fingerprint)
    return None if record is None else (record.state, record.reason)


def crawled(crawler: Crawler) -> list[str]:
    """Returns what was fetched: to put the last queued URL aside may be what brings the next one in."""
    return [*crawler.crawl(), *crawler.crawl()]


@pytest.fixture
def crawler(tmp_path: Path) -> Crawler:
    crawler = Crawler(tmp_path)
    for name in (MIRROR, ORIGINAL):
        crawler.frontier.operator.allow(name)
    return crawler


def test_a_url_of_an_alias_is_seen_if_its_original_has_it_and_found_there_if_not(crawler: Crawler) -> None:
    taken_for_an_alias(crawler.frontier)
    crawler.frontier.discover([found("http://b.org/1")])
    assert crawler.frontier.discover([found("http://copy.org/1")]) == 0
    assert crawler.frontier.discover([found("http://copy.org/2"), found("http://www.copy.org/2")]) == 1
    assert state(crawler, "http://b.org/2") == (State.QUEUED, None)
    assert state(crawler, "http://copy.org/2") is None
    assert sorted(crawled(crawler)) == ["http://b.org/1", "http://b.org/2"]
    crawler.reopen()
    assert crawler.frontier.discover([found("http://copy.org/2")]) == 0, "it is an alias after a start too"


def test_what_is_queued_is_put_aside_and_queued_again_when_it_is_refused(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://copy.org/1"), found("http://copy.org/2"), found("http://b.org/1")])
    taken_for_an_alias(crawler.frontier)
    assert sorted(crawled(crawler)) == ["http://b.org/1", "http://b.org/2"], "what only the mirror had is found there"
    assert state(crawler, "http://copy.org/2") == (State.SKIPPED, Reason.DUST)
    record = crawler.frontier._shards.of(MIRROR).url(found("http://copy.org/2").fingerprint)
    assert record is not None
    assert record.evidence == {Reason.DUST: "http://b.org/2"}
    assert crawler.states() == {"done": 2, "skipped": 2}
    crawler.frontier._shards.of(MIRROR).recheck_forbidden(MIRROR)
    crawler.tick()
    assert state(crawler, "http://copy.org/2") == (State.SKIPPED, Reason.DUST), "looked at again, it stays so"
    crawler.frontier.operator.refuse(MIRROR, ORIGINAL, is_refused=True)
    assert sorted(crawled(crawler)) == ["http://copy.org/1", "http://copy.org/2"]
    crawler.frontier.operator.refuse(MIRROR, ORIGINAL, is_refused=False)
    assert crawler.frontier.discover([found("http://copy.org/3")]) == 1
    assert state(crawler, "http://b.org/3") == (State.QUEUED, None), "and allowed again it is an alias again"


@pytest.mark.parametrize(
    "rank", [structs.replace(ALIAS, differed=1), HostRank(MIRROR, 0.2)], ids=["differs", "no mirror"]
)
def test_a_look_that_says_otherwise_undoes_it(crawler: Crawler, rank: HostRank) -> None:
    crawler.frontier.discover([found("http://copy.org/1")])
    taken_for_an_alias(crawler.frontier)
    assert crawled(crawler) == ["http://b.org/1"]
    taken_for_an_alias(crawler.frontier, rank)
    assert crawled(crawler) == ["http://copy.org/1"]
    assert crawler.frontier.discover([found("http://copy.org/2")]) == 1
    assert state(crawler, "http://copy.org/2") == (State.QUEUED, None)


def test_seeds_redirects_and_samples_stay_where_they_are(crawler: Crawler) -> None:
    taken_for_an_alias(crawler.frontier, structs.replace(ALIAS, agreed=ENOUGH))
    sample = next(one for number in range(999) if not (one := found(f"http://copy.org/{number}")).fingerprint[0] % 8)
    redirected = structs.replace(found("http://copy.org/r"), chain=("http://b.org/r",))
    crawler.frontier.discover([found("http://copy.org/", depth=0), redirected, sample])
    assert sorted(crawled(crawler)) == sorted(["http://copy.org/", "http://copy.org/r", sample.href])


def test_patterns_of_the_operator_are_not_gone_round(tmp_path: Path) -> None:
    settings = structs.replace(SETTINGS, scope=ScopeSettings(deny=("//b.org/private",)))
    crawler = Crawler(tmp_path, settings)
    taken_for_an_alias(crawler.frontier)
    crawler.frontier.discover([found("http://copy.org/private/1")])
    assert state(crawler, "http://copy.org/private/1") == (State.QUEUED, None)


def test_a_page_that_says_something_else_ends_the_alias_at_once(crawler: Crawler) -> None:
    taken_for_an_alias(crawler.frontier, structs.replace(ALIAS, agreed=ENOUGH))
    samples = [one for number in range(999) if not (one := found(f"http://copy.org/{number}")).fingerprint[0] % 8]
    alike, other = samples[:2]
    at_original = [found(one.href.replace(MIRROR, ORIGINAL)) for one in (alike, other)]
    crawler.frontier.discover(at_original)
    texts = {one.href: said_of(prose(number)) for number, one in enumerate(at_original)}
    texts |= {alike.href: said_of(prose(0)), other.href: said_of(prose("other"))}
    while (lease := crawler.next_page()) is not None:
        crawler.done(lease, said=texts[lease.href])
    for sample, is_alias in ((alike, True), (other, False)):
        crawler.frontier.discover([sample])
        lease = crawler.next_page()
        assert lease is not None
        assert lease.href == sample.href
        crawler.done(lease, said=texts[lease.href])
        assert (MIRROR in crawler.frontier._shards.of(MIRROR).mirrors) is is_alias


def test_an_original_of_another_node_is_told_through_the_outbox(tmp_path: Path) -> None:
    shard_of = Crawler(tmp_path / "all").frontier._shards.routes.shard_of
    original = next(name for number in range(99) if shard_of(name := f"o{number}.org") != shard_of(MIRROR))
    crawler = Crawler(tmp_path / "one", owned=[shard_of(MIRROR)])
    crawler.frontier.operator.allow(MIRROR)
    crawler.frontier.discover([found("http://copy.org/queued")])
    taken_for_an_alias(crawler.frontier, HostRank(MIRROR, 0.2, f"https://www.{original}", SAMPLES))
    assert crawler.frontier.discover([found("http://copy.org/new"), found("http://copy.org/new")]) == 0
    assert crawled(crawler) == []
    assert moved(crawler, shard_of(original)) == {f"https://www.{original}/new", f"https://www.{original}/queued"}
    crawler.reopen()
    assert len(moved(crawler, shard_of(original))) == 2, "they are kept until they are acknowledged"


def test_two_that_stand_for_each_other_lose_nothing(crawler: Crawler) -> None:
    """Instructions of a look reach shards at different times: one host may still be the other's alias of yesterday."""
    taken_for_an_alias(crawler.frontier)
    crawler.frontier.discover([found("http://copy.org/1")])
    taken_for_an_alias(crawler.frontier, HostRank(ORIGINAL, 0.8, f"http://{MIRROR}", SAMPLES))
    crawler.frontier.discover([found("http://b.org/2")])
    assert crawled(crawler) == []
    taken_for_an_alias(crawler.frontier, HostRank(MIRROR, 0.2))
    assert sorted(crawled(crawler)) == ["http://copy.org/1", "http://copy.org/2"]


def moved(crawler: Crawler, shard: int) -> set[str]:
    crawler.tick()
    links: list[Discovered] = []
    for parcel in crawler.frontier.outbox.pending(shard, 100):
        links += decode_batch(parcel.links)
    assert all(one.was_moved and one.fingerprint == found(one.href).fingerprint for one in links)
    return {one.href for one in links}
