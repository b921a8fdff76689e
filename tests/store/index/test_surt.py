"""Our keys are those that pywb computes, or it would not find the page."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.store.index.surt import surt
from skitter.url.parse import parse

CASES = {
    "https://www.Example.org/A/?b&a": "org,example)/a?a&b",
    "http://example.org": "org,example)/",
    "http://example.org/": "org,example)/",
    "http://www2.example.org/x": "org,example)/x",
    "http://www.org/": "org)/",
    "http://example.org:80/x": "org,example)/x",
    "https://example.org:443/x": "org,example)/x",
    "http://example.org:8080/x": "org,example:8080)/x",
    "http://user:secret@example.org/x": "org,example)/x",
    "http://127.0.0.1:8080/x": "1,0,0,127:8080)/x",
    "http://example.org./x": "org,example)/x",
    "http://example.org/a//b/": "org,example)/a/b",
    "http://example.org/a/%2e%2e/b": "org,example)/b",
    "http://example.org/%41%2541": "org,example)/aa",
    "http://example.org/%ff%20x": "org,example)/%ff%20x",
    "http://example.org/x?": "org,example)/x",
    "http://example.org/x?b=2&a=1&a=0": "org,example)/x?a=0&a=1&b=2",
    "http://example.org/x?a=%26&b": "org,example)/x?&a=&b",
    "http://example.org/x#part": "org,example)/x",
    "http://example.org/x?jsessionid=0123456789abcdef0123456789ABCDEF&b=1": "org,example)/x?b=1",
    "http://example.org/x?a=1&sid=0123456789abcdef0123456789abcdef": "org,example)/x?&a=1",
    "http://example.org/(S(0123456789abcdefghij0123))/p.aspx": "org,example)/p.aspx",
}


@pytest.mark.parametrize(("href", "key"), CASES.items())
def test_keys(href: str, key: str) -> None:
    assert surt(href) == key


@pytest.mark.parametrize("href", CASES)
def test_cases_are_what_pywb_says(href: str) -> None:
    theirs = pytest.importorskip("surt").surt
    assert surt(href) == theirs(href)


PIECES = st.text(alphabet="abAB01%2fF./=&+;,~()'\"|é ?", max_size=12)


@settings(max_examples=80, deadline=None)
@given(PIECES, PIECES)
def test_any_path_and_query_has_the_key_that_pywb_computes(path: str, query: str) -> None:
    theirs = pytest.importorskip("surt").surt
    url = parse(f"http://www.example.org/{path}?{query}")
    if isinstance(url, str):
        assert surt(url) == theirs(url)
