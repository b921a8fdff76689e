"""Link headers, as RFC 8288 writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.parse.link_header import targets


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('<http://a/>; rel="canonical"', ["http://a/"]),
        ("<http://a/>; rel=canonical", ["http://a/"]),
        ("<http://a/>;rel=Canonical", ["http://a/"]),
        ('</a>; title="x"; REL = "next canonical"', ["/a"]),
        ("<a>; rel=next, <b>; rel=canonical", ["b"]),
        ("<a,b>; rel=canonical", ["a,b"]),
        ('<a>; title="x, <b>; rel=canonical"', []),
        ('<a>; title="x\\", <b>; rel=canonical", <c>; rel=canonical', ["c"]),
        ("<a>; rel=next; rel=canonical", []),
        ("<a>; rel=canonical; anchor='/x'", []),
        ("<a>; rel=canonicals", []),
        ("<a>; rel", []),
        ("<a>", []),
        ("a; rel=canonical", []),
        ("<a; rel=canonical", []),
        ("", []),
    ],
)
def test_targets(value: str, expected: list[str]) -> None:
    assert list(targets([value], "canonical")) == expected


def test_several_headers() -> None:
    assert list(targets(["<a>; rel=x", "<b>; rel=y, <c>; rel=x"], "x")) == ["a", "c"]


@given(st.text(alphabet='<>;,="\\ relx', max_size=40))
def test_never_raises(value: str) -> None:
    assert all("<" not in target for target in targets([value], "x"))
