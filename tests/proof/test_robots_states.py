"""robots.txt in every state: what may be asked for after each, by the word of the server's log.

One crawl of a host for each row. Every host has the same pages: / leads to /open and /shut. Rules, where they can be
read, shut /shut; so a host shows by what is asked of it whether it was taken as ruled, as open or as closed.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from skitter.cli.app import app
from skitter.messages import Kind
from skitter.simweb.answer import Answer, Ask
from skitter.simweb.certificates import Certificate, Tls
from skitter.simweb.log import Request
from skitter.simweb.nameserver import FAILING, SILENT, UNKNOWN, Entry, NameServer, found, zone
from skitter.simweb.play import NEVER, RESET, Play, moved, page, status, text
from skitter.simweb.server import SimWeb
from tests.proof.robots_web import NETWORK, ROBOTS, RULES, SITEMAP, asked, hops, name_of, paths, rules, world_of

MIB = 1024 * 1024
LIMIT = 500 * 1024
DELAY = 0.1

RULED = ("/", "/open")
OPEN = ("/", "/open", "/shut")
CLOSED = ()

# Only the first 500 KiB of rules count: what stands further on would shut /open.
_FILLER = ("# " + "x" * 77 + "\n") * (LIMIT // 80 + 1)
HUGE = (RULES + _FILLER + "Disallow: /open\n").encode().ljust(MIB, b"\n")

ALL_SHUT = rules(body="User-agent: *\nDisallow: /\n")
_HTML = "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Not found</h1>{}</body></html>"


def hop_paths(count: int) -> tuple[str, ...]:
    return tuple(f"/hop/{count}/{n}" for n in range(1, count + 1))


SHELF = "shelf"
"""A host that nobody crawls: another's robots.txt is kept there."""


def _away(ask: Ask) -> Answer:
    return moved(f"http://{name_of(SHELF)}:{ask.origin.rpartition(':')[2]}/rules.txt")


class Case(NamedTuple):
    """A row: what robots.txt is, what may follow, and what `why` says of it."""

    robots: Answer | Play
    may_follow: tuple[str, ...]  # and nothing else may; in this order
    kind: Kind | None = None  # of the failure that `why` tells
    hops: tuple[str, ...] = ()  # on the way to the rules
    tls: Certificate | None = None
    name: Entry | None = None  # what the name server says; None: the host's address
    port: str = ""  # another than the web's: `secure-to-plain`, `nobody`
    reached: bool = True  # if not, the server never sees a request


