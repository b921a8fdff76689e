from __future__ import annotations

import gzip
import hashlib
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from skitter.simweb.answer import BEGINNING, Ask, Ending
from skitter.simweb.pages import LEGACIES
from skitter.simweb.robots import ROBOTS
from skitter.simweb.roles import ROLES, Role
from skitter.simweb.settings import DEMO, PLAIN, WorldSettings
from skitter.simweb.world import World

ROOMY = WorldSettings(hosts=40, pages_per_host=40, page_bytes=500, big_bytes=50_000)
WORLD = World(ROOMY)


def asks(world: World) -> list[Ask]:
    """Returns a request for every page of the world."""
    return [Ask(site.name, path) for site in world.sites() for path in ("/robots.txt", "/sitemap.xml", *site.paths)]


def digest(world: World) -> str:
    told = hashlib.sha256()
    for ask in asks(world):
        answer = world.answer(ask)
        told.update(repr((answer.status, answer.headers)).encode() + answer.body)
    return told.hexdigest()


def first(role: Role) -> Ask:
    """Returns a request for some page that plays `role`."""
    found = (
        (site, path) for site in WORLD.sites() for path, own in zip(site.paths, site.roles, strict=True) if own is role
    )
    site, path = next(found)
    return Ask(site.name, path)


def test_same_seed_same_bytes_and_other_seed_others() -> None:
    small = structs.replace(DEMO, hosts=12)
    assert digest(World(small)) == digest(World(small))
    assert digest(World(small)) != digest(World(structs.replace(small, seed=2)))


def test_order_of_asking_changes_nothing() -> None:
    forwards, backwards = World(DEMO), World(DEMO)
    wanted = asks(forwards)[:200]
    assert [forwards.answer(ask) for ask in wanted] == [backwards.answer(ask) for ask in wanted[::-1]][::-1]


def test_port_is_said_only_if_it_is_not_the_usual_one() -> None:
    assert World(DEMO).seeds() == ["http://h0000.sim.test/"]
    assert World(DEMO).on_port(8080).seeds() == ["http://h0000.sim.test:8080/"]
    assert b":8080/" in World(DEMO).on_port(8080).answer(Ask("h0000.sim.test", "/hosts/0")).body


def test_every_role_is_played_and_every_robots_kind_is_dealt() -> None:
    assert {role for site in WORLD.sites() for role in site.roles} == set(Role) - {Role.HOSTS}
    assert {site.kind for site in WORLD.sites()} == set(ROBOTS)
    assert {site.kind for site in World(DEMO).sites()} == set(ROBOTS)


def test_pages_are_hidden_only_where_a_sitemap_shows_them() -> None:
    assert {site.has_sitemap for site in WORLD.sites() if Role.HIDDEN in site.roles} == {True}
    assert any(not site.has_sitemap for site in WORLD.sites())


def test_links_to_the_shunned_are_nofollow_and_no_others() -> None:
    links = [link for site in WORLD.sites() for path in site.paths for link in WORLD.spec(site.name, path).links]
    assert {link.nofollow for link in links if "/shunned/" in link.url} == {True}
    assert {link.nofollow for link in links if "/shunned/" not in link.url} == {False}


FORMS = (
    r"http://www\.",
    r"\?utm_source=s",
    r"\?sid=",
    r";jsessionid=",
    r"#part-",
    r"/index\.html$",
    r"^//h",
    r"^/p/\d+/$",
)


@pytest.mark.parametrize("form", FORMS)
def test_every_way_to_write_a_link_is_met(form: str) -> None:
    hrefs = (link.href for site in WORLD.sites() for path in site.paths for link in WORLD.spec(site.name, path).links)
    assert any(re.search(form, href) for href in hrefs)


def test_hosts_that_strain_do_so_only_a_few_times() -> None:
    strains = [sum(ROLES[role].strains for role in site.roles) for site in WORLD.sites()]
    assert max(strains) == ROOMY.strains_per_host


STATUSES: dict[Role, int] = {
    role: row.status for role, row in ROLES.items() if row.status != 200 and role is not Role.RESET
}


