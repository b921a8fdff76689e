"""The story of a URL reads like sentences."""

from __future__ import annotations

import re

import pytest
from msgspec import structs

from skitter.inspection.hosts import HostLook
from skitter.inspection.judged import ClosedLook
from skitter.inspection.refused import RefusedLink
from skitter.inspection.standing import Standing
from skitter.inspection.story import in_words
from skitter.inspection.why import Found, RobotsLook, Step, Story
from skitter.messages import Errand, Failure, Kind, Reason, State

NOW = 1_800_000_000.0
URL = "http://a.org/x"

FOUND = Found(
    href=URL,
    state=State.DONE,
    reason=None,
    errand=Errand.PAGE,
    first_seen=NOW - 60,
    depth=2,
    priority=0.5,
    tries=0,
    failure=None,
    failed_at=None,
    failed_status=0,
    failed_file=None,
    failed_offset=0,
    due=None,
    last_fetched=NOW - 30,
    last_status=200,
    digest="sha256:abc",
    file="/out/warc/one.warc.gz",
    offset=77,
    etag=None,
    last_modified=None,
    sitemap_modified=None,
    steps=[Step("http://a.org/map.xml", "sitemap"), Step("http://a.org/robots.txt", "robots.txt")],
    ahead=None,
)
ROBOTS = RobotsLook("http://a.org/robots.txt", "rules", 200, None, NOW - 50, NOW - 50, NOW + 3600, True, None, None)
HOST = HostLook("a.org", Standing.READY, NOW + 2, {}, 2.0, "default", 1.0, 5, 4, 0, NOW, None)
STORY = Story("/out", URL, URL, URL, "a.org", 7, FOUND, None, None, ROBOTS, HOST)


def told(**changes: object) -> str:
    """Returns the story with the times of day taken out."""
    found = structs.replace(FOUND, **{key: changes.pop(key) for key in list(changes) if key in FOUND.__struct_fields__})
    changes.setdefault("found", found)
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", in_words(structs.replace(STORY, **changes), NOW))


def test_a_page_that_is_done() -> None:
    assert (
        told()
        == """\
How it is written
  It is fetched as http://a.org/x
  Its host is a.org, in shard 7.

Where it was found
  It was found TIME (1 min ago), 2 links away from a seed,
    in the sitemap http://a.org/map.xml,
    which was found in http://a.org/robots.txt,
    which is asked for first of all.

What became of it
  It is done.
  Last fetched TIME (30 s ago), answered with status 200.
  Its capture is in /out/warc/one.warc.gz at offset 77.
  Its body has the digest sha256:abc.

What robots.txt says
  http://a.org/robots.txt allows it: no line of it matches.
  It was asked for TIME (50 s ago) and answered with status 200; it is asked for again after TIME (in 1 h).

What comes next
  Its host is visited every 2 s, as every host is unless something else is said (politeness.delay).
  For this URL nothing is planned."""
    )


