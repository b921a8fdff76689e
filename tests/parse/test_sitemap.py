"""Sitemaps, indexes, feeds and lists of URLs."""

from __future__ import annotations

import gzip
import tracemalloc
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import SitemapEntry
from skitter.parse.sitemap import read
from skitter.settings import ParseSettings
from tests.growth.clock import dearer

MB = 1024**2
URL = "http://www.example.com/maps/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
A, B, C = "http://www.example.com/a", "http://www.example.com/b", "http://www.example.com/c"


def urls(body: str | bytes, url: str = URL, content_type: str | None = None) -> tuple[str, list[str]]:
    sitemap = read(body if isinstance(body, bytes) else body.encode(), url, content_type, ParseSettings())
    return sitemap.kind, [entry.url for entry in sitemap.entries]


def entry(inner: str) -> SitemapEntry:
    (only,) = read(f"<urlset><url>{inner}</url></urlset>".encode(), URL, None, ParseSettings()).entries
    return only


SITEMAPS = {
    "urlset": (f"<?xml version='1.0'?><urlset {NAMESPACE}><url><loc>{A}</loc></url></urlset>", "urlset", [A]),
    "index": (f"<sitemapindex {NAMESPACE}><sitemap><loc>{A}</loc></sitemap></sitemapindex>", "index", [A]),
    "empty": (f"<urlset {NAMESPACE}></urlset>", "urlset", []),
    "no namespace": (f"<urlset><url><loc>{A}</loc></url></urlset>", "urlset", [A]),
    "another namespace": (f'<urlset xmlns="https://x/"><url xmlns=""><loc>{A}</loc></url></urlset>', "urlset", [A]),
    "prefixed": (
        f'<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>{A}</s:loc></s:url></s:urlset>',
        "urlset",
        [A],
    ),
    "prefixed inside": (
        f'<urlset xmlns:s="https://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>{A}</s:loc></s:url></urlset>',
        "urlset",
        [A],
    ),
    "prefix of nothing": (f"<s:urlset><s:url><s:loc>{A}</s:loc></s:url></s:urlset>", "urlset", [A]),
    "upper case": (f"<URLSET><Url><LOC>{A}</LOC></Url></URLSET>", "urlset", [A]),
    "comments": (f"<!-- --><urlset><!-- <url> --><url><loc>{A}<!-- x --></loc></url></urlset>", "urlset", [A]),
    "blank lines first": (f"\n \r\n<?xml version='1.0'?><urlset><url><loc>{A}</loc></url></urlset>", "urlset", [A]),
    "blanks around": (f"<urlset><url><loc>\n\t {A} \n</loc></url></urlset>", "urlset", [A]),
    "other blanks around": (f"<urlset><url><loc>\xa0{A}\u2000\ufeff</loc></url></urlset>", "urlset", [A]),
    "broken over lines": ("<urlset><url><loc>http://www.example.com/\n     a</loc></url></urlset>", "urlset", [A]),
    "CDATA": (f"<urlset><url><loc> <![CDATA[{A}?b=1&c=2]]> </loc></url></urlset>", "urlset", [f"{A}?b=1&c=2"]),
    "CDATA in part": (f"<urlset><url><loc>{A}<![CDATA[?b&c]]></loc></url></urlset>", "urlset", [f"{A}?b&c"]),
    "escaped &": (f"<urlset><url><loc>{A}?b=1&amp;c=2</loc></url></urlset>", "urlset", [f"{A}?b=1&c=2"]),
    "raw &": (f"<urlset><url><loc>{A}?b=1&c=2</loc></url></urlset>", "urlset", [f"{A}?b=1&c=2"]),
    "& as a number": (f"<urlset><url><loc>{A}?b&#38;c&#x26;d</loc></url></urlset>", "urlset", [f"{A}?b&c&d"]),
    "another script": (
        "<urlset><url><loc>http://bücher.example/é</loc></url></urlset>",
        "urlset",
        ["http://xn--bcher-kva.example/%C3%A9"],
    ),
    "fragment": (f"<urlset><url><loc>{A}#b</loc></url></urlset>", "urlset", [A]),
    "other schemes": (
        "<urlset><url><loc>ftp://x/</loc></url><url><loc>javascript:a()</loc></url></urlset>",
        "urlset",
        [],
    ),
    "no URLs": ("<urlset><url><loc>http://</loc></url><url><loc>nothing</loc></url><url/></urlset>", "urlset", []),
    "from the root": (
        "<urlset><url><loc>/a</loc></url><url><loc>//o.example/</loc></url></urlset>",
        "urlset",
        [A, "http://o.example/"],
    ),
    "relative": ("<urlset><url><loc>a</loc></url><url><loc>www.o.example/a</loc></url></urlset>", "urlset", []),
    "no scheme": ("<urlset><url><loc>www.example.com/a</loc></url></urlset>", "urlset", [A]),
    "two locs": (f"<urlset><url><loc>{A}</loc><loc>{B}</loc></url></urlset>", "urlset", [A, B]),
    "no url element": (f"<urlset><loc>{A}</loc><loc>{B}</loc></urlset>", "urlset", [A, B]),
    "no root": (f"<url><loc>{A}</loc></url><url><loc>{B}</loc></url>", "urlset", [A, B]),
    "no loc": (
        f"<sitemapindex><sitemap>\n{A}?b&amp;c\n</sitemap><sitemap>{B}</sitemap></sitemapindex>",
        "index",
        [f"{A}?b&c", B],
    ),
    "url in loc": (
        f"<urlset><url><loc><url><![CDATA[{A}]]></url></loc></url><url><loc>{B}</loc></url></urlset>",
        "urlset",
        [A, B],
    ),
    "stray text": (f"<urlset><url>x<loc>{A}</loc>http://x/</url></urlset>", "urlset", [A]),
    "unclosed url": (f"<urlset><url><loc>{A}</loc><url><loc>{B}</loc></urlset>", "urlset", [A, B]),
    "unclosed loc": (
        f"<urlset><url><loc>{A}</url><url><loc>{B}<lastmod>2005</lastmod></url></urlset>",
        "urlset",
        [A, B],
    ),
    "closed once too often": (
        f"<urlset><url><loc>{A}</loc></url></url><url><loc>{B}</loc></url></urlset>",
        "urlset",
        [A, B],
    ),
    "closed by another": (f"<urlset><url><loc>{A}</lco></url><url><loc>{B}</loc></url></urlset>", "urlset", [A, B]),
    "unclosed extension": (f"<urlset><url><x><loc>{B}</loc></url><url><loc>{A}</loc></url></urlset>", "urlset", [A]),
    "quote left open": (f'<urlset xmlns="x><url><loc>{A}</loc></url></urlset>', "urlset", [A]),
    "cut in a tag": (f"<urlset><url><loc>{A}</loc></url><url><loc>{B}</lo", "urlset", [A, B]),
    "cut in a URL": (f"<urlset><url><loc>{A}</loc></url><url><loc>{B}", "urlset", [A]),
    "cut in CDATA": (f"<urlset><url><loc>{A}</loc></url><url><loc><![CDATA[{B}", "urlset", [A]),
    "cut in a bare URL": (f"<sitemapindex><sitemap>{A}</sitemap><sitemap>{B}", "index", [A]),
    "cut after the loc": (f"<sitemapindex><sitemap><loc>{A}</loc><las", "index", [A]),
    "html": (f"<!DOCTYPE html><html><body><url><loc>{A}</loc></url></body></html>", "none", []),
    "other xml": (f"<root><url><loc>{A}</loc></url></root>", "none", []),
    "an end tag only": ("</urlset>", "none", []),
    "nothing": ("", "none", []),
    "only <": ("<", "none", []),
}


