"""From an answer to what it means."""

from __future__ import annotations

import pytest
from msgspec import structs

from skitter.messages import Errand, Failure, Fetched, Kind, Lease, Reason, Url, Verdict
from skitter.parse.shingles import said_of
from skitter.reading.listing import sitemaps_of
from skitter.reading.meaning import Reading, Rules
from skitter.reading.read import is_html, location_of, read, robots_failure_of, robots_redirect
from skitter.robots.answer import Policy, decide
from skitter.schedule.priority import SEED_PRIORITY
from skitter.settings import ParseSettings, RobotsSettings, ScopeSettings, Settings
from skitter.url.canon import Canon
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint
from skitter.url.scope import Scope

HTML = ("Content-Type", "text/html; charset=utf-8")
HREF = "http://a.org/dir/page"


def rules(reach: str = "any", **scope: object) -> Rules:
    settings = Settings(scope=ScopeSettings(reach=reach, **scope))  # type: ignore[arg-type]
    canon = Canon(settings.url)
    seed = canon("http://a.org/")
    assert isinstance(seed, Url)
    return Rules(settings, canon, Scope(settings.scope, [seed], Domains()))


def answer(
    status: int = 200,
    body: bytes = b"",
    *headers: tuple[str, str],
    href: str = HREF,
    errand: Errand = Errand.PAGE,
    depth: int = 2,
    chain: tuple[str, ...] = (),
    failure: Failure | None = None,
    parent: str | None = "http://a.org/",
) -> Fetched:
    lease = Lease(href, "a.org", errand, 0.0, depth=depth, priority=0.25, chain=chain, parent=parent)
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


def test_what_a_page_says_and_where_else_it_leads_is_passed_on() -> None:
    body = b"<nav>Home</nav><p>Spiders spin their webs <a href=http://b.org/>where the flies are</a>."
    reading = read(answer(200, body, HTML), rules())
    assert reading.said == said_of("Spiders spin their webs where the flies are.")
    assert reading.abroad == {"b.org": 0}
    assert read(answer(200, b"<meta name=robots content=nofollow>" + body, HTML), rules()).abroad == {}


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


REFUSED = {
    "out of scope": (b"<a href=http://b.org/>b</a>", 2, Reason.OUT_OF_SCOPE),
    "too deep": (b"<a href=x>b</a>", 20, Reason.TOO_DEEP),
    "by a pattern": (b"<a href=/no>b</a>", 2, Reason.DENIED_BY_PATTERN),
    "in circles": (b"<a href=" + b"/a/b" * 11 + b">b</a>", 2, Reason.TRAP),
    "too long": (b"<a href=" + b"x" * 3000 + b">b</a>", 2, Reason.URL_TOO_LONG),
    "by its rel": (b"<a rel=sponsored href=x>b</a>", 2, Reason.NOFOLLOW),
    "by its page": (b"<meta name=robots content=nofollow><a href=x>b</a>", 2, Reason.NOFOLLOW),
}


