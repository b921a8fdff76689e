"""What can be seen from outside, while the writer has the stores open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skitter.errors import OperatorError
from skitter.inspection.dead import dead
from skitter.inspection.folder import Folder
from skitter.inspection.hosts import host_named, hosts
from skitter.inspection.standing import Standing
from skitter.inspection.status import status
from skitter.inspection.waiting import Held, waiting
from skitter.inspection.why import Found, Step, Story, why
from skitter.messages import Errand, Failure, Kind, Reason, State, Stored, Url
from skitter.schedule.budget import SINGLES
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint

if TYPE_CHECKING:
    from tests.inspection.conftest import Crawler

Open = Callable[[], Folder]


def story_of(folder: Folder, text: str, now: float = 1_800_000_000.0) -> Story:
    story = why(folder, text, now)
    assert isinstance(story, Story)
    return story


def found_of(folder: Folder, text: str) -> Found:
    found = story_of(folder, text).found
    assert found is not None
    return found


def test_a_folder_that_is_no_crawl(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="is not the folder of a crawl"):
        Folder(tmp_path)


def test_each_commit_is_seen_by_whoever_looks_next(crawler: Crawler, folder: Open) -> None:
    assert status(folder(), crawler.now()).urls["queued"] == 1
    crawler.find("http://a.org/1")
    crawler.find("http://b.org/2")
    crawler.answer_robots(404)
    crawler.answer_robots(404)
    crawler.answer()
    seen = status(folder(), crawler.now())
    assert seen.urls == crawler.frontier.statistics().states
    assert seen.discovered == 3
    assert (seen.hosts.known, seen.hosts.visited) == (2, 2)
    assert (seen.requests, seen.pages) == (3, 1)
    assert seen.last_request == crawler.now()


def test_looking_leaves_the_writer_alone(crawler: Crawler, folder: Open) -> None:
    looking = folder()
    list(looking.shards())
    crawler.find("http://a.org/after")
    crawler.answer_robots(404)
    assert crawler.answer() == "http://a.org/"


def test_hosts_with_their_counts_delay_and_turn(crawler: Crawler, folder: Open) -> None:
    for path in ("1", "2", "private"):
        crawler.find(f"http://a.org/{path}")
    crawler.answer_robots()
    crawler.answer()
    crawler.answer(404, Failure(Kind.GONE, "HTTP 404"))
    (one,) = hosts(folder(), crawler.now())
    assert one.host == "a.org"
    assert (one.urls["done"], one.urls["dead"], one.urls["queued"]) == (1, 1, 2)
    assert (one.delay, one.delay_because) == (3.0, "robots.txt")
    assert one.standing is Standing.READY
    assert one.next_at == pytest.approx(crawler.now() + 3.0)


def test_the_host_with_the_most_to_do_comes_first(crawler: Crawler, folder: Open) -> None:
    for number in range(3):
        crawler.find(f"http://busy.org/{number}")
    assert [one.host for one in hosts(folder(), crawler.now())] == ["busy.org", "a.org"]


@pytest.mark.parametrize("host", ["a.org", "z.org"])
def test_one_host_is_what_all_hosts_have_of_it(crawler: Crawler, folder: Open, host: str) -> None:
    crawler.find("http://b.org/")
    looking = folder()
    of_all = {one.host: one for one in hosts(looking, 5.0)}
    assert host_named(looking, host, 5.0) == of_all.get(host)


def test_a_robots_that_can_not_be_read_is_what_is_waited_for(crawler: Crawler, folder: Open) -> None:
    crawler.find("http://a.org/1")
    crawler.answer_robots(503)
    (one,) = hosts(folder(), crawler.now())
    assert one.standing is Standing.NO_ROBOTS
    assert one.next_at == pytest.approx(crawler.now() + 300)
    assert waiting(folder(), crawler.now()) == {Standing.NO_ROBOTS: 2}


def test_each_queued_url_is_counted_by_what_its_host_waits_for(crawler: Crawler, folder: Open) -> None:
    # Of one domain and so of one shard, and one is how others begin.
    names = ["b.org", *(f"b.org:{port}" for port in range(1000, 1004))]
    for name, pages in zip(names, (3, 2, 4, 1, 5), strict=True):
        for number in range(pages):
            crawler.find(f"http://{name}/{number}")
    for name in (names[0], names[3]):
        crawler.frontier.operator.pause(name)
    crawler.frontier.committer.commit()
    assert waiting(folder(), crawler.now()) == {Standing.NEW: 2 + 4 + 5 + 1, Standing.PAUSED: 3 + 1}


def test_hosts_that_are_held_back_are_told_by_reason(crawler: Crawler, folder: Open) -> None:
    crawler.find("http://d.org/")
    for number in range(SINGLES + 3):
        crawler.find(f"http://h{number}.d.org/", parent="http://d.org/", depth=1)
    for page in range(2):
        crawler.find(f"http://nobody.net/{page}", parent="http://d.org/", depth=1)
    crawler.find("http://b.org/", depth=1)
    crawler.frontier.operator.block("b.org")
    crawler.frontier.tick()
    crawler.frontier.committer.commit()
    assert status(folder(), crawler.now()).held == [
        Held(Standing.SINGLE, 3, 3, ["d.org"]),
        Held(Standing.UNVOUCHED, 2, 1, ["nobody.net"]),
        Held(Standing.BLOCKED, 1, 1, ["b.org"]),
    ]
    waits = waiting(folder(), crawler.now())
    assert waits == {Standing.NEW: 2 + SINGLES, Standing.SINGLE: 3, Standing.UNVOUCHED: 2, Standing.BLOCKED: 1}
    one = host_named(folder(), f"h{SINGLES + 2}.d.org", crawler.now())
    assert one is not None
    assert (one.standing, one.next_at) == (Standing.SINGLE, None)
    crawler.frontier.operator.allow("nobody.net")
    crawler.frontier.committer.commit()
    assert Standing.UNVOUCHED not in waiting(folder(), crawler.now()), "somebody does now"


def test_no_more_hosts_are_looked_at_than_is_said(
    crawler: Crawler, folder: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skitter.inspection.waiting.LOOKED_AT", 3 * crawler.frontier._settings.frontier.shards)
    crawler.find("http://d.org/")
    for number in range(SINGLES + 9):
        crawler.find(f"http://h{number}.d.org/", parent="http://d.org/", depth=1)
    crawler.frontier.operator.block("d.org")
    crawler.frontier.tick()
    crawler.frontier.committer.commit()
    assert status(folder(), crawler.now()).held == [Held(Standing.BLOCKED, 3, 3, ["d.org"], at_least=True)]


def test_wishes_show_in_the_host(crawler: Crawler, folder: Open) -> None:
    crawler.frontier.operator.agree("a.org", 7.0)
    crawler.frontier.committer.commit()
    agreed = host_named(folder(), "a.org", crawler.now())
    assert agreed is not None
    assert (agreed.delay, agreed.delay_because) == (7.0, "agreed")
    crawler.frontier.operator.pause("a.org")
    crawler.frontier.committer.commit()
    paused = host_named(folder(), "a.org", crawler.now())
    assert paused is not None
    assert (paused.standing, paused.next_at) == (Standing.PAUSED, None)
    assert status(folder(), crawler.now()).hosts.paused == 1


def test_dead_ones_are_listed_with_the_last_failure(crawler: Crawler, folder: Open) -> None:
    crawler.find("http://b.org/x")
    failure = Failure(Kind.GONE, "HTTP 410")
    for _ in range(2):
        crawler.answer_robots(404)
    for _ in range(2):
        crawler.answer(410, failure)
    assert {one.url for one in dead(folder())} == {"http://a.org/", "http://b.org/x"}
    (one,) = dead(folder(), "b.org")
    assert (one.url, one.tries, one.failure) == ("http://b.org/x", 1, failure)
    assert (one.failed_at, one.failed_status, one.last_fetched) == (crawler.now(), 410, None)


# Why


def test_a_seed_that_is_done(crawler: Crawler, folder: Open) -> None:
    crawler.answer_robots()
    crawler.answer()
    story = story_of(folder(), "HTTP://A.org:80/?utm_source=x")
    assert (story.href, story.host) == ("http://a.org/?utm_source=x", "a.org")
    assert story.found is not None
    assert story.found.state is State.DONE
    assert (story.found.href, story.found.steps) == ("http://a.org/", [])
    assert (story.found.digest, story.found.offset) == ("sha256:abc", 77)
    assert story.found.file == str(crawler.directory / "warc" / "one.warc.gz")
    assert story.robots is not None
    assert (story.robots.allowed, story.robots.line, story.robots.status) == (True, None, 200)


def test_a_page_that_can_not_be_had_any_more_keeps_its_last_capture(crawler: Crawler, folder: Open) -> None:
    crawler.answer_robots()
    crawler.answer()
    good = crawler.now()
    before = found_of(folder(), "http://a.org/")
    crawler.again("http://a.org/")
    crawler.answer(206, Failure(Kind.BOMB, "1 GB"), Stored("sha256:206", "two.warc.gz", 88, 10))
    found = found_of(folder(), "http://a.org/")
    assert found.state is State.DEAD
    capture = ("last_fetched", "last_status", "digest", "file", "offset")
    assert [getattr(found, name) for name in capture] == [getattr(before, name) for name in capture]
    assert (found.last_fetched, found.last_status, found.offset) == (good, 200, 77)
    assert (found.failed_at, found.failed_status, found.failed_offset) == (crawler.now(), 206, 88)
    assert found.failed_file == str(crawler.directory / "warc" / "two.warc.gz")
    assert (found.tries, found.failure) == (1, Failure(Kind.BOMB, "1 GB"))
    (one,) = dead(folder())
    assert (one.failed_at, one.failed_status, one.last_fetched) == (crawler.now(), 206, good)


def test_a_page_that_is_to_be_had_again_shows_no_failure(crawler: Crawler, folder: Open) -> None:
    crawler.answer_robots()
    crawler.answer(503, Failure(Kind.UNAVAILABLE, "HTTP 503"))
    found = found_of(folder(), "http://a.org/")
    assert (found.last_fetched, found.last_status, found.file, found.failed_status) == (None, 0, None, 503)
    crawler.answer()
    found = found_of(folder(), "http://a.org/")
    assert (found.state, found.last_fetched, found.last_status) == (State.DONE, crawler.now(), 200)
    failed = (found.tries, found.failure, found.failed_at, found.failed_status, found.failed_file, found.failed_offset)
    assert failed == (0, None, None, 0, None, 0)


def test_a_page_that_crashed_us_has_been_tried_as_often(crawler: Crawler, folder: Open) -> None:
    url = Canon(crawler.settings.url)("http://a.org/")
    assert isinstance(url, Url)
    shard = crawler.frontier._shards.of("a.org").number
    for crashes in range(1, 100):
        crawler.frontier.count_crash(shard, fingerprint(url.key))
        found = found_of(folder(), "http://a.org/")
        assert (found.tries, found.failed_at, found.failed_status) == (crashes, crawler.now(), 0)
        if found.state is State.DEAD:
            break
        assert found.due is not None
        crawler.clock[0] = found.due
        crawler.frontier.tick()
    (one,) = dead(folder())
    assert (one.tries, one.failed_at) == (found.tries, crawler.now())
    assert one.tries > 1


def test_a_page_that_was_revived_is_not_said_to_have_failed_no_times(crawler: Crawler, folder: Open) -> None:
    crawler.answer_robots()
    crawler.answer(404, Failure(Kind.GONE, "HTTP 404"))
    crawler.frontier.operator.revive()
    crawler.frontier.committer.commit()
    found = found_of(folder(), "http://a.org/")
    assert (found.state, found.tries, found.failed_at) == (State.QUEUED, 0, crawler.now())


def test_the_way_back_to_the_seed(crawler: Crawler, folder: Open) -> None:
    crawler.find("http://a.org/map.xml", "http://a.org/robots.txt", errand=Errand.SITEMAP)
    crawler.find("http://a.org/listed", "http://a.org/map.xml", 1)
    crawler.find("http://b.org/linked", "http://a.org/listed", 2)
    assert found_of(folder(), "http://b.org/linked").steps == [
        Step("http://a.org/listed", "link"),
        Step("http://a.org/map.xml", "sitemap"),
        Step("http://a.org/robots.txt", "robots.txt"),
    ]


def test_parents_that_go_in_a_circle_end(crawler: Crawler, folder: Open) -> None:
    crawler.find("http://a.org/1", "http://a.org/2", 1)
    crawler.find("http://a.org/2", "http://a.org/1", 1)
    assert len(found_of(folder(), "http://a.org/1").steps) == 100


def test_the_line_that_forbids(crawler: Crawler, folder: Open) -> None:
    crawler.answer_robots()
    story = story_of(folder(), "http://a.org/private/x")
    assert story.robots is not None
    assert (story.robots.allowed, story.robots.line, story.robots.rule) == (False, 2, "Disallow: /private")
    assert story.found is None


def test_the_place_in_the_queue(crawler: Crawler, folder: Open) -> None:
    for number in range(3):
        crawler.find(f"http://a.org/{number}")
    assert [found_of(folder(), f"http://a.org/{text}").ahead for text in ("", "0", "2")] == [0, 1, 3]


UNKNOWN = [
    ("http://a.org/never", None),
    ("http://x.a.org/never", None),  # the same registrable domain
    ("http://other.org/", Reason.OUT_OF_SCOPE),
]


@pytest.mark.parametrize(("text", "refusal"), UNKNOWN, ids=[row[0] for row in UNKNOWN])
def test_what_was_never_found(crawler: Crawler, folder: Open, text: str, refusal: Reason | None) -> None:
    story = story_of(folder(), text)
    assert (story.found, story.refusal) == (None, refusal)


def test_the_other_scheme_is_named_if_that_one_is_known(crawler: Crawler, folder: Open) -> None:
    story = story_of(folder(), "https://a.org/")
    assert (story.found, story.other) == (None, "http://a.org/")


@pytest.mark.parametrize("text", ["a.org", "www.A.org/"])
def test_without_a_scheme_the_known_one_is_meant(crawler: Crawler, folder: Open, text: str) -> None:
    assert found_of(folder(), text).href == "http://a.org/"


@pytest.mark.parametrize(("text", "reason"), [("mailto:x@a.org", Reason.NOT_HTTP), ("http://[", Reason.BAD_URL)])
def test_what_is_no_url(crawler: Crawler, folder: Open, text: str, reason: Reason) -> None:
    assert why(folder(), text, 0.0) is reason
