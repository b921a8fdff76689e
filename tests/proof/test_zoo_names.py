"""Names and certificates that lie: where they lead, what `why` says, and that nobody is asked at a forbidden address.

The web listens on every loopback address, so a connection to one that is not allowed would be answered, and be in its
log: that it is not there is the proof.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple

import pytest

from skitter.simweb.certificates import Certificate, Tls
from skitter.simweb.log import Request, read_log
from skitter.simweb.nameserver import FAILING, SILENT, UNKNOWN, Entry, NameServer, Record, found, zone
from skitter.simweb.play import by_path, page
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import PLAIN
from skitter.simweb.world import World
from tests.proof.zoo import NETWORK, reason_in, told

GOOD, FORBIDDEN = "127.20.0.77", "127.0.0.1"
NOTHING = Record()


class Name(NamedTuple):
    """What is said of a name, and what is to come of it; with no reason, only that no forbidden address is asked."""

    why: str | None
    v4: Entry = NOTHING
    v6: Entry = NOTHING


NAMES: dict[str, Name] = {
    "plain": Name("done", found(GOOD)),
    "private": Name("address_refused", found("10.0.0.1")),
    "loopback": Name("address_refused", found(FORBIDDEN)),
    "metadata": Name("address_refused", found("169.254.169.254")),
    "broadcast": Name("address_refused", found("255.255.255.255")),
    "six-loopback": Name("address_refused", v6=found("::1")),
    "six-mapped": Name("address_refused", v6=found("::ffff:127.0.0.1")),
    "six-nat64": Name("address_refused", v6=found("64:ff9b::7f00:1")),
    "mixed": Name("done", found(FORBIDDEN, GOOD)),
    "mixed-six": Name("done", found(GOOD), found("::1")),
    "rebinds": Name("address_refused", [found(GOOD, ttl=0), found(FORBIDDEN, ttl=0)]),
    "rebinds-late": Name("address_refused", [*[found(GOOD, ttl=0)] * 2, found(FORBIDDEN, ttl=0)]),  # after robots.txt
    "flips": Name(None, [found((GOOD, FORBIDDEN)[turn % 2], ttl=0) for turn in range(100)]),
    "thousand": Name("done", found(*(f"127.20.{n // 250}.{n % 250 + 1}" for n in range(1000)))),
    "thousand-private": Name("address_refused", found(*(f"10.0.{n // 250}.{n % 250 + 1}" for n in range(1000)), GOOD)),
    "alias": Name("done", found("one.test", "two.test", GOOD)),
    "alias-of-private": Name("address_refused", found("one.test", "10.0.0.1")),
    "alias-loop": Name("dns_unknown", found("alias-loop-2.sim.test"), found("alias-loop-2.sim.test")),
    "alias-loop-2": Name("dns_unknown", found("alias-loop.sim.test"), found("alias-loop.sim.test")),
    "alias-of-itself": Name("dns_unknown", found("alias-of-itself.sim.test"), found("alias-of-itself.sim.test")),
    "many-aliases": Name("done", found(*(f"a{n}.test" for n in range(40)), GOOD)),
    "unknown": Name("dns_unknown", UNKNOWN, UNKNOWN),
    "failing": Name("dns_failed", FAILING, FAILING),
    "silent": Name("dns_failed", SILENT, SILENT),
    "empty": Name("dns_unknown"),
}

CERTIFICATES = {
    Certificate.GOOD: "done",
    Certificate.EXPIRED: "bad_certificate",
    Certificate.SELF_SIGNED: "bad_certificate",
    Certificate.OTHER_NAME: "bad_certificate",
    Certificate.NONE: "reset",
}


class Asked(NamedTuple):
    """What came of a crawl."""

    reasons: dict[str, str]  # by URL
    requests: list[Request]


async def crawl(out: Path, urls: Sequence[str], server: str, tls: Tls | None, *more: str) -> None:
    """Crawls until nothing is left to do at once, trusting the root of `tls`."""
    environment = {**os.environ, **({"SSL_CERT_FILE": str(tls.root)} if tls is not None else {})}
    command = [
        *(sys.executable, "-m", "skitter", "crawl", *urls, "--out", str(out), "--quiet", "--scope", "any", *more),
        *("--allow-net", NETWORK, "--workers", "1", "--delay", "0.05", "--set", "node.linger=0"),
        *("--contact", "zoo@sim.test"),
        *("--set", f"dns.servers={server}", "--set", "dns.timeout=2", "--set", "dns.min_ttl=0"),
    ]
    process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=asyncio.subprocess.PIPE)
    try:
        _, errors = await asyncio.wait_for(process.communicate(), 60)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode in (0, 3), errors.decode()


async def asked(folder: Path, names: Mapping[str, Name], tls: Tls | None, *more: str) -> Asked:
    """Crawls the first page of every name, by https if there is a `tls`."""
    plays = {f"{name}.sim.test": by_path({"/": page("/one")}) for name in names}
    world = World(PLAIN, plays=plays)
    async with SimWeb(world, log=folder / "log", tls=tls) as web:
        said = {(f"{name}.sim.test", kind): getattr(names[name], kind_of) for name in names for kind, kind_of in KINDS}
        async with NameServer({**zone(web.world), **said}) as server:
            urls = [f"{web.origin(f'{name}.sim.test', tls=tls is not None)}/" for name in names]
            await crawl(folder / "out", urls, server.address, tls, *more)
    stories = told(folder / "out", urls)
    reasons = {name: reason_in(stories[url]) for name, url in zip(names, urls, strict=True)}
    return Asked(reasons, read_log(folder / "log"))


KINDS = (("A", "v4"), ("AAAA", "v6"))


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return asyncio.run(asked(tmp_path_factory.mktemp("names"), NAMES, None))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, row in NAMES.items() if row.why is not None])
def test_a_name_ends_with_its_reason(names: Asked, name: str) -> None:
    assert names.reasons[name] == NAMES[name].why


@pytest.mark.slow
def test_whatever_the_names_say_no_forbidden_address_is_asked(names: Asked) -> None:
    allowed = ip_network(NETWORK)
    assert names.requests
    assert [request.url for request in names.requests if ip_address(request.address) not in allowed] == []
    met = {request.host.partition(".")[0] for request in names.requests}
    good = {name for name, row in NAMES.items() if row.why == "done"}
    assert good | {"rebinds-late"} <= met <= good | {"rebinds-late", "rebinds", "flips"}


@pytest.mark.slow
@pytest.mark.parametrize("insecure", [False, True])
def test_certificates(tmp_path: Path, insecure: bool) -> None:
    shown = {f"{certificate}.sim.test": certificate for certificate in CERTIFICATES}
    hosts = {certificate.value: Name(why, found(GOOD)) for certificate, why in CERTIFICATES.items()}
    result = asyncio.run(asked(tmp_path, hosts, Tls(tmp_path / "tls", shown), *(["--insecure"] if insecure else [])))
    spared = {name: "done" if insecure and row.why == "bad_certificate" else row.why for name, row in hosts.items()}
    assert result.reasons == spared
    asked_of = {request.host.partition(".")[0] for request in result.requests}
    assert asked_of == {name for name, why in spared.items() if why == "done"}


@pytest.mark.slow
def test_https_at_a_port_that_speaks_http(tmp_path: Path) -> None:
    async def main() -> str:
        world = World(PLAIN, plays={"plain.sim.test": by_path({"/": page()})})
        async with SimWeb(world) as web, NameServer(zone(web.world)) as server:
            url = f"https://plain.sim.test:{web.port}/"
            await crawl(tmp_path / "out", [url], server.address, None)
        return reason_in(told(tmp_path / "out", [url])[url])

    assert asyncio.run(main()) == "tls_failed"
