"""Refresh: the cases of the HTML standard's steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.parse import refresh


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=foo", (0, "foo")),
        ("1, url=foo", (1, "foo")),
        ("1 url=foo", (1, "foo")),
        ("1;\turl=foo", (1, "foo")),
        ("1\furl=foo", (1, "foo")),
        ("  1  ;  URL  =  foo", (1, "foo")),
        ("1; foo", (1, "foo")),
        ("1 x;url=foo", (1, "x;url=foo")),
        ("1;;url=foo", (1, ";url=foo")),
        ("1; url='foo'bar", (1, "foo")),
        ('1; url="foo"bar', (1, "foo")),
        ("1; url=\"foo'bar", (1, "foo'bar")),
        ('1; "foo"bar', (1, "foo")),
        ("1; url foo", (1, "url foo")),
        ("1; urlfoo", (1, "urlfoo")),
        ("1; url=", (1, "")),
        ("1.9..5.; url=foo", (1, "foo")),
        (".9; url=foo", (0, "foo")),
        ("0;url=a\nb", (0, "a\nb")),
        ("9" * 5000 + ";foo", (refresh.MAX_WAIT, "foo")),
        ("", None),
        ("1", None),
        ("1;", None),
        ("1; ", None),
        ("; foo", None),
        ("foo", None),
        ("1url=foo", None),
        ("1x;url=foo", None),
        ("+1; url=foo", None),
        ("-1; url=foo", None),
        ("1e0; url=foo", None),
        ("٥; url=foo", None),
    ],
)
def test_read(content: str, expected: tuple[float, str] | None) -> None:
    assert refresh.read(content) == expected


@given(st.text(alphabet="01.;, \turl='\"x", max_size=20))
def test_never_raises(content: str) -> None:
    found = refresh.read(content)
    assert found is None or found[0] >= 0
