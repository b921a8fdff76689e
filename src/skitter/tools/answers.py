"""The pure parts as programs: one JSON object a line in, one out, in the same order, with the same `id`.

A line that can't be used is answered with `{"id": …, "error": …}` and the stream goes on.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec

from skitter.judge.near import Representatives, signature_of
from skitter.messages import Headers, Page, Said, Url, header_values
from skitter.parse import charset, html, language, maintext, sitemap
from skitter.parse.shingles import said_of
from skitter.robots import rules
from skitter.settings import Settings
from skitter.tools.lines import BadLine, Output, Refused, question, read_line, refused
from skitter.tools.schedule import rehearsed
from skitter.url.canon import Canon
from skitter.url.parse import parse

Tool: TypeAlias = Callable[[Mapping[str, object], Settings], Output]


class RobotsQuestion(msgspec.Struct):
    agent: str
    robots: str | None = None
    robots_b64: str | None = None
    url: str | None = None


class UrlQuestion(msgspec.Struct, tag_field="op", tag="parse"):
    input: str
    base: str | None = None


class SameQuestion(msgspec.Struct, tag_field="op", tag="same"):
    a: str
    b: str


class PageQuestion(msgspec.Struct):
    url: str
    html: str | None = None
    html_b64: str | None = None
    headers: dict[str, str | list[str]] = {}


class SaidQuestion(msgspec.Struct):
    text: str | None = None
    url: str = ""
    html: str | None = None
    html_b64: str | None = None
    headers: dict[str, str | list[str]] = {}


class BodyQuestion(msgspec.Struct):
    body_b64: str
    url: str = ""
    content_type: str | None = None


def answer_robots(line: Mapping[str, object], settings: Settings) -> Output:
    """Whether `url` may be fetched by `agent`, and what else robots.txt says to it."""
    asked = question(line, RobotsQuestion)
    read = rules.parse(
        _bytes(asked.robots, asked.robots_b64, "robots"), asked.agent, max_bytes=settings.robots.max_bytes
    )
    allowed = None if asked.url is None else read.allows(asked.url)
    return {"allowed": allowed, "crawl_delay": read.crawl_delay, "sitemaps": list(read.sitemaps)}


def answer_urls(line: Mapping[str, object], settings: Settings) -> Output:
    """A URL as the standard serialises it, or whether two URLs are one to us."""
    asked = question(line, UrlQuestion | SameQuestion)
    if isinstance(asked, SameQuestion):
        return {"same": _compared(asked.a, settings) == _compared(asked.b, settings)}
    href = parse(asked.input, asked.base)
    return {"failure": True} if href is None else {"href": href}


def answer_links(line: Mapping[str, object], settings: Settings) -> Output:
    """The links of a page and what it asks of crawlers."""
    page = _page(question(line, PageQuestion), settings)
    return {
        "links": [{"url": link.url, "tag": link.tag, "nofollow": link.nofollow} for link in page.links],
        "base": page.base,
        "refresh": None if page.refresh is None else list(page.refresh),
        "canonical": page.canonical,
        "noindex": page.directives.noindex,
        "nofollow": page.directives.nofollow,
    }


def answer_text(line: Mapping[str, object], settings: Settings) -> Output:
    """The main text of a page, its title and description, and its language."""
    asked = question(line, PageQuestion)
    body, headers = _sent(asked)
    body, _ = charset.to_utf8(body[: settings.parse.max_html], next(iter(header_values(headers, "content-type")), None))
    read = maintext.read(body, asked.url)
    sent = [told for told in header_values(headers, "content-language") if "," not in told]
    return {
        "title": read.title,
        "text": read.text,
        "lang": language.language_of(read.text, read.lang or next(iter(sent), "")),
        "description": read.description,
    }


def answer_sitemap(line: Mapping[str, object], settings: Settings) -> Output:
    """The URLs that a sitemap or feed lists."""
    asked = question(line, BodyQuestion)
    read = sitemap.read(_bytes(None, asked.body_b64, "body"), asked.url, asked.content_type, settings.parse)
    return {"type": read.kind, "urls": [entry.url for entry in read.entries]}


def answer_charset(line: Mapping[str, object], settings: Settings) -> Output:  # noqa: ARG001 (all tools have one shape)
    """The encoding that a body or its header declares."""
    asked = question(line, BodyQuestion)
    return {"encoding": charset.declared(_bytes(None, asked.body_b64, "body"), asked.content_type)}


def answer_simhash(line: Mapping[str, object], settings: Settings) -> Output:
    """The SimHash of a text, or of the main text of a page."""
    asked = question(line, SaidQuestion)
    said = _page(asked, settings).said if asked.text is None else said_of(asked.text)
    return {"simhash": _hex(said)}


def answer_near() -> Tool:
    """Which page of the lines before says the same, but for a little, as in a crawl of one site."""
    pages, ids = Representatives(), list[object]()

    def answer(line: Mapping[str, object], settings: Settings) -> Output:
        said = _page(question(line, PageQuestion), settings).said
        signature = signature_of(said)
        number = pages.near(signature)
        if number is None:
            pages.add(len(ids), signature)
        ids.append(line.get("id"))
        return {"duplicate_of": None if number is None else ids[number], "simhash": _hex(said)}

    return answer


TOOLS: Mapping[str, Callable[[], Tool]] = {
    "robots": lambda: answer_robots,
    "urls": lambda: answer_urls,
    "links": lambda: answer_links,
    "text": lambda: answer_text,
    "sitemap": lambda: answer_sitemap,
    "charset": lambda: answer_charset,
    "simhash": lambda: answer_simhash,
    "near": answer_near,
}
"""What makes each tool: some remember the lines before."""


WHOLE: Mapping[str, Callable[[Iterable[bytes]], Iterator[str]]] = {"schedule": rehearsed}
"""The tools that answer no line before they have read all."""

NAMES = (*TOOLS, *WHOLE)


def run(name: str, lines: Iterable[bytes], settings: Settings) -> Iterator[str]:
    """Yields what the tool of that name answers, a line each."""
    if name in WHOLE:
        return WHOLE[name](lines)
    return answers(TOOLS[name](), lines, settings)


def answers(tool: Tool, lines: Iterable[bytes], settings: Settings) -> Iterator[str]:
    """Yields one line of JSON for each of `lines` that is not blank."""
    for line in lines:
        if line.strip():
            yield json.dumps(_answer(tool, line, settings))


def _answer(tool: Tool, line: bytes, settings: Settings) -> Output:
    read = read_line(line)
    if isinstance(read, Refused):
        return read.answer
    try:
        return {"id": read.get("id"), **tool(read, settings)}
    except (BadLine, ValueError, RecursionError) as error:
        return refused(read.get("id"), error).answer


def _bytes(text: str | None, encoded: str | None, name: str) -> bytes:
    if text is not None:
        return text.encode("utf-8", "surrogatepass")
    if encoded is None:
        raise BadLine(f"one of {name} and {name}_b64 is needed")
    try:
        return b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadLine(f"{name}_b64 is not base64: {error}") from None


def _page(asked: PageQuestion | SaidQuestion, settings: Settings) -> Page:
    body, headers = _sent(asked)
    return html.read(body, asked.url, headers, settings.parse, settings.identity.robots_token, has_text=False)


def _sent(asked: PageQuestion | SaidQuestion) -> tuple[bytes, Headers]:
    """Returns a page's bytes and headers."""
    body, headers = _bytes(asked.html, asked.html_b64, "html"), _headers(asked.headers)
    if asked.html is not None:
        # Given as text, it has no encoding left to find out.
        headers = [("Content-Type", "text/html; charset=utf-8"), *headers]
    return body, headers


def _hex(said: Said) -> str:
    return f"{said.simhash:016x}"


def _headers(given: Mapping[str, str | list[str]]) -> Headers:
    return [
        (name, value) for name, values in given.items() for value in ([values] if isinstance(values, str) else values)
    ]


def _compared(text: str, settings: Settings) -> str:
    url = Canon(settings.url)(text)
    # What is no web address is equal only to itself.
    return url.key if isinstance(url, Url) else parse(text) or text
