"""`skitter plan --freshness`, from a crawl's folder and from histories."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from skitter.cli.plan import in_words
from skitter.frontier.policies import RobotsOutcome
from skitter.inspection.folder import Folder
from skitter.inspection.plan import ENOUGH, Planned, planned
from skitter.inspection.rehearsed import planned_for
from skitter.messages import Errand, Fetched, Outcome, Stored
from skitter.settings import DAY
from skitter.tools.lines import BadLine
from skitter.tools.schedule import histories

if TYPE_CHECKING:
    from tests.inspection.conftest import Crawler

Open = Callable[[], Folder]


def visited(crawler: Crawler, pages: int) -> None:
    """Has so many pages visited. Each second one has changed since its last visit."""
    done = 0
    while done < pages:
        lease, now = crawler.lease(), crawler.clock[0]
        if lease.errand is Errand.ROBOTS:
            answer = Fetched(lease, now, now, address="127.0.0.1", status=404)
            crawler.frontier.settle(RobotsOutcome(lease, now, answer, crawler.frontier.judge_robots(lease, answer)))
            continue
        stored = Stored(f"sha256:{now if done % 2 else lease.href}", "one.warc.gz", 77, 10)
        crawler.frontier.settle(Outcome(lease, now, began=now, status=200, stored=stored))
        done += 1
    crawler.frontier.committer.commit()


def coming_back(crawler: Crawler, pages: int) -> None:
    schedule = structs.replace(crawler.settings.schedule, recrawl=True, check_share=0.0)
    crawler.frontier.take_settings(structs.replace(crawler.settings, schedule=schedule))
    for number in range(pages - 1):
        crawler.find(f"http://a.org/{number}", depth=1)
    visited(crawler, pages)


def test_a_crawl_that_does_not_come_back(crawler: Crawler, folder: Open) -> None:
    found = planned(folder(), [])
    assert found.plans == []
    assert "No page of this crawl is to be seen again: crawl with --forever" in in_words(found)


def test_too_little_is_said_to_be_too_little(crawler: Crawler, folder: Open) -> None:
    coming_back(crawler, 5)
    found = planned(folder(), [])
    assert (found.pages, found.seen_again, found.plans) == (5, 0, [])
    assert f"of 5 pages looked at, 0 were seen again so far, and {ENOUGH} are needed" in in_words(found)


@pytest.mark.slow
def test_once_pages_were_seen_again_there_is_a_table(crawler: Crawler, folder: Open) -> None:
    coming_back(crawler, 40)
    crawler.clock[0] += 100 * DAY
    visited(crawler, 40)
    found = planned(folder(), [1.5, 4.0])
    assert (found.pages, found.seen_again) == (40, 40)
    assert found.plans[0].fresh < found.plans[1].fresh
    assert found.now == pytest.approx(40 / 7)
    lines = in_words(found).splitlines()
    assert lines[0].split()[:3] == ["visits", "a", "day"]
    assert lines[2].split()[0] == "4"


LINES = [
    {"budget": 4, "from": 0, "until": 40 * DAY},
    *({"id": n, "host": "a", "known_at": 0, "changes": [d * DAY for d in range(n, 40, n + 1)]} for n in range(8)),
]


def test_histories_are_rehearsed() -> None:
    asked = histories([json.dumps(line).encode() for line in LINES])
    found = planned_for(asked, [1.0, 4.0])
    assert [one.budget for one in found.plans] == [1.0, 4.0]
    assert 0 < found.plans[0].fresh < found.plans[1].fresh < 1
    assert found.plans[0].used == pytest.approx(1.0)
    assert "as it is set up now" in in_words(found).splitlines()[2]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "there is no line in it"),
        ([b'{"budget": 0, "from": 0, "until": 1}'], "line 1: budget = 0.0: must be more than 0"),
        ([json.dumps(LINES[0]).encode(), b"x"], "line 2: not a line of JSON"),
    ],
)
def test_histories_that_cannot_be_read(lines: list[bytes], told: str) -> None:
    with pytest.raises(BadLine, match=told):
        histories(lines)


def test_no_pages_are_no_plan() -> None:
    assert in_words(Planned(0, 0, 0, 0.0, [])).startswith("No page")
