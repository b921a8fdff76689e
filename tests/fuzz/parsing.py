"""Targets for what pages and sites say: URLs, robots.txt, directives, HTML, charsets, sitemaps."""

from __future__ import annotations

import math

from skitter.fetch.request import request_head, target_of
from skitter.judge.near import bands, is_near, signature_of
from skitter.messages import Errand, Fetched, Lease, Said, Url
from skitter.parse import charset, html, language, maintext, metas, prescan, reference, scanner, sitemap
from skitter.parse.shingles import SAMPLE, hashes, said_of
from skitter.robots import answer, directives, rules
from skitter.settings import ParseSettings, RobotsSettings
from skitter.store.index.surt import surt
from skitter.url.canon import Canon
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint, host_of, name_of, origin_of
from skitter.url.parse import parse

CANON = Canon()
DOMAINS = Domains(["org", "co.uk", "*.ck", "!www.ck"])
PARSE = ParseSettings()
BASE = "https://www.example.org/a/b?c"
SENT = ("host", "user-agent", "accept", "accept-encoding", "if-none-match", "if-modified-since", "connection")


def fuzz_urls(data: bytes) -> None:
    """A canonical URL is its own canonical form, names no user, and has a host, a domain and keys."""
    text = data.decode("utf-8", "surrogateescape")  # lone surrogates where the bytes are not UTF-8
    for base in (None, BASE):
        href = parse(text, base)
        assert href is None or parse(href) == href
        url = CANON(text, base)
        if isinstance(url, Url):
            assert CANON(url.href) == url
            assert "@" not in url.href.split("/", 3)[2]
            assert url.host == host_of(url.href)
            assert name_of(url.href)
            assert origin_of(url.href) + "/" == url.href[: len(origin_of(url.href)) + 1]
            assert DOMAINS.domain_of(url.host) in url.host
            assert len(fingerprint(url.key)) == 16


def fuzz_surt(data: bytes) -> None:
    """The key of a replay index is one word of plain ASCII, so that a line of the index stays one line."""
    url = CANON(data.decode("utf-8", "replace"), BASE)
    if isinstance(url, Url):
        key = surt(url.href)
        assert key.isascii()
        assert key.isprintable()
        assert " " not in key
        assert ")/" in key


def fuzz_request(data: bytes) -> None:
    """Whatever a URL and the validators of an answer hold, a request has our header lines, each once, and no other."""
    text, _, headers = data.partition(b"\n")
    etag, _, last_modified = headers.decode("latin-1").partition("\0")
    url = CANON(text.decode("utf-8", "replace"), BASE)
    if not isinstance(url, Url):
        return
    head = request_head(target_of(url.href), "skitter", etag, last_modified)
    assert head.index(b"\r\n\r\n") == len(head) - 4
    line, *lines = head[:-4].split(b"\r\n")
    assert line.count(b" ") == 2
    names = [line.partition(b":")[0].decode().lower() for line in lines]
    assert names == [name for name in SENT if name in names]
    assert b"\n" not in b"".join([line, *lines])


def fuzz_robots(data: bytes) -> None:
    """The rule that decides is the one that allows; robots.txt itself is always allowed; a delay is a number."""
    read = rules.parse(data, "skitter")
    for path in ("/", "/robots.txt", "/a/b?c=d%2F*$", data[-40:].decode("latin-1")):
        rule = read.deciding(path)
        assert read.allows(path) == (rule is None or rule.allow)
    assert read.allows("/robots.txt")
    assert read.crawl_delay is None or 0 <= read.crawl_delay < math.inf


def fuzz_robots_answer(data: bytes) -> None:
    """A policy holds for a minute to a day, and nothing is allowed that RFC 9309 does not allow by its status."""
    lease = Lease("http://a.org/robots.txt", "a.org", Errand.ROBOTS, 0.0)
    status, body = int.from_bytes(data[:2], "big") % 1000, data[2:]
    headers = [("Cache-Control", body[:100].decode("latin-1"))]
    fetched = Fetched(lease, 0.0, 0.0, status=status, headers=headers, body=body)
    policy = answer.decide(fetched, None, now=1000.0, token="skitter", settings=RobotsSettings())
    assert 1000 + 60 <= policy.good_until <= 1000 + 86400
    if not (200 <= status < 300 or (400 <= status < 500 and status != 429)):
        assert not policy.allows("/x")


def fuzz_directives(data: bytes) -> None:
    """No page forbids its links to be followed without the word for it."""
    text = data.decode("latin-1")
    merged = directives.merge(
        directives.from_meta([("robots", text)], "skitter"), directives.from_headers([text], "skitter")
    )
    if "nofollow" not in text.lower() and "none" not in text.lower():
        assert not merged.nofollow
    directives.is_nofollow(text)


def fuzz_html(data: bytes) -> None:
    """Both scanners read the same out of a page, within the limits, and every link can be fetched."""
    page = html.read(data, BASE, [], PARSE, "skitter")
    assert page == html.read(data, BASE, [], PARSE, "skitter", reference.scan)
    assert len(page.links) <= 2 * PARSE.max_links
    assert len(page.text) <= PARSE.max_text
    for link in page.links:
        assert link.url.startswith(("http://", "https://"))
        assert len(link.anchor) <= PARSE.max_anchor