LINES = [
    ("as it was typed", {"asked": "A.org/x"}, "You asked for A.org/x"),
    ("its key", {"key": "http://a.org/y"}, "It is compared as http://a.org/y"),
    ("a seed", {"steps": []}, "It is a seed, known since TIME (1 min ago)."),
    ("from a seed", {"steps": [Step("http://a.org/", "link")]}, "by a link on http://a.org/,\n    which is a seed."),
    ("by a redirect", {"steps": [Step("http://a.org/", "redirect")]}, "by a redirect from http://a.org/,"),
    ("never found", {"found": None}, "It was never discovered"),
    (
        "found, but refused",
        {"found": None, "refused": [RefusedLink("http://a.org/p", "navigation", "out_of_scope")]},
        "It was found, but never queued:\n"
        "    by a link on http://a.org/p, not followed: it is out of the crawl's scope (out_of_scope).",
    ),
    (
        "listed, but refused",
        {"found": None, "refused": [RefusedLink("http://a.org/s.xml", "listed", "later_reason")]},
        "in the sitemap http://a.org/s.xml, not followed: later_reason.",
    ),
    (
        "a soft 404",
        {
            "reasons": [Reason.NOINDEX, Reason.SOFT_404],
            "evidence": {Reason.SOFT_404: "100% of the words are the same, as the host answers for http://a.org/qxv"},
        },
        "answered with status 200.\n"
        "  What we think of it: the page asks not to be indexed (noindex).\n"
        "  What we think of it: it only says that there is no such page, though with the status of one that is there "
        "(soft_404): 100% of the words are the same, as the host answers for http://a.org/qxv.\n",
    ),
    ("a copy", {"duplicate_of": "http://a.org/y"}, "It is a copy of http://a.org/y\n"),
    ("not all is indexed", {"found": None, "all_indexed": False}, "once their WARC file is sealed; one is still"),
    ("guessed", {"steps": [], "errand": Errand.SITEMAP}, "No robots.txt names it: it was asked for as most sites have"),
    ("in scope", {"found": None}, "To queue it: skitter seeds add /out http://a.org/x"),
    ("out of scope", {"found": None, "refusal": Reason.OUT_OF_SCOPE}, "left out: it is out of the crawl's scope."),
    ("the other scheme", {"found": None, "other": "https://a.org/x"}, "scheme it is known: https://a.org/x"),
    ("skipped", {"state": State.SKIPPED, "reason": Reason.ROBOTS_DISALLOW}, "It is skipped: robots.txt forbids it."),
    (
        "failed",
        {"state": State.FAILED, "tries": 2, "failure": Failure(Kind.RESET, "by peer"), "due": NOW + 120},
        "It has failed 2 times; at the last one the server cut the connection (by peer).\n  It will be tried again.",
    ),
    ("due", {"state": State.FAILED, "failure": Failure(Kind.RESET), "due": NOW + 120}, "due TIME (in 2 min)."),
    (
        "a try without an answer",
        {"state": State.FAILED, "tries": 1, "failure": Failure(Kind.RESET), "failed_at": NOW - 9},
        "It was last tried TIME (9 s ago), without an answer.\n  It will be tried again.\n  Last fetched TIME (30 s",
    ),
    (
        "a try that was answered with an error",
        {
            "state": State.DEAD,
            "tries": 1,
            "failure": Failure(Kind.GONE, "HTTP 404"),
            "failed_at": NOW - 9,
            "failed_status": 404,
            "failed_file": "/out/warc/two.warc.gz",
            "failed_offset": 5,
        },
        "It was last tried TIME (9 s ago), answered with status 404 (in /out/warc/two.warc.gz at offset 5).\n"
        "  It was given up.\n"
        "  To try all such again: skitter dead retry /out\n"
        "  Last fetched TIME (30 s ago), answered with status 200.\n"
        "  Its capture is in /out/warc/one.warc.gz at offset 77.",
    ),
    (
        "revived",
        {"state": State.QUEUED, "failure": Failure(Kind.GONE), "failed_at": NOW - 9, "last_fetched": None},
        "It was given up, and revived since; at its last try the server says that there is no such page.\n"
        "  It was last tried TIME (9 s ago), without an answer.\n"
        "  It is queued again.",
    ),
    ("new", {"state": State.QUEUED, "last_fetched": None}, "It is queued: it has not been fetched yet."),
    ("dead", {"state": State.DEAD, "failure": Failure(Kind.GONE)}, "To try all such again: skitter dead retry /out"),
    ("queued", {"state": State.QUEUED, "last_fetched": None, "ahead": 3}, "3 URLs of its host are before it: its turn"),
    ("its turn", {"state": State.QUEUED, "ahead": 3}, "comes no sooner than TIME (in 8 s)."),
    (
        "the line that decides",
        {"robots": structs.replace(ROBOTS, allowed=False, line=4, rule="Disallow: /x")},
        "http://a.org/robots.txt forbids it: line 4 decides, `Disallow: /x`.",
    ),
    ("no robots yet", {"robots": None}, "It was not asked for yet"),
    (
        "unreadable",
        {"robots": structs.replace(ROBOTS, access="deny_all", allowed=False, status=0)},
        "it can't be read, and what can't be read forbids everything.\n  It was asked for TIME (50 s ago) and did not",
    ),
    (
        "out of reach",
        {"robots": structs.replace(ROBOTS, access="deny_all", status=0, failure=Failure(Kind.REFUSED, "port 80"))},
        "It was asked for TIME (50 s ago), but nothing listens at that address (port 80); it is asked for again",
    ),
    ("none", {"robots": structs.replace(ROBOTS, access="allow_all", status=404)}, "the server has none to give"),
    ("an old one", {"robots": structs.replace(ROBOTS, access="keep_last_known")}, "of the last version that could be"),
    ("paused", {"host_look": structs.replace(HOST, standing=Standing.PAUSED)}, "again: skitter resume /out a.org"),
    (
        "single",
        {"host_look": structs.replace(HOST, standing=Standing.SINGLE, next_at=None)},
        "have it visited now: skitter seeds add",
    ),
    (
        "unvouched",
        {"host_look": structs.replace(HOST, standing=Standing.UNVOUCHED)},
        "To vouch for it: skitter review allow /out a.org",
    ),
    (
        "asleep",
        {"host_look": structs.replace(HOST, asleep_until=NOW + 60)},
        "asleep after failures, until TIME (in 1 m",
    ),
    ("slowed", {"host_look": structs.replace(HOST, delay_because="back-off")}, "because it told us to slow down"),
    ("no host", {"host_look": None, "found": None}, "Nothing is known of its host yet."),
]


@pytest.mark.parametrize(("changes", "line"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_lines(changes: dict[str, object], line: str) -> None:
    assert line in told(**changes)


def test_a_url_in_a_closed_corner() -> None:
    closed = ClosedLook("/day/0", "12 pages led on to more of them", NOW - 60, NOW + 60)
    story = told(state=State.SKIPPED, reason=Reason.TRAP, closed=closed)
    assert "It is in /day/0, which was closed TIME (1 min ago): 12 pages led on to more of them." in story