@pytest.mark.parametrize("role", STATUSES)
def test_trouble_answers_with_its_status_and_passes_if_it_is_to_pass(role: Role) -> None:
    ask = first(role)
    assert WORLD.answer(ask).status == STATUSES[role]
    assert WORLD.answer(ask._replace(asks=1)).status == (200 if ROLES[role].passing else STATUSES[role])
    assert (("Retry-After", "1") in WORLD.answer(ask).headers) == ROLES[role].soon


def test_reset_is_no_answer() -> None:
    assert WORLD.answer(first(Role.RESET)).ending is Ending.RESET


REDIRECTED = (Role.MOVED, Role.AWAY, Role.CHAIN, Role.LONG_CHAIN, Role.LOOP, Role.SLASH)


@pytest.mark.parametrize("role", REDIRECTED)
def test_redirects_say_where_they_lead(role: Role) -> None:
    answer = WORLD.answer(first(role))
    assert answer.status in (301, 302, 303, 307, 308)
    assert dict(answer.headers)["Location"].startswith(("/", "http://"))


@pytest.mark.parametrize(
    "role", [role for role in Role if role not in (*REDIRECTED, Role.HOSTS, Role.RESET, *STATUSES)]
)
def test_page_of_each_other_role_is_there(role: Role) -> None:
    answer = WORLD.answer(first(role))
    assert answer.status == 200
    assert len(answer.body) > 50


def test_roles_do_what_their_row_says() -> None:
    def page(role: Role) -> str:
        return WORLD.answer(first(role)).body.decode("latin-1")

    assert gzip.decompress(WORLD.answer(first(Role.PACKED)).body).startswith(b"<!DOCTYPE html>")
    assert WORLD.answer(first(Role.CHUNKED)).chunked
    assert 0.5 <= WORLD.answer(first(Role.SLOW)).delay <= 2.0
    assert len(page(Role.BIG)) > 40_000
    assert 'rel="canonical" href="http://' in page(Role.PRINT)
    assert 'content="nofollow"' in page(Role.GUARDED)
    assert 'content="noindex"' in page(Role.UNINDEXED)
    assert "<base href=" in page(Role.BASED)
    assert 'http-equiv="refresh"' in page(Role.REFRESH)
    assert dict(WORLD.answer(first(Role.FILE)).headers)["Content-Type"] == "application/pdf"


def test_mirror_has_the_bytes_of_another_page() -> None:
    ask = first(Role.MIRROR)
    site = WORLD.find(ask.host)
    assert site is not None
    others = [WORLD.answer(Ask(ask.host, site.paths[number])).body for number in site.sturdy]
    assert WORLD.answer(ask).body in others


@pytest.mark.parametrize("legacy", LEGACIES, ids=lambda legacy: legacy.charset)
def test_old_charsets_are_told_and_can_be_read(legacy: object) -> None:
    pages = (Ask(site.name, path) for site in WORLD.sites() for path in site.paths if path.startswith("/legacy/"))
    ask = next(ask for ask in pages if WORLD.spec(ask.host, ask.path).legacy == legacy)
    told = WORLD.spec(ask.host, ask.path).legacy
    answer = WORLD.answer(ask)
    assert told is not None
    assert told.words in answer.body.decode(told.charset)
    where = dict(answer.headers)["Content-Type"] if told.in_header else answer.body[:200].decode("latin-1")
    assert told.charset in where


@pytest.mark.parametrize("dressed", ["/p/{}?utm_source=x", "/p/{}/", "/p/{};jsessionid=A", "/p/{}?sid=1"])
def test_forms_of_one_page_have_its_bytes(dressed: str) -> None:
    ask = first(Role.PAGE)
    number = ask.path.removeprefix("/p/")
    assert WORLD.answer(ask._replace(path=dressed.format(number))) == WORLD.answer(ask)


def test_www_is_the_same_host_and_goes_on_to_say_www() -> None:
    ask = first(Role.PAGE)
    answer = WORLD.answer(ask._replace(host=f"www.{ask.host}"))
    assert answer.status == 200
    assert WORLD.find(f"www.{ask.host}") is WORLD.find(ask.host)