def fuzz_said(data: bytes) -> None:
    """The main text is lines of the visible text in their order, and both ways hash it, or any other text, alike."""
    for scan in (scanner.scan, reference.scan):
        scanned = scan(data, PARSE.max_text, 0, 0)
        lines = iter(scanned.text.split("\n"))
        assert not scanned.brief or all(line in lines for line in scanned.brief.split("\n"))
        assert not scanned.brief or said_of(scanned.brief) == Said(*scanned.said, scanned.brief)
    text = data.decode("utf-8", "surrogateescape")
    said = said_of(text)
    assert (said.words, said.simhash, said.sample) == hashes(text.encode("utf-8", "replace"))
    assert len(said.sample) <= 4 * min(SAMPLE, said.words)
    signature = signature_of(said)
    assert is_near(signature, signature) == bool(signature)
    assert len(bands(signature)) <= 6


def fuzz_main_text(data: bytes) -> None:
    """The main text of any bytes is text, not much longer than they, and its language has a tag, or it has none."""
    for read in (maintext.read, maintext.plain):
        found = read(data, BASE)
        # A byte that is no UTF-8 is read as a character of three.
        assert len(found.text.encode()) <= 3 * len(data) + 3
        assert "\0" not in found.text
        lang = language.language_of(found.text, found.lang)
        assert lang is None or language.tag(lang) == lang


def fuzz_charset(data: bytes) -> None:
    """Every body has an encoding, the declared one is in lower case, and both readers of metas find the same."""
    header, _, body = data.partition(b"\n")
    assert prescan.encoding(body) == prescan.encoding(body, metas.declared)
    declared = charset.declared(body, header.decode("latin-1"))
    _, encoding = charset.decode(body, header.decode("latin-1"))
    assert encoding
    assert declared is None or declared == declared.lower()


def fuzz_sitemap(data: bytes) -> None:
    """A listing of any kind, named by its type or not, has URLs that parse, dates that are moments, and an end."""
    for content_type in (None, "text/plain", "application/xml"):
        read = sitemap.read(data, "http://example.org/sitemap.xml", content_type, PARSE)
        assert read.kind in ("urlset", "index", "feed", "none")
        assert read.kind != "none" or not read.entries
        assert len(read.entries) <= PARSE.max_sitemap_urls
        for entry in read.entries:
            assert parse(entry.url) is not None
            assert entry.last_modified is None or math.isfinite(entry.last_modified)


TARGETS = {
    "urls": fuzz_urls,
    "surt": fuzz_surt,
    "request": fuzz_request,
    "robots": fuzz_robots,
    "robots_answer": fuzz_robots_answer,
    "directives": fuzz_directives,
    "html": fuzz_html,
    "said": fuzz_said,
    "main_text": fuzz_main_text,
    "charset": fuzz_charset,
    "sitemap": fuzz_sitemap,
}

SEEDS = {
    "urls": [b"http://user:p%41ss@www.Example.org:80/a/../b;jsessionid=1/?utm_source=x&b=%7e#f", b"//[::1]:8080/\\x|^"],
    "surt": [b"http://www2.Example.org:8080/A/../%7Eb//(S(0123456789abcdefghijklmn))/x.aspx?b=1&a&sid=0#f"],
    "request": [b'http://a.org/x y?z\n"tag"\0Sun, 06 Nov 1994 08:49:37 GMT', b"//[::1]:99/\nx\r\nCookie: a\0b"],
    "robots": [
        b"\xef\xbb\xbfUser-agent: skitter\nDisallow: /*a*b$\nAllow: /%7Ex\nCrawl-delay: 2.5\nSitemap: http://a.org/s\r"
    ],
    "robots_answer": [b"\x00\xc8User-agent: *\nDisallow: /", b"\x01\xf7max-age=60"],
    "directives": [b"skitter: noindex, unavailable_after: 25 Jun 2030 15:00:00 PST, otherbot: none"],
    "html": [
        b'<base href="/x/"><a rel=nofollow href="a&amp;b">t</a><meta http-equiv=refresh content="1;url=b">'
        b'<form action=f><link rel="canonical next" href=c><iframe src=d></iframe><img srcset="e 1x, f 2x"></form>',
    ],
    "said": [
        b"<nav><a href=x>Home</a> | <a href=y>Up</a></nav><main><div class='header nav'>A spider</div><p>spins a web, "
        b"and waits</main><ul class=menu><li>1 &amp; 2\f3<template><p>no</template><table><td><a href='#z'>z</table>",
        "Die Spinne spinnt ihr Netz und wartet in dessen Mitte auf alles, was sich dort fängt; 蜘蛛は巣を張り、待つ。"
        "Was das Netz berührt, wird vom Wind dadurch unterschieden, wie es zittert, und nicht wie es wiegt.".encode(),
    ],
    "main_text": [
        b'<html lang=de><title>A | B</title><nav><a href=/>x</a></nav><article class="post"><h1>A</h1><p>Es war '
        b"einmal, "
        b"und so weiter.<ul><li>b<li>c</ul><pre>d\ne</pre><table><tr><td>f</table><noscript><p>g</noscript></article>",
        b"<svg><a><div></a><b></div></b></svg><template><p>x</template><h1>&amp;&#0;</h1><br><select><option>y",
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
}
