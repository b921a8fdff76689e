from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.judge.corner import HOST, LONGEST, WHOLE, corners_of, size_within, ways_of

HREFS = st.from_regex(r"http://a\.org/([a-c0-9]{1,3}/){0,4}[a-c0-9]{0,3}(\?[ab]=[0-9]&[cd]=1)?", fullmatch=True)


@pytest.mark.parametrize(
    ("path", "corners"),
    [
        ("", ("", "", "/*", WHOLE)),
        ("about", ("", "", "/*", WHOLE)),
        ("day/17", ("/day/0", "", "/day/*", WHOLE)),
        ("shop/shoes?size=1&color=red", ("/shop/shoes?color&size", "", "/shop/*?", WHOLE)),
        ("a/b/c/d", ("", "/a/b/*", "/a/*", WHOLE)),
    ],
)
def test_corners(path: str, corners: tuple[str, ...]) -> None:
    assert corners_of(f"http://a.org/{path}") == corners


@given(HREFS, HREFS)
def test_what_shares_a_small_corner_shares_the_larger_ones(one: str, other: str) -> None:
    mine, theirs = corners_of(one), corners_of(other)
    size = size_within(mine, theirs)
    assert all(mine[larger] == theirs[larger] for larger in range(size, HOST + 1))


def test_ways_are_counted_for_every_size() -> None:
    new = [f"http://a.org/{path}" for path in ("day/2", "day/three", "other", "day/2?x=1")]
    assert ways_of(corners_of("http://a.org/day/1"), new, 2) == ((1, 1, 2, 4, 6), "http://a.org/day/2")


def test_what_lies_ahead_is_of_no_closed_corner() -> None:
    new = [f"http://a.org/wiki/?{query}" for query in ("oldid=1", "oldid=2", "oldid=3&diff=1")]
    mine = corners_of("http://a.org/wiki/?oldid=9&diff=8")
    ways, ahead = ways_of(mine, new, 0, frozenset({corners_of(new[0])[0]}))
    assert ahead == new[2]
    assert ways == ways_of(mine, new, 0)[0], "where a page leads is the same all the while"
    assert ways_of(mine, new, 0, frozenset({mine[2]}))[1] == ""


def test_long_names_are_cut_and_still_differ() -> None:
    names = {corners_of(f"http://a.org/{'x' * 300}{end}/0")[0] for end in "ab"}
    assert len(names) == 2
    assert max(map(len, names)) <= LONGEST
