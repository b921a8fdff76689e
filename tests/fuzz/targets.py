"""What is fuzzed: each target takes any bytes, must not raise, and checks what must hold whatever they are."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from skitter.bus import codec
from skitter.config.load import load
from skitter.errors import OperatorError
from skitter.messages import Errand, Fetched, Lease, Url
from skitter.parse import charset, html, reference, sitemap
from skitter.politeness import retry_after
from skitter.robots import answer, directives, rules
from skitter.settings import ParseSettings, RobotsSettings
from skitter.url.canon import Canon
from skitter.url.parse import parse

Target: TypeAlias = Callable[[bytes], None]

CANON = Canon()
PARSE = ParseSettings()
BASE = "https://www.example.org/a/b?c"


def fuzz_urls(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")  # lone surrogates where the bytes are not UTF-8
    for base in (None, BASE):
        href = parse(text, base)
        assert href is None or parse(href) == href
        url = CANON(text, base)
        if isinstance(url, Url):
            assert CANON(url.href) == url


def fuzz_robots(data: bytes) -> None:
    read = rules.parse(data, "skitter")
    for path in ("/", "/robots.txt", "/a/b?c=d%2F*$", data[-40:].decode("latin-1")):
        rule = read.deciding(path)
        assert read.allows(path) == (rule is None or rule.allow)
    assert read.allows("/robots.txt")
    assert read.crawl_delay is None or 0 <= read.crawl_delay < math.inf


def fuzz_robots_answer(data: bytes) -> None:
    lease = Lease(Url("http://a.org/robots.txt", "", "a.org"), Errand.ROBOTS, 0.0)
    status, body = int.from_bytes(data[:2], "big") % 1000, data[2:]
    headers = [("Cache-Control", body[:100].decode("latin-1"))]
    fetched = Fetched(lease, 0.0, 0.0, status=status, headers=headers, body=body)
    policy = answer.decide(fetched, None, now=1000.0, token="skitter", settings=RobotsSettings())
    assert 1000 + 60 <= policy.good_until <= 1000 + 86400
    if not (200 <= status < 300 or (400 <= status < 500 and status != 429)):
        assert not policy.allows("/x")


def fuzz_directives(data: bytes) -> None:
    text = data.decode("latin-1")
    merged = directives.merge(
        directives.from_meta([("robots", text)], "skitter"), directives.from_headers([text], "skitter")
    )
    if "nofollow" not in text.lower() and "none" not in text.lower():
        assert not merged.nofollow
    directives.is_nofollow(text)


def fuzz_html(data: bytes) -> None:
    page = html.read(data, BASE, [], PARSE, "skitter")
    assert page == html.read(data, BASE, [], PARSE, "skitter", reference.scan)
    assert len(page.links) <= 2 * PARSE.max_links
    assert len(page.text) <= PARSE.max_text
    for link in page.links:
        assert link.url.startswith(("http://", "https://"))
        assert len(link.anchor) <= PARSE.max_anchor


def fuzz_charset(data: bytes) -> None:
    header, _, body = data.partition(b"\n")
    declared = charset.declared(body, header.decode("latin-1"))
    _, encoding = charset.decode(body, header.decode("latin-1"))
    assert encoding
    assert declared is None or declared == declared.lower()


def fuzz_sitemap(data: bytes) -> None:
    read = sitemap.read(data, "http://example.org/sitemap.xml", None, PARSE)
    assert read.kind in ("urlset", "index", "feed", "none")
    assert len(read.entries) <= PARSE.max_sitemap_urls
    for entry in read.entries:
        assert parse(entry.url) is not None
        assert entry.priority is None or 0 <= entry.priority <= 1


def fuzz_retry_after(data: bytes) -> None:
    wait = retry_after.parse(data.decode("utf-8", "replace"), 1.7e9, 86400.0)
    assert wait is None or 0 <= wait <= 86400


def fuzz_bus(data: bytes) -> None:
    for decode in (codec.decode_frame, codec.decode_batch):
        try:
            decode(data)
        except ValueError:
            continue


def fuzz_config(data: bytes) -> None:
    key, _, value = data.decode("latin-1").partition("=")
    try:
        load(flags={key: value})
        load(environ={f"SKITTER_{key}": value})
    except OperatorError as error:
        assert error.right
        json.dumps(str(error))


TARGETS: Mapping[str, Target] = {
    "urls": fuzz_urls,
    "robots": fuzz_robots,
    "robots_answer": fuzz_robots_answer,
    "directives": fuzz_directives,
    "html": fuzz_html,
    "charset": fuzz_charset,
    "sitemap": fuzz_sitemap,
    "retry_after": fuzz_retry_after,
    "bus": fuzz_bus,
    "config": fuzz_config,
}

# Where a run starts: one good input or two of each kind. What a run finds is kept in tests/fuzz/corpus/TARGET/.
SEEDS: Mapping[str, list[bytes]] = {
    "urls": [b"http://user:p%41ss@www.Example.org:80/a/../b;jsessionid=1/?utm_source=x&b=%7e#f", b"//[::1]:8080/\\x|^"],
    "robots": [
        b"\xef\xbb\xbfUser-agent: skitter\nDisallow: /*a*b$\nAllow: /%7Ex\nCrawl-delay: 2.5\nSitemap: http://a.org/s\r"
    ],
    "robots_answer": [b"\x00\xc8User-agent: *\nDisallow: /", b"\x01\xf7max-age=60"],
    "directives": [b"skitter: noindex, unavailable_after: 25 Jun 2030 15:00:00 PST, otherbot: none"],
    "html": [
        b'<base href="/x/"><a rel=nofollow href="a&amp;b">t</a><meta http-equiv=refresh content="1;url=b">'
        b'<form action=f><link rel="canonical next" href=c><iframe src=d></iframe><img srcset="e 1x, f 2x"></form>',
    ],
    "charset": [
        b"text/html; charset=x\n<meta charset=utf-8>",
        b'\n<?xml version="1.0" encoding="euc-jp"?>',
        b"\n\xff\xfea\0",
    ],
    "sitemap": [
        b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://example.org/a'
        b"</loc><lastmod>2020-01-02T03:04:05+01:00</lastmod><priority>0.5</priority></url></urlset>",
        b"<rss><channel><item><link>http://example.org/b</link></item></channel></rss>",
        b"http://example.org/c\nhttp://example.org/d\n",
    ],
    "retry_after": [b"120", b"Sun, 06 Nov 1994 08:49:37 GMT", b"Sunday, 06-Nov-94 08:49:37 GMT"],
    "bus": [codec.encode_batch([]), codec.encode_frame(codec.Links([codec.encode_batch([])]))[4:]],
    "config": [b"politeness.delay=2", b'scope.deny=["a","b"]', b"POLITENESS_DELAY=x"],
}
