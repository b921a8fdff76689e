from __future__ import annotations

import pytest

from skitter.robots.groups import product_token
from skitter.robots.rules import parse

PROBES = "abcdef"


def forbidden(text: str, agent: str = "us") -> str:
    """Returns which of /a to /f are forbidden."""
    rules = parse(text.encode(), agent)
    return "".join(probe for probe in PROBES if not rules.allows(f"/{probe}"))


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("FooBot", "foobot"),
        ("FooBot/2.1", "foobot"),
        ("FooBot/2.1 (+http://foo.org)", "foobot"),
        ("Foo Bar", "foo"),
        ("foo-bot_x", "foo-bot_x"),
        ("Agent2", "agent2"),
        ("foobot*", "foobot"),
        ("Öbot", "öbot"),
        ("*", "*"),
        ("* all of you", "*"),
        ("*bot", ""),
        ("", ""),
        ("  x ", "x"),
        ("(compatible)", ""),
    ],
)
def test_product_token(agent: str, token: str) -> None:
    assert product_token(agent) == token


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("User-agent: us\nDisallow: /a", "a", id="ours"),
        pytest.param("User-agent: US\nDisallow: /a", "a", id="any-case"),
        pytest.param("User-agent: us/1.0\nDisallow: /a", "a", id="with-version"),
        pytest.param("User-agent: usa\nDisallow: /a", "", id="longer-name"),
        pytest.param("User-agent: u\nDisallow: /a", "", id="shorter-name"),
        pytest.param("User-agent: us2\nDisallow: /a", "", id="with-digit"),
        pytest.param("User-agent: them us\nDisallow: /a", "", id="not-the-first-name"),
        pytest.param("User-agent: *\nDisallow: /a", "a", id="anyone"),
        pytest.param("User-agent: *\nDisallow: /a\nUser-agent: us\nDisallow: /b", "b", id="ours-before-anyone"),
        pytest.param("User-agent: us\nDisallow: /b\nUser-agent: *\nDisallow: /a", "b", id="in-any-order"),
        pytest.param("User-agent: *\nDisallow: /a\nUser-agent: us\nDisallow:", "", id="ours-is-empty"),
        pytest.param("User-agent: *\nDisallow: /a\n\nUser-agent: us", "", id="ours-is-last-and-bare"),
        pytest.param(
            "User-agent: us\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: us\nDisallow: /c", "ac", id="merged"
        ),
        pytest.param("User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "ab", id="anyone-merged"),
        pytest.param("User-agent: us\nUser-agent: x\nDisallow: /a\nDisallow: /b", "ab", id="several-names"),
        pytest.param("User-agent: us\n\n\nUser-agent: x\n\nDisallow: /a", "a", id="empty-lines-separate-nothing"),
        pytest.param("User-agent: us\nSitemap: /s\nUser-agent: x\nDisallow: /a", "a", id="sitemap-separates-nothing"),
        pytest.param("User-agent: us\nHost: h\nUser-agent: x\nDisallow: /a", "a", id="unknown-separates-nothing"),
        pytest.param("User-agent: us\nCrawl-delay: 1\nUser-agent: x\nDisallow: /a", "a", id="delay-separates-no-rules"),
        pytest.param("User-agent: us\nAllow:\nUser-agent: x\nDisallow: /a", "", id="an-empty-rule-separates"),
        pytest.param("User-agent: us\nDisallow: /a\nfoo: bar\nDisallow: /b", "ab", id="unknown-line-inside"),
        pytest.param("Disallow: /a\nUser-agent: us\nDisallow: /b", "b", id="rule-before-any-group"),
        pytest.param("User-agent: us\nDisallow: /a\nUser-agent:\nDisallow: /b", "a", id="nameless-group"),
        pytest.param("User-agent: us\nUser-agent: us\nDisallow: /a", "a", id="named-twice"),
        pytest.param("User-agent: us\nUser-agent: *\nDisallow: /a", "a", id="ours-and-anyone"),
        pytest.param("", "", id="empty"),
    ],
)
def test_which_rules_are_ours(text: str, expected: str) -> None:
    assert forbidden(text) == expected


def test_a_robot_without_a_name_gets_the_rules_for_anyone() -> None:
    assert forbidden("User-agent:\nDisallow: /a\nUser-agent: *\nDisallow: /b", agent="") == "b"


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        pytest.param("User-agent: us\nCrawl-delay: 10", 10, id="whole"),
        pytest.param("User-agent: us\nCrawl-delay: 0.5", 0.5, id="fraction"),
        pytest.param("User-agent: us\nCrawl-delay: .25", 0.25, id="bare-fraction"),
        pytest.param("User-agent: us\nCrawl-delay: 0", 0, id="zero"),
        pytest.param("User-agent: us\nCrawl-delay: 5 # please", 5, id="comment"),
        pytest.param("User-agent: us\nCrawl-delay: 5s", 5, id="unit"),
        pytest.param("User-agent: us\nCrawl-delay: 5 Seconds", 5, id="unit-word"),
        pytest.param("User-agent: us\nCrawl-delay: 5 minutes", None, id="other-unit"),
        pytest.param("User-agent: us\nCrawl-delay: -1", None, id="negative"),
        pytest.param("User-agent: us\nCrawl-delay: nan", None, id="nan"),
        pytest.param("User-agent: us\nCrawl-delay: inf", None, id="inf"),
        pytest.param(f"User-agent: us\nCrawl-delay: {'9' * 400}", None, id="absurd"),
        pytest.param("User-agent: us\nCrawl-delay: soon", None, id="word"),
        pytest.param("User-agent: us\nCrawl-delay: ١", None, id="other-digits"),
        pytest.param("User-agent: us\nCrawl-delay:", None, id="empty"),
        pytest.param("Crawl-delay: 5\nUser-agent: us", None, id="before-any-group"),
        pytest.param("User-agent: *\nCrawl-delay: 5", 5, id="anyone"),
        pytest.param("User-agent: *\nCrawl-delay: 5\nUser-agent: us\nDisallow: /", None, id="not-from-anyone"),
        pytest.param("User-agent: us\nDisallow: /a\nCrawl-delay: 5", 5, id="after-a-rule"),
        pytest.param("User-agent: x\nUser-agent: us\nCrawl-delay: 5", 5, id="several-names"),
        pytest.param("User-agent: us\nCrawl-delay: 5\nUser-agent: x\nCrawl-delay: 9", 5, id="each-its-own"),
        pytest.param("User-agent: x\nCrawl-delay: 9\nUser-agent: us\nDisallow: /", None, id="only-theirs"),
        pytest.param("User-agent: us\nDisallow: /a\nUser-agent: x\nCrawl-delay: 9", None, id="next-group"),
        pytest.param("User-agent: us\nCrawl-delay: 3\nCrawl-delay: 7\nCrawl-delay: 5", 7, id="longest"),
    ],
)
def test_crawl_delay(text: str, delay: float | None) -> None:
    assert parse(text.encode(), "us").crawl_delay == delay
