"""`skitter tools`: JSON lines in, JSON lines out."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.settings import Settings
from skitter.tools.answers import TOOLS, answers


def ask(tool: str, *lines: object) -> list[dict[str, object]]:
    given_lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return [json.loads(answer) for answer in answers(TOOLS[tool](), given_lines, Settings())]


def b64(body: bytes) -> str:
    return b64encode(body).decode()


ANSWERS = [
    (
        "robots",
        {
            "id": 1,
            "robots": "User-agent: *\nDisallow: /x\nCrawl-delay: 2.5",
            "agent": "skitter",
            "url": "http://a.org/x",
        },
        {"id": 1, "allowed": False, "crawl_delay": 2.5, "sitemaps": []},
    ),
    (
        "robots",
        {"id": 2, "robots_b64": b64(b"Sitemap: http://a.org/s.xml"), "agent": "skitter", "url": None},
        {"id": 2, "allowed": None, "crawl_delay": None, "sitemaps": ["http://a.org/s.xml"]},
    ),
    (
        "urls",
        {"id": "a", "op": "parse", "base": "http://a.org/x/", "input": "../y#z"},
        {"id": "a", "href": "http://a.org/y#z"},
    ),
    ("urls", {"id": "b", "op": "parse", "base": None, "input": "no"}, {"id": "b", "failure": True}),
    (
        "urls",
        {"id": 1, "op": "same", "a": "http://www.a.org/?b=1&a=2", "b": "http://a.org?a=2&b=1"},
        {"id": 1, "same": True},
    ),
    ("urls", {"id": 1, "op": "same", "a": "http://a.org/", "b": "https://a.org/"}, {"id": 1, "same": False}),
    ("urls", {"id": 1, "op": "same", "a": "mailto:x", "b": "mailto:y"}, {"id": 1, "same": False}),
    (
        "links",
        {"id": 1, "url": "http://a.org/", "html": '<base href="/d/"><a rel=nofollow href="b">b</a>'},
        {
            "id": 1,
            "links": [{"url": "http://a.org/d/b", "tag": "a", "nofollow": True}],
            "base": "http://a.org/d/",
            "refresh": None,
            "canonical": None,
            "noindex": False,
            "nofollow": False,
        },
    ),
    (
        "text",
        {
            "id": 1,
            "url": "http://a.org/",
            "html": "<html lang=en-GB><title>Storm | Post</title><meta name=description content=d>"
            "<nav><a href=/>Home</a></nav><main><p>It was a dark and stormy night, and the rain fell in torrents on "
            "the roofs of the town.</p></main>",
        },
        {
            "id": 1,
            "title": "Storm | Post",
            "text": "It was a dark and stormy night, and the rain fell in torrents on the roofs of the town.",
            "lang": "en-GB",
            "description": "d",
        },
    ),
    (
        "text",
        {
            "id": 2,
            "url": "http://a.org/",
            "html_b64": b64("<p>Größe".encode("latin-1")),
            "headers": {"content-type": "text/html; charset=latin1", "Content-Language": "de-at"},
        },
        {"id": 2, "title": "", "text": "Größe", "lang": "de-AT", "description": ""},
    ),
    (
        "sitemap",
        {"id": 1, "url": "http://a.org/s.txt", "content_type": "text/plain", "body_b64": b64(b"http://a.org/x\n")},
        {"id": 1, "type": "urlset", "urls": ["http://a.org/x"]},
    ),
    (
        "charset",
        {"id": 1, "content_type": "text/html; charset=latin1", "body_b64": ""},
        {"id": 1, "encoding": "windows-1252"},
    ),
    ("charset", {"id": 1, "content_type": None, "body_b64": ""}, {"id": 1, "encoding": None}),
    ("simhash", {"id": 1, "text": ""}, {"id": 1, "simhash": "0000000000000000"}),
    ("simhash", {"id": 2, "text": "To be, or not to be"}, {"id": 2, "simhash": "71b4b8e7abbba270"}),
    (
        "simhash",
        {"id": 3, "url": "http://a.org/", "html": "<nav>Home</nav><p>To be, <b>or not</b><p>to be &hellip;"},
        {"id": 3, "simhash": "71b4b8e7abbba270"},
    ),
    (
        "near",
        {"id": 1, "url": "http://a.org/", "html_b64": b64(b"<p>To be, or not to be")},
        {"id": 1, "duplicate_of": None, "simhash": "71b4b8e7abbba270"},
    ),
]


@pytest.mark.parametrize(("tool", "asked", "answer"), ANSWERS)
def test_answers(tool: str, asked: dict[str, object], answer: dict[str, object]) -> None:
    assert ask(tool, asked) == [answer]


def test_links_take_headers_with_one_value_or_several() -> None:
    page = {"url": "http://a.org/", "html": ""}
    several = {**page, "headers": {"X-Robots-Tag": ["noindex", "nofollow"]}}
    [one, both] = ask("links", {**page, "headers": {"x-robots-tag": "noindex"}}, several)
    assert (one["noindex"], one["nofollow"]) == (True, False)
    assert (both["noindex"], both["nofollow"]) == (True, True)


def test_a_page_is_near_to_the_first_that_says_the_same() -> None:
    def page(identity: object, text: str) -> dict[str, object]:
        return {"id": identity, "url": "http://a.org/", "html": f"<title>{identity}</title><nav>{identity}</nav>{text}"}

    lines = [[f"{word} number {number}" for number in range(100)] for word in ("leg", "eye")]
    legs, eyes = (" ".join(line) for line in lines)
    answered = ask("near", page("a", legs), page(["b"], eyes), b"{", page(3, legs + "!"), page(None, f"{eyes} Or so."))
    assert [answer.get("duplicate_of") for answer in answered] == [None, None, None, "a", ["b"]]
    assert ask("near", page(5, legs))[0]["duplicate_of"] is None  # nothing is remembered from one run to the next


BAD = [
    ("urls", b"{", None, "not a line of JSON"),
    ("urls", b"\xff\xfe", None, "not a line of JSON"),
    ("urls", b"[1]", None, "one JSON object"),
    ("urls", b"[" * 100_000, None, "not a line of JSON"),
    ("urls", {"id": 7}, 7, "op"),
    ("urls", {"id": 7, "op": "parse"}, 7, "input"),
    ("urls", {"id": 7, "op": "same", "a": 1, "b": "x"}, 7, "Expected `str`"),
    ("robots", {"id": 7, "agent": "x"}, 7, "one of robots and robots_b64 is needed"),
    ("sitemap", {"id": [7], "body_b64": "%%%"}, [7], "body_b64 is not base64"),
    ("links", {"id": 7, "html": "x"}, 7, "url"),
    ("near", {"id": 7, "url": "http://a.org/"}, 7, "one of html and html_b64 is needed"),
    ("simhash", {"id": 7}, 7, "one of html and html_b64 is needed"),
    ("text", {"id": 7, "url": "http://a.org/"}, 7, "one of html and html_b64 is needed"),
]


@pytest.mark.parametrize(("tool", "line", "echoed", "told"), BAD, ids=[str(row[1])[:40] for row in BAD])
def test_a_bad_line_is_answered_and_the_stream_goes_on(tool: str, line: object, echoed: object, told: str) -> None:
    good = {
        "id": "next",
        "body_b64": "",
        "url": "http://a.org/",
        "html": "",
        "robots": "",
        "agent": "x",
        "op": "parse",
        "input": "",
    }
    [bad, after] = ask(tool, line, good)
    assert bad["id"] == echoed
    assert told in str(bad["error"])
    assert after["id"] == "next"
    assert "error" not in after


def test_blank_lines_are_passed_over() -> None:
    assert ask("charset", b"\n", b"  \r\n") == []


@given(
    st.sampled_from(sorted(TOOLS)), st.lists(st.binary(max_size=50) | st.text(max_size=50).map(str.encode), max_size=3)
)
def test_any_bytes_get_one_answer_a_line(tool: str, lines: Iterable[bytes]) -> None:
    lines = [line.replace(b"\n", b"") for line in lines]
    assert len(ask(tool, *lines)) == sum(bool(line.strip()) for line in lines)


@pytest.mark.slow
def test_answers_stream_before_the_input_ends() -> None:
    command = [sys.executable, "-m", "skitter", "tools", "urls"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tool:
        assert tool.stdin is not None
        assert tool.stdout is not None
        for number in range(3):
            tool.stdin.write(json.dumps({"id": number, "op": "parse", "input": "http://a.org"}).encode() + b"\n")
            tool.stdin.flush()
            assert json.loads(tool.stdout.readline()) == {"id": number, "href": "http://a.org/"}
        tool.stdin.close()
        assert tool.wait(timeout=10) == 0
