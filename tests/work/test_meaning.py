"""What a worker tells comes to what the node's own reading would have been; and what it makes up stays harmless."""

from __future__ import annotations

import pytest
from msgspec import structs

from skitter.messages import Errand, Fetched, Lease, LinkKind
from skitter.parse.outlinks import nothing_known
from skitter.reading.meaning import Rules
from skitter.reading.read import read
from skitter.settings import ScopeSettings, Settings
from skitter.url.canon import Canon
from skitter.url.scope import Scope
from skitter.work.meaning import carried
from skitter.work.messages import PageFacts, Result
from skitter.worker.facts import read_facts, told_of

RULES = Rules(Settings(), Canon(), Scope(ScopeSettings(reach="any")))
LEASE = Lease("http://a.test/dir/p", "a.test", Errand.PAGE, 9e9, depth=1, priority=0.4)
HTML = b"""<!doctype html><html lang=de><head><title>A page</title><link rel=canonical href=/dir/q>
<link rel=alternate type=application/rss+xml href=/feed></head><body><h1>Words</h1><p>%s</p>
<a href=/one>one</a><a href="//b.test/two?x=1#f" rel=nofollow>two</a><a href="http://c.test/three">three</a>
<a href="mailto:x@y">no</a><img src=/i.png><a href=/one>again</a></body></html>""" % (b"some words here " * 60)
RSS = b"""<?xml version="1.0"?><rss><channel><item><link>http://a.test/n1</link></item></channel></rss>"""

ANSWERS = {
    "a page": (200, [("Content-Type", "text/html")], HTML),
    "one that is not to be followed": (200, [("Content-Type", "text/html"), ("X-Robots-Tag", "nofollow")], HTML),
    "a feed": (200, [("Content-Type", "application/rss+xml")], RSS),
    "an image": (200, [("Content-Type", "image/png")], b"\x89PNG"),
    "a redirect": (302, [("Location", "/elsewhere")], b""),
    "a redirect to itself": (302, [("Location", "/dir/p")], b""),
    "not there": (404, [("Content-Type", "text/html")], HTML),
    "too many": (429, [("Retry-After", "17")], b""),
    "not changed": (304, [], b""),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_it_means_what_it_would_have_meant_here(name: str) -> None:
    status, headers, body = ANSWERS[name]
    fetched = Fetched(LEASE, 10.0, 11.0, address="192.0.2.1", status=status, headers=headers, body=body)
    here = read(fetched, RULES)
    told = told_of(fetched, read_facts(fetched, RULES), None, 12.0)
    there = carried(LEASE, told, 5.0, 100.0, RULES, nothing_known)
    assert (there.fetched.began, there.fetched.ended) == (98.0, 99.0)
    for field in here.__struct_fields__:
        mine, its = getattr(here, field), getattr(there.reading, field)
        if field in ("links", "found"):
            mine, its = list(map(tuple, map(_plain, mine))), list(map(tuple, map(_plain, its)))
        assert mine == its, field


def _plain(one: object) -> tuple[object, ...]:
    return structs.astuple(one) if hasattr(one, "__struct_fields__") else tuple(one)  # type: ignore[arg-type, call-overload]


def test_a_request_was_not_sent_before_its_lease_was_given_nor_after_it_was_told() -> None:
    early = carried(LEASE, Result(200, 3600.0, 3600.0), 50.0, 60.0, RULES, nothing_known)
    assert (early.fetched.began, early.fetched.ended) == (50.0, 50.0)
    late = carried(LEASE, Result(200, 0.0, 0.0), 50.0, 60.0, RULES, nothing_known)
    assert (late.fetched.began, late.fetched.ended) == (60.0, 60.0)
    crossed = carried(LEASE, Result(200, 1.0, 9.0), 50.0, 60.0, RULES, nothing_known)
    assert crossed.fetched.began <= crossed.fetched.ended


@pytest.mark.parametrize(
    "url", ["https://x", "http://", "javascript:alert(1)", "", "http://a b/", "//", "http://[::1", "x" * 8000]
)
def test_what_is_called_a_link_and_is_none_leads_nowhere(url: str) -> None:
    page = PageFacts(links=[(url, "a", LinkKind.NAVIGATION, False, "")], canonical=url)
    reading = carried(LEASE, Result(200, 1.0, 1.0, page=page), 5.0, 6.0, RULES, nothing_known).reading
    assert all(one.href.startswith("https://x/") for one in reading.found)
