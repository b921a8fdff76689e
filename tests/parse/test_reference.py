"""What a document says: each field, whichever scanner reads it."""

from __future__ import annotations

import pytest

from skitter.parse import links, reference
from skitter.parse.reference import EMBEDS, Found, candidates
from skitter.parse.scanner import Scanner
from skitter.parse.tokens import MARKED


def found(scan: Scanner, html: bytes) -> list[Found]:
    return list(scan(html, 0, 100, 0).links)


def test_all_fields(scan: Scanner) -> None:
    scanned = scan(
        b"<html lang=de><base target=x><base href=b&amp;c><title> T &amp; t</title><meta charset=x>"
        b"<meta name=n content=c><meta http-equiv=refresh content='1;#u'>"
        b"<p>one<p>two <a href='x?a&amp;b#c' rel=r>three</a>",
        11,
        3,
        2,
    )
    assert scanned.base == "b&c"
    assert scanned.lang == "de"
    assert scanned.title == "T "
    assert list(scanned.metas) == [("n", "", "c"), ("", "refresh", "1;#u")]
    assert list(scanned.links) == [("meta", "1;#u", "", ""), ("a", "x?a&b", "r", "thr")]
    assert scanned.text == "one\ntwo thr"


def test_nothing(scan: Scanner) -> None:
    scanned = scan(b"", 10, 10, 10)
    assert (*scanned[:3], list(scanned.metas), list(scanned.links), scanned.text) == (None, "", "", [], [], "")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"<a href=x>1</a><a href=x#y>2</a><a href=#z>3</a>", [("a", "x", "", "1"), ("a", "", "", "3")]),
        (b"<a href=x><a href=x rel=r><area href=x>", [("a", "x", "", ""), ("a", "x", "r", ""), ("area", "x", "", "")]),
        (b"<noscript><a href=x></noscript><a href=x>text</a>", [("a", "x", "", "text")]),
        (b"<a href=x>one<noscript><a href=y>two</a></noscript>", [("a", "x", "", "one"), ("a", "y", "", "two")]),
        (b"<a href=x><img src=y alt='an image'></a>", [("a", "x", "", "an image"), ("img", "y", "", "an image")]),
        (b"<a href=x>" + b"<b></b>" * 1000 + b"far</a>", [("a", "x", "", "far")]),
        (b"<a href=x>" + b"<img>" * 1000 + b"<img alt=far></a>", [("a", "x", "", "far")]),
        (b"<a href=x><template><a href=y></a>no</template>yes</a>", [("a", "x", "", "yes")]),
        (b"<template><template></template><a href=x></template></template><a href=y>", [("a", "y", "", "")]),
        (b"<p><template shadowrootmode=open><a href=x>in</a></template></p>", [("a", "x", "", "in")]),
        (b"<template SHADOWROOTMODE='Closed'><template><a href=x></template><a href=y>", [("a", "y", "", "")]),
        (b"<template><template shadowrootmode=open></template><a href=x></template><a href=y>", [("a", "y", "", "")]),
        (b"<template shadowrootmode><a href=x></template><template shadowrootmode=opened><a href=x></template>", []),
        (b"<img srcset='a&#44;&#32;b#c 1x'>", [("img", "a", "", ""), ("img", "b", "", "")]),
    ],
)
def test_links(scan: Scanner, html: bytes, expected: list[Found]) -> None:
    assert found(scan, html) == expected


@pytest.mark.parametrize(
    ("srcset", "urls"),
    [
        ("", []),
        (" , ,", []),
        ("a", ["a"]),
        ("a 1x, b 2x", ["a", "b"]),
        ("a,b", ["a,b"]),
        ("a, b", ["a", "b"]),
        ("a,,, b", ["a", "b"]),
        ("a 1x,b", ["a", "b"]),
        ("data:,x 1x, b", ["data:,x", "b"]),
        ("a 1x(, c), b", ["a", "b"]),
        ("a 1x(, b", ["a"]),
        ("a 1x), b", ["a", "b"]),
    ],
)
def test_candidates(scan: Scanner, srcset: str, urls: list[str]) -> None:
    assert list(candidates(srcset)) == urls
    assert [href for _, href, _, _ in found(scan, f"<img srcset='{srcset}'>".encode())] == urls


def test_tables_fit() -> None:
    assert set(EMBEDS) <= set(MARKED)
    assert set(reference.READERS) <= set(MARKED)
    assert {tag.decode() for tag in reference.READERS} == {*links.TAGS, "link"}
