"""Traps and honest sites, played against the frontier: a trap ends soon, and no honest page is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from hashlib import md5
from pathlib import Path

import pytest

from tests.frontier.plays import NONE, WORDS, Page, Played, Site, play, prose

MOST = 200
NEWS, DAY = 150, timedelta(1)
ITEMS = [f"{prose(('item', number), 5)} {number} EUR" for number in range(60)]


def name(*parts: object) -> str:
    return md5(repr(parts).encode(), usedforsecurity=False).hexdigest()


def listed(key: object) -> str:
    """Returns a list of ten things, each of which is listed elsewhere too."""
    return " . ".join(sorted(ITEMS, key=lambda item: name(key, item))[:10])


def calendar(path: str) -> Page:
    month = re.fullmatch(r"/t/(\d{4})/(\d\d?)", path)
    if path == "/t":
        return Page("calendar", ("/t/2026/11",))
    if month is None or not 1 <= int(month[2]) <= 12:
        return NONE
    at = int(month[1]) * 12 + int(month[2]) - 1
    days = " ".join(map(str, range(1, 31)))
    return Page(f"month {month[2]} of {month[1]} Mo Tu We Th Fr Sa Su {days} all events of the month", _months(at))


def _months(at: int) -> tuple[str, ...]:
    return tuple(f"/t/{other // 12}/{other % 12 + 1}" for other in (at - 1, at + 1))


def events(path: str) -> Page:
    page = calendar(path)
    return page if page is NONE or path == "/t" else page._replace(text=prose(path, 80))


def facets(path: str) -> Page:
    start, _, query = path.partition("?")
    chosen = [part for part in query.split("&") if part]
    names = [
        ("color", "red"),
        ("color", "blue"),
        ("color", "tan"),
        ("size", "m"),
        ("size", "l"),
        ("fit", "slim"),
        ("sort", "price"),
        ("brand", "acme"),
        ("heel", "low"),
    ]
    more = [f"{one}={value}" for one, value in names if f"{one}=" not in query]
    links = [f"{start}?{'&'.join(sorted([*chosen, one]))}" for one in more]
    links += [f"{start}?{'&'.join([*chosen, f'page={page}'])}" for page in (2, 3)] if "page" not in query else []
    return Page(listed(path), tuple(links)) if start == "/t" else NONE


def tags(path: str) -> Page:
    return Page(
        f"tagged {path} {listed(path)}", tuple(f"{path}/{WORDS[int(name(path, n), 16) % 64]}" for n in range(5))
    )


def sessions(path: str) -> Page:
    found = re.fullmatch(r"/t(?:/(\d+)\?visit=\w+)?", path)
    number = int(found[1] or 0) if found else 99
    links = tuple(f"/t/{(number + step) % 25}?visit={name(path, step)}" for step in (1, 2, 3, 7))
    return Page(prose(number), links) if number < 25 else NONE


def tarpit(path: str) -> Page:
    words = [WORDS[int(name(path, n), 16) % 64] for n in range(12)]
    return Page(
        prose(path, 200), tuple(f"/t/{one}-{other}/{one}" for one, other in zip(words[:6], words[6:], strict=True))
    )


def knowing(path: str) -> Page:
    """A tarpit that knows the names it made up itself."""
    token = path.removeprefix("/t").strip("/")
    if token and name(token[:16])[:8] != token[16:]:
        return NONE
    made = [name(path, n)[:16] for n in range(4)]
    return Page(prose(path, 200), tuple(f"/t/{one}{name(one)[:8]}" for one in made))


def echo(path: str) -> Page:
    return Page(f"you are at {path} again and there is more to see", tuple(f"{path}/again/x{n}" for n in range(3)))


def escapes(path: str) -> Page:
    return Page(prose("escapes"), (f"/t/{(path[3:] or '%20').replace('%', '%25')}",))


def redirects(path: str) -> Page:
    if path == "/t" or path.endswith("/hub"):
        return Page(prose("hub", 20), tuple(f"/t/{name(path, n)[:10]}" for n in range(5)))
    return Page(location=f"/t/{name(path)[:10]}{'' if int(name(path), 16) % 4 else '/hub'}")


def beyond(path: str) -> Page:
    """The pages of a list, and behind the last one shuffled ones."""
    number = int(path.partition("=")[2] or 1)
    return Page(f"page {number} {listed(number)}", (f"/t?page={number + 1}",))


FILTERS = WORDS[:12]


def filters(path: str) -> Page:
    """Filters that are written into one name; it knows their names, and nobody else's."""
    chosen = [one for one in path.removeprefix("/t").strip("/").split("-") if one]
    if any(one not in FILTERS for one in chosen):
        return NONE
    return Page(listed(sorted(chosen)), tuple(f"/t/{'-'.join([*chosen, one])}" for one in FILTERS if one not in chosen))


