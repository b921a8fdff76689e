from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.messages import Url
from skitter.url.canon import Canon
from skitter.url.shape import goes_round, goes_round_by_python, shape_of, shape_of_by_python

SHAPES = {
    "eight letters of a hash": ("/deadbeef", "/0"),
    "seven of them": ("/deadbee", "/deadbee"),
    "an id of 16 signs": ("/zyxwvutsrqponml7", "/0"),
    "15 signs": ("/zyxwvutsrqponm7", "/zyxwvutsrqponm0"),
    "16 letters": ("/zyxwvutsrqponmlk", "/zyxwvutsrqponmlk"),
    "a hash beside words": ("/page-deadbeef.html", "/page-0.html"),
    "names without values": ("/a?&&", "/a"),
    "home": ("/", "/"),
    "words": ("/about/us.html", "/about/us.html"),
    "a number": ("/item/17", "/item/0"),
    "numbers within words": ("/p12a3", "/p0a0"),
    "a date": ("/2026/11/15/storm", "/0/storm"),
    "a day is of the shape of its month": ("/calendar/2026/11/15", "/calendar/0"),
    "a hash": ("/s/9f86d081884c7d659a2feaa0c55ad015/p", "/s/0/p"),
    "a token of letters and digits": ("/s/Zx9mKq81LpWt03Bv/p", "/s/0/p"),
    "long words are no tokens": ("/internationalisation/p", "/internationalisation/p"),
    "as deep as you like": ("/1/2/3/4/5", "/0"),
    "the names of a query": ("/e?day=5&a=x", "/e?a&day"),
    "values do not count": ("/e?a=y&day=77", "/e?a&day"),
    "an empty query": ("/e?", "/e"),
    "no slash at the end": ("/a/b/", "/a/b"),
}

ROUNDS = {
    "a piece too often": ("/a/b/a/b/a/b/a", True),
    "in a row": ("/a/a/a/a", True),
    "just often enough": ("/a/b/a/b/a/b", False),
    "other pieces": ("/a/b/c/d/e/f/g/h", False),
    "two that repeat, neither too often": ("/a/b/a/b/a/b/c", False),
    "empty pieces": ("//////////", False),
    "the query": ("/?a=/x/x/x/x/x", False),
    "home": ("/", False),
}


@pytest.mark.parametrize(("path", "shape"), SHAPES.values(), ids=SHAPES)
def test_shape(path: str, shape: str) -> None:
    href = f"https://a.org:8080{path}"
    assert shape_of(href) == shape_of_by_python(href) == shape


@pytest.mark.parametrize(("path", "round_"), ROUNDS.values(), ids=ROUNDS)
def test_going_round(path: str, round_: bool) -> None:
    assert goes_round(f"https://a.org{path}", 3) is goes_round_by_python(f"https://a.org{path}", 3) is round_


@given(st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=20), st.integers(1, 6))
def test_going_round_is_a_count_of_pieces(pieces: list[str], most: int) -> None:
    counts = Counter(piece for piece in pieces if piece)
    expected = max(counts.values(), default=0) > most
    href = "http://a.org/" + "/".join(pieces)
    assert goes_round(href, most) is goes_round_by_python(href, most) is expected


@given(st.text(alphabet="ab/?&", max_size=40), st.integers(1, 6))
def test_either_way_says_the_same_of_any_url(tail: str, most: int) -> None:
    href = f"http://a/{tail}"
    assert goes_round(href, most) is goes_round_by_python(href, most)


@given(st.text(max_size=60))
def test_any_url_has_a_shape_without_digits_but_0(text: str) -> None:
    url = Canon()(f"http://a.org/{text}")
    if isinstance(url, Url):
        shape = shape_of(url.href)
        assert shape.startswith("/")
        assert not set("123456789") & set(shape.partition("?")[0])


PIECES = st.text(alphabet="azAZgG019fe-./", max_size=40) | st.sampled_from(["deadbeef", "abcdefgh", "1" * 20])


@given(st.text(alphabet="azAZgGfe019-./?&=\u00e9", max_size=60) | st.lists(PIECES, max_size=6).map("/".join))
def test_either_way_gives_the_same_shape(tail: str) -> None:
    href = f"http://a.org/{tail}"
    assert shape_of(href) == shape_of_by_python(href)


@given(st.lists(PIECES, max_size=6))
def test_the_shape_of_a_path_is_made_of_the_shapes_of_its_pieces(pieces: list[str]) -> None:
    whole = [piece for piece in "/".join(pieces).split("/") if piece]
    alone = [shape_of(f"http://a.org/{piece}").removeprefix("/") for piece in whole]
    assert shape_of(f"http://a.org/{'/'.join(pieces)}") == "/" + "/".join(piece for piece, _ in groupby(alone))
