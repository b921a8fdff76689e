"""The main text of a page: pages of each kind, rules one by one, and what nobody would write by hand."""

from __future__ import annotations

import pytest

from skitter.kernel import IS_NATIVE
from skitter.parse import maintext
from skitter.parse.maintext import MainText, Reader
from tests.growth.clock import dearer
from tests.parse.mainpages import ARTICLE, EXAMPLES, PARAGRAPHS, page

URL = "https://www.example.org/a/b"

best = pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built: no Rust toolchain")


@pytest.fixture(params=["plain", "native"])
def read(request: pytest.FixtureRequest) -> Reader:
    if request.param == "native" and not IS_NATIVE:
        pytest.skip("the native kernel was not built: no Rust toolchain")
    return maintext.native if request.param == "native" else maintext.plain


def native(html: str | bytes) -> MainText:
    return maintext.native(html.encode() if isinstance(html, str) else html, URL)


@best
@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_page_of_each_kind(kind: str) -> None:
    html, kept, dropped = EXAMPLES[kind]
    text = native(html).text
    assert [line for line in kept if line not in text] == []
    assert [line for line in dropped if line in text] == []


def test_both_find_the_paragraphs_of_an_article(read: Reader) -> None:
    found = read(ARTICLE.html.encode(), URL)
    assert all(paragraph in found.text for paragraph in PARAGRAPHS)
    assert "Tides" not in found.text
    assert found.description == "A lamp turns after eleven years."
    assert found.lang == "en"
    assert found.title.startswith("The lighthouse is lit again")


def test_without_the_kernel_a_page_of_short_lines_is_taken_whole() -> None:
    assert maintext.plain(b"<title>t</title><p>One.<p>Two.", URL) == MainText("t", "One.\nTwo.", "", "")


@best
def test_it_is_the_kernel_that_is_used_where_it_is() -> None:
    assert maintext.read is maintext.native


TITLES = [
    ("<title>Tides | The Post</title><h1>The Post</h1>", "The Post"),
    ("<title>Tides of March | The Post</title>", "Tides of March"),
    ("<title>Tides of March - The Post</title><h1>The tides of March</h1>", "The tides of March"),
    ("<title>Tides of March</title><h1>Welcome</h1>", "Tides of March"),
    ("<title>Tides | Post</title>", "Tides | Post"),
    ("<meta property=og:title content='Tides of &amp; March'>", "Tides of & March"),
    ("<h1>Tides<br>of March</h1>", "Tides of March"),
    ("<title>First title</title><title>Second title</title>", "First title"),
    ("", ""),
]


@best
@pytest.mark.parametrize(("html", "title"), TITLES)
def test_the_title_is_the_heading_that_says_it_or_the_title_without_the_site(html: str, title: str) -> None:
    assert native(html).title == title


DESCRIPTIONS = [
    ("<meta name=Description content=' a  b '><meta property=og:description content=c>", "a b"),
    ("<meta property=og:description content=c><meta name=description content=''>", "c"),
    ("<meta name=description>", ""),
]


@best
@pytest.mark.parametrize(("html", "description"), DESCRIPTIONS)
def test_the_description_is_the_page_s_own_else_the_one_for_quoting(html: str, description: str) -> None:
    assert native(html).description == description


LANGUAGES = [
    ("<html lang=de>", "de"),
    ("<html xml:lang=pt-BR>", "pt-BR"),
    ("<meta http-equiv=content-language content=fr>", "fr"),
    ("<meta http-equiv=content-language content='fr, en'>", ""),
    ("<html lang=' '>", ""),
    ("<p>x", ""),
]


@pytest.mark.parametrize(("html", "lang"), LANGUAGES)
def test_the_declared_language(read: Reader, html: str, lang: str) -> None:
    assert read(html.encode(), URL).lang == lang


def in_article(markup: str) -> str:
    """The main text of an article with this in its middle."""
    return native(ARTICLE.html.replace("<h2>The keeper</h2>", markup)).text


@best
def test_what_is_no_text_is_left_out() -> None:
    text = in_article(
        "<script>var a = 1;</script><style>p "
        "{}</style><template><p>unborn</p></template><svg><title>arrow</title></svg>"
        "<textarea>draft</textarea><iframe>old browser</iframe><!-- note -->"
    )
    for gone in ("var a", "p {}", "unborn", "arrow", "draft", "old browser", "note"):
        assert gone not in text