def weeks(path: str) -> Page:
    """Weeks with a page for each of their days, all of them made up: most pages lead nowhere."""
    found = re.fullmatch(r"/t(?:\?w=(\d{4})-W(\d\d)(&day=\d)?)?", path)
    if found is None:
        return NONE
    at = int(found[1] or 2026) * 50 + int(found[2] or 46)
    here = f"/t?w={at // 50}-W{at % 50:02d}"
    near = tuple(f"/t?w={other // 50}-W{other % 50:02d}" for other in (at - 1, at + 1))
    return Page(prose(path, 60), () if found[3] else (*near, *(f"{here}&day={day}" for day in range(7))))


TRAPS: dict[str, Site] = {
    "calendar": calendar,
    "events": events,
    "facets": facets,
    "tags": tags,
    "sessions": sessions,
    "tarpit": tarpit,
    "knowing": knowing,
    "echo": echo,
    "escapes": escapes,
    "redirects": redirects,
    "beyond": beyond,
    "filters": filters,
    "weeks": weeks,
}


def good(path: str) -> Page:
    """A site of a few folders and a row of news, each page of which leads to the trap too."""
    if path == "/":
        return Page(prose("home"), ("/docs/", "/news/0", "/t"))
    if path == "/docs/":
        return Page(prose("docs"), tuple(f"/docs/{word}/" for word in WORDS[:10]))
    folder, number = re.fullmatch(r"/docs/(\w+)/(\w*)", path), re.fullmatch(r"/news/(\d+)", path)
    if folder and folder[1] in WORDS[:10] and folder[2] in ("", *WORDS[:10]):
        return Page(prose(path), (*(f"/docs/{folder[1]}/{word}" for word in WORDS[:10]), "/t"))
    if number and int(number[1]) < NEWS:
        return Page(prose(path), (f"/news/{int(number[1]) + 1}", "/t"))
    return NONE


GOOD = {"/", "/docs/", *(f"/news/{number}" for number in range(NEWS))}
GOOD |= {f"/docs/{word}/{page}" for word in WORDS[:10] for page in ("", *WORDS[:10])}


@pytest.mark.parametrize("kind", TRAPS)
def test_a_trap_alone_ends_soon(tmp_path: Path, kind: str) -> None:
    played = play(tmp_path, lambda path: TRAPS[kind](path) if path != "/" else Page("home", ("/t",)), most=400)
    assert played.under("/t") <= MOST, played


@pytest.mark.slow
@pytest.mark.parametrize("kind", TRAPS)
def test_a_trap_as_a_corner_ends_soon_and_costs_its_site_no_page(tmp_path: Path, kind: str) -> None:
    played = play(tmp_path, lambda path: TRAPS[kind](path) if path.startswith("/t") else good(path), most=1500)
    assert played.under("/t") <= MOST
    assert not lost(GOOD, played)


def lost(pages: set[str], played: Played) -> set[str]:
    return {page for page in pages if page.rstrip("/") not in {path.rstrip("/") for path in played.asked}}


def row(start: str, number: int, text: Callable[[int], str]) -> dict[str, Page]:
    """Returns numbered pages of which each leads to its neighbours."""
    at = [f"{start}{place}" for place in range(number)]
    return {one: Page(text(n), (*at[max(0, n - 1) : n], *at[n + 1 : n + 2])) for n, one in enumerate(at)}


def versions() -> dict[str, Page]:
    names = [f"{folder}/{page}" for folder in WORDS[:8] for page in WORDS[:8]]
    pages = {f"/3.{v}/{one}.html": prose(one) for v in range(4) for one in names}
    following = dict(zip(pages, [*list(pages)[1:], "/"], strict=True))
    return {one: Page(text, (following[one],)) for one, text in pages.items()}


def related() -> dict[str, Page]:
    """A shop that says much the same of all its things, and leads from each to some others."""
    every = prose("terms", 200)
    others = {n: tuple(f"/thing/{int(name(n, step), 16) % 400}" for step in range(4)) for n in range(400)}
    return {
        f"/thing/{n}": Page(f"{prose(n, 20)} {every}", (*links, f"/thing/{(n + 1) % 400}"))
        for n, links in others.items()
    }


