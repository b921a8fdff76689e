"""Tokens: cut as the HTML standard cuts them, and in linear time whatever the markup."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.parse import attributes, tokens
from skitter.parse.tokens import BREAK, cut
from tests.growth.clock import dearer

lexbor = pytest.importorskip("selectolax.lexbor")


def tags(html: bytes) -> list[bytes]:
    return [mark[0] for mark in cut(html).marks]


def shown(html: bytes) -> bytes:
    return b"".join(cut(html).text)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"", []),
        (b"<a>", [b"a"]),
        (b"<A HREF=x></A >", [b"a", b"/a"]),
        (b"<a/>", [b"a"]),
        (b"<a\n/ x>", [b"a"]),
        (b"<ab>", []),
        (b"< a>", []),
        (b"<a title='>'><img>", [b"a", b"img"]),
        (b"<a title='<img>'>", [b"a"]),
        (b"<a title=it's><img>'>", [b"a", b"img"]),
        (b"<a b=c'><img>", [b"a", b"img"]),
        (b"<a b = '>'><img>", [b"a", b"img"]),
        (b"<a", []),
        (b"<a href='", []),
        (b"<a href='><img>", []),
        (b"<!--<a>--><img>", [b"img"]),
        (b"<!--><img>", [b"img"]),
        (b"<!---><img>", [b"img"]),
        (b"<!--<a>--!><img>", [b"img"]),
        (b"<!--<a>", []),
        (b"<!a><img>", [b"img"]),
        (b"<?a ?><img>", [b"img"]),
        (b"</ a><img>", [b"img"]),
        (b"</><img>", [b"img"]),
        (b"<![CDATA[<a>]]>", []),
        (b"<script><a></script><img>", [b"script", b"img"]),
        (b"<SCRIPT></scripts><a></sCript ><img>", [b"script", b"img"]),
        (b"<script>'</script'<a>", [b"script"]),
        (b"<style><a></style><textarea><a></textarea><img>", [b"img"]),
        (b"<iframe><a></iframe><noscript><a></noscript>", [b"iframe", b"noscript"]),
        (b"<scripts><a>", [b"a"]),
        (b"<template><a><template></template><a></template><img>", [b"img"]),
        (b"<template><a>", []),
        (b"<TEMPLATE><a></Template><img>", [b"img"]),
        (b"<a b='c'='>'><img>", [b"a", b"img"]),
        (b"<a ='><img>'>", [b"a", b"img"]),
        (b"<a b/ = '><img>'>", [b"a", b"img"]),
    ],
)
def test_tags(html: bytes, expected: list[bytes]) -> None:
    assert tags(html) == expected


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (b"a<b>b</b>c", b"abc"),
        (b"a<p>b</p>c<br>d", b"a\fb\fc\fd"),
        (b"a<DIV>b", b"a\fb"),
        (b"a<x-y>b</x-y>", b"ab"),
        (b"a < b <3", b"a < b <3"),
        (b"a<!-- x -->b<?x?>c", b"abc"),
        (b"a<script>x</script>b<title>x</title>c", b"abc"),
        (b"a<xmp><b></xmp>c", b"a\f<b>\fc"),
        (b"a<template>x<p>y</template>b", b"ab"),
        (b"a<template>x<template>y</template>z</template>b<template>x", b"ab"),
        (b"a</template>b<template>x</template>c", b"abc"),
        (b"a<i title='>'>b", b"ab"),
        (b"a<i", b"a"),
    ],
)
def test_text(html: bytes, text: bytes) -> None:
    assert shown(html) == text


def test_marks_say_where_and_with_what() -> None:
    markup = cut(b"x<p>y<a href=z>w</a><title>t</title>")
    assert markup.marks == [(b"a", b" href=z", None, 3), (b"/a", b"", None, 4), (b"title", b"", b"t", 4)]
    assert markup.text[:4] == [b"x", BREAK, b"y", b"w"]


# No tables, selects and the like: there a tree leaves out or moves what the tokens have.
PIECES = [
    b"<",
    b">",
    b"</",
    b"/>",
    b"a",
    b" ",
    b"<a href=",
    b"x",
    b'"',
    b"'",
    b"=",
    b"</a>",
    b"<!--",
    b"-->",
    b"--!>",
    b"!",
]
PIECES += [
    b"<p>",
    b"<div ",
    b"<script>",
    b"</script>",
    b"<style>",
    b"</style ",
    b"<title>",
    b"</title>",
    b"&amp;",
    b"?",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
@settings(max_examples=200, deadline=None)
def test_links_are_those_of_a_tree(html: bytes) -> None:
    theirs = [node.attributes["href"] or "" for node in lexbor.LexborHTMLParser(html, scripting=True).css("a[href]")]
    read = [attributes.read(mark[1]) for mark in cut(html).marks if mark[0] == b"a"]
    # Two anchors can't nest, so a tree may hold a third to end one: the same href twice in a row.
    ours = [attributes.value(found, b"href") for found in read if b"href" in found]
    assert set(ours) == set(theirs)
    assert len(ours) <= len(theirs)


HOSTILE = [
    b"<",
    b"<a>",
    b"<div>",
    b"<div></x>",
    b"<p><font size=1>",
    b"<a b='",
    b"<!--",
    b"<script>",
    b"<a ",
    b"<template>",
]
HOSTILE += [b"a=1 ", b"<a href=x ", b"</", b"<!", b"=", b"<svg><a>", b"<noscript>", b"\0", b"<title", b"--"]


@pytest.mark.slow
@pytest.mark.parametrize("prefix", [b"", b"<a ", b"<!--", b"<script>"])
@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_markup(prefix: bytes, piece: bytes) -> None:
    small, large = (prefix + piece * (size // len(piece)) for size in (100_000, 1_000_000))
    assert dearer(partial(cut, small), partial(cut, large), 12, grace=0.05) <= 12


def test_every_tag_has_one_task() -> None:
    assert not set(tokens.INLINE) & (set(tokens.BLOCKS) | set(tokens.MARKED))
    assert set(tokens.SHOWN) <= set(tokens.RAW) & set(tokens.BLOCKS)
