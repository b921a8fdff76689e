"""Every kind of document says what it says, and broken ones say less; time grows with the length and no faster."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.content.capture import MAX_FACTS, as_json
from skitter.content.documents.about import MAX_MARKS, about, found_marks, plain_marks
from skitter.content.documents.document import Document, Limits, Told
from skitter.content.documents.linked import MAX_NODES, nodes_in
from skitter.content.documents.readers import BY_TYPE, UNREAD, read, reader_of
from skitter.content.documents.when import pdf_date, when

JAN_2 = 1767323045.0  # 2026-01-02T03:04:05Z


def told(body: str | bytes, media: str = "text/html", **limits: int) -> Told:
    raw = body.encode() if isinstance(body, str) else body
    return read(Document("https://a.example/x", raw, media), Limits(**limits))  # type: ignore[arg-type]


def test_dates_by_the_surest_source() -> None:
    node = {"@type": "NewsArticle", "datePublished": "2026-01-02T03:04:05Z"}
    script = f"<script type='application/ld+json'>{json.dumps(node)}</script>"
    meta = "<meta property='article:published_time' content='2025-01-01'>"
    time = "<time itemprop=datePublished datetime=2024-01-01>"
    assert about((time + meta + script).encode()).published() == JAN_2
    assert about((time + meta).encode()).published() == when("2025-01-01")
    assert about(time.encode()).published() == when("2024-01-01")
    assert about(b"<p>2024-01-01").published() is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02T03:04:05Z", JAN_2),
        ("2026-01-02 03:04:05", JAN_2),
        ("2026-01-02T04:04:05+01:00", JAN_2),
        ("2026-01-02 04:04:05 +0100", JAN_2),
        ("2026-01-02T03:04:05.5Z", JAN_2 + 0.5),
        ("20260102030405", JAN_2),
        ("Fri, 02 Jan 2026 03:04:05 GMT", JAN_2),
        ("2026/1/2", when("2026-01-02")),
        ("20260102", when("2026-01-02")),
        ("yesterday", None),
        ("2026-13-45", None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31", None),
        ("", None),
        (None, None),
        (20260102, None),
    ],
)
def test_dates_as_they_are_written(text: object, moment: float | None) -> None:
    assert when(text) == moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("D:20260102030405Z", JAN_2),
        ("D:20260102040405+01'00'", JAN_2),
        ("D:20260102040405+01", JAN_2),
        ("D:2026", when("2026-01-01")),
        ("D:20269999", None),
        ("D:20260102030405+99'99'", None),
        ("2026-01-02T03:04:05Z", JAN_2),
        ("", None),
    ],
)
def test_dates_of_pdfs(text: str, moment: float | None) -> None:
    assert pdf_date(text) == moment


def test_what_is_not_markup_says_nothing_about_the_page() -> None:
    hidden = "<meta name=a content=1><h1>No</h1>"
    page = f"<!-- {hidden} --><script>{hidden}</script><style>{hidden}</style><template>{hidden}</template><h2>Yes</h2>"
    found = about(page.encode())
    assert (found.metas, [heading.text for heading in found.headings]) == ([], ["Yes"])


def test_json_ld_as_it_falls_out_of_templates() -> None:
    scripts = [
        '\n//<![CDATA[\n{"@type": "A", "text": "two\nlines"}\n//]]>',
        '<!-- {"@graph": [{"@type": "B"}, {"@id": "x"}, {"@type": ["C", "D"]}]} -->',
        '[{"@type": "E"}];',
        '{"@type": "F", ',
        "[" * 100_000,
        '{"@type": "G", "n": 1e999, "big": 123456789012345678901234567890, "bad": "\\ud800"}',
    ]
    nodes = nodes_in(scripts)
    assert [node["@type"] for node in nodes] == ["A", "B", ["C", "D"], "E", "G"]
    assert as_json({"jsonld": nodes}) is not None


def test_facts_are_bounded() -> None:
    many = [json.dumps({"@type": "A", "text": "x" * 10_000, "list": list(range(1000))})] * 100
    assert len(nodes_in(many)) == MAX_NODES
    metas = "".join(f"<meta property='og:{number}' content='{'y' * 1000}'>" for number in range(200))
    text = as_json(told(metas + "<p>words").facts)
    assert text is not None
    assert len(text) <= MAX_FACTS
    assert json.loads(text)["og"]
    assert as_json({}) is None


def test_json_says_its_strings() -> None:
    found = told(json.dumps({"title": "T", "a": ["one", {"b": "two"}], "n": 5}), "application/geo+json")
    assert (found.how, found.title, found.text) == ("json", "T", "T\none\ntwo")
    assert told("{broken", "application/json").text == "{broken"
    assert told("[" * 100_000, "application/json").how == "json"


def test_feeds_say_what_is_new() -> None:
    atom = (
        "<feed xml:lang='en'><title type='text'>The feed</title><updated>2026-01-02T03:04:05Z</updated>"
        "<entry><title>One &amp; only</title><summary>&lt;b&gt;Bold&lt;/b&gt; words</summary></entry></feed>"
    )
    found = told(atom, "application/atom+xml")
    assert (found.how, found.title, found.text) == ("feed", "The feed", "One & only\nBold words")
    assert (found.modified, [heading.text for heading in found.headings]) == (JAN_2, ["One & only"])


def test_plain_text_is_as_it_is() -> None:
    found = told("A title\r\n\r\nAnd more.\r\n", "text/markdown")
    assert (found.how, found.title, found.text) == ("plain", "A title", "A title\n\nAnd more.")


def test_each_type_has_a_reader_or_none() -> None:
    assert reader_of("text/x-unknown") is BY_TYPE["text/*"]
    assert reader_of("application/problem+json") is BY_TYPE["*/*+json"]
    assert all(reader_of(media) is None for media in (*UNREAD, "application/zip", "image/png", ""))
    assert told(b"\0", "application/zip").how == "none"


@pytest.mark.parametrize("limit", [0, 10, 1000])
def test_text_is_bounded(limit: int) -> None:
    for media in ("text/html", "text/plain", "application/json", "application/rss+xml"):
        assert len(told("<p>" + "word " * 1000, media, max_text=limit).text) <= limit


@pytest.mark.slow
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode), st.sampled_from(sorted(BY_TYPE)))
def test_any_bytes_are_read(body: bytes, media: str) -> None:
    found = told(body, media.replace("*", "x"))
    "".join((found.title, found.text, found.description, *(text for _, text in found.headings))).encode()
    as_json(found.facts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        b"<script>",
        b"<!--",
        b"<meta name='",
        b'<h1 "',
        b"<h1>",
        b"<template>",
        b"<time ",
        b"<meta a='>'",
        b"<style ",
        b"</h1",
    ],
)
def test_time_grows_with_the_length(piece: bytes) -> None:
    """Steps of the search, not seconds: what is quadratic would not end."""
    about(piece * (300_000 // len(piece)))


_PIECES = (
    *(b"<!--", b"-->", b"<!-->", b"<meta name='a' content=\"x>", b"<meta content=y name=robots>", b"<META", b"</meta>"),
    *(
        b"<script type=application/ld+json>",
        b"<script>",
        b"</script>",
        b"</SCRIPT ",
        b"<h2>",
        b"<H1 class='a>b'>",
        b"</h2>",
    ),
    *(
        b"<time datetime=2026-01-01 pubdate>",
        b"<noscript>",
        b"</noscript/>",
        b"<template>",
        b"</template>",
        b"<textarea/>",
    ),
    *(
        b"<style\t>",
        b"</style",
        b"<xmp>",
        b"</xmp>",
        b"<h7>",
        b"<metal>",
        b"'",
        b'"',
        b"=",
        b">",
        b"<",
        b"/",
        b" ",
        b"\0",
        b"word",
    ),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map(b"".join))
def test_the_kernel_finds_the_tags_that_python_finds(html: bytes) -> None:
    assert found_marks(html, MAX_MARKS) == plain_marks(html, MAX_MARKS)
    assert found_marks(html, 2) == plain_marks(html, 2)
