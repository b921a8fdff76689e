"""Links: which, of what kind, how often, in what order, and how many."""

from __future__ import annotations

import pytest

from skitter.messages import Link, LinkKind
from skitter.parse.links import EMBEDS, RELS, Links, candidates
from skitter.parse.resolve import Resolver
from skitter.parse.tokens import MARKED, scan
from skitter.settings import ParseSettings

BASE = "http://h/d/"


def found(html: bytes, **limits: int) -> Links:
    links = Links(Resolver(BASE, "utf-8"), ParseSettings(**limits))
    links.read(scan(html))
    return links


def brief(html: bytes) -> list[tuple[str, str]]:
    return [(link.kind.value, link.url.removeprefix(BASE)) for link in found(html)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"<a href=x>", [("navigation", "x")]),
        (b"<area href=x>", [("navigation", "x")]),
        (b"<a href>", [("navigation", "")]),
        (b"<a name=x>", []),
        (b"<iframe src=x></iframe>", [("frame", "x")]),
        (b"<frameset><frame src=x>", [("frame", "x")]),
        (b"<iframe src=''></iframe>", []),
        (b"<form action=x>", [("form", "x")]),
        (b"<form action=x method=GET>", [("form", "x")]),
        (b"<form action=x method=nonsense>", [("form", "x")]),
        (b"<form action=x method=POST>", []),
        (b"<form action=x method=dialog>", []),
        (b"<form>", []),
        (b"<meta http-equiv=Refresh content='0;url=x'>", [("refresh", "x")]),
        (b"<meta http-equiv=refresh content='0'>", []),
        (b"<meta name=refresh content='0;url=x'>", []),
        (b"<link rel=canonical href=x>", [("canonical", "x")]),
        (b"<link rel=alternate href=x>", [("related", "x")]),
        (b"<link rel='PREV nofollow' href=x>", [("related", "x")]),
        (b"<link rel='alternate stylesheet' href=x>", [("embed", "x")]),
        (b"<link rel='shortcut icon' href=x>", [("embed", "x")]),
        (b"<link rel=dns-prefetch href=x><link href=x>", []),
        (b"<img src=x srcset='y 1x, z 2x' data-src=w>", [("embed", name) for name in "xwyz"]),
        (b"<video src=x poster=y><source src=z><track src=w></video>", [("embed", name) for name in "xyzw"]),
        (b"<script src=x></script><embed src=y><object data=z></object>", [("embed", name) for name in "xyz"]),
        (b"<audio src=x></audio><input src=y>", [("embed", name) for name in "xy"]),
        (b"<img src=''><img src=' '><img>", []),
        (b"<a href=javascript:x><a href=mailto:x><a href='data:,x'><a href='http://['>", []),
        (b"<noscript><a href=x></noscript><template><a href=x></template><!--<a href=x>-->", []),
    ],
)
def test_kinds(html: bytes, expected: list[tuple[str, str]]) -> None:
    assert brief(html) == expected


def test_a_link_has_all_its_parts() -> None:
    link = Link(BASE + "x", "a", LinkKind.NAVIGATION, True, "the text")
    assert list(found(b"<A HREF='x#y' rel='external NoFollow'>the <b>text</b></A>")) == [link]


def test_order_is_that_of_the_page() -> None:
    html = b"<link rel=next href=1><a href=2><img src=3></a><form action=4><iframe src=5></iframe><a href=6>"
    assert [url for _, url in brief(html)] == list("123456")


def test_a_url_comes_once_for_each_kind() -> None:
    html = b"<link rel=canonical href=x><a href=x#a>first</a><a href=/d/x#b>second</a><img src=x><area href=./x>"
    assert brief(html) == [("canonical", "x"), ("navigation", "x"), ("embed", "x")]
    assert [link.anchor for link in found(html)] == ["", "first", ""]


@pytest.mark.parametrize(
    ("rels", "nofollow"),
    [
        ([b"nofollow"], True),
        ([b"ugc"], True),
        ([b"nofollow", b"sponsored"], True),
        ([b"", b"nofollow"], False),
        ([b"nofollow", b""], False),
        ([b"nofollow", b"next", b"nofollow"], False),
    ],
)
def test_one_link_that_may_be_followed_is_enough(rels: list[bytes], nofollow: bool) -> None:
    html = b"".join(b"<a href=x rel='%b'>" % rel for rel in rels)
    assert [link.nofollow for link in found(html)] == [nofollow]


@pytest.mark.parametrize(
    ("html", "kept", "cut"),
    [
        (b"<a href=1><a href=2>", "12", False),
        (b"<a href=1><a href=2><a href=1>", "12", False),
        (b"<a href=1><a href=2><a href=3>", "12", True),
        (b"<a href=1><iframe src=2></iframe><form action=3>", "12", True),
        (b"<img src=1><img src=2><img src=3><a href=4><a href=5>", "1245", False),
        (b"<a href=1><a href=2><a href=3><img src=4><a href=5><img src=6>", "1246", True),
    ],
)
def test_the_first_are_kept(html: bytes, kept: str, cut: bool) -> None:
    links = found(html, max_links=2)
    assert "".join(link.url.removeprefix(BASE) for link in links) == kept
    assert links.cut is cut


def test_no_links_wanted() -> None:
    links = found(b"<a href=1><img src=2>", max_links=0)
    assert list(links) == []
    assert links.cut


def test_anchor_is_cut() -> None:
    assert [link.anchor for link in found(b"<a href=x>some long text</a>", max_anchor=6)] == ["some l"]


@pytest.mark.parametrize(
    ("srcset", "urls"),
    [
        (b"", []),
        (b" , ,", []),
        (b"a", [b"a"]),
        (b"a 1x, b 2x", [b"a", b"b"]),
        (b"a,b", [b"a,b"]),
        (b"a, b", [b"a", b"b"]),
        (b"a,,, b", [b"a", b"b"]),
        (b"a 1x,b", [b"a", b"b"]),
        (b"data:,x 1x, b", [b"data:,x", b"b"]),
        (b"a 1x(, c), b", [b"a", b"b"]),
        (b"a 1x(, b", [b"a"]),
        (b"a 1x), b", [b"a", b"b"]),
    ],
)
def test_candidates(srcset: bytes, urls: list[bytes]) -> None:
    assert list(candidates(srcset)) == urls


def test_tables_fit_the_tokens() -> None:
    assert set(EMBEDS) <= set(MARKED)
    assert set(RELS.values()) == {LinkKind.CANONICAL, LinkKind.RELATED, LinkKind.EMBED}