@pytest.mark.parametrize(("body", "kind", "expected"), SITEMAPS.values(), ids=SITEMAPS)
def test_sitemaps(body: str, kind: str, expected: list[str]) -> None:
    assert urls(body) == (kind, expected)


EXTENSIONS = {
    "image": "<image:image><image:loc>http://x/</image:loc></image:image>",
    "image without its element": "<image:loc>http://x/</image:loc>",
    "image, default namespace": '<image xmlns="http://www.google.com/schemas/sitemap-image/1.1"><loc>http://x/</loc></image>',
    "nested in itself": "<i><i></i><loc>http://x/</loc></i>",
    "video": '<v:video><v:player_loc a="b">http://x/</v:player_loc><v:loc>http://x/</v:loc></v:video>',
    "news": "<n:news><n:publication><n:name>http://x/</n:name></n:publication></n:news>",
    "alternate": '<xhtml:link rel="alternate" hreflang="de" href="http://x/"/>',
    "alternate without href": '<xhtml:link rel="alternate"/>',
    "page map": "<PageMap xmlns='p'><DataObject><Attribute name='src'>http://x/</Attribute></DataObject></PageMap>",
    "include": '<xi:include href="file:///etc/passwd" parse="text"/>',
}


@pytest.mark.parametrize("extension", EXTENSIONS.values(), ids=EXTENSIONS)
@pytest.mark.parametrize("first", [True, False], ids=["before loc", "after loc"])
def test_urls_of_extensions_are_not_pages(extension: str, first: bool) -> None:
    inner = f"{extension}<loc>{A}</loc>" if first else f"<loc>{A}</loc>{extension}"
    assert urls(f"<urlset><url>{inner}<priority>1</priority></url><url><loc>{B}</loc></url></urlset>") == (
        "urlset",
        [A, B],
    )
    assert entry(f"{inner}<lastmod>1970-01-02</lastmod>").last_modified == 86400.0