def days() -> dict[str, Page]:
    first = date(2024, 1, 1)
    every = [f"/day/{first + n * DAY}" for n in range(2 * 365)]
    return {one: Page(prose(one, 60), tuple(every[max(0, n - 1) : n + 2])) for n, one in enumerate(every)}


def lists() -> dict[str, Page]:
    """Lists of lists that have nothing to say but the site's notice, before there is any article."""
    notice = prose("notice", 60)
    pages = {"/n/": Page(notice, tuple(f"/n/list/{one}" for one in range(80)))}
    for one in range(80):
        pages[f"/n/list/{one}"] = Page(notice, tuple(f"/n/{1900 + one * 5 + step}" for step in range(5)))
    return {**pages, **{f"/n/{n}": Page(f"{prose(n)} {notice}") for n in range(1900, 2300)}}


def years() -> dict[str, Page]:
    """Articles whose numbers look like years, from the one of 1990 on; there are some for years to come."""
    at = [f"/article/{number}" for number in (*range(1990, 2150), *range(1850, 1990))]
    return {one: Page(prose(one), tuple(at[n + 1 : n + 2])) for n, one in enumerate(at)}


HONEST: dict[str, Callable[[], dict[str, Page]]] = {
    "articles": lambda: row("/article/", 400, lambda n: prose(n)),
    "tables": lambda: row("/table/", 417, lambda n: " ".join(str(n * k % 997) for k in range(1, 60))),
    "pictures": lambda: row("/picture/", 200, lambda _: ""),
    "short": lambda: row("/w/", 300, lambda n: f"{WORDS[n % 64]} {n}"),
    "versions": versions,
    "related": related,
    "days": days,
    "lists": lists,
    "years": years,
    "repeated": lambda: row("/a/b/a/b/a/b/", 40, lambda n: prose(n)),
}


def excuse(path: str) -> Page:
    """A page for what is not there, with the status of one that is, that leads to others of the site."""
    some = [int(name(path, n), 16) % 400 for n in range(6)]
    told = " ".join(prose((n, "title"), 8) for n in some)
    return Page(
        f"sorry there is no such page here but you may like one of these {told}", tuple(f"/thing/{n}" for n in some)
    )


def again(path: str) -> Page:
    """A page that is there whatever else is asked for, and asks for the same in all its links."""
    number, kept = re.fullmatch(r"/view\?id=(\d+)(&.*)", path) or ("", "x", ""), path.partition("&")[2]
    return NONE if not number[1].isdigit() or int(number[1]) >= 300 else Page(prose(number[1]), _views(number[1], kept))


def _views(number: str, kept: str) -> tuple[str, ...]:
    others = [int(name(number, step), 16) % 300 for step in range(3)]
    return tuple(f"/view?id={other}&{kept}" for other in (*others, int(number) + 1))


def things() -> dict[str, Page]:
    return {path: page._replace(text=prose(path)) for path, page in related().items()}


@pytest.mark.slow
def test_a_site_that_has_an_excuse_for_what_it_does_not_have_is_no_trap(tmp_path: Path) -> None:
    pages = things()
    played = play(tmp_path, lambda path: pages.get(path) or excuse(path), seed="/thing/0", most=1000)
    assert not lost(set(pages), played)


def test_a_sounding_is_an_errand_of_its_own_and_nobody_named_it(tmp_path: Path) -> None:
    pages = {f"/row/{number}": Page(prose(number), (f"/row/{number + 1}",)) for number in range(60)}
    played = play(tmp_path, lambda path: pages.get(path, NONE), seed="/row/0")
    assert len(played.made_up) == played.soundings > 0
    assert not {*pages, "/row/60"}.intersection(played.made_up)


@pytest.mark.slow
def test_what_a_made_up_url_leads_to_is_not_followed(tmp_path: Path) -> None:
    played = play(tmp_path, again, seed="/view?id=0&lang=en&look=1", most=1000)
    assert not lost({f"/view?id={number}&lang=en&look=1" for number in range(300)}, played)
    assert played.asked.total() <= 300 + 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", HONEST)
def test_no_page_of_an_honest_site_is_lost(tmp_path: Path, kind: str) -> None:
    pages = HONEST[kind]()
    played = play(tmp_path, lambda path: pages.get(path, NONE), seed=next(iter(pages)), most=2 * len(pages))
    assert not lost(set(pages), played)
    assert played.asked.total() - len(pages) <= 8
