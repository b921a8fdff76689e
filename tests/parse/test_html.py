"""Html: bytes to a Page, whatever the bytes, and in time and memory that grow with them."""

from __future__ import annotations

import random
from functools import partial
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Directives, Headers, Page, Refresh
from skitter.parse import html
from skitter.parse.scanner import Scanner
from skitter.parse.sketch import sketch_of
from skitter.settings import ParseSettings
from tests.growth.clock import cheapest, dearer

URL = "http://h/d/page"


class Read(Protocol):
    def __call__(self, body: bytes, *headers: tuple[str, str], **limits: int) -> Page: ...


@pytest.fixture(scope="module")
def read(scan: Scanner) -> Read:
    def read(body: bytes, *headers: tuple[str, str], **limits: int) -> Page:
        return html.read(body, URL, headers, ParseSettings(**limits), "skitter", scan)

    return read


def urls(page: Page) -> list[str]:
    return [link.url.removeprefix("http://h/d/") for link in page.links]


def test_a_whole_page(read: Read) -> None:
    page = read(
        b"""<!doctype html><html lang="de-CH"><head><meta charset=iso-8859-1><base href="/d/e/">
        <title> Gr\xfc\xdfe &amp; mehr </title><meta name=Description content="Eine\n Seite">
        <link rel=canonical href=../page><meta name=robots content="noindex">
        </head><body><h1>Titel</h1><p>Ein <a href="x?\xfc" rel=nofollow>Verweis</a>.</body></html>""",
        ("X-Robots-Tag", "nofollow"),
    )
    assert page.base == "http://h/d/e/"
    assert page.encoding == "windows-1252"
    assert page.title == "Grüße & mehr"
    assert page.description == "Eine Seite"
    assert page.lang == "de-CH"
    assert page.canonical == "http://h/d/page"
    assert page.directives == Directives(nofollow=True, noindex=True)
    assert page.text == "Titel\nEin Verweis."
    assert [(link.url, link.nofollow, link.anchor) for link in page.links] == [
        ("http://h/d/page", False, ""),
        ("http://h/d/e/x?%FC", True, "Verweis"),
    ]
    assert (page.refresh, page.links_cut) == (None, False)


def test_nothing(read: Read) -> None:
    assert read(b"") == Page(url=URL, base=URL, encoding="utf-8", links=(), sketch=sketch_of("", ""))


@pytest.mark.parametrize(
    ("body", "base"),
    [
        (b"<base href=/x/>", "http://h/x/"),
        (b"<base href=//other/x>", "http://other/x"),
        (b"<base target=x><base href=/1/><base href=/2/>", "http://h/1/"),
        (b"<p><a href=y></a><base href=/late/>", "http://h/late/"),
        (b"<base href>", URL),
        (b"<base href='http://['><base href=/2/>", URL),
        (b"<base href='data:,x'>", URL),
        (b"<base href='ftp://x/'>", URL),
        (b"<basefont href=/x/>", URL),
        (b"<!--<base href=/x/>-->", URL),
        (b"<script><base href=/x/></script>", URL),
        (b"<noscript><base href=/x/></noscript>", URL),
        (b"<template><base href=/x/></template>", URL),
    ],
)
def test_base(read: Read, body: bytes, base: str) -> None:
    page = read(body + b"<a href=z>")
    assert page.base == base
    assert page.links[-1].url == base.rpartition("/")[0] + "/z"


@pytest.mark.parametrize(
    ("body", "headers", "canonical"),
    [
        (b"<link rel=canonical href=/x>", [], "http://h/x"),
        (b"<base href=/b/><link rel=canonical href=x>", [], "http://h/b/x"),
        (
            b"<link rel=canonical href=mailto:x><link rel=canonical href=/2><link rel=canonical href=/3>",
            [],
            "http://h/2",
        ),
        (b"<link rel=canonical>", [], None),
        (b"<link rel=canonical href=htp://x/>", [], None),
        (b"", [("Link", "</x>; rel=canonical")], "http://h/x"),
        (b"", [("LINK", "<x>; rel=next"), ("link", "<y>; rel=canonical")], "http://h/d/y"),
        (b"<base href=/b/>", [("Link", "<x>; rel=canonical")], "http://h/d/x"),
        (b"<link rel=canonical href=/tag>", [("Link", "</header>; rel=canonical")], "http://h/tag"),
        (b"", [("Link", "<mailto:x>; rel=canonical")], None),
    ],
)
def test_canonical(read: Read, body: bytes, headers: Headers, canonical: str | None) -> None:
    assert read(body, *headers).canonical == canonical


@pytest.mark.parametrize(
    ("body", "headers", "refresh"),
    [
        (b"<meta http-equiv=refresh content='3;url=x'>", [], Refresh(3, "http://h/d/x")),
        (b"<base href=/b/><meta http-equiv=REFRESH content='3;url=x'>", [], Refresh(3, "http://h/b/x")),
        (
            b"<meta http-equiv=refresh content='1'><meta http-equiv=refresh content='2;x'>",
            [],
            Refresh(2, "http://h/d/x"),
        ),
        (b"<meta http-equiv=refresh content='0;javascript:x'>", [], None),
        (b"<noscript><meta http-equiv=refresh content='0;x'></noscript>", [], None),
        (b"<script>'<meta http-equiv=refresh content='0;x'>'</script>", [], None),
        (b"", [("Refresh", "0; url=/x")], Refresh(0, "http://h/x")),
    ],
)
def test_refresh(read: Read, body: bytes, headers: Headers, refresh: Refresh | None) -> None:
    assert read(body, *headers).refresh == refresh