def atom(links: str) -> str:
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://x/"/><entry>{links}</entry></feed>'


FEEDS = {
    "rss": (f"<rss version='2.0'><channel><link>http://x/</link><item><link>{A}</link></item></channel></rss>", [A]),
    "rss without root": (f"<channel><item><link>{A}</link></item></channel>", [A]),
    "rss 1.0": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
        "<channel><link>http://x/</link><items><rdf:Seq><rdf:li resource='http://x/'/></rdf:Seq></items></channel>"
        f"<image><link>http://x/</link><url>http://x/i</url></image><item><link>{A}</link></item></rdf:RDF>",
        [A],
    ),
    "rss: link in two parts": (f"<rss><item><link>{A}<![CDATA[?b&c]]></link></item></rss>", [f"{A}?b&c"]),
    "rss: relative": ("<rss><item><link>../a</link></item></rss>", [A]),
    "rss: no page": ("<rss><item><link>mailto:a@example.com</link></item></rss>", []),
    "rss: unclosed item": (f"<rss><item><link>{A}</link><item><link>{B}</link></item></rss>", [A, B]),
    "rss: a guid for a link": (f"<rss><item><guid isPermaLink='false'>{A}</guid></item></rss>", [A]),
    "rss: a guid that is none": ("<rss><item><guid>7bd204c6-1655</guid></item></rss>", []),
    "rss: guid and link": (f"<rss><item><guid>http://x/</guid><link>{A}</link></item></rss>", [A]),
    "rss: two links": (f"<rss><item><link>{A}</link><link>{B}</link></item></rss>", [A]),
    "rss: link outside": (f"<rss><item><link>{A}</link></item><link>{B}</link></rss>", [A]),
    "rss: markup in text": (
        f"<rss><item><description><link>http://x/</link></description><link>{A}</link></item></rss>",
        [A],
    ),
    "atom": (atom(f"<link href='{A}'/>"), [A]),
    "atom: prefixed": (f"<atom:feed><atom:entry><atom:link href='{A}'/></atom:entry></atom:feed>", [A]),
    "atom: alternate": (atom(f"<link rel='edit' href='{B}'/><link rel=' Alternate' href='{A}'></link>"), [A]),
    "atom: no rel before alternate": (atom(f"<link rel='alternate' href='{B}'/><link href='{A}'/>"), [A]),
    "atom: first of two": (atom(f"<link href='{A}'/><link href='{B}'/>"), [A]),
    "atom: never self, edit, enclosure": (
        atom("".join(f"<link rel='{rel}' href='{A}'/>" for rel in ("self", "edit", "enclosure"))),
        [],
    ),
    "atom: link of the source": (atom(f"<source><link href='http://x/'/></source><link href='{A}'/>"), [A]),
    "atom: link in the text": (atom(f"<content><p><link href='http://x/'/></p></content><link href='{A}'/>"), [A]),
    "atom: cut": (atom(f"<link href='{A}'/>").partition("</entry>")[0], [A]),
}


@pytest.mark.parametrize(("body", "expected"), FEEDS.values(), ids=FEEDS)
def test_feeds(body: str, expected: list[str]) -> None:
    assert urls(body) == ("feed", expected)