@pytest.mark.parametrize(("body", "depth", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_link_that_is_not_followed_has_its_reason(body: bytes, depth: int, reason: Reason) -> None:
    fetched = answer(200, b"<img src=http://b.org/i><link rel=canonical href=y>" + body, HTML, depth=depth)
    reading = read(fetched, rules("domain", deny=["/no$"], max_depth=20))
    assert reading.refused[2] is reason
    assert reading.links[2].url not in found(reading)
    assert 0 not in reading.refused, "nobody asked for embeds"
    assert (1 in reading.refused) == (reason in (Reason.TOO_DEEP, Reason.NOFOLLOW) and b"sponsored" not in body)


def test_links_that_are_followed_or_known_have_no_reason() -> None:
    known = fingerprint("http://b.org/old")
    fetched = answer(200, b"<a href=http://b.org/old>1</a><a href=new>2</a><a href=new?>3</a>", HTML)
    assert read(fetched, rules("domain"), lambda mark: mark == known).refused == {}


def test_a_page_with_too_many_links_says_so() -> None:
    few = Rules(Settings(parse=ParseSettings(max_links=1)), *rules()[1:])
    fetched = answer(200, b"<a href=x>x</a><a href=y>y</a>", HTML)
    assert (read(fetched, few).verdict.reasons, found(read(fetched, few))) == ([Reason.LINKS_CUT], [HREF[:-4] + "x"])
    assert read(fetched, rules()).verdict.reasons == []


def test_what_is_out_of_scope_or_too_deep_is_not_found() -> None:
    body = b"<a href=http://b.org/>b</a><a href=http://sub.a.org/>s</a>"
    assert found(read(answer(200, body, HTML), rules("domain"))) == ["http://sub.a.org/"]
    assert found(read(answer(200, body, HTML, depth=20), rules("domain", max_depth=20))) == []


def test_links_that_are_refused_are_counted_by_reason() -> None:
    body = b"<a href=http://b.org/>b</a><a href=http://c.org/>c</a><a href=/no/1>n</a><a href=/yes>y</a><a href=/yes>"
    reading = read(answer(200, body, HTML), rules("host", deny=("/no/",)))
    assert found(reading) == ["http://a.org/yes"]
    assert list(reading.refused.values()) == [Reason.OUT_OF_SCOPE, Reason.OUT_OF_SCOPE, Reason.DENIED_BY_PATTERN]
    deep = read(answer(200, body, HTML, depth=20), rules("any", max_depth=20)).refused
    assert set(deep.values()) == {Reason.TOO_DEEP}
    assert read(answer(200, b"<a href=" + b"/x" * 11 + b">", HTML), rules()).refused == {0: Reason.TRAP}


def test_the_links_of_a_page_that_wants_none_followed_are_refused() -> None:
    body = b"<meta name=robots content=nofollow><a href=old>1</a><a href=new>2</a>"
    known = fingerprint("http://a.org/dir/old")
    reading = read(answer(200, body, HTML), rules(), lambda mark: mark == known)
    assert (found(reading), reading.known, reading.refused) == ([], 0, {0: Reason.NOFOLLOW, 1: Reason.NOFOLLOW})


def test_a_redirect_that_leaves_the_scope_is_refused() -> None:
    reading = read(answer(301, b"", ("Location", "http://b.org/")), rules("host"))
    assert reading.refused == {0: Reason.OUT_OF_SCOPE}


def test_entries_of_a_sitemap_that_are_refused() -> None:
    urls = ("http://a.org/1", "http://b.org/2", "ftp://a.org/3")
    body = b"<urlset>%s</urlset>" % b"".join(b"<url><loc>%s</loc></url>" % url.encode() for url in urls)
    reading = read(answer(200, body, ("Content-Type", "text/xml"), errand=Errand.SITEMAP), rules("host"))
    assert found(reading) == ["http://a.org/1"]
    assert list(reading.refused.values()).count(Reason.OUT_OF_SCOPE) == 1
    assert len(reading.refused) <= 2, "the parser may leave out what is no http URL"


LATIN, KOREAN = ("Content-Type", "text/html; charset=iso-8859-1"), ("Content-Type", "text/html; charset=euc-kr")
PAGES = {
    "in order": (answer(200, "<p>schön".encode(), HTML), []),
    "a byte that is no UTF-8": (answer(200, b"<p>sch\xf6n", HTML), ["undecodable"]),
    "what is U+FFFD by itself": (answer(200, "<p>\ufffd".encode(), HTML), []),
    "any byte means something": (answer(200, b"<p>sch\xf6n", LATIN), []),
    "half a character": (answer(200, b"<p>\xc7\xd1\xff\xff<p>", KOREAN), ["undecodable"]),
    "tags that do not close": (answer(200, b"<p><b><i></p></b><table><tr", HTML), []),
    "cut": (structs.replace(answer(200, "<p>sch\xf6".encode()[:-1], HTML), truncated="length"), ["cut"]),
    "too long": (answer(200, b"<p>" * 6_000_000, HTML), ["too_long"]),
}


@pytest.mark.parametrize(("fetched", "faults"), PAGES.values(), ids=PAGES)
def test_faults_that_are_noticed(fetched: Fetched, faults: list[str]) -> None:
    assert list(read(fetched, rules()).malformed) == faults


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
    assert ([link.url for link in reading.links], reading.refused) == (["http://b.org/"], {0: Reason.OUT_OF_SCOPE})


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
    text = b"Sitemap: /s.xml\nSitemap: http://b.org/t.xml\nSitemap: javascript:x\nSitemap: http://a.org/s.xml\n"
    named = sitemaps_of(policy(text), lease, rules("domain"))
    assert {one.href for one in named} == {"http://a.org/s.xml"}
    assert {one.errand for one in named} == {Errand.SITEMAP}
    assert {one.parent for one in named} == {"http://a.org/robots.txt"}


def policy(text: bytes = b"", status: int = 200) -> Policy:
    fetched = answer(status, text, href="http://a.org/robots.txt", errand=Errand.ROBOTS)
    return decide(fetched, None, now=101.0, token="skitter", settings=RobotsSettings())


GUESSES = {
    "an empty robots.txt": (policy(), True),
    "none": (policy(status=404), True),
    "rules that allow it": (policy(b"User-agent: *\nDisallow: /private"), True),
    "rules that forbid it": (policy(b"User-agent: *\nDisallow: /*.xml"), False),
    "it can't be read": (policy(status=503), False),
    "another one is named, out of scope": (policy(b"Sitemap: http://b.org/t.xml"), False),
}


@pytest.mark.parametrize(("answered", "is_asked"), GUESSES.values(), ids=GUESSES)
def test_the_usual_sitemap_is_guessed_where_none_is_named(answered: Policy, is_asked: bool) -> None:
    lease = answer(href="http://a.org/robots.txt").lease
    guessed = sitemaps_of(answered, lease, rules("domain"))
    assert [one.href for one in guessed] == (["http://a.org/sitemap.xml"] if is_asked else [])
    assert all(one.parent is None and one.errand is Errand.SITEMAP and one.depth == 0 for one in guessed)
    assert all(one.priority < SEED_PRIORITY for one in guessed)


def test_the_usual_sitemap_is_not_guessed_if_nothing_would_come_of_it() -> None:
    lease = answer(href="http://a.org/robots.txt").lease
    off = Rules(Settings(robots=RobotsSettings(guess_sitemap=False)), *rules()[1:])
    elsewhere = answer(href="http://b.org/robots.txt").lease
    assert sitemaps_of(policy(), lease, off) == []
    assert sitemaps_of(policy(), lease, rules(max_depth=0)) == []
    assert sitemaps_of(policy(), elsewhere, rules("domain")) == []


GUESS = {"href": "http://a.org/sitemap.xml", "errand": Errand.SITEMAP, "parent": None}


@pytest.mark.parametrize("status", [404, 410, 403, 401, 400])
def test_that_there_is_no_sitemap_where_one_was_guessed_is_no_failure(status: int) -> None:
    assert read(answer(status, **GUESS), rules()) == Reading(reason=Reason.NO_SITEMAP)
    named = read(answer(status, **{**GUESS, "parent": "http://a.org/robots.txt"}), rules())
    assert named.failure is not None


@pytest.mark.parametrize("status", [429, 500, 503])
def test_trouble_is_trouble_also_where_a_sitemap_was_guessed(status: int) -> None:
    assert read(answer(status, **GUESS), rules()).failure is not None


def test_a_guess_is_led_on_to_a_sitemap_but_not_to_the_home_page() -> None:
    on = read(answer(301, b"", ("Location", "/wp-sitemap.xml"), **GUESS), rules())
    assert [(one.href, one.parent, one.errand) for one in on.found] == [
        ("http://a.org/wp-sitemap.xml", None, Errand.SITEMAP)
    ]
    home = read(answer(302, b"", ("Location", "/"), **GUESS), rules())
    assert (home.found, home.reason) == ((), Reason.NO_SITEMAP)


URLSET = (
    b"<?xml version='1.0'?>\n<urlset><url><loc>http://a.org/x</loc></url><url><loc>http://b.org/y</loc></url></urlset>"
)
INDEX = b"<sitemapindex><sitemap><loc>http://a.org/x</loc></sitemap></sitemapindex>"
RSS = b"<rss><channel><item><link>http://a.org/x</link></item></channel></rss>"
LISTS = {
    "text/xml": ("text/xml; charset=utf-8", URLSET, Errand.PAGE),
    "application/xml": ("Application/XML", URLSET, Errand.PAGE),
    "an index": ("text/xml", INDEX, Errand.SITEMAP),
    "rss": ("application/rss+xml", RSS, Errand.PAGE),
    "atom": ("application/atom+xml", b"<feed><entry><link href='/x'/></entry></feed>", Errand.PAGE),
    "a feed as xml": ("text/xml", RSS, Errand.PAGE),
    "no type": (None, URLSET, Errand.PAGE),
}
NO_LISTS = {
    "other xml": ("text/xml", b"<svg><url><loc>http://a.org/x</loc></url></svg>"),
    "text": ("text/plain", b"http://a.org/x\n"),
    "not even xml": ("text/xml", b"http://a.org/x\n"),
    "pdf": ("application/pdf", URLSET),
}


@pytest.mark.parametrize(("media", "body", "errand"), LISTS.values(), ids=LISTS)
def test_a_sitemap_or_feed_that_a_link_led_to_is_read(media: str | None, body: bytes, errand: Errand) -> None:
    headers = [("Content-Type", media)] if media else []
    reading = read(answer(200, body, *headers), rules("domain"))
    assert [(one.href, one.errand, one.depth) for one in reading.found] == [
        ("http://a.org/x", errand, 2 if errand is Errand.SITEMAP else 3)
    ]


@pytest.mark.parametrize(("media", "body"), NO_LISTS.values(), ids=NO_LISTS)
def test_other_answers_list_nothing(media: str, body: bytes) -> None:
    assert read(answer(200, body, ("Content-Type", media)), rules()) == Reading()


def test_no_type_and_no_sitemap_is_a_page() -> None:
    assert found(read(answer(200, b"<?xml version='1.0'?><html><a href=x>x</a></html>"), rules())) == [HREF[:-4] + "x"]


@pytest.mark.parametrize("errand", [Errand.PAGE, Errand.SITEMAP])
def test_what_a_sitemap_lists_and_we_refuse_is_kept_with_the_reason(errand: Errand) -> None:
    reading = read(answer(200, URLSET, ("Content-Type", "text/xml"), errand=errand), rules("domain"))
    assert [link.url for link in reading.links] == ["http://b.org/y"]
    assert reading.refused == {0: Reason.OUT_OF_SCOPE}
    asked = read(answer(200, URLSET, ("Content-Type", "text/xml"), ("X-Robots-Tag", "none"), errand=errand), rules())
    assert (asked.found, set(asked.refused.values())) == ([], {Reason.NOFOLLOW})


TAGGED = ["application/pdf", "text/plain", "image/png", "text/xml", "text/html"]


@pytest.mark.parametrize("media", TAGGED)
def test_x_robots_tag_counts_whatever_the_type(media: str) -> None:
    tags = [("X-Robots-Tag", "otherbot: nofollow"), ("X-Robots-Tag", "noindex")]
    reading = read(answer(200, b"x", ("Content-Type", media), *tags), rules())
    assert reading.verdict == Verdict(reasons=[Reason.NOINDEX])


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


FEED_LINK = b'<link rel=alternate type="application/rss+xml" href=/news><link rel=alternate href=/de><a href=/x>x</a>'


def test_a_feed_is_offered_as_one_by_the_type_that_its_link_says() -> None:
    offered = {one.href: one.errand for one in read(answer(200, FEED_LINK, HTML), rules()).found}
    pages = {"http://a.org/de": Errand.PAGE, "http://a.org/x": Errand.PAGE}
    assert offered == {"http://a.org/news": Errand.FEED, **pages}


def test_what_is_no_feed_after_all_is_read_as_a_page() -> None:
    reading = read(answer(200, b"<a href=/x>x</a>", HTML, errand=Errand.FEED), rules())
    assert (found(reading), reading.listed) == (["http://a.org/x"], "")


def test_a_json_feed_is_read_by_its_type() -> None:
    body = b'{"version": "https://jsonfeed.org/version/1", "items": [{"url": "http://a.org/1"}]}'
    reading = read(answer(200, body, ("Content-Type", "application/feed+json")), rules())
    assert (found(reading), reading.listed) == (["http://a.org/1"], "feed")
    assert found(read(answer(200, body, ("Content-Type", "application/json")), rules())) == []
    assert found(read(answer(200, body, ("Content-Type", "application/json"), errand=Errand.FEED), rules())) != []


@pytest.mark.parametrize("header", ['<https://hub.test/>; rel="hub"', "</f>; rel=self, <https://hub.test/>; rel=hub"])
def test_a_hub_is_told_by_a_header(header: str) -> None:
    assert read(answer(200, b"<p>x", HTML, ("Link", header)), rules()).hub == "https://hub.test/"
    feed = answer(200, RSS, ("Content-Type", "text/xml"), ("Link", header))
    assert read(feed, rules()).hub == "https://hub.test/"
    assert read(answer(200, b"<p>x", HTML, ("Link", "<mailto:a@b>; rel=hub")), rules()).hub == ""
