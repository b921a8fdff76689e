"""The kernel resolves links and names their targets as the reference does, whatever the href and the rules."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Reason, Url
from skitter.parse import html, reference, scanner
from skitter.parse.links import MAX_ABROAD
from skitter.settings import ParseSettings, UrlSettings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint

_native = pytest.importorskip("skitter._native", reason="no Rust toolchain: the reference is in use")

BASE = "http://example.org/a/b/c.html?d"
CANON = Canon()


def assert_same(body: bytes, base: str = BASE, canon: Canon = CANON, max_links: int = 1000) -> None:
    limits = ParseSettings(max_links=max_links)
    native = html.read(body, base, [], limits, "skitter", scanner.native, canon)
    assert native == html.read(body, base, [], limits, "skitter", reference.scan, canon)


def linking(*hrefs: str, rest: str = "") -> bytes:
    return "".join(f'<a href="{escape(href)}"{rest}>x</a>' for href in hrefs).encode("utf-8", "surrogatepass")


HREFS = [
    *(
        "",
        "#f",
        "?",
        "?q",
        "a",
        "a/",
        "a/b",
        "./a",
        "../",
        "..",
        "../..",
        "../../../../x",
        ".",
        "/",
        "//",
        "///",
        "a//b",
    ),
    *("/a/../b", "/a/./b", "/a/..b", "/a/.b", "/.b", "../.b", ".../x", "a..b/", "a%2eb", "%2e%2e/x", "/%41/%7e/%2f"),
    *("?a=1&b=2", "/s?q=a+b", "/s?b&a&a=", "/s?utm_source=x", "/s?", "/s?sid=1&x", "/;jsessionid=1", "/(s(abc))/x"),
    *(
        "index.html",
        "/INDEX.HTM",
        "/iNdex.html",
        "/default.asp",
        "/index.html/",
        "/x-index.html",
        "/ndex.x",
        "/index.php?a",
    ),
    *(
        "a b",
        " a",
        "a ",
        "\ta",
        "a\nb",
        "é",
        "/ü?ü",
        "a\\b",
        "a:b",
        "a/b:c",
        "http:a",
        "https:a",
        "http:/a",
        "http:///a",
    ),
    *("http://h", "http://h/", "http://H/", "HTTP://h/", "http://h?x", "http://h#x", "http://h:80/", "http://h:443/"),
    *(
        "https://h:80/",
        "https://h:443/",
        "http://h:0/",
        "http://h:080/",
        "http://h:65535/",
        "http://h:65536/",
        "http://h:/",
    ),
    *(
        "http://u@h/",
        "http://u:p@h/",
        "http://h.",
        "http://h./",
        "http://.h/",
        "http://a..b/",
        "http://www.h/",
        "http://www.h.de/",
    ),
    *(
        "http://www.a.b:81/x/",
        "http://xn--a/",
        "http://xn--bcher-kva.de/",
        "http://a--b/",
        "http://-a-/",
        "http://a_b/",
    ),
    *(
        "http://1.2.3.4/",
        "http://1.2.3/",
        "http://01.2.3.4/",
        "http://1.2.3.256/",
        "http://0x1.2.3.4/",
        "http://a.0x1/",
    ),
    *(
        "http://a.1/",
        "http://1.2.3.4.5/",
        "http://1/",
        "http://a.b1/",
        "http://a.1b/",
        "http://[::1]/",
        "http://%41/",
        "http://ä/",
    ),
    *(
        "http://h/a//b",
        "http://h/a+b,c:d@e=f",
        "http://h/a!$&'*",
        "http://h/a|b",
        "http://h/[a]",
        "http://h/a^b",
        "http://h/'",
    ),
    *(
        "http://h/a/../b",
        "http://h/a?b?c",
        "http://h/a?b/../c",
        "http://h/a?b%20c",
        "http://h/a?'",
        "mailto:a@b",
        "javascript:1",
    ),
    *(
        "data:,x",
        "file:///x",
        "//h/x",
        "//H",
        "ftp://h/",
        "http://h/" + "x" * 3000,
        "x" * 70_000,
        "http://h/\u2028",
        "a\0b",
        "+1",
        "=",
        "@",
    ),
]
BASES = [
    BASE,
    "http://h",
    "https://www.h.de:81/x",
    "http://1.2.3.4/" + "d/" * 40,
    "http://h/a//b/",
    "not a URL",
    "http://h/%7e/x",
    "https://h:8443/a/b/c?d/e",
    "http://h/a",
    "http://h/a/",
    "http://h:80/a/b",
    "http://H/a/b",
    "http://h?a/b",
    "http://h/a/../b/c",
    "http://h/a/b#c/d",
    "https://u@h/a/b",
    "http://h/\ud800/b",
]
RULES = [
    UrlSettings(),
    UrlSettings(max_length=100),
    UrlSettings(drop_www=False, drop_index=False, drop_trailing_slash=False, merge_schemes=False),
    UrlSettings(drop_tracking=False, drop_sessions=False, collapse_slashes=False, sort_query=False, fold_escapes=False),
]


@pytest.mark.parametrize("rules", RULES, ids=["usual", "short", "few", "others"])
@pytest.mark.parametrize("base", BASES)
def test_each_href(base: str, rules: UrlSettings) -> None:
    for href in HREFS:
        assert_same(linking(href), base, Canon(rules))


def test_what_a_target_is() -> None:
    page = html.read(linking("x", "http://www.a.org/index.html"), BASE, [], ParseSettings(), "skitter", canon=CANON)
    assert [target[0] for target in page.targets] == ["http://example.org/a/b/x", "http://www.a.org/index.html"]
    assert page.targets[1][1:] == ("a.org", fingerprint("http://a.org"), 1)


def test_why_links_are_not_followed() -> None:
    body = linking("x", "y" * 100, "?" + "|" * 100) + b"<img src=i rel=nofollow><a href=z rel=ugc>z</a><a href=x>x</a>"
    expected = {1: Reason.URL_TOO_LONG, 2: Reason.URL_TOO_LONG, 4: Reason.NOFOLLOW}
    for scan in (scanner.native, reference.scan):
        short = Canon(UrlSettings(max_length=100))
        page = html.read(body, BASE, [], ParseSettings(), "skitter", scan, short)
        assert (page.refused, [place for *_, place in page.targets]) == (expected, [0])


def abroad(body: bytes, canon: Canon | None = CANON, url: str = BASE) -> dict[str, int]:
    """Returns the other hosts that a page leads to, if both ways find the same and it makes no matter what is known."""
    found = [
        html.read(body, url, [], ParseSettings(), "skitter", scan, canon, lambda _, known=known: known).abroad
        for scan in (scanner.native, reference.scan)
        for known in (True, False)
    ]
    assert all(list(hosts.items()) == list(found[0].items()) for hosts in found)
    return dict(found[0])


def test_other_hosts_that_a_page_leads_to() -> None:
    body = linking(
        "x", "http://www.b.org/1", "http://c.org:81/|", "https://b.org/2", "http://EXAMPLE.org/", "//d.org./"
    )
    assert abroad(body) == {"b.org": 1, "c.org:81": 2, "d.org": 5}
    assert abroad(linking("//www.example.org/", "//b.org/"), url="http://b.org/") == {"example.org": 0}
    assert abroad(b"<base href=//b.org/>" + linking("x")) == {"b.org": 0}
    assert abroad(linking("//b.org/", rest=" rel=nofollow") + b"<img src=//c.org/i><a href=mailto:d@e.org>") == {}
    assert abroad(body, canon=None) == {}


def test_of_very_many_other_hosts_the_first_are_told() -> None:
    hosts = [f"h{number}.org" for number in range(MAX_ABROAD + 10)]
    told = abroad(linking(*[f"//{host}/" for host in hosts * 2]))
    assert list(told.items()) == [(host, place) for place, host in enumerate(hosts[:MAX_ABROAD])]


SIGNS = [*"abzAZ019._~-/?#%&=+:;,@!$()*' \t\\[]|^é\u0130", "../", "http://", "https://", "www.", "index.html", "%2e"]


@given(st.lists(st.lists(st.sampled_from(SIGNS), max_size=14).map("".join), max_size=6), st.sampled_from(BASES))
@settings(max_examples=400, deadline=None)
def test_any_hrefs(hrefs: list[str], base: str) -> None:
    assert_same(linking(*hrefs), base)


MARKUP = [
    *('<a href="x">1</a>', '<a href="x" rel=nofollow>2</a>', '<a href="x#2" rel="ugc">', "<area href=x alt=4>"),
    *(
        "<link rel=canonical href=y>",
        "<link rel=alternate href=x>",
        "<link rel=stylesheet href=s>",
        "<link rel=x href=z>",
    ),
    *(
        '<meta http-equiv=refresh content="0;url=x">',
        '<meta http-equiv=refresh content="1">',
        "<img src=i>",
        "<img src=j>",
    ),
    *(
        "<iframe src=x>",
        "<form action=x>",
        "<script src=s></script>",
        "<a href=k>",
        "<a href=l rel=sponsored>",
        "<base href=/e/>",
    ),
]


@given(st.lists(st.sampled_from(MARKUP), max_size=30), st.integers(0, 6))
@settings(max_examples=300, deadline=None)
def test_any_order_and_limit(pieces: list[str], max_links: int) -> None:
    assert_same("".join(pieces).encode(), max_links=max_links)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes(body: bytes) -> None:
    assert_same(b"<a href=" + body)


def test_known_targets_are_counted_and_left_out() -> None:
    urls = [CANON(href, BASE) for href in ("x", "p|q")]
    known = {fingerprint(url.key) for url in urls if isinstance(url, Url)}
    body = linking("x", "y", "p|q", "x#2", "r|s") + b'<a href="x" rel=nofollow>n</a><link rel=alternate href=x>'
    memory = _native.Recent(1000)
    for mark in known:
        memory.remember(mark, 7)
    pages = [
        html.read(body, BASE, [], ParseSettings(), "skitter", scan, CANON, is_known)
        for scan, is_known in (
            (scanner.native, known.__contains__),
            (scanner.native, memory),
            (reference.scan, known.__contains__),
        )
    ]
    assert pages[0] == pages[1] == pages[2]
    assert memory.hits == pages[0].known
    assert ([target[0] for target in pages[0].targets], pages[0].known) == (
        ["http://example.org/a/b/y", "http://example.org/a/b/r|s"],
        3,
    )