LISTS = {
    "lines": (f"{A}\n{B}".encode(), [A, B]),
    "carriage returns and blanks": (f"\r\n {A} \r\n\r\n\t{B}\r\n".encode(), [A, B]),
    "mark": (f"\ufeff{A}\n".encode(), [A]),
    "UTF-16": (f"{A}\n".encode("utf-16"), [A]),
    "one without scheme": (f"www.example.com/a\n{B}".encode(), [A, B]),
    "raw &": (f"{A}?b&amp;c&d".encode(), [f"{A}?b&amp;c&d"]),
    "a line of more than a URL": (f"{A}\n{B} and more\n".encode(), [A]),
    "some rubbish": (f"{A}\n{B}\n# see also\n".encode(), [A, B]),
    "upper case": (b"HTTP://WWW.EXAMPLE.COM/a", [A]),
}
NO_LISTS = {
    "prose": b"this is a bogus sitemap",
    "prose with URLs": f"See {A}\nand {B} for more.".encode(),
    "mostly prose": f"{A}\nis one\nof many".encode(),
    "robots.txt": f"User-agent: *\nDisallow: /\nSitemap: {A}".encode(),
    "json": f'["{A}"]'.encode(),
    "binary": bytes(range(256)) * 10,
    "blank": b" \n\n ",
}


@pytest.mark.parametrize(("body", "expected"), LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("content_type", ["text/plain", "application/bogus", None])
def test_lists_of_urls(body: bytes, expected: list[str], content_type: str | None) -> None:
    assert urls(body, content_type=content_type) == ("urlset", expected)


@pytest.mark.parametrize("body", NO_LISTS.values(), ids=NO_LISTS)
def test_other_text_is_no_list(body: bytes) -> None:
    assert urls(body, content_type="text/plain") == ("none", [])


DATES = {
    "with what else there is": (
        "<lastmod>1970-01-02</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>",
        86400.0,
    ),
    "after what is never closed": ("<changefreq>daily<priority>1<lastmod>1970-01-02</lastmod>", 86400.0),
    "blanks": ("<lastmod>\n1970-01-02\n</lastmod>", 86400.0),
    "references": ("<lastmod>1970-01-01T01:00&#43;00:00</lastmod>", 3600.0),
    "CDATA": ("<lastmod><![CDATA[1970-01-02]]></lastmod>", 86400.0),
    "rubbish": ("<lastmod>today</lastmod>", None),
    "very long": (f"<lastmod>{' ' * 9999}{'1' * 1_000_000}</lastmod>", None),
    "empty": ("<lastmod/>", None),
    "none": ("", None),
}


@pytest.mark.parametrize(("inner", "expected"), DATES.values(), ids=DATES)
@pytest.mark.parametrize("first", [True, False], ids=["before loc", "after loc"])
def test_dates(inner: str, expected: float | None, first: bool) -> None:
    only = entry(f"{inner}<loc>{A}</loc>" if first else f"<loc>{A}</loc>{inner}")
    assert only.last_modified == expected


def test_a_url_in_a_loc_does_not_end_the_entry() -> None:
    assert entry(f"<loc><url>{A}</url></loc><lastmod>1970-01-02</lastmod>") == SitemapEntry(A, 86400.0)


def test_dates_stay_with_their_own_url() -> None:
    dated = f"<url><loc>{A}</loc><lastmod>1970-01-02</lastmod><loc>{B}</loc></url>"
    body = f"<urlset>{dated}<url><loc>{C}</loc></url></urlset>"
    read_of = read(body.encode(), URL, None, ParseSettings()).entries
    assert [only.last_modified for only in read_of] == [86400.0, None, None]


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<updated>1970-01-02</updated><published>1970-01-01</published>", 86400.0),
        ("<published>1970-01-02</published>", 86400.0),
        ("<pubDate>Fri, 02 Jan 1970 00:00:00 GMT</pubDate>", 86400.0),
        ("<dc:date>1970-01-02</dc:date>", 86400.0),
        ("<pubDate/>", None),
    ],
)
def test_feeds_say_when(inner: str, expected: float | None) -> None:
    body = f"<rss><pubDate>1971</pubDate><item>{inner}<link>{A}</link></item></rss>"
    assert [only.last_modified for only in read(body.encode(), URL, None, ParseSettings()).entries] == [expected]


def test_a_sitemap_of_no_known_address_still_lists() -> None:
    (only,) = read(f"<urlset><loc>{A}</loc><loc>/b</loc></urlset>".encode(), "nowhere", None, ParseSettings()).entries
    assert only.url == A


