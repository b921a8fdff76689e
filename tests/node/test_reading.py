"""From an answer to what it means."""

from __future__ import annotations

import pytest

from skitter.messages import Errand, Failure, Fetched, Kind, Lease, Reason, Url
from skitter.node.reading import (
    Reading,
    Rules,
    is_html,
    location_of,
    read,
    robots_failure_of,
    robots_redirect,
    sitemaps_of,
)
from skitter.settings import ScopeSettings, Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from skitter.url.scope import Scope

HTML = ("Content-Type", "text/html; charset=utf-8")
HREF = "http://a.org/dir/page"


def rules(reach: str = "any", **scope: object) -> Rules:
    settings = Settings(scope=ScopeSettings(reach=reach, **scope))  # type: ignore[arg-type]
    canon = Canon(settings.url)
    seed = canon("http://a.org/")
    assert isinstance(seed, Url)
    return Rules(settings, canon, Scope(settings.scope, [seed]))


def answer(
    status: int = 200,
    body: bytes = b"",
    *headers: tuple[str, str],
    href: str = HREF,
    errand: Errand = Errand.PAGE,
    depth: int = 2,
    chain: tuple[str, ...] = (),
    failure: Failure | None = None,
) -> Fetched:
    lease = Lease(href, "a.org", errand, 0.0, depth=depth, priority=0.25, chain=chain)
    return Fetched(lease, 100.0, 101.0, "127.0.0.1", status=status, headers=headers, body=body, failure=failure)


def found(reading: Reading) -> list[str]:
    return [one.href for one in reading.found]


def test_the_links_of_a_page_are_found_once_each_with_depth_and_parent() -> None:
    body = (
        b"<a href=x>1</a><a href='/y?utm_source=q'>2</a><a href=/y>3</a><a href=//b.org/z>4</a><a href=mailto:q>5</a>"
    )
    reading = read(answer(200, body, HTML), rules())
    assert found(reading) == ["http://a.org/dir/x", "http://a.org/y?utm_source=q", "http://b.org/z"]
    assert {one.depth for one in reading.found} == {3}
    assert {one.parent for one in reading.found} == {HREF}
    assert {one.priority for one in reading.found} == {0.5 * 0.5 / 4}
    assert len(reading.links) == 4


def test_links_that_are_known_are_counted_and_not_offered() -> None:
    known = fingerprint("http://a.org/dir/old")
    fetched = answer(200, b"<a href=old>1</a><a href=new>2</a>", HTML)
    reading = read(fetched, rules(), lambda mark: mark == known)
    assert (found(reading), reading.known) == (["http://a.org/dir/new"], 1)
    assert [link.url for link in reading.links] == ["http://a.org/dir/old", "http://a.org/dir/new"]


def test_nofollow_is_kept_for_links_and_for_pages() -> None:
    one = read(answer(200, b"<a rel=nofollow href=x>x</a><a href=y>y</a>", HTML), rules())
    assert found(one) == ["http://a.org/dir/y"]
    whole = read(answer(200, b"<meta name=robots content=nofollow><a href=x>x</a>", HTML), rules())
    assert found(whole) == []
    assert whole.verdict.reasons == [Reason.NOFOLLOW]
    header = read(answer(200, b"<a href=x>x</a>", HTML, ("X-Robots-Tag", "noindex, nofollow")), rules())
    assert found(header) == []
    assert header.verdict.reasons == [Reason.NOINDEX, Reason.NOFOLLOW]


def test_embeds_are_kept_as_links_but_not_followed() -> None:
    reading = read(answer(200, b"<img src=i.png><script src=s.js></script><a href=x>x</a>", HTML), rules())
    assert found(reading) == ["http://a.org/dir/x"]
    assert len(reading.links) == 3


def test_what_is_out_of_scope_or_too_deep_is_not_found() -> None:
    body = b"<a href=http://b.org/>b</a><a href=http://sub.a.org/>s</a>"
    assert found(read(answer(200, body, HTML), rules("domain"))) == ["http://sub.a.org/"]
    assert found(read(answer(200, body, HTML, depth=20), rules("domain"))) == []