@pytest.mark.parametrize(
    ("body", "headers", "lang"),
    [
        (b"<html lang=en>", [("Content-Language", "de")], "en"),
        (b"<html xml:lang=en>", [], "en"),
        (b"<html lang=''>", [("Content-Language", "de")], "de"),
        (b"<meta http-equiv=content-language content=fr>", [("Content-Language", "de")], "fr"),
        (b"", [("Content-Language", "de, en")], ""),
        (b"<p lang=en>", [], ""),
    ],
)
def test_lang(read: Read, body: bytes, headers: Headers, lang: str) -> None:
    assert read(body, *headers).lang == lang


def test_robots_directives_are_for_us(read: Read) -> None:
    assert read(b"<meta name=skitter content=noindex>").directives == Directives(noindex=True)
    assert read(b"<meta name=otherbot content=noindex>").directives == Directives()
    assert read(b"", ("x-robots-tag", "skitter: none")).directives == Directives(noindex=True, nofollow=True)


def test_markup_for_those_without_scripts_or_frames(read: Read) -> None:
    page = read(b"<noscript><a href=1>one</a></noscript><a href=2>two</a><noframes><a href=3>three</a></noframes>")
    assert [(link.url[-1], link.anchor) for link in page.links] == [("2", "two"), ("1", "one"), ("3", "three")]
    assert page.text == "two"


def test_a_refresh_for_those_without_scripts_is_no_link(read: Read) -> None:
    assert read(b"<noscript><meta http-equiv=refresh content='0;url=x'></noscript>").links == ()


def test_content_type_decides_the_encoding(read: Read) -> None:
    page = read(b"<title>\xfc</title>", ("Content-Type", "text/html; charset=latin1"))
    assert (page.title, page.encoding) == ("ü", "windows-1252")


def test_a_page_is_read_up_to_its_limit(read: Read) -> None:
    page = read(b"<a href=1>one</a>".ljust(1024) + b"<a href=2>two</a>", max_html=1024)
    assert urls(page) == ["1"]


def test_limits(read: Read) -> None:
    page = read(b"<a href=1>one</a> <a href=2>two</a>", max_links=1, max_anchor=2, max_text=5)
    assert (urls(page), page.links[0].anchor, page.text, page.links_cut) == (["1"], "on", "one t", True)
    assert len(read(b"<title>" + b"x" * 10_000).title) == html.MAX_TITLE
    assert len(read(b"<meta name=description content=" + b"x" * 10_000 + b">").description) == html.MAX_DESCRIPTION


PIECES = b"<a href=|<base href=|<meta |http-equiv=refresh |content=|0;url=|charset=|utf-16|<img srcset=|x|/|>|<!--|-->"
PIECES += (
    b"|&#x|&amp;|<script>|</script>|<noscript>|<template>|\0|\xff\xfe|\xe4|\xef\xbb\xbf|http://|[|:|<title>|</a>|;| "
)
PIECES += b"|<html lang=|\"|'"


@given(st.lists(st.sampled_from(PIECES.split(b"|")), max_size=30).map(b"".join) | st.binary(max_size=100))
@settings(max_examples=200, deadline=None)
def test_never_raises(read: Read, body: bytes) -> None:
    page = read(body)
    assert all(link.url.startswith(("http://", "https://")) for link in page.links)
    assert page.base.startswith("http")
    page.text.encode()


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.sampled_from(["Link", "Refresh", "Content-Type"]), st.text(max_size=30))),
)
@settings(max_examples=100)
def test_any_url_and_headers(url: str, headers: list[tuple[str, str]]) -> None:
    page = html.read(b"<a href=x><a href=http://a/>", url, headers, ParseSettings(), "skitter")
    assert page.url == url
    assert "http://a/" in [link.url for link in page.links]


HOSTILE = {
    "nested": b"<div>",
    "nested and closed by others": b"<div></x>",
    "lists": b"<ul><li>",
    "fonts": b"<p><font size=1>",
    "anchors": b"<a>",
    "links": b"<a href=x>y",
    "nested links": b"<svg><a href=x>",
    "less-than": b"<",
    "ampersands": b"&",
    "references": b"&#",
    "NUL": b"\0",
    "comments": b"<!--",
    "open quotes": b"<a href='",
    "attributes": b"<a b=c ",
    "scripts": b"<script>",
    "templates": b"<template>",
    "noscripts": b"<noscript><a href=x></noscript>",
    "images": b"<img srcset='a 1x, b 2x'>",
    "metas": b"<meta name=robots content=noindex>",
    "bases": b"<base href=x>",
    "spaces": b" ",
    "high bytes": b"\xe4",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_body(read: Read, piece: bytes) -> None:
    small, large = (partial(read, piece * (size // len(piece))) for size in (100_000, 1_000_000))
    assert dearer(small, large, 12, grace=0.05) <= 12


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<div>" * 100_000, id="nested 100,000 deep"),
        pytest.param(b"".join(b"<p><font size=%d>" % n for n in range(50_000)), id="50,000 fonts"),
        pytest.param(b"<" * 10_000_000, id="10 MB of <"),
        pytest.param(b"<a " + b"".join(b"x%d=1 " % n for n in range(100_000)) + b">", id="100,000 attributes"),
        pytest.param(b"<a href='" + b"x" * 10_000_000 + b"'>", id="10 MB href"),
        pytest.param(b"<a href=x>" + b"x <b>" * 1_000_000, id="5 MB anchor"),
        pytest.param(b"".join(b"<a href=%d>" % n for n in range(300_000)), id="300,000 links"),
        pytest.param(random.Random(1).randbytes(3_000_000), id="noise"),
    ],
)
def test_time_is_bounded(read: Read, body: bytes) -> None:
    assert cheapest(partial(read, body), 10) < 10
