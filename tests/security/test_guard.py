"""No path leads to an address that was not allowed: not a link, a redirect, robots.txt, a sitemap, nor a turning name.

One network of loopback is allowed. On another address a trap listens, to which everything leads. The same crawl with
both networks allowed shows that every path would have got there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from skitter.simweb.nameserver import Entry, NameServer, Table, found
from tests.security.site import Asked, Said, Site, crawled, from_table, page, redirect, told

HOME, TRAP = "127.77.0.1", "127.78.0.1"
HOME_ONLY, BOTH = ("--allow-net", "127.77.0.0/16"), ("--allow-net", "127.0.0.0/8", "--allow-net", "::ffff:0:0/96")
NUMBER = int.from_bytes(map(int, TRAP.split(".")))

PATHS = {
    "/literal": "a link to the address",
    "/number": "the address as one number",
    "/octal": "the address in octal",
    "/hex": "the address in hexadecimal",
    "/short": "the address with parts left out",
    "/mapped": "the address within an IPv6 address",
    "/name": "a name for the address",
    "/refresh": "a refresh",
    "/frame": "a frame",
    "/redirected": "a redirect",
    "/robots-redirected": "a redirect of robots.txt",
    "/map.xml": "a sitemap named in robots.txt",
    "/map-redirected.xml": "a redirect of a sitemap",
    "/listed": "a page in a sitemap",
}


def trap_says(asked: Asked) -> Said:
    return Said(status=404) if asked.path == "/robots.txt" else page()


def home_says(trap: int) -> dict[str, Said]:
    """Returns a site on which everything leads to the trap at port `trap`."""
    at = f"http://{TRAP}:{trap}"
    links = (
        f"{at}/literal",
        f"http://{NUMBER}:{trap}/number",
        f"http://0177.0116.0.01:{trap}/octal",
        f"http://0x7f.0x4e.0x0.0x1:{trap}/hex",
        f"http://127.5111809:{trap}/short",
        f"http://[::ffff:{TRAP}]:{trap}/mapped",
        f"http://inside.test:{trap}/name",
        "/go",
    )
    more = f'<meta http-equiv=refresh content="0;url={at}/refresh"><iframe src="{at}/frame"></iframe>'
    maps = f"Sitemap: {at}/map.xml\nSitemap: /moved.xml\nSitemap: /own.xml\n"
    return {
        "/": page(*links, more=more),
        "/go": redirect(f"{at}/redirected"),
        "/robots.txt": Said(f"User-agent: *\nAllow: /\n{maps}".encode(), headers={"Content-Type": "text/plain"}),
        "/moved.xml": redirect(f"{at}/map-redirected.xml"),
        "/own.xml": Said(f"{at}/listed\n".encode(), headers={"Content-Type": "text/plain"}),
    }


def robots_elsewhere(trap: int) -> dict[str, Said]:
    return {"/robots.txt": redirect(f"http://{TRAP}:{trap}/robots-redirected")}


@pytest.mark.slow
@pytest.mark.parametrize(("nets", "reached"), [(HOME_ONLY, set()), (BOTH, set(PATHS))], ids=["guarded", "opened"])
def test_no_path_leads_past_the_guard(nets: tuple[str, ...], reached: set[str], tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text(f"{TRAP} inside.test\n")
    with (
        Site(TRAP, trap_says) as trap,
        Site(HOME, from_table(home_says(trap.port))) as home,
        Site("127.77.0.2", from_table(robots_elsewhere(trap.port))) as other,
    ):
        # A proxy that the environment names would be a way around the guard: none is asked.
        proxies = dict.fromkeys(("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"), trap.root)
        options = ("--scope", "any", "--hosts-file", str(tmp_path / "hosts"))
        crawled(f"{home.root}/", f"{other.root}/", *options, *nets, out=tmp_path / "out", env=proxies)
    assert {"/", "/go", "/moved.xml", "/own.xml", "/robots.txt"} <= home.paths()
    assert trap.paths() - {"/robots.txt", "/sitemap.xml"} == reached
    if not reached:
        assert trap.connections == 0
        why = told("why", str(tmp_path / "out"), f"http://{TRAP}:{trap.port}/literal")
        assert f"{TRAP} (loopback)" in why


@contextmanager
def name_server(table: Table) -> Iterator[NameServer]:
    """Runs a name server in a thread of its own."""
    ready, done = Event(), Event()
    servers: list[NameServer] = []

    async def serve() -> None:
        async with NameServer(table) as server:
            servers.append(server)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        yield servers[0]
    finally:
        done.set()
        thread.join()


PAGES = {"/": page("/a", "/b", "/c"), **{path: page() for path in ("/a", "/b", "/c")}}
AT_ONCE, LATER = [found(HOME, ttl=0), found(TRAP, ttl=0)], [*[found(HOME, ttl=0)] * 3, found(TRAP, ttl=0)]
NAMES: dict[str, tuple[Entry, tuple[str, ...], set[str], bool]] = {
    "turns at once": (AT_ONCE, HOME_ONLY, set(), False),
    "turns later": (LATER, HOME_ONLY, {"/robots.txt", "/"}, False),
    "turns later, and may": (LATER, BOTH, {"/robots.txt", "/"}, True),
    "has both, the trap first": (found(TRAP, HOME), HOME_ONLY, {"/robots.txt", *PAGES}, False),
    "has both, the trap last": (found(HOME, TRAP), HOME_ONLY, {"/robots.txt", *PAGES}, False),
    "has one that refuses, then the trap": (found("127.77.0.99", TRAP), HOME_ONLY, set(), False),
}


@pytest.mark.slow
@pytest.mark.parametrize(("records", "nets", "at_home", "is_trapped"), NAMES.values(), ids=NAMES)
def test_the_address_that_was_checked_is_the_one_connected_to(
    records: Entry, nets: tuple[str, ...], at_home: set[str], is_trapped: bool, tmp_path: Path
) -> None:
    """Whatever a name server says of a name, and however often it thinks otherwise, the trap is not connected to."""
    with (
        Site(HOME, from_table(PAGES)) as home,
        Site(TRAP, trap_says, port=home.port) as trap,
        name_server({("turn.test", "A"): records}) as server,
    ):
        # The guard for those without a contact is another; this one has to hold by itself.
        options = ("--set", f'dns.servers=["{server.address}"]', "--set", "dns.min_ttl=0", "--contact", "me@turn.test")
        crawled(f"http://turn.test:{home.port}/", *options, *nets, "--max-seconds", "10", out=tmp_path / "out")
        assert server.asked["turn.test", "A"] >= 1
    assert at_home <= home.paths()
    assert (trap.connections > 0) == is_trapped
