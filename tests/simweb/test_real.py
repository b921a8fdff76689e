from __future__ import annotations

from urllib.parse import urljoin

import pytest
from msgspec import structs
from selectolax.lexbor import LexborHTMLParser

from skitter.messages import LinkKind
from skitter.simweb.real import PageWriter
from skitter.simweb.settings import DEMO
from skitter.simweb.world import World

NASTY = b"""<!doctype html><html><head lang=en><meta name=robots content=nofollow><title><a href=/t></title>
<base href="http://elsewhere.test/"><link rel=canonical href="/c"><meta http-equiv=refresh content="0;url=/r">
<script>document.write('<a href="/s">')</script></head><body><!-- <a href="/comment">no</a> -->
<p>Some text <A class=x HREF='/one' rel=nofollow>one</A> <a href=/two>two</a> <a name=here>no link</a>
<iframe src="/frame"></iframe><form action="/form">
<area href="/area"><a data-x="1" href="/three?a&amp;b">three</a></form>
<template><a href="/template"></a></template><textarea><a href="/textarea"></textarea><svg><a href="/svg"/></svg>
"""
PAGES = {"nasty": NASTY, "no-links": b"<p>nothing", "empty": b"", "many": b"<a href='/x'>x</a>" * 100}


def found(html: str, url: str) -> list[tuple[str, bool]]:
    tree = LexborHTMLParser(html)
    base = tree.css_first("base[href]")
    anchors = [node.attributes for node in tree.css("a[href]")]
    near = urljoin(url, (base.attributes["href"] if base else "") or "")
    kept = [have for have in anchors if have["href"] != "#"]
    return [(urljoin(near, have["href"] or "").partition("#")[0], have.get("rel") == "nofollow") for have in kept]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_links_of_a_real_page_are_those_of_the_world(page: bytes) -> None:
    world = World(structs.replace(DEMO, hosts=4), PageWriter([page]))
    for site in world.sites():
        for path in site.paths:
            spec = world.spec(site.name, path)
            links = [(link.url, link.nofollow) for link in spec.links if link.kind is LinkKind.NAVIGATION]
            html = PageWriter([page]).html(spec, 0)
            # The spare ones come first in the text; which place a link has does not matter.
            assert sorted(found(html, f"http://{site.name}{path}")) == sorted(links)


def test_nothing_else_in_it_speaks_to_a_crawler() -> None:
    spec = World(DEMO).spec("h0000.sim.test", "/")
    tree = LexborHTMLParser(PageWriter([NASTY]).html(spec, 0))
    assert not tree.css("base, link, meta, iframe, form, area, script")
    assert "Some text" in tree.text()


def test_page_is_the_same_each_time_and_changes_with_its_version() -> None:
    writer = PageWriter([*PAGES.values()])
    spec = World(DEMO).spec("h0003.sim.test", "/")
    assert writer.html(spec, 1) == writer.html(spec, 1) != writer.html(spec, 2)
