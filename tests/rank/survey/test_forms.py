"""Of several forms of a page, the one that most pages link to; counted by the kernel and in Python alike."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.rank.survey import forms
from skitter.rank.survey.form import Form
from skitter.rank.survey.forms import Forms, PlainInlinks, preferred
from skitter.rank.survey.marks import LinkMark
from skitter.rank.survey.quick import QuickInlinks
from tests.rank.webs import Link, link_batch

URLS = ["http://a.com/x", "http://a.com/x?ref=1", "http://a.com/print/x", "http://b.com/"]
Copy = tuple[str, str | None, int]


def clusters(*copies: Copy) -> dict[str, set[str]]:
    """Returns the forms of each page, of captures in this order: URL, what it is a copy of, time."""
    found = Forms()
    for copy in copies:
        url, other, at = copy
        columns = [pa.array([url]), pa.array([other], pa.string()), pa.array([at])]
        found.take(pa.record_batch(columns, names=["url", "duplicate_of", "at"]))
    return {root: set(urls) for root, urls in found.clusters().items()}


def test_copies_of_one_page_are_its_forms() -> None:
    assert clusters(("a", None, 1), ("b", "a", 1), ("c", "a", 1), ("d", None, 1)) == {"a": {"a", "b", "c"}}
    assert clusters(("b", "a", 1), ("c", "b", 2)) == {"a": {"a", "b", "c"}}, "also by way of another copy"
    assert clusters(("a", "b", 1), ("b", "a", 1)) is not None, "a circle ends"


def test_a_page_counts_as_it_last_was() -> None:
    assert clusters(("b", "a", 1), ("b", None, 2)) == {}
    assert clusters(("b", "a", 2), ("b", None, 1)) == {"a": {"a", "b"}}
    assert clusters(("b", "a", 1), ("b", "c", 2)) == {"c": {"b", "c"}}


def test_no_more_copies_are_held_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MOST", 2)
    assert clusters(("b", "a", 1), ("c", "a", 1), ("d", "a", 1), ("b", None, 2)) == {"a": {"a", "c"}}


def test_the_form_with_most_inlinks_is_the_page() -> None:
    links: list[Link] = [(f"http://p{page}.com/", URLS[1], LinkMark.VOUCHES) for page in range(3)]
    links += [("http://p1.com/", URLS[0], LinkMark.VOUCHES), ("http://p1.com/", URLS[0], LinkMark.VOUCHES)]
    links += [(f"http://p{page}.com/", URLS[2], LinkMark.NOFOLLOW) for page in range(9)]
    inlinks = QuickInlinks(URLS[:3])
    inlinks.links(link_batch(links))
    assert list(preferred({URLS[0]: URLS[:3]}, inlinks)) == [
        Form(URLS[2], URLS[1], 0, 3),
        Form(URLS[0], URLS[1], 1, 3),
        Form(URLS[1], URLS[1], 3, 3),
    ]
    assert {form.page for form in preferred({"x": URLS[:3]}, QuickInlinks(URLS))} == {URLS[0]}, "the shortest, if equal"


targets = st.sampled_from([*URLS, URLS[0] + "#part", "http://c.com/", ""])
links_of = st.lists(st.tuples(st.sampled_from(URLS), targets, st.sampled_from(list(LinkMark))), max_size=30)


@given(st.lists(links_of, max_size=3))
def test_both_count_the_same(batches: list[list[Link]]) -> None:
    plain, quick = PlainInlinks(URLS), QuickInlinks(URLS)
    for links in batches:
        plain.links(link_batch(links))
        quick.links(link_batch(links))
    assert plain.counts([*URLS, "http://unknown.com/"]) == quick.counts([*URLS, "http://unknown.com/"])