@best
def test_lines_of_code_stay_lines() -> None:
    code = "for boat in harbour:\n    boat.moor(lines=4, fenders=True)\n    boat.log.append(tide.now())"
    text = in_article(
        f"<p>The harbour runs on a few lines of code, and here they are for all to see:</p><pre>{code}</pre>"
    )
    assert "for boat in harbour:\nboat.moor(lines=4, fenders=True)\nboat.log.append(tide.now())" in text


@best
def test_references_are_resolved_and_spaces_collapsed() -> None:
    sentence = (
        "The&nbsp;tower  is\n 31&#160;m high &mdash; &quot;as high as twelve oxen&quot;, they say here, &amp; it is so."
    )
    assert 'The tower is 31 m high — "as high as twelve oxen", they say here, & it is so.' in in_article(
        f"<p>{sentence}</p>"
    )


@best
def test_line_breaks_and_elements_that_have_no_end_tag() -> None:
    text = in_article(
        f"<p>{PARAGRAPHS[3]}<p>It was built of stone from the quarry<br>and of oak from the hills behind the "
        f"town, they "
        "say.<ul><li>A lamp of the first order, made in Paris<li>A horn that is heard for nine miles in fog</ul>"
    )
    assert f"{PARAGRAPHS[3]}\nIt was built of stone from the quarry\nand of oak from the hills" in text
    assert "A lamp of the first order, made in Paris\nA horn that is heard for nine miles in fog" in text


@best
def test_a_page_for_those_who_run_no_scripts() -> None:
    """Discourse and others hold a page's text where only they look."""
    body = "".join(f"<div class=post><p>{paragraph}</p></div>" for paragraph in PARAGRAPHS)
    text = native(page(f"<div id=app></div><noscript><h1>The lighthouse</h1>{body}</noscript>", "The lighthouse")).text
    assert all(paragraph in text for paragraph in PARAGRAPHS)


@best
def test_a_page_without_any_names_for_its_parts() -> None:
    """Old pages, and those whose classes are drawn by a machine: what is in links says enough."""
    menu = "".join(f'<li><a href="/{number}">Page {number}</a></li>' for number in range(12))
    body = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    text = native(f"<title>x</title><body><ul>{menu}</ul><div>{body}</div><ul>{menu}</ul>").text
    assert all(paragraph in text for paragraph in PARAGRAPHS)
    assert "Page 3" not in text


@best
def test_a_page_with_nothing_to_say_says_nothing() -> None:
    for html in ("", "<html><body></body></html>", "<script>x</script>", "\0", "   "):
        assert native(html).text.strip("\0 ") == ""


@best
def test_a_page_of_one_sentence_is_that_sentence() -> None:
    assert native("<main><p>It was a dark and stormy night.</p></main>").text == "It was a dark and stormy night."


HOSTILE = {
    "deep": b"<div>x",
    "no end tags": b"<p><b><a href=x>y<li>",
    "fonts": b"<p><font size=1>x",
    "ends of nothing": b"<div></x></span></table>",
    "crossed": b"<a><div>x</a><b></div></b>",
    "tables": b"<table><tr><td>x</div>",
    "lists": b"<ul><li>x",
    "no tag at all": b"<",
    "pictures": b"<svg>x",
    "zeros": b"\0",
    "broken letters": b"\xff\xc3 ",
    "titles": b"<h1>a b</h1>",
    "names": b'<div class="comment nav related">word, word.</div>',
    "references": b"&amp&#1;",
    "one word": b"wordword",
}


@best
@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_page_whatever_is_in_it(piece: bytes) -> None:
    small, large = (piece * (size // len(piece)) for size in (100_000, 800_000))
    grown = dearer(lambda: maintext.native(small, URL), lambda: maintext.native(large, URL), 16, grace=0.05)
    assert grown <= 16


@best
@pytest.mark.slow
def test_time_grows_with_the_page_when_no_two_elements_look_alike() -> None:
    def unlike(count: int) -> bytes:
        head = b"<title>" + b"w1 w2 w3 " * 400 + b"</title>"
        return head + b"".join(b'<h1 class="c%d">w%d z</h1>' % (number, number) for number in range(count))

    small, large = unlike(3_000), unlike(24_000)
    assert dearer(lambda: maintext.native(small, URL), lambda: maintext.native(large, URL), 16, grace=0.05) <= 16


@best
def test_a_page_of_any_depth_keeps_what_is_at_its_end() -> None:
    html = b"<div>" * 5_000 + b"".join(b"<p>" + paragraph.encode() + b"</p>" for paragraph in PARAGRAPHS)
    assert all(paragraph in native(html).text for paragraph in PARAGRAPHS)