def numbered(count: int) -> bytes:
    inner = "".join(
        f"<url>\n <loc>http://www.example.com/{number}?a=1&amp;b=2</loc>\n <lastmod>2005-01-01</lastmod>\n"
        " <changefreq>daily</changefreq>\n <priority>0.5</priority>\n</url>\n"
        for number in range(count)
    )
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<urlset {NAMESPACE}>\n{inner}</urlset>".encode()


@pytest.mark.parametrize(("count", "cut"), [(2, False), (3, False), (4, True)])
@pytest.mark.parametrize("form", ["xml", "gzip", "text", "rss"])
def test_the_first_urls_are_kept(form: str, count: int, cut: bool) -> None:
    forms = {
        "xml": numbered(count),
        "gzip": gzip.compress(numbered(count)),
        "text": b"".join(b"http://www.example.com/%d?a=1&b=2\n" % number for number in range(count)),
        "rss": numbered(count).replace(b"urlset", b"rss").replace(b"url>", b"item>").replace(b"loc>", b"link>"),
    }
    sitemap = read(forms[form], URL, None, ParseSettings(max_sitemap_urls=3))
    expected = [f"http://www.example.com/{number}?a=1&b=2" for number in range(min(count, 3))]
    assert ([only.url for only in sitemap.entries], sitemap.cut) == (expected, cut)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_the_first_bytes_are_kept(pack: type[bytes]) -> None:
    whole = numbered(1000)
    sitemap = read(pack(whole), URL, None, ParseSettings(max_sitemap_bytes=10_000))
    assert sitemap.cut
    assert len(sitemap.entries) == whole[:10_000].count(b"</loc>")


ENTITIES = {
    "external": '<!DOCTYPE a [<!ENTITY x SYSTEM "file://{path}">]>',
    "parameter": '<!DOCTYPE a [<!ENTITY % p SYSTEM "file://{path}"> %p;]>',
    "dtd": '<!DOCTYPE a SYSTEM "file://{path}">',
    "internal": '<!DOCTYPE a [<!ENTITY x "http://secret.example/">]>',
    "markup": '<!DOCTYPE a [<!ENTITY x "</loc></url><url><loc>http://secret.example/</loc>">]>',
    "none": "",
}


@pytest.mark.parametrize("doctype", ENTITIES.values(), ids=ENTITIES)
def test_entities_are_not_expanded_and_what_needs_them_is_left_out(doctype: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("http://secret.example/")
    body = doctype.replace("{path}", str(secret)) + (
        f"<urlset><url><loc>{A}</loc></url><url><loc>&x;</loc></url><url><loc>http://x.example/&x;</loc></url></urlset>"
    )
    assert urls(body) == ("urlset", [A])


def laughs() -> str:
    layers = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30))
    return f'<!DOCTYPE urlset [<!ENTITY a0 "ha">{layers}]><urlset><url><loc>&a29;</loc></url><loc>{A}</loc></urlset>'


BOMBS = {
    "a billion laughs": (laughs(), [A]),
    "deep": ("<urlset>" + "<url>" * 50_000 + f"<loc>{A}</loc>", [A]),
    "deep in an extension": (f"<urlset><url><loc>{A}</loc>" + "<a>" * 50_000, [A]),
    "deep in a loc": ("<urlset><url><loc> " + "<url> " * 50_000 + A + "</url></loc></url>", [A]),
    "a long attribute": (f'<urlset a="{"x" * MB}"><url><loc>{A}</loc></url></urlset>', [A]),
    "many attributes": (f"<urlset {'a=1 ' * 50_000}><url><loc>{A}</loc></url></urlset>", [A]),
    "a long text": (f"<urlset><url><loc>http://x/{'x' * MB}</loc></url><url><loc>{A}</loc></url></urlset>", [A]),
    "a long name": (f"<urlset><{'x' * MB}/><url><loc>{A}</loc></url></urlset>", [A]),
    "many pieces": (
        "<urlset><url><loc>" + "<!---->x" * 50_000 + f"</loc></url><url><loc>{A}</loc></url></urlset>",
        [A],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("body", "expected"), BOMBS.values(), ids=BOMBS)
def test_bombs_are_bounded(body: str, expected: list[str]) -> None:
    tracemalloc.start()
    try:
        assert urls(body)[1] == expected
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * len(body) + MB


@pytest.mark.slow
def test_tags_without_end_are_cut_short() -> None:
    sitemap = read(
        b"<urlset>" + b"<a>" * 150_000 + f"<loc>{A}</loc>".encode(), URL, None, ParseSettings(max_sitemap_urls=1)
    )
    assert (sitemap.entries, sitemap.cut) == ((), True)


@pytest.mark.slow
def test_ten_times_the_urls_take_at_most_twelve_times_as_long() -> None:
    few, many = (partial(read, numbered(urls), URL, None, ParseSettings()) for urls in (2_000, 20_000))
    assert dearer(few, many, 12) <= 12


PATHS = st.lists(
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1), min_size=1, max_size=8
)


