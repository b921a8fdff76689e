"""robots.txt in every state, and what may follow it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from skitter.audit.report import Breach
from skitter.messages import Kind
from skitter.settings import DAY, HOUR, IdentitySettings, Settings
from tests.audit.timeline import Step, audited, page, robots

A, B = "http://a.example", "http://b.example"
TXT = f"{A}/robots.txt"
RULES = "User-agent: *\nDisallow: /no\n"


def to(url: str, status: int = 301) -> dict[str, object]:
    return {"status": status, "headers": [("Location", url)]}


CHAIN = [f"{A}/r{number}.txt" for number in range(1, 7)]


def chain(hops: int) -> list[Step]:
    """Returns a robots.txt that redirects so often before it answers."""
    urls = [TXT, *CHAIN[:hops]]
    return [
        robots(at, url, RULES, chain=tuple(urls[:at]), **(to(urls[at + 1]) if at < hops else {}))
        for at, url in enumerate(urls)
    ]


# What was asked for robots.txt, then when a page is asked for that it allows, and what that breaks.
CASES: dict[str, tuple[list[Step], float, Breach | None]] = {
    "200": ([robots(0, TXT, RULES)], 10, None),
    "204": ([robots(0, TXT, status=204)], 10, None),
    "empty": ([robots(0, TXT)], 10, None),
    "HTML": ([robots(0, TXT, "<html>Disallow: /yes")], 10, None),
    "401": ([robots(0, TXT, status=401)], 10, None),
    "403": ([robots(0, TXT, status=403)], 10, None),
    "404": ([robots(0, TXT, status=404)], 10, None),
    "410": ([robots(0, TXT, status=410)], 10, None),
    "429": ([robots(0, TXT, status=429)], 10, Breach.ROBOTS_UNREADABLE),
    "500": ([robots(0, TXT, status=500)], 10, Breach.ROBOTS_UNREADABLE),
    "503": ([robots(0, TXT, status=503)], 10, Breach.ROBOTS_UNREADABLE),
    "reset": ([robots(0, TXT, status=0, failure=Kind.RESET)], 10, Breach.ROBOTS_UNREADABLE),
    "nobody there": ([robots(0, TXT, is_sent=False, failure=Kind.REFUSED)], 10, Breach.ROBOTS_UNREADABLE),
    "no such name": ([robots(0, TXT, is_sent=False, failure=Kind.DNS_UNKNOWN)], 10, Breach.ROBOTS_UNREADABLE),
    "broken off": ([robots(0, TXT, RULES, failure=Kind.BAD_ENCODING)], 10, Breach.ROBOTS_UNREADABLE),
    "cut by the connection": ([robots(0, TXT, RULES, truncated="disconnect")], 10, Breach.ROBOTS_UNREADABLE),
    "cut at our own limit": ([robots(0, TXT, RULES, truncated="length")], 10, None),
    "never asked for": ([], 10, Breach.ROBOTS_UNKNOWN),
    "asked for later": ([robots(12, TXT, RULES)], 10, Breach.ROBOTS_UNKNOWN),
    "of another name": ([robots(0, "http://www.a.example/robots.txt", RULES)], 10, Breach.ROBOTS_UNKNOWN),
    "of another scheme": ([robots(0, "https://a.example/robots.txt", RULES)], 10, Breach.ROBOTS_UNKNOWN),
    "a day old": ([robots(0, TXT, RULES)], DAY - 1, None),
    "older": ([robots(0, TXT, RULES)], DAY + 40, Breach.ROBOTS_STALE),
    "older than max-age": (
        [robots(0, TXT, RULES, headers=[("Cache-Control", "max-age=100")])],
        140,
        Breach.ROBOTS_STALE,
    ),
    "rules, then 500": ([robots(0, TXT, RULES), robots(DAY - 60, TXT, status=500)], DAY - 50, None),
    "rules, then nobody there": (
        [robots(0, TXT, RULES), robots(HOUR, TXT, is_sent=False, failure=Kind.CONNECT_TIMEOUT)],
        HOUR + 0.1,  # nobody was visited, so there is no delay to keep
        None,
    ),
    "rules, then 500 for too long": (
        [robots(0, TXT, RULES), robots(DAY - 60, TXT, status=500), robots(DAY + 300, TXT, status=500)],
        DAY + 310,
        Breach.ROBOTS_UNREADABLE,
    ),
    "none, then 500": ([robots(0, TXT, status=404), robots(60, TXT, status=500)], 70, Breach.ROBOTS_UNREADABLE),
    "500, then rules": ([robots(0, TXT, status=500), robots(300, TXT, RULES)], 310, None),
    "five redirects": (chain(5), 10, None),
    "six redirects": (chain(6)[:6], 10, Breach.ROBOTS_UNREADABLE),
    "a redirect that was not followed": (chain(1)[:1], 10, Breach.ROBOTS_UNKNOWN),
    "a kept connection that was closed": (
        [robots(0, TXT, status=0, failure=Kind.STALE), robots(1, TXT, RULES)],
        10,
        None,
    ),
    "a kept connection that was closed, and no more": (
        [robots(0, TXT, status=0, failure=Kind.STALE)],
        10,
        Breach.ROBOTS_UNKNOWN,
    ),
    "a kept connection that was closed on the way": (
        [
            *chain(1)[:1],
            robots(1, CHAIN[0], chain=(TXT,), status=0, failure=Kind.STALE),
            robots(2, CHAIN[0], RULES, chain=(TXT,)),
        ],
        10,
        None,
    ),
    "redirected by an answer that broke": (
        [robots(0, TXT, failure=Kind.BAD_ENCODING, **to(CHAIN[0]))],
        10,
        Breach.ROBOTS_UNREADABLE,
    ),
    "redirected to nowhere": ([robots(0, TXT, status=301)], 10, Breach.ROBOTS_UNREADABLE),
    "redirected to a file": ([robots(0, TXT, **to("file:///etc/passwd"))], 10, Breach.ROBOTS_UNREADABLE),
    "redirected away": (
        [robots(0, TXT, **to("//b.example/r.txt", 308)), robots(1, f"{B}/r.txt", RULES, chain=(TXT,))],
        10,
        None,
    ),
    "redirected away, and nobody there": (
        [
            robots(0, TXT, **to(f"{B}/r.txt")),
            robots(1, f"{B}/r.txt", chain=(TXT,), is_sent=False, failure=Kind.REFUSED),
        ],
        10,
        Breach.ROBOTS_UNREADABLE,
    ),
}


@pytest.mark.parametrize(("asked", "at", "breach"), CASES.values(), ids=CASES)
def test_what_may_follow(asked: Sequence[Step], at: float, breach: Breach | None, tmp_path: Path) -> None:
    report = audited(tmp_path, [*asked, page(at, f"{A}/yes")])
    assert list(report.counts) == ([] if breach is None else [breach])


@pytest.mark.parametrize(
    "asked",
    [[robots(0, TXT, RULES)], chain(5), CASES["redirected away"][0], CASES["rules, then 500"][0]],
    ids=["200", "five redirects", "redirected away", "rules, then 500"],
)
def test_rules_hold_wherever_they_were_read(asked: Sequence[Step], tmp_path: Path) -> None:
    report = audited(tmp_path, [*asked, page(asked[-1].at + 10, f"{A}/no/where")])
    assert report.counts == {Breach.FORBIDDEN: 1}
    assert report.shown[0].why == "line 2: Disallow: /no"


def test_rules_that_change_hold_from_their_answer_on(tmp_path: Path) -> None:
    steps = [
        robots(0, TXT, RULES),
        page(10, f"{A}/yes"),
        robots(20, TXT, "User-agent: *\nDisallow: /yes\n"),
        page(30, f"{A}/no"),
        page(40, f"{A}/yes/2"),
    ]
    report = audited(tmp_path, steps)
    assert [one.urls for one in report.shown] == [[f"{A}/yes/2"]]


def test_a_redirect_away_is_a_visit_of_the_other_host_and_rules_nothing_there(tmp_path: Path) -> None:
    steps = [
        robots(0, f"{B}/robots.txt", "User-agent: *\nDisallow: /r\n"),
        robots(1, TXT, **to(f"{B}/r.txt")),
        robots(2, f"{B}/r.txt", "User-agent: *\nDisallow: /\nCrawl-delay: 9\n", chain=(TXT,)),
        page(2.5, f"{B}/page"),
        page(3.5, f"{B}/page/2"),
    ]
    report = audited(tmp_path, steps)
    assert [(one.kind, one.host, one.gap, one.required) for one in report.shown] == [
        (Breach.TOO_EARLY, "b.example", 0.5, 1.0)
    ]


def test_a_hop_to_another_host_is_no_visit_of_the_first(tmp_path: Path) -> None:
    hop = robots(5, f"{B}/r.txt", RULES, chain=(TXT,))
    report = audited(tmp_path, [robots(0, TXT, **to(f"{B}/r.txt")), hop, page(5.1, f"{A}/yes")])
    assert report.counts == {}
    assert (report.requests, report.robots, report.hosts) == (3, 2, 2)


def test_who_was_not_reached_was_not_visited(tmp_path: Path) -> None:
    report = audited(tmp_path, [robots(0, TXT, is_sent=False, failure=Kind.REFUSED)])
    assert (report.requests, report.robots, report.hosts, report.records) == (0, 0, 0, 2)


def test_the_longest_crawl_delay_of_a_host_counts(tmp_path: Path) -> None:
    texts = [f"User-agent: *\nCrawl-delay: {delay}\n" for delay in (5, 2)]
    steps = [robots(0, TXT, texts[0]), robots(5, "https://a.example/robots.txt", texts[1])]
    assert audited(tmp_path / "kept", [*steps, page(10, f"{A}/yes")]).is_clean
    assert audited(tmp_path / "broken", [*steps, page(9, f"{A}/yes")]).counts == {Breach.TOO_EARLY: 1}


FALSE = {
    "another path": robots(10, f"{A}/private"),
    "a chain that nobody sent us on": robots(10, f"{A}/private", chain=(TXT,)),
    "a chain from elsewhere": robots(10, f"{A}/private", chain=("http://c.example/robots.txt",)),
    "another end of the chain": robots(10, f"{B}/private", chain=(f"{B}/robots.txt",)),
}


@pytest.mark.parametrize("step", FALSE.values(), ids=FALSE)
def test_only_robots_txt_and_its_redirects_are_robots_txt(step: Step, tmp_path: Path) -> None:
    asked = [robots(0, TXT, RULES), robots(1, f"{B}/robots.txt", **to(f"{B}/r.txt"))]
    report = audited(tmp_path, [*asked, step])
    assert report.counts == {Breach.FALSE_ERRAND: 1}


def test_the_rules_are_those_for_our_own_name(tmp_path: Path) -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: beetle\nDisallow: /no\n"
    settings = Settings(identity=IdentitySettings(robots_token="beetle"))
    steps = [robots(0, TXT, text), page(10, f"{A}/yes")]
    assert audited(tmp_path / "beetle", steps, settings).is_clean
    assert audited(tmp_path / "skitter", steps).counts == {Breach.FORBIDDEN: 1}
