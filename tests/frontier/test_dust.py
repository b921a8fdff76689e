"""What of a host's URLs makes no difference, learnt and used by the frontier."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skitter.judge.dust import ENOUGH, SAMPLED, Piece, Rule
from tests.frontier.plays import NONE, Page, play, prose
from tests.frontier.test_frontier import Crawler, found

PAGES = 60
ALIASES = {
    "a parameter": "/a/{n}?ref=home",
    "a suffix": "/a/{n}/print",
    "a parameter in the path": "/a/{n};v={n}",
    "a folder": "/m/a/{n}",
}
_ANY = re.compile(r"(?:/m)?/a/(\d+)(?:\?ref=home|/print|;v=\d+)?")


@pytest.mark.slow
@pytest.mark.parametrize("alias", ALIASES)
def test_pages_under_a_second_name_are_fetched_few_times(tmp_path: Path, alias: str) -> None:
    def site(path: str) -> Page:
        place = _ANY.fullmatch(path)
        if path == "/" or place is None or int(place[1]) >= PAGES:
            return Page("home", ("/a/0",)) if path == "/" else NONE
        number = int(place[1])
        return Page(prose(number), (f"/a/{number + 1}", ALIASES[alias].format(n=number)))

    played = play(tmp_path, site)
    assert {f"/a/{number}" for number in range(PAGES)} <= set(played.asked)
    assert played.asked.total() < PAGES + ENOUGH + PAGES // SAMPLED + 15


@pytest.mark.slow
def test_a_parameter_that_matters_now_and_then_is_never_left_out(tmp_path: Path) -> None:
    def site(path: str) -> Page:
        place = re.fullmatch(r"/a/(\d+)(\?v=1)?", path)
        if path == "/" or place is None or int(place[1]) >= PAGES:
            return Page("home", ("/a/0",)) if path == "/" else NONE
        number = int(place[1])
        text = prose((number, "other")) if place[2] and number % 6 == 5 else prose(number)
        return Page(text, (f"/a/{number + 1}", f"/a/{number}?v=1"))

    played = play(tmp_path, site)
    assert {f"/a/{number}?v=1" for number in range(PAGES)} <= set(played.asked)


def test_a_rule_is_used_after_a_restart_and_not_when_it_is_refused(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path)
    rule = Rule(Piece.NAME, "ref", 1000, 0, bytes(12))
    shard = crawler.frontier._shards.of("a.org")
    shard.put_judgement("a.org", type(shard.judgement("a.org"))(dust=(rule,)))
    shard.put_dust("a.org", (rule,))
    crawler.reopen()
    assert crawler.frontier.discover([found("http://a.org/1")]) == 1
    assert crawler.frontier.discover([found("http://a.org/1?ref=x"), found("http://b.org/1?ref=x")]) == 1
    assert crawler.frontier.discover([found("http://a.org/2?ref=x")]) == 1, "no such page is known without it"
    assert crawler.frontier.discover([found("http://a.org/2?ref=y")]) == 0, "and now one is, but for that"
    crawler.frontier.operator.refuse("a.org", "ref", is_refused=True)
    assert crawler.frontier.discover([found("http://a.org/1?ref=z")]) == 1
    crawler.frontier.close()