@given(PATHS, st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]))
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read(paths: list[str], encoding: str) -> None:
    listed = [f"http://www.example.com/?{path}" for path in paths]
    bare = "".join(f"<loc>{escape(url)}</loc>\n" for url in listed)
    plain = urls(f"<urlset>{bare}".encode(encoding))
    wrapped = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in listed)
    packed = urls(gzip.compress(f"<urlset>{wrapped}".encode(encoding)))
    alone = [urls(f"<urlset><loc>{escape(url)}</loc></urlset>")[1] for url in listed]
    assert plain == packed == ("urlset", [url for one in alone for url in one])
    assert len(plain[1]) == len(paths)


WHOLE = numbered(3).decode() + "<!-- end -->"


@given(st.integers(0, len(WHOLE)))
@settings(max_examples=200, deadline=None)
def test_a_cut_costs_only_what_comes_after_it(at: int) -> None:
    kind, found = urls(WHOLE[:at])
    whole = urls(WHOLE)[1]
    assert found == whole[: len(found)]
    assert len(found) >= WHOLE[:at].count("</loc>")
    assert kind == "urlset" or "<urlset" not in WHOLE[:at]


PIECES = [b"<urlset>", b"<url>", b"</url>", b"<loc>", b"</loc>", b"http://a/", b"<a ", b"/>", b"<rss>", b"<item>"]
PIECES += [b"<link href='/'", b"&x;", b"<![CDATA[", b"]]>", b"\x00", b"\xff"]


@given(
    st.binary() | st.lists(st.sampled_from(PIECES)).map(b"".join),
    st.text(),
)
@settings(max_examples=200, deadline=None)
def test_no_bytes_raise(body: bytes, text: str) -> None:
    sitemap = read(body, text, text, ParseSettings())
    assert sitemap.kind in {"urlset", "index", "feed", "none"}
    assert all(only.url.startswith(("http://", "https://")) for only in sitemap.entries)
    assert sitemap.kind != "none" or not sitemap.entries


JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [
  {"id": "1", "url": "http://a/1", "date_published": "2026-01-02T03:04:05Z"},
  {"id": "http://a/2"}, {"id": "3", "external_url": "http://b/3"}, 7, {"id": "no URL"}],
  "hubs": [{"type": "rssCloud", "url": "http://no/"}, {"type": "WebSub", "url": "https://hub.test/"}]}"""


def test_json_feeds() -> None:
    listed = read(JSON.encode(), "http://a/feed.json", "application/feed+json", ParseSettings())
    assert listed.kind == "feed"
    assert [entry.url for entry in listed.entries] == ["http://a/1", "http://a/2", "http://b/3"]
    assert listed.entries[0].last_modified == 1767323045.0
    assert listed.hub == "https://hub.test/"


ATOM = "http://www.w3.org/2005/Atom"
EMPTY = '{"version": "jsonfeed.org/version/1", "items": {}}'


@pytest.mark.parametrize("body", ['{"items": []}', "{", '{"a":' * 100_000, '{"version": 1}', EMPTY])
def test_other_json_lists_nothing(body: str) -> None:
    assert read(body.encode(), "http://a/", "application/json", ParseSettings()).entries == ()


@pytest.mark.parametrize(
    "body",
    [
        f'<rss xmlns:atom="{ATOM}"><channel><atom:link rel="hub" href="https://hub.test/"/></channel></rss>',
        f'<feed xmlns="{ATOM}"><link rel="self" href="/f"/><link rel="HUB" href="https://hub.test/"/></feed>',
    ],
)
def test_hubs_are_told(body: str) -> None:
    assert read(body.encode(), "http://a/", "application/xml", ParseSettings()).hub == "https://hub.test/"


def test_a_hub_in_an_entry_is_none() -> None:
    body = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="hub" href="https://hub.test/"/></entry></feed>'
    assert read(body.encode(), "http://a/", "application/xml", ParseSettings()).hub == ""
