from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.robots.lines import SPELLINGS, Field, Line, read_lines

LIMIT = 500 * 1024


def read(body: bytes, limit: int = LIMIT, *, cut: bool = False) -> list[Line]:
    return list(read_lines(body, limit, cut=cut))


def fields(body: bytes) -> list[tuple[str, str]]:
    return [(line.field.value, line.value) for line in read(body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(b"Disallow: /a", [("disallow", "/a")], id="plain"),
        pytest.param(b"  disallow\t:  /a \t", [("disallow", "/a")], id="space-everywhere"),
        pytest.param(b"DISALLOW:/a", [("disallow", "/a")], id="upper-case"),
        pytest.param(b"Disallow:", [("disallow", "")], id="empty-value"),
        pytest.param(b"Disallow: /a # all of it", [("disallow", "/a")], id="comment"),
        pytest.param(b"# Disallow: /a", [], id="only-comment"),
        pytest.param(b"Disallow: /a:b", [("disallow", "/a:b")], id="second-colon"),
        pytest.param(b"Disallow: /a b", [("disallow", "/a b")], id="space-in-value"),
        pytest.param(b"Noindex: /a", [], id="unknown-key"),
        pytest.param(b": /a", [], id="no-key"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"User Agent: x\nuser_agent: y\nUserAgent:z", [("user-agent", v) for v in "xyz"], id="joints"),
        pytest.param(b"Crawl Delay: 5\ncrawldelay: 6", [("crawl-delay", "5"), ("crawl-delay", "6")], id="delay"),
        pytest.param(b"disallow /a", [("disallow", "/a")], id="no-colon"),
        pytest.param(b"disallow /a:b", [("disallow", "/a:b")], id="no-colon-but-one-in-the-value"),
        pytest.param(b"user agent x", [("user-agent", "x")], id="no-colon-key-of-two-words"),
        pytest.param(b"User agents are welcome here", [], id="prose"),
        pytest.param(b"disallow /a /b", [], id="no-colon-two-values"),
        pytest.param(b"disallow", [], id="key-alone"),
        pytest.param(b"Sitemap: http://a.org/s.xml", [("sitemap", "http://a.org/s.xml")], id="sitemap"),
        pytest.param(b"http://a.org/Sitemap.xml", [("sitemap", "http://a.org/Sitemap.xml")], id="bare-sitemap"),
        pytest.param(b"http://a.org/about", [], id="bare-other-url"),
        pytest.param(b"a" * 100_000 + b": x", [], id="long-key"),
    ],
)
def test_a_line(body: bytes, expected: list[tuple[str, str]]) -> None:
    assert fields(body) == expected


@pytest.mark.parametrize(("field", "spelling"), [(f, s) for f, all_ in SPELLINGS.items() for s in all_.split()])
def test_every_spelling_is_read(field: Field, spelling: str) -> None:
    assert read(f"{spelling}: /x".encode()) == [Line(1, field, "/x")]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=["lf", "cr", "crlf"])
def test_lines_are_numbered_whatever_ends_them(end: bytes) -> None:
    body = end.join([b"User-agent: a", b"", b"junk", b"Disallow: /"])
    assert [line.number for line in read(body)] == [1, 4]


def test_mixed_line_ends_count_once_each() -> None:
    assert [line.number for line in read(b"Allow: /1\r\nAllow: /2\rAllow: /3\nAllow: /4\n\rAllow: /6")] == [
        1,
        2,
        3,
        4,
        6,
    ]


def test_only_cr_and_lf_end_a_line() -> None:
    assert fields("Disallow: /a\u2028b\x0bc\x85d".encode()) == [("disallow", "/a\u2028b\x0bc\x85d")]


TWO = "User-agent: ü\nDisallow: /ü\n"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(TWO.encode(), id="utf-8"),
        pytest.param(b"\xef\xbb\xbf" + TWO.encode(), id="utf-8-mark"),
        pytest.param(b"\xef\xbb" + TWO.encode(), id="two-bytes-of-the-mark"),
        pytest.param(b"\xef" + TWO.encode(), id="one-byte-of-the-mark"),
        pytest.param(b"\xff\xfe" + TWO.encode("utf-16-le"), id="utf-16-le-mark"),
        pytest.param(b"\xfe\xff" + TWO.encode("utf-16-be"), id="utf-16-be-mark"),
        pytest.param(TWO.encode("utf-16-le"), id="utf-16-le"),
        pytest.param(TWO.encode("utf-16-be"), id="utf-16-be"),
    ],
)
def test_encodings(body: bytes) -> None:
    assert fields(body) == [("user-agent", "ü"), ("disallow", "/ü")]


def test_a_mark_inside_is_no_mark() -> None:
    assert fields(b"Allow: /a\n\xef\xbb\xbfAllow: /b") == [("allow", "/a")]


def test_bytes_that_are_not_utf8_spoil_nothing_else() -> None:
    assert fields(b"Allow: /b\xfccher\nAllow: /c") == [("allow", "/b\udcfccher"), ("allow", "/c")]


def test_tags_are_taken_out_of_html_only() -> None:
    assert fields(b"<html><body>User-agent: a<br>\n<p>Disallow: /<br/></body>") == [
        ("user-agent", "a"),
        ("disallow", "/"),
    ]
    assert fields(b"Disallow: /<b>") == [("disallow", "/<b>")]


class TestLimit:
    def test_what_is_beyond_is_not_read(self) -> None:
        assert len(read(b"Allow: /a\n" * 10, 50)) == 5

    def test_a_line_that_the_limit_cuts_is_dropped(self) -> None:
        assert read(b"Allow: /a\nAllow: /public", 18) == [Line(1, Field.ALLOW, "/a")]

    def test_a_line_that_ends_at_the_limit_is_whole(self) -> None:
        assert [line.value for line in read(b"Allow: /a\nAllow: /b\n#", 19)] == ["/a", "/b"]

    def test_a_body_of_just_the_limit_is_whole(self) -> None:
        assert [line.value for line in read(b"Allow: /a\nAllow: /b", 19)] == ["/a", "/b"]

    def test_a_body_that_was_cut_elsewhere_loses_its_last_line(self) -> None:
        assert [line.value for line in read(b"Allow: /a\nAllow: /", cut=True)] == ["/a"]

    def test_one_line_longer_than_the_limit_is_nothing(self) -> None:
        assert read(b"Disallow: /" + b"a" * 100, 50) == []

    def test_a_long_line_within_the_limit_is_read(self) -> None:
        assert read(b"Disallow: /" + b"a" * 400_000)[0].value == "/" + "a" * 400_000


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_read(body: bytes) -> None:
    assert all(line.number >= 1 for line in read(body))
