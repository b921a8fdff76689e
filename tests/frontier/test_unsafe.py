"""Pages in archive files that are not safe yet: noted until they are, and fetched again if they are lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.messages import Failure, Kind, State, Stored
from skitter.shard.unsafe import REMEMBERED, Unsafe, UnsafeFile, files_in
from skitter.shard.writer import Shard
from tests.frontier.test_frontier import SETTINGS, Crawler, found

DISK = b"disk one"
ONE, TWO, GONE = found("http://a.org/1"), found("http://a.org/2"), found("http://a.org/gone")
SOME = structs.replace(SETTINGS, frontier=structs.replace(SETTINGS.frontier, shards=1))


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path, SOME)
    shard_of(crawler).unsafe = Unsafe(DISK)
    crawler.frontier.discover([ONE, TWO, GONE])
    yield crawler
    crawler.frontier.close()


def shard_of(crawler: Crawler) -> Shard:
    return crawler.frontier._shards.of("a.org")


def crawl(crawler: Crawler, file: str) -> list[str]:
    """Fetches all there is, into one file; returns what."""
    fetched = []
    while (lease := crawler.next_page()) is not None:
        fetched.append(lease.href)
        is_gone = lease.href == GONE.href
        facts = {"failure": Failure(Kind.GONE), "status": 404} if is_gone else {"etag": '"x"'}
        crawler.done(lease, stored=Stored("d", file, 0, 1), **facts)
    crawler.frontier.committer.commit()
    return fetched


def files(crawler: Crawler) -> list[UnsafeFile]:
    return list(files_in(shard_of(crawler).iterate))


def test_a_file_is_noted_until_it_is_safe(crawler: Crawler) -> None:
    crawl(crawler, "f1")
    assert files(crawler) == [UnsafeFile("f1", DISK)]
    crawler.frontier.operator.note_safe(0, "f1")
    crawler.frontier.committer.commit()
    assert files(crawler) == []
    assert crawler.frontier.operator.fetch_again(0, "f1").queued == 0
    assert crawl(crawler, "f2") == []


def test_what_a_worker_stored_elsewhere_is_not_noted(crawler: Crawler) -> None:
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, stored=Stored("d", "theirs", 0, 1), is_elsewhere=True)
    crawler.frontier.committer.commit()
    assert files(crawler) == []


def test_pages_of_a_lost_file_are_fetched_again_as_if_they_never_had_been(crawler: Crawler) -> None:
    first = crawl(crawler, "f1")
    assert crawler.frontier.operator.fetch_again(0, "f1") == (3, [])
    crawler.frontier.committer.commit()
    assert files(crawler) == []
    one = shard_of(crawler).url(ONE.fingerprint)
    assert one is not None
    assert (one.state, one.etag) == (State.QUEUED, None), "nobody is asked whether it is what we no longer have"
    assert sorted(crawl(crawler, "f2")) == sorted(first)
    assert files(crawler) == [UnsafeFile("f2", DISK)]
    assert crawler.frontier.statistics().states["queued"] == 0


def test_a_page_that_was_had_since_is_left_alone(crawler: Crawler) -> None:
    crawl(crawler, "f1")
    crawler.frontier.operator.recrawl(0, fingerprint=ONE.fingerprint)
    assert crawl(crawler, "f2") == [ONE.href]
    assert files(crawler) == [UnsafeFile("f1", DISK), UnsafeFile("f2", DISK)]
    assert crawler.frontier.operator.fetch_again(0, "f1").queued == 2
    assert sorted(crawl(crawler, "f3")) == sorted([TWO.href, GONE.href])


def test_a_page_that_is_settled_when_its_file_is_safe_already_is_not_noted() -> None:
    unsafe = Unsafe(DISK)
    assert dict(unsafe.noted(3, {"f": b"1" * 16})) == {"f": DISK + b"1" * 16}
    assert unsafe.note_safe("f") == {3}
    assert dict(unsafe.noted(4, {"f": b"2" * 16})) == {}
    for number in range(REMEMBERED):
        unsafe.note_safe(f"f{number}")
    assert len(unsafe._safe) == REMEMBERED


def test_many_files_are_found_one_by_one(crawler: Crawler) -> None:
    for number in range(5):
        crawler.frontier.discover([found(f"http://a.org/{number}/{page}") for page in range(4)])
        crawl(crawler, f"f{number}")
    assert [file.name for file in files(crawler)] == [f"f{number}" for number in range(5)]


def test_pages_that_have_left_the_shard_are_named_for_whoever_has_them(crawler: Crawler) -> None:
    crawl(crawler, "f1")
    elsewhere = found("http://b.org/").fingerprint
    shard_of(crawler).note_stored("f1", elsewhere)
    shard_of(crawler).put_host(crawler.frontier._window.get("a.org").record)  # type: ignore[union-attr]
    crawler.frontier.committer.commit()
    assert crawler.frontier.operator.fetch_again(0, "f1") == (3, [elsewhere])
    assert crawler.frontier.operator.fetch_again(0, "f1", [ONE.fingerprint]) == (0, [])
