"""The native scanner finds what the reference finds, field by field, whatever the bytes."""

from __future__ import annotations

from html.entities import html5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.parse import reference, scanner
from skitter.parse.tokens import BLOCKS, INLINE, MARKED, RAW

native = pytest.importorskip("skitter._native", reason="no Rust toolchain: the reference scanner is in use")

Fields = tuple[object, ...]
LIMITS = st.tuples(st.sampled_from([0, 1, 5, 1000]), st.sampled_from([0, 1, 3, 200]), st.sampled_from([0, 2, 1000]))
USUAL = (1_000_000, 200, 1000)


def fields(scan: scanner.Scanner, html: bytes, limits: tuple[int, int, int]) -> Fields:
    scanned = scan(html, *limits)
    return (*scanned[:3], list(scanned.metas), list(scanned.links), *scanned[5:])


def assert_same(html: bytes, limits: tuple[int, int, int] = USUAL) -> None:
    assert fields(scanner.native, html, limits) == fields(reference.scan, html, limits)


def test_the_native_scanner_is_in_use() -> None:
    assert scanner.IS_NATIVE
    assert scanner.scan is scanner.native


PAGE = """<!DOCTYPE html><html xml:lang="en"><head><meta charset="utf-8"><base href="/d/"><title>A &lt;b&gt; –</title>
<link rel="stylesheet" href="s.css?v=1&amp;w"><link rel='next nofollow' href=feed><meta name="robots" content="all">
<meta http-equiv=Refresh content="5; url=x&#63;y"><script src="/j.js" async>if (a < b) "</scripts>" </script></head>
<!-- a comment --!><div class="x y"><h1>Überschrift&nbsp;1</h1><p>It's <a href="../a/b.html#c" title='>'>a <b>bold</b>
link</a>, <a href=e rel="ugc">an <img src=i.png alt="image &amp; more"></a><br/>x &copy 1 &notit; &#8212; &#x80; &#0;
<FORM ACTION="/s" method=get><input type=image src=i2><select><option>1<option>2</select></FORM><template><a href=no>no
</a></template><img srcset="a 1x, b 2x(1,2),c" data-src='d'><video src=v poster=p><source src=w></video><iframe src=/f>
</iframe><noscript><a href="/n">n</a><meta name=x></noscript><map><area href=ar alt=Area></map><xmp><b>raw</xmp>
<textarea><a href=t></textarea><object data=o></object></div></body></html>""".encode()

PIECES = [PAGE[at : at + size] for at in range(0, len(PAGE), 7) for size in (3, 11, 40)]
PIECES += b"< > </ /> = ' \" & &# &#x ; # <!-- --> --!> ! ? / , ( ) [ : </a>".split()
PIECES += [bytes([byte]) for byte in b" \t\n\v\f\r\0\x1c\x85\xa9\xe2\xff"] + [
    b"\xe2\x80",
    b"\xc2\x85",
    b"<a href=",
    b"<a ",
]
PIECES += [b"<template>", b"</TEMPLATE >", b"<noscript>", b"</noscript>", b"<plaintext>", b"<base href=", b"<meta "]
PIECES += [b"http-equiv=refresh ", b"content=", b"<html lang=", b"<title"]


@given(st.binary(max_size=200), LIMITS)
@settings(max_examples=200, deadline=None)
def test_any_bytes(html: bytes, limits: tuple[int, int, int]) -> None:
    assert_same(html, limits)


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), LIMITS)
@settings(max_examples=200, deadline=None)
def test_pieces_of_markup(html: bytes, limits: tuple[int, int, int]) -> None:
    assert_same(html, limits)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, len(PAGE)), st.integers(0, 5), st.sampled_from(PIECES)), max_size=8), LIMITS)
@settings(max_examples=200, deadline=None)
def test_a_page_with_faults(faults: list[tuple[int, int, bytes]], limits: tuple[int, int, int]) -> None:
    html = PAGE
    for at, size, piece in faults:
        html = html[:at] + piece + html[at + size :]
    assert_same(html, limits)


@given(st.text(max_size=100))
@settings(max_examples=100, deadline=None)
def test_any_text(text: str) -> None:
    written = text.encode("utf-8", "replace")
    assert_same(b"<title>%b</title>%b<a href='%b'>%b</a>" % (written, written, written, written))


@pytest.mark.parametrize("link", [0, 1, 7, 8, 9, 30, 31, 250, 300])
def test_lines_of_every_length_are_as_long_to_both(link: int) -> None:
    words = "a b\tc\nd é " * 40
    lines = (
        f"<p>{words[:size]}<a href=x>{words[:link]}</a> {words[:3]}</p>" for size in (*range(20), 31, 247, 248, 249)
    )
    assert_same("".join(lines).encode())


def test_every_named_reference() -> None:
    for name in map(str.encode, html5):
        assert_same(b"&%b &%bx &%b=<a href='&%b &%bx &%b= &%b;'>" % ((name,) * 7))


