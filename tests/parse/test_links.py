"""Links: which, of what kind, how often, in what order, and how many."""

from __future__ import annotations

import pytest

from skitter.messages import Link, LinkKind
from skitter.parse import html
from skitter.parse.links import MAX_BYTES, RELS, TAGS, Links
from skitter.parse.resolve import Resolver
from skitter.parse.scanner import Scanner
from skitter.settings import ParseSettings

BASE = "http://h/d/"


def found(scan: Scanner, html: bytes, max_links: int = 1000, max_anchor: int = 200) -> Links:
    links = Links(Resolver(BASE, "utf-8"), max_links)
    links.read(scan(html, 0, max_anchor, 0).links)
    return links


def brief(scan: Scanner, html: bytes) -> list[tuple[str, str]]:
    return [(link.kind.value, link.url.removeprefix(BASE)) for link in found(scan, html)]


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
        (b"<template><a href=x></template><!--<a href=x>-->", []),
        (b"<noscript><meta http-equiv=refresh content='0;url=x'><a href=y></noscript>", [("navigation", "y")]),
        (b"<meta http-equiv=refresh content='0;url=x?a&amp;amp;b'>", [("refresh", "x?a&amp;b")]),
        (b"<form action='#'>", [("form", "")]),
    ],
)
def test_kinds(scan: Scanner, html: bytes, expected: list[tuple[str, str]]) -> None:
    assert brief(scan, html) == expected


def test_a_link_has_all_its_parts(scan: Scanner) -> None:
    link = Link(BASE + "x", "a", LinkKind.NAVIGATION, True, "the text")
    assert list(found(scan, b"<A HREF='x#y' rel='external NoFollow'>the <b>text</b></A>")) == [link]


def test_order_is_that_of_the_page(scan: Scanner) -> None:
    html = b"<link rel=next href=1><a href=2><img src=3></a><form action=4><iframe src=5></iframe><a href=6>"
    assert [url for _, url in brief(scan, html)] == list("123456")


def test_a_url_comes_once_for_each_kind(scan: Scanner) -> None:
    html = b"<link rel=canonical href=x><a href=x#a>first</a><a href=/d/x#b>second</a><img src=x><area href=./x>"
    assert brief(scan, html) == [("canonical", "x"), ("navigation", "x"), ("embed", "x")]
    assert [link.anchor for link in found(scan, html)] == ["", "first", ""]


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
def test_one_link_that_may_be_followed_is_enough(scan: Scanner, rels: list[bytes], nofollow: bool) -> None:
    html = b"".join(b"<a href=x rel='%b'>" % rel for rel in rels)
    assert [link.nofollow for link in found(scan, html)] == [nofollow]


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
def test_the_first_are_kept(scan: Scanner, html: bytes, kept: str, cut: bool) -> None:
    links = found(scan, html, max_links=2)
    assert "".join(link.url.removeprefix(BASE) for link in links) == kept
    assert links.cut is cut


def test_a_long_base_makes_no_flood_of_links(scan: Scanner) -> None:
    base = b"http://h/" + b"b" * (MAX_BYTES // 4) + b"/"
    body = b'<base href="%s">' % base + b"".join(b"<a href=%d></a><img src=%d>" % (n, n) for n in range(1000))
    page = html.read(body, "http://h/", [], ParseSettings(), "skitter", scan)
    assert [link.url.removeprefix(base.decode()) for link in page.links] == ["0", "0", "1"]
    assert page.links_cut


def test_no_links_wanted(scan: Scanner) -> None:
    links = found(scan, b"<a href=1><img src=2>", max_links=0)
    assert list(links) == []
    assert links.cut


def test_anchor_is_cut(scan: Scanner) -> None:
    assert [link.anchor for link in found(scan, b"<a href=x>some long text</a>", max_anchor=6)] == ["some l"]


def test_every_kind_has_its_elements() -> None:
    elsewhere = {LinkKind.LISTED, LinkKind.REDIRECT}  # not links of a page
    assert set(TAGS.values()) | set(RELS.values()) == set(LinkKind) - elsewhere
    assert set(RELS.values()) == {LinkKind.CANONICAL, LinkKind.RELATED, LinkKind.EMBED, LinkKind.FEED}


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ('rel=alternate type="application/rss+xml"', LinkKind.FEED),
        ('rel="alternate" type=" Application/ATOM+xml; charset=utf-8"', LinkKind.FEED),
        ("type=application/feed+json rel=alternate", LinkKind.FEED),
        ("rel=feed", LinkKind.FEED),
        ('rel=alternate type="text/html" hreflang=de', LinkKind.RELATED),
        ("rel=alternate", LinkKind.RELATED),
        ('rel="alternate stylesheet" type="application/rss+xml"', LinkKind.EMBED),
    ],
)
def test_feeds_are_told_by_their_type(scan: Scanner, written: str, kind: LinkKind) -> None:
    assert [link.kind for link in found(scan, f"<link {written} href=/x>".encode())] == [kind]
