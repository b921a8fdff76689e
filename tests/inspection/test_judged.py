"""What is thought of a host, as it is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from skitter.inspection.folder import Folder
from skitter.inspection.judged import ClosedLook, MirrorLook, RuleLook, judged_host
from skitter.inspection.story import in_words as tell
from skitter.inspection.thoughts import MIRRORS, RULES, in_words
from skitter.inspection.why import Story, why
from skitter.judge.corner import SHAPE
from skitter.judge.dust import ENOUGH, Piece, Rule
from skitter.judge.host import HostJudgement
from skitter.judge.mirror import Mirror
from skitter.judge.traps import Closed, Traps
from skitter.messages import Reason, State
from skitter.rank.forms import publish_forms
from skitter.rank.published import ranks_folder
from skitter.rank.survey.form import Form
from skitter.shard.records import UrlRecord
from skitter.url.keys import fingerprint

if TYPE_CHECKING:
    from tests.inspection.conftest import Crawler

CLOSED = Closed("/day/0", SHAPE, 1_700_000_000.0, "12 pages led on", 1_700_604_800.0)
USED = Rule(Piece.NAME, "ref", ENOUGH, 0, bytes(12))
JUDGED = HostJudgement(
    Traps(closed=(CLOSED,)),
    (
        USED,
        structs.replace(USED, name="v", agreed=1),
        structs.replace(USED, name="page", is_broken=True),
        structs.replace(USED, name="lang", is_refused=True),
    ),
)


def judge(crawler: Crawler) -> None:
    crawler.frontier._shards.of("a.org").put_judgement("a.org", JUDGED)
    crawler.frontier.committer.commit()


def test_closed_corners_and_rules_of_a_host(crawler: Crawler, folder: Callable[[], Folder]) -> None:
    judge(crawler)
    found = judged_host(folder(), "a.org", crawler.now())
    assert found is not None
    assert found.closed == [ClosedLook("/day/0", "12 pages led on", CLOSED.at, CLOSED.review_at)]
    assert found.rules[0] == RuleLook("parameter", "ref", ENOUGH, "used")
    assert [rule.standing for rule in found.rules] == list(RULES)
    told = "\n".join(in_words(found, crawler.now()))
    assert "/day/0 was closed as a trap" in told
    assert "The parameter `ref` makes no difference: 10 pages agreed." in told
    assert judged_host(folder(), "nowhere.org", crawler.now()) is None


@pytest.mark.parametrize("standing", MIRRORS)
def test_the_host_that_one_is_a_mirror_of(crawler: Crawler, folder: Callable[[], Folder], standing: str) -> None:
    mirror = Mirror("https://www.b.org", 1 if standing == "learning" else ENOUGH, standing == "broken")
    crawler.frontier._shards.of("a.org").put_mirror("a.org", structs.replace(mirror, is_refused=standing == "refused"))
    crawler.frontier.committer.commit()
    found = judged_host(folder(), "a.org", crawler.now())
    assert found is not None
    assert found.mirror == MirrorLook("b.org", mirror.agreed, standing)
    assert MIRRORS[standing] in "\n".join(in_words(found, crawler.now()))


def test_why_tells_what_a_url_of_a_mirror_stands_for(crawler: Crawler, folder: Callable[[], Folder]) -> None:
    crawler.find("http://a.org/x", depth=1)
    shard, mark = crawler.frontier._shards.of("a.org"), fingerprint("http://a.org/x")
    before = shard.url(mark)
    assert before is not None
    aside = structs.replace(
        before, state=State.SKIPPED, reason=Reason.DUST, queue=b"", evidence={Reason.DUST: "http://b.org/x"}
    )
    shard.change_url(mark, before, aside)
    crawler.frontier.committer.commit()
    story = why(folder(), "http://a.org/x", crawler.now())
    assert isinstance(story, Story)
    assert "Its host is a mirror; it stands for http://b.org/x" in tell(story, crawler.now())


def test_why_tells_which_form_is_the_page(crawler: Crawler, folder: Callable[[], Folder]) -> None:
    pages = ["http://a.org/x", "http://a.org/x?ref=1"]
    for page in pages:
        crawler.find(page, depth=1)
    crawler.frontier.committer.commit()
    look = folder()
    ranks_folder(look.directory).mkdir(parents=True)
    publish_forms(look.directory, [Form(pages[0], pages[0], 1200, 1200), Form(pages[1], pages[0], 3, 1200)], 0.0)
    told = [
        tell(story, 0.0) for story in (why(look, page, crawler.now()) for page in pages) if isinstance(story, Story)
    ]
    assert "most pages link to this one (1,200): it is the page" in told[0]
    assert f"another form of {pages[0]}, which as many pages or more link to (1,200 pages against 3)" in told[1]


def test_why_tells_of_a_url_that_was_purged(crawler: Crawler, folder: Callable[[], Folder]) -> None:
    crawler.find("http://a.org/x", parent="http://a.org/", depth=3)
    shard, mark = crawler.frontier._shards.of("a.org"), fingerprint("http://a.org/x")
    before = shard.url(mark)
    assert before is not None
    purged = UrlRecord(before.href, before.host, State.SKIPPED, before.first_seen, 3, 0.1, reason=Reason.PURGED)
    shard.change_url(mark, before, purged)
    crawler.frontier.committer.commit()
    story = why(folder(), "http://a.org/x", crawler.now())
    assert isinstance(story, Story)
    told = tell(story, crawler.now())
    assert "It is skipped: the disk ran full" in told
    assert "3 links away from a seed." in told


def test_why_tells_the_corner_that_a_url_is_put_aside_for(crawler: Crawler, folder: Callable[[], Folder]) -> None:
    crawler.find("http://a.org/day/17", parent="http://a.org/day/16", depth=1)
    judge(crawler)
    shard, mark = crawler.frontier._shards.of("a.org"), fingerprint("http://a.org/day/17")
    before = shard.url(mark)
    assert before is not None
    shard.change_url(mark, before, structs.replace(before, state=State.SKIPPED, reason=Reason.TRAP, queue=b""))
    crawler.frontier.committer.commit()
    story = why(folder(), "http://a.org/day/17", crawler.now())
    assert isinstance(story, Story)
    assert story.closed == ClosedLook("/day/0", "12 pages led on", CLOSED.at, CLOSED.review_at)