@pytest.mark.slow
def test_every_number_that_is_special() -> None:
    edges = [plane + low for plane in range(0, 0x120000, 0x10000) for low in (0, 0xFFFD, 0xFFFE, 0xFFFF)]
    for code in (*range(0x400), *range(0xD7FE, 0xE002), *range(0xFDC0, 0xFE00), *edges, 10**9, 2**32, 2**64):
        assert_same(b"a&#%d;b&#x%xg&#X%X;&#0%d<a href='&#%d;&#x%X x'>" % ((code,) * 6))


@pytest.mark.parametrize("digits", [1, 98, 99, 100, 5000])
@pytest.mark.parametrize("start", [b"&#", b"&#x"])
def test_numbers_of_any_length(start: bytes, digits: int) -> None:
    for digit in (b"0", b"9"):
        number = start + digit * (digits - 1) + b"9"
        assert_same(b"%b;%b<a href='%b;%b'>" % (number, number, number, number))


@pytest.mark.slow
def test_every_character_and_every_broken_one() -> None:
    assert_same("".join(f"a{chr(code)}b<p>" for code in range(0x3100)).encode())
    leads = b"a\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xff"
    for first in leads:
        for second in leads:
            sequences = [bytes([first, second, third, fourth]) for third in leads for fourth in leads]
            assert_same(b"<p>".join(sequences))


NAMES = sorted({*RAW, *BLOCKS, *INLINE, *(name for name in MARKED if name.isalpha()), b"blockquotes", b"fieldsets"})


@pytest.mark.parametrize("name", NAMES, ids=bytes.decode)
def test_every_name_of_a_tag_and_those_near_it(name: bytes) -> None:
    near = [name, name.upper(), name.title(), name[:-1] or b"x", name + b"s", name + b"-x", name + b"\xc3\xbc"]
    near += [name[:at] + bytes([name[at] ^ 0x20, *name[at + 1 :]]) for at in range(len(name))]
    near += [name[:at] + bytes([name[at] & 0x1F, *name[at + 1 :]]) for at in range(1, len(name))]
    for one in near:
        for end in (
            b">",
            b"/>",
            b" >",
            b"\f>",
            b"\0>",
            b"<>",
            b"=>",
            b"",
            b" ",
            b" href=b src='c' data=d>e</",
            b">x</",
        ):
            assert_same(b"1<a href=z>2<%b%b3<b>4</%b%b5</a>6</%b>7" % (one, end, one, end, name))


@pytest.mark.parametrize(
    "written",
    [
        b'href="b"',
        b'href="b" ',
        b'href="b"/',
        b'href="b>c"',
        b"href='b>c'",
        b"href='b\">c'",
        b'href="b\'>c"',
        b'href="b>c" title="d"',
        b'title="b " href="c"',
        b'title="b ',
        b'title="b="',
        b'title="=">"',
        b'title=" ">"',
        b'title= ">"',
        b'title="',
        b'title=">',
        b'="b>c"',
        b'b=c="d>e"',
        b'b= c="d>e"',
        b'b"c>d"',
        b'b "c>d"',
        b'b="c"d="e>f"',
        b'b="c"">"',
        b'b="">"',
        b'b=c" d="e',
        b'b=\'"\' c="d>e"',
        b'b=it\'s c="d"',
    ],
)
def test_where_a_tag_ends(written: bytes) -> None:
    assert_same(b"1<a %b>2</a>3<p %b>4<a href=x>5" % (written, written))
    assert_same(b"1<a %b>" % written + b"2\">3'>4")


def test_links_that_differ_in_one_thing_are_two() -> None:
    written = [
        b"<a href=x>",
        b"<a href=y>",
        b"<a href=x rel=r>",
        b"<a href=x rel=s>",
        b"<area href=x>",
        b"<a href=x#y>",
    ]
    assert_same(b"".join(written * 2))
    assert len(list(scanner.native(b"".join(written * 2), *USUAL).links)) == len(written) - 1
    assert_same(b"<meta http-equiv=refresh content='1; url=x#y'><meta http-equiv=refresh content='1; url=x#z'>")


@pytest.mark.parametrize(
    "between", [" ", "  ", "\n", "\v", "\f", "\x1c", "\0", "\x01", "&", "&amp;", "\x7f", "é", "\xa0"]
)
def test_words_of_any_length(between: str) -> None:
    for length in range(20):
        words = ("x" * length + between + "y" * (19 - length) + between).encode()
        for limit in (0, length, length + 1, length + 2, 20, 1000):
            assert_same(b"<p>%b%b<title>%b</title><a href=x>%b" % (words, words, words, words), (limit, limit, limit))


def test_links_are_made_when_they_are_asked_for() -> None:
    links = scanner.native(b"".join(b"<a href=%d>" % number for number in range(100_000)), *USUAL).links
    assert [next(links)[1] for _ in range(3)] == ["0", "1", "2"]


@pytest.mark.slow
def test_a_page_of_nothing_but_links_is_cut_alike() -> None:
    many = b"".join(b"<a href=%d>" % number for number in range(reference.MAX_LINKS + 10)) + b"<noscript><a href=n>"
    assert_same(many)
    assert len(list(scanner.native(many, 0, 0, 0).links)) == reference.MAX_LINKS