NOT_THERE = (
    "/p/9999",
    "/p/x",
    "/p",
    "/gone/1/",
    "/loop/0/9",
    "/hosts/1",
    "/robots-9.txt",
    "/calendar/2026-01",
    "/p/1.html",
)


@pytest.mark.parametrize("path", NOT_THERE)
def test_what_nothing_leads_to_is_not_there(path: str) -> None:
    assert WORLD.answer(Ask("h0000.sim.test", path)).status == 404


@pytest.mark.parametrize(
    ("role", "path"),
    [
        (Role.PAGE, "/p/{}.html"),
        (Role.PAGE, "/p?q={}"),
        (Role.PAGE, "/p/0{}"),
        (Role.PAGE, "/p/{}/1"),
        (Role.DOCS, "/docs/{}"),
        (Role.MOVED, "/moved/{}/1"),
        (Role.CHAIN, "/chain/{}/4"),
        (Role.LOOP, "/loop/{}/0"),
        (Role.GONE, "/p/{}"),
    ],
)
def test_page_is_found_at_its_own_path_only(role: Role, path: str) -> None:
    ask = first(role)
    number = re.sub(r"\D", "", ask.path)
    assert WORLD.answer(ask._replace(path=path.format(number))).status == 404


@pytest.mark.parametrize(
    "name", ["h0040.sim.test", "h1.sim.test", "x0001.sim.test", "h0001.other.test", "", "h²³⁴¹.sim.test"]
)
def test_unknown_hosts_are_misdirected(name: str) -> None:
    assert WORLD.answer(Ask(name, "/")).status == 421


@given(st.text(max_size=40), st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_anything_can_be_asked(name: str, path: str) -> None:
    assert WORLD.answer(Ask(name, f"/{path}")).status in (200, 404, 421)
    assert WORLD.answer(Ask("h0001.sim.test", f"/{path}")).status


def test_unchanged_page_is_304_and_pages_change_with_time() -> None:
    ask = first(Role.FRESH)
    world = World(structs.replace(ROOMY, change=10.0))
    before = world.answer(ask)
    etag, modified = dict(before.headers)["ETag"], dict(before.headers)["Last-Modified"]
    assert world.answer(ask._replace(etag=etag)).status == 304
    assert world.answer(ask._replace(modified=modified)).status == 304
    assert world.answer(ask._replace(etag='"other"', modified=modified)).status == 200
    later = ask._replace(now=BEGINNING + 10_000, etag=etag)
    assert world.answer(later).status == 200
    assert world.answer(later).body != before.body
    assert WORLD.answer(later).status == 304  # a world in which nothing changes


def test_addresses_can_be_shared() -> None:
    shared = World(structs.replace(PLAIN, hosts=10, hosts_per_address=5, animals=("echo",)))
    at = Counter(named.address for named in shared.names() if not named.name.startswith("www."))
    assert at == {"127.20.0.1": 5, "127.20.0.2": 5, "127.20.0.4": 1}


def test_every_name_has_its_own_address_unless_told_otherwise() -> None:
    named = list(World(structs.replace(PLAIN, hosts=600, animals=("echo", "to-file"))).names())
    bare = [one.address for one in named if not one.name.startswith("www.")]
    assert len(set(bare)) == len(bare) == 602


def test_links_are_as_many_as_wanted_and_cross_hosts_in_their_share() -> None:
    world = World(structs.replace(PLAIN, hosts=30, pages_per_host=30, links_per_page=20, cross_host_share=0.5))
    specs = [world.spec(site.name, path) for site in world.sites() for path in site.paths[1:]]
    assert {len(spec.links) for spec in specs} == {20}
    away = [site.name not in link.url for site in world.sites() for link in world.spec(site.name, "/p/29").links]
    assert 0.4 < sum(away) / len(away) < 0.6


def test_pages_have_the_size_wanted() -> None:
    world = World(structs.replace(PLAIN, page_bytes=10_000, pages_per_host=100))
    sizes = [len(world.answer(Ask("h0001.sim.test", path)).body) for path in world.site(1).paths]
    assert 9_000 < sum(sizes) / len(sizes) < 11_000
