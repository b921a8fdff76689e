"""Choices that are put together in one URL."""

from __future__ import annotations

import pytest

from skitter.judge.orders import choices_in, joined, turned


@pytest.mark.parametrize(
    ("path", "choices"),
    [
        ("shop/red", ["red"]),
        ("shop/red/xl", ["red", "xl"]),
        ("shop/red-xl", ["red", "xl"]),
        ("shop/dark-blue/xl", ["dark-blue", "xl"]),
        ("list?ids=1,5", ["ids=1", "ids=5"]),
        ("list?open=1.5&sort=up", ["open=1", "open=5", "sort=up"]),
        ("shop/0-50", ["0-50"]),
        ("shop/list;c=red;s=m", ["c=red", "s=m"]),
        ("shop/17/2", []),  # the second page of the seventeenth article
        ("shop/", []),
    ],
)
def test_what_a_url_chooses(path: str, choices: list[str]) -> None:
    assert list(choices_in(f"http://a.org/{path}", 1)[0]) == choices


def test_only_what_was_there_alone_is_put_together() -> None:
    seen = b""
    for alone in ("red", "xl", "dark-blue", "0-50"):
        is_joined, seen = joined(f"http://a.org/shop/{alone}", 1, seen)
        assert not is_joined
    assert joined("http://a.org/shop/red-xl", 1, seen)[0]
    assert joined("http://a.org/shop/xl/red", 1, seen)[0]
    assert joined("http://a.org/shop/dark-blue/0-50", 1, seen)[0]
    assert joined("http://a.org/shop/17", 1, seen)[0] is None
    assert not joined("http://a.org/shop/red/wool", 1, seen)[0]


def test_a_path_in_another_order_is_told() -> None:
    is_turned, seen = turned("http://a.org/shop/red/xl", b"")
    assert not is_turned
    assert turned("http://a.org/shop/xl/red", seen)[0]
    assert not turned("http://a.org/shop/red/xl", seen)[0]