CASES: dict[str, Case] = {
    "200": Case(rules(), RULED),
    "200-empty": Case(text(""), OPEN),
    "200-html": Case(text(_HTML.format(""), "text/html"), OPEN),
    "200-html-with-rules": Case(text(_HTML.format("\nUser-agent: *<br>\nDisallow: /shut<br>\n"), "text/html"), RULED),
    "200-utf-16": Case(rules(body=RULES.encode("utf-16")), RULED),
    "200-latin-1": Case(rules(body=f"# caf\xe9\n{RULES}Disallow: /\xe9\n".encode("latin-1")), RULED),
    "200-charset-lies": Case(text(RULES, "text/plain; charset=utf-16"), RULED),
    "200-no-text": Case(text(bytes(range(256)) * 8, "application/octet-stream"), OPEN),
    "200-gigabyte": Case(Answer(200, (("Content-Type", "text/plain"),), HUGE, times=1024), RULED),
    "200-long": Case(rules(body=_FILLER[: LIMIT - 1000] + "\n" + RULES), RULED),
    "200-long-gzip": Case(
        text(
            gzip.compress((_FILLER[: LIMIT - 1000] + "\n" + RULES).encode()), "text/plain", ("Content-Encoding", "gzip")
        ),
        RULED,
    ),
    "204": Case(Answer(204), OPEN),
    "301-once": Case(moved("/hop/1/1"), RULED, hops=hop_paths(1)),
    "301-chain-of-5": Case(moved("/hop/5/1"), RULED, hops=hop_paths(5)),
    "301-chain-of-6": Case(moved("/hop/6/1"), CLOSED, Kind.TOO_MANY_REDIRECTS, hops=hop_paths(6)[:5]),
    "301-loop": Case(moved("/loop"), CLOSED, Kind.REDIRECT_LOOP, hops=("/loop",)),
    "301-to-itself": Case(moved(ROBOTS), CLOSED, Kind.REDIRECT_LOOP),
    "301-nowhere": Case(status(301), CLOSED, Kind.BAD_REDIRECT),
    "301-to-a-file": Case(moved("file:///etc/passwd"), CLOSED, Kind.BAD_REDIRECT),
    "301-to-private": Case(moved("http://10.0.0.1/robots.txt"), CLOSED, Kind.ADDRESS_REFUSED),
    "301-to-another-host": Case(_away, RULED),
    "301-to-404": Case(moved("/gone"), OPEN, Kind.GONE, hops=("/gone",)),
    "304": Case(Answer(304), CLOSED),
    "401": Case(status(401), OPEN, Kind.FORBIDDEN),
    "403": Case(status(403), OPEN, Kind.FORBIDDEN),
    "404": Case(status(404), OPEN, Kind.GONE),
    "410": Case(status(410), OPEN, Kind.GONE),
    "418": Case(status(418), OPEN, Kind.CLIENT_ERROR),
    "429": Case(status(429), CLOSED, Kind.TOO_MANY_REQUESTS),
    "429-retry-after": Case(status(429, ("Retry-After", "1")), CLOSED, Kind.TOO_MANY_REQUESTS),
    "500": Case(status(500), CLOSED, Kind.SERVER_ERROR),
    "500-with-rules": Case(Answer(500, body=RULES.encode()), CLOSED, Kind.SERVER_ERROR),
    "503": Case(status(503), CLOSED, Kind.UNAVAILABLE),
    "503-retry-after": Case(status(503, ("Retry-After", "1")), CLOSED, Kind.UNAVAILABLE),
    "999": Case(status(999), CLOSED, Kind.ODD_STATUS),
    "time-out": Case(NEVER, CLOSED, Kind.READ_TIMEOUT),
    "refused": Case(rules(), CLOSED, Kind.REFUSED, port="nobody", reached=False),
    "reset": Case(RESET, CLOSED, Kind.RESET),
    "tls-good": Case(rules(), RULED, tls=Certificate.GOOD),
    "tls-expired": Case(rules(), CLOSED, Kind.BAD_CERTIFICATE, tls=Certificate.EXPIRED, reached=False),
    "tls-self-signed": Case(rules(), CLOSED, Kind.BAD_CERTIFICATE, tls=Certificate.SELF_SIGNED, reached=False),
    "tls-other-name": Case(rules(), CLOSED, Kind.BAD_CERTIFICATE, tls=Certificate.OTHER_NAME, reached=False),
    "tls-broken-off": Case(rules(), CLOSED, Kind.RESET, tls=Certificate.NONE, reached=False),
    "tls-not-spoken": Case(rules(), CLOSED, Kind.TLS_FAILED, port="secure-to-plain", reached=False),
    "dns-unknown": Case(rules(), CLOSED, Kind.DNS_UNKNOWN, name=UNKNOWN, reached=False),
    "dns-failing": Case(rules(), CLOSED, Kind.DNS_FAILED, name=FAILING, reached=False),
    "dns-silent": Case(rules(), CLOSED, Kind.DNS_FAILED, name=SILENT, reached=False),
    "dns-private": Case(rules(), CLOSED, Kind.ADDRESS_REFUSED, name=found("10.0.0.1"), reached=False),
}
ACCESS = {RULED: "rules", OPEN: "allow_all", CLOSED: "deny_all"}
MORE: dict[str, Answer | Play] = {
    **hops(1, rules()),
    **hops(5, rules()),
    **hops(6, rules()),
    "/loop": moved(ROBOTS),
    "/gone": status(404),
    "/rules.txt": rules(),
}


class Seen(NamedTuple):
    """What the crawl left: the requests of each host, and the folder in which `why` finds its reasons."""

    requests: dict[str, list[Request]]
    questions: dict[str, int]  # to the name server, for IPv4
    origins: dict[str, str]
    folder: Path


def origin_of(case: str, web: SimWeb, nobody: int) -> str:
    row, name = CASES[case], name_of(case)
    if row.port:
        return {"nobody": f"http://{name}:{nobody}", "secure-to-plain": f"https://{name}:{web.port}"}[row.port]
    return web.origin(name, tls=row.tls is not None)


def table_of(web: SimWeb) -> dict[str | tuple[str, str], Entry]:
    return {**zone(web.world), **{name_of(case): row.name for case, row in CASES.items() if row.name is not None}}