FAILURES = [
    (404, Kind.GONE),
    (403, Kind.FORBIDDEN),
    (429, Kind.TOO_MANY_REQUESTS),
    (500, Kind.SERVER_ERROR),
    (503, Kind.UNAVAILABLE),
    (999, Kind.ODD_STATUS),
]


@pytest.mark.parametrize(("status", "kind"), FAILURES)
def test_a_status_may_be_a_failure(status: int, kind: Kind) -> None:
    reading = read(answer(status, b"<a href=x>x</a>", HTML), rules())
    assert reading.failure is not None
    assert reading.failure.kind is kind
    assert found(reading) == []


def test_retry_after_goes_with_the_failure() -> None:
    reading = read(answer(503, b"", ("Retry-After", "120")), rules())
    assert reading.failure is not None
    assert reading.failure.retry_after == 120


def test_a_failure_on_the_way_is_passed_on() -> None:
    failure = Failure(Kind.READ_TIMEOUT)
    assert read(answer(0, failure=failure), rules()).failure == failure


REDIRECTS = [
    ("/dir/page/", "better", "http://a.org/dir/page/"),
    ("http://www.a.org/dir/page", "better", "http://www.a.org/dir/page"),
    ("other", "found", "http://a.org/dir/other"),
    ("https://a.org/dir/page", "found", "https://a.org/dir/page"),
    ("http://b.org/caf\xc3\xa9", "found", "http://b.org/caf%C3%A9"),
]


