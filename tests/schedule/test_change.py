"""What counts as a change: the main text, not the bytes around it."""

from __future__ import annotations

import pytest

from skitter.parse import html
from skitter.schedule.change import MATTERS, Change, Visit, change_of
from skitter.settings import ParseSettings

NOW = 1.7e9
NONE, BYTES, TEXT, REWRITTEN = Change


def visit(at: float = NOW, digest: str | None = "a", etag: str | None = None, modified: float | None = None) -> Visit:
    return Visit(at=at, digest=digest, etag=etag, last_modified=modified)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        pytest.param(visit(), visit(digest="b"), REWRITTEN, id="other bytes"),
        pytest.param(visit(), visit(), NONE, id="same bytes"),
        pytest.param(visit(), visit(digest=None), NONE, id="304"),
        pytest.param(visit(digest=None), visit(digest="b"), REWRITTEN, id="200 after a 304 of unknown bytes"),
        pytest.param(visit(etag='"1"'), visit(digest="b", etag='"1"'), BYTES, id="same ETag"),
        pytest.param(visit(etag='"1"'), visit(digest="b", etag='W/"1"'), BYTES, id="same ETag, weak"),
        pytest.param(visit(etag='"1"'), visit(digest="b", etag='"2"'), REWRITTEN, id="other ETag and bytes"),
        pytest.param(visit(etag='"1"'), visit(etag='"2"'), NONE, id="other ETag, same bytes"),
        pytest.param(visit(etag='"1"'), visit(digest="b"), REWRITTEN, id="ETag no longer sent"),
        pytest.param(visit(modified=5), visit(digest="b", modified=5), BYTES, id="same Last-Modified"),
        pytest.param(visit(modified=5), visit(digest="b", modified=4), BYTES, id="Last-Modified went back"),
        pytest.param(visit(modified=5), visit(digest="b", modified=6), REWRITTEN, id="later date and other bytes"),
        pytest.param(visit(modified=5), visit(modified=6), NONE, id="saved again as it was"),
        pytest.param(visit(), visit(digest="b", modified=NOW - 61), BYTES, id="older than the last visit"),
        pytest.param(visit(), visit(digest="b", modified=NOW - 60), REWRITTEN, id="no older than clocks differ"),
        pytest.param(visit(), visit(digest="b", modified=NOW + 9), REWRITTEN, id="newer than the last visit"),
        pytest.param(
            visit(etag='"1"', modified=5), visit(digest="b", etag='"2"', modified=5), REWRITTEN, id="ETag before date"
        ),
    ],
)
def test_what_is_no_page_changes_with_its_bytes_unless_the_server_says_no(
    before: Visit, after: Visit, change: Change
) -> None:
    assert change_of(before, after) is change


ARTICLE = [
    "The harbour authority said on Monday that the northern pier will stay closed until the repairs are finished.",
    "Divers found cracks in the foundations last month, and engineers have since measured how fast they grow.",
    "Ferries to the islands leave from the old quay instead, which is a walk of twenty minutes from the station.",
    "Shop owners near the pier asked for help with their rents; the council is going to decide about that in spring.",
    "A spokeswoman said that nobody could tell yet what the work would cost, or who was going to pay for it.",
]
OTHER = [
    "Slice the aubergines, salt them well and leave them for half an hour before rinsing off the bitter juice.",
    "Fry onions and garlic in plenty of oil, add the tomatoes and let everything simmer on a low flame.",
    "Grate the cheese, mix it with breadcrumbs and a handful of parsley, and keep a third of it for the crust.",
    "Fill the dish in layers, finish with cheese, and bake until the top is brown and the edges begin to bubble.",
    "It tastes better on the second day, cold, with a squeeze of lemon and a piece of white bread.",
]


def page(
    text: list[str],
    title: str = "Northern pier stays closed",
    *,
    clock: str = "12:04:31",
    ad: str = "Buy one, get one free",
    mark: str = "8f3a9c",
) -> Visit:
    """Returns what a visit sees of a page as sites make them, around its text."""
    body = (
        f"<html><head><title>{title}</title><script>var now = '{clock}';</script></head><body>"
        f"<nav><a href=/>Home</a> <a href=/news>News</a></nav><div class=ad><a href=/buy>{ad}</a></div>"
        f"<main><article><h1>{title}</h1>{''.join(f'<p>{line}</p>' for line in text)}</article></main>"
        f"<form action=/search><input type=hidden name=csrf value={mark}><input name=q></form>"
        f"<footer>Page made at {clock}</footer></body></html>"
    )
    read = html.read(body.encode(), "http://a.org/x", [("Content-Type", "text/html")], ParseSettings(), "skitter")
    return Visit(NOW, body, sketch=read.sketch, simhash=read.said.simhash)


EDITED = [
    *ARTICLE[:4],
    "A spokesman said on Friday that nobody could tell yet what the work would cost, or who would pay.",
]


@pytest.mark.parametrize(
    ("after", "change"),
    [
        pytest.param(page(ARTICLE), NONE, id="the same bytes"),
        pytest.param(page(ARTICLE, clock="23:59:07"), BYTES, id="a clock"),
        pytest.param(page(ARTICLE, ad="Shoes that fit"), BYTES, id="an advertisement"),
        pytest.param(page(ARTICLE, mark="00ff17"), BYTES, id="a token in a form"),
        pytest.param(page([line.replace("Monday", "Sunday") for line in ARTICLE]), TEXT, id="a word"),
        pytest.param(page(EDITED), TEXT, id="a sentence"),
        pytest.param(page(OTHER, "Aubergines in the oven"), REWRITTEN, id="another page"),
    ],
)
def test_a_page_changes_with_what_it_says(after: Visit, change: Change) -> None:
    assert change_of(page(ARTICLE), after) is change


def test_the_text_counts_for_more_than_the_word_of_the_server() -> None:
    before, after = page(ARTICLE), page(OTHER)
    same_tag = Visit(NOW, after.digest, '"1"', None, after.sketch, after.simhash)
    assert change_of(Visit(NOW, before.digest, '"1"', None, before.sketch, before.simhash), same_tag) is REWRITTEN


def test_every_kind_says_whether_it_matters() -> None:
    assert set(MATTERS) == set(Change)