async def crawled(out: Path, seeds: list[str], names: NameServer, tls: Tls) -> None:
    """Runs `skitter crawl` until only waiting is left."""
    settings = {
        "scope.suffixes": "sim.test",  # for two nodes to share the hosts
        "dns.servers": names.address,
        "dns.timeout": 3.0,
        "fetch.first_byte_timeout": 3.0,
        "fetch.max_body": 2048,  # of pages; that much of a robots.txt would not do
        "node.linger": 1.0,
        "politeness.address_rate": 1000,
    }
    pairs = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [*("-m", "skitter", "crawl", *seeds, "--out", str(out), "--delay", str(DELAY), "--allow-net", NETWORK)]
    command += ["--scope", "host", "--workers", "2", "--contact", "us@sim.test", "--quiet", *pairs]
    environment = {**os.environ, "SSL_CERT_FILE": str(tls.root)}
    process = await asyncio.create_subprocess_exec(sys.executable, *command, env=environment)
    try:
        assert await asyncio.wait_for(process.wait(), 120) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = tmp_path_factory.mktemp("states")
    tls = Tls(folder / "tls", {name_of(case): row.tls for case, row in CASES.items() if row.tls is not None})
    robots = {case: row.robots for case, row in CASES.items()}
    world = world_of({**robots, SHELF: ALL_SHUT}, MORE, page("/open", "/shut"))

    async def main(nobody: int) -> tuple[dict[str, int], dict[str, str]]:
        async with SimWeb(world, log=folder / "log", tls=tls) as web, NameServer(table_of(web)) as names:
            origins = {case: origin_of(case, web, nobody) for case in CASES}
            await crawled(folder / "out", [f"{origin}/" for origin in origins.values()], names, tls)
            return {case: names.asked[name_of(case), "A"] for case in CASES}, origins

    with socket.socket() as unheard:  # bound and not listening: whoever connects is refused
        unheard.bind(("127.24.255.1", 0))
        questions, origins = asyncio.run(main(unheard.getsockname()[1]))
    return Seen(asked(folder / "log"), questions, origins, folder / "out")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_after_each_state_just_what_may_follow_is_asked_for(seen: Seen, case: str) -> None:
    row = CASES[case]
    first = (ROBOTS,) if row.reached else ()
    requests = paths(seen.requests.get(name_of(case), []))
    assert requests.count(SITEMAP) == (1 if row.may_follow else 0), "guessed where robots.txt was answered, and once"
    assert [path for path in requests if path != SITEMAP] == [*first, *row.hops, *row.may_follow]
    assert requests[: len(first)] == [*first]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_why_tells_the_reason(seen: Seen, case: str) -> None:
    row = CASES[case]
    url = seen.origins[case] + ("/shut" if row.may_follow else "/")
    story = json.loads(
        CliRunner().invoke(app(), ["why", str(seen.folder), url, "--json"], catch_exceptions=False).stdout
    )
    robots, failure = story["robots"], story["robots"]["failure"]
    wanted = {RULED: ("skipped", "robots_disallow"), OPEN: ("done", None), CLOSED: ("queued", None)}[row.may_follow]
    assert (story["found"]["state"], story["found"]["reason"]) == wanted
    assert robots["access"] == ("rules" if row.may_follow == OPEN and row.kind is None else ACCESS[row.may_follow])
    assert robots["allowed"] == (row.may_follow == OPEN)
    assert (failure and failure["kind"]) == row.kind
    if row.may_follow == RULED:
        assert robots["rule"] == "Disallow: /shut"


@pytest.mark.slow
def test_a_robots_txt_elsewhere_is_all_that_is_asked_for_there(seen: Seen) -> None:
    assert paths(seen.requests[name_of(SHELF)]) == ["/rules.txt"]


@pytest.mark.slow
def test_a_host_has_one_request_at_a_time_whatever_its_robots(seen: Seen) -> None:
    assert {request.at_host for requests in seen.requests.values() for request in requests} == {1}


@pytest.mark.slow
def test_of_a_gigabyte_only_the_beginning_is_taken(seen: Seen) -> None:
    first = seen.requests[name_of("200-gigabyte")][0]
    assert LIMIT <= first.size < 16 * MIB  # the kernel holds some megabytes of what nobody wants any more


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case, row in CASES.items() if row.name is not None])
def test_a_name_is_asked_for_once(seen: Seen, case: str) -> None:
    tries = {"dns-failing": 2, "dns-silent": 2}.get(case, 1)  # the library asks twice before it gives up
    assert 1 <= seen.questions[case] <= tries


@pytest.mark.slow
def test_the_audit_comes_to_the_same_from_the_archive(seen: Seen) -> None:
    done = CliRunner().invoke(app(), ["audit", str(seen.folder), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stdout