@pytest.mark.parametrize(("location", "how", "href"), REDIRECTS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_link_or_the_better_form(status: int, location: str, how: str, href: str) -> None:
    reading = read(answer(status, b"", ("Location", location)), rules())
    assert reading.failure is None
    if how == "better":
        assert (reading.better, found(reading)) == (href, [])
    else:
        assert (reading.better, found(reading)) == (None, [href])
        assert reading.found[0].chain == (HREF,)
        assert reading.found[0].depth == 2


BAD_REDIRECTS = [
    (("Location", HREF), (), Kind.REDIRECT_LOOP),
    (("Location", "http://x.org/"), ("http://x.org/",), Kind.REDIRECT_LOOP),
    (("Location", "on"), tuple(f"http://x.org/{n}" for n in range(10)), Kind.TOO_MANY_REDIRECTS),
    (("Location", "file:///etc/passwd"), (), Kind.BAD_REDIRECT),
    (("Location", "javascript:alert(1)"), (), Kind.BAD_REDIRECT),
    (("Location", "http://[::1"), (), Kind.BAD_REDIRECT),
    (("Location", "/" + "x" * 3000), (), Kind.BAD_REDIRECT),
    (("X-Other", "y"), (), Kind.BAD_REDIRECT),
]


@pytest.mark.parametrize(
    ("header", "chain", "kind"), BAD_REDIRECTS, ids=[f"{row[2]} {row[0][1][:20]}" for row in BAD_REDIRECTS]
)
def test_redirects_that_lead_nowhere(header: tuple[str, str], chain: tuple[str, ...], kind: Kind) -> None:
    reading = read(answer(302, b"", header, chain=chain), rules())
    assert reading.failure is not None
    assert reading.failure.kind is kind


def test_ten_redirects_are_followed() -> None:
    chain = tuple(f"http://x.org/{n}" for n in range(9))
    assert found(read(answer(302, b"", ("Location", "on"), chain=chain), rules())) == ["http://a.org/dir/on"]


def test_a_redirect_out_of_scope_says_so() -> None:
    reading = read(answer(301, b"", ("Location", "http://b.org/")), rules("domain"))
    assert found(reading) == []
    assert reading.verdict.reasons == (Reason.OUT_OF_SCOPE,)


def test_not_modified_finds_nothing_and_fails_nothing() -> None:
    assert read(answer(304), rules()) == Reading()


def test_a_sitemap_lists_pages_and_an_index_lists_sitemaps() -> None:
    listed = b"http://a.org/1\nhttp://a.org/2\nhttp://b.org/3\n"
    reading = read(answer(200, listed, ("Content-Type", "text/plain"), errand=Errand.SITEMAP, depth=0), rules("domain"))
    assert found(reading) == ["http://a.org/1", "http://a.org/2"]
    assert {(one.errand, one.depth) for one in reading.found} == {(Errand.PAGE, 1)}
    index = b"<sitemapindex><sitemap><loc>http://a.org/s.xml</loc></sitemap></sitemapindex>"
    reading = read(answer(200, index, errand=Errand.SITEMAP, depth=0), rules())
    assert [(one.href, one.errand, one.depth) for one in reading.found] == [("http://a.org/s.xml", Errand.SITEMAP, 0)]


ROBOTS = "http://a.org/robots.txt"
FIVE = tuple(f"http://a.org/{number}" for number in range(5))
HOPS: dict[str, tuple[Fetched, str | Kind | None]] = {
    "an answer": (answer(200, href=ROBOTS), None),
    "no answer": (answer(301, b"", ("Location", "/x"), href=ROBOTS, failure=Failure(Kind.RESET)), None),
    "another path": (answer(301, b"", ("Location", "/x"), href=ROBOTS), "http://a.org/x"),
    "another host": (answer(308, b"", ("Location", "//b.org/x"), href=ROBOTS), "http://b.org/x"),
    "another scheme": (
        answer(302, b"", ("Location", "https://a.org/robots.txt"), href=ROBOTS),
        "https://a.org/robots.txt",
    ),
    "itself": (answer(301, b"", ("Location", ROBOTS), href=ROBOTS), Kind.REDIRECT_LOOP),
    "in a circle": (answer(301, b"", ("Location", ROBOTS), href="http://a.org/x", chain=(ROBOTS,)), Kind.REDIRECT_LOOP),
    "the fifth": (answer(301, b"", ("Location", "/x"), href=ROBOTS, chain=FIVE[:4]), "http://a.org/x"),
    "the sixth": (answer(301, b"", ("Location", "/x"), href=ROBOTS, chain=FIVE), Kind.TOO_MANY_REDIRECTS),
    "nowhere": (answer(301, href=ROBOTS), Kind.BAD_REDIRECT),
    "no web": (answer(301, b"", ("Location", "file:///etc/passwd"), href=ROBOTS), Kind.BAD_REDIRECT),
}


@pytest.mark.parametrize(("fetched", "expected"), HOPS.values(), ids=HOPS)
def test_where_a_redirect_of_robots_txt_leads(fetched: Fetched, expected: str | Kind | None) -> None:
    led = robots_redirect(fetched, rules())
    assert (led.href if isinstance(led, Url) else led.kind if isinstance(led, Failure) else None) == expected
    if isinstance(led, Failure):
        assert robots_failure_of(fetched, rules()) == led


def test_sitemaps_named_by_robots_txt() -> None:
    lease = answer(href="http://a.org/robots.txt").lease
    named = sitemaps_of(["/s.xml", "http://b.org/t.xml", "javascript:x", "http://a.org/s.xml"], lease, rules("domain"))
    assert {one.href for one in named} == {"http://a.org/s.xml"}
    assert {one.errand for one in named} == {Errand.SITEMAP}


TYPES = [
    ([HTML], b"", True),
    ([("content-type", "APPLICATION/XHTML+XML")], b"", True),
    ([("Content-Type", "text/plain")], b"<html>", False),
    ([("Content-Type", "application/pdf")], b"%PDF", False),
    ([], b"\xef\xbb\xbf \n<!doctype html>", True),
    ([], b"plain text", False),
    ([], b"", False),
]


@pytest.mark.parametrize(("headers", "body", "expected"), TYPES)
def test_what_is_html(headers: list[tuple[str, str]], body: bytes, expected: bool) -> None:
    assert is_html(answer(200, body, *headers)) is expected


def test_what_is_not_html_has_no_links() -> None:
    assert read(answer(200, b"<a href=x>x</a>", ("Content-Type", "text/plain")), rules()) == Reading()


def test_a_location_in_utf8_is_read_as_browsers_do() -> None:
    assert location_of(answer(301, b"", ("Location", "/ü".encode().decode("latin-1")))) == "http://a.org/%C3%BC"
