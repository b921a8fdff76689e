"""Attributes: names, values and references as the HTML standard reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.parse import attributes


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"", {}),
        (b" a", {b"a": b""}),
        (b" a=b", {b"a": b"b"}),
        (b' a="b c" d=\'e"f\'', {b"a": b"b c", b"d": b'e"f'}),
        (b" A\n=\t'B'", {b"a": b"B"}),
        (b" a=1 a=2", {b"a": b"1"}),
        (b" a= b=c", {b"a": b"b=c"}),
        (b" a=", {b"a": b""}),
        (b" a='1'b='2'", {b"a": b"1", b"b": b"2"}),
        (b"/a/b", {b"a": b"", b"b": b""}),
        (b" href=/x/", {b"href": b"/x/"}),
        (b" =a=b", {b"=a": b"b"}),
        (b" \"a'<b", {b"\"a'<b": b""}),
    ],
)
def test_read(written: bytes, expected: dict[bytes, bytes]) -> None:
    assert attributes.read(written) == expected


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (b"a&amp;b", "a&b"),
        (b"a&amp", "a&"),
        (b"&lt;&#60;&#x3c;&#X3C", "<<<<"),
        (b"?a=1&copy=2", "?a=1&copy=2"),
        (b"?a=1&copy", "?a=1©"),
        (b"?a=1&copying", "?a=1&copying"),
        (b"?a=1&copy;=2", "?a=1©=2"),
        (b"&notit;", "&notit;"),
        (b"&nosuch;&;&#;&#x;", "&nosuch;&;&#;&#x;"),
        (b"&#0;&#xd800;&#1114112;", "\ufffd\ufffd\ufffd"),
        (b"&#" + b"9" * 5000 + b";", "\ufffd"),
        (b"&#128;", "€"),
        (b"a&#160;b&nbsp;c", "a\xa0b\xa0c"),
        (b"\xff\0", "\ufffd\ufffd"),
        ("ü".encode(), "ü"),
    ],
)
def test_value(written: bytes, text: str) -> None:
    assert attributes.value({b"x": written}, b"x") == text
    assert attributes.value({}, b"x") == ""


@pytest.mark.parametrize(
    ("written", "href"),
    [
        (b' href="x"', b"x"),
        (b' class="y" href="x"', b"x"),
        (b' title=" href=\'z\'" href="x"', b"x"),
        (b" href=x", b"x"),
        (b" HREF='x'", b"x"),
        (b' hreflang="de" href="x"', b"x"),
        (b' data-href="z" href="x" href="w"', b"x"),
        (b' href="x" href="w"', b"x"),
        (b" href", b""),
        (b' data-href="z"', None),
        (b"", None),
    ],
)
def test_href(written: bytes, href: bytes | None) -> None:
    assert attributes.href(written) == href


@given(st.lists(st.sampled_from([b" ", b"href", b"=", b'"', b"x", b"'", b"a", b"-", b"/"]), max_size=12).map(b"".join))
def test_href_is_what_reading_all_finds(written: bytes) -> None:
    if written.count(b'"') % 2 == 0 and written.count(b"'") % 2 == 0:
        assert attributes.href(b" " + written) == attributes.read(b" " + written).get(b"href")


@pytest.mark.parametrize(
    ("written", "rel"), [(b" rel=nofollow", "nofollow"), (b" REL='a&#32;b'", "a b"), (b" x=rel", ""), (b"", "")]
)
def test_rel(written: bytes, rel: str) -> None:
    assert attributes.rel(written) == rel


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a", "a"),
        ("&amp;lt;", "&lt;"),
        ("&lt;&gt;&quot;&nbsp;&#160;.", '<>"  .'),
        ("&notit;", "¬it;"),
        ("&copy=1", "©=1"),
        ("&#" + "1" * 5000, "\ufffd"),
        ("& &x &", "& &x &"),
    ],
)
def test_unescape(written: str, text: str) -> None:
    assert attributes.unescape(written) == text
