"""TLS: whose certificate is accepted, what a bad one is called, and what the operator can overrule."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest

from skitter.fetch import rustls as quick
from skitter.messages import Fetched, Kind
from tests.fetch.certificates import server_context as context
from tests.fetch.rawserver import Peer, RawServer, repeats, says
from tests.fetch.visit import LOOPS, fetcher, lease, run, within

PAGE = b"<p>hello</p>"
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n" + PAGE

pytestmark = pytest.mark.usefixtures("stack")
loops = pytest.mark.parametrize("loop", LOOPS)


def visit(loop: str, served: ssl.SSLContext | None, name: str, insecure: bool = False) -> Fetched:
    async def main() -> Fetched:
        async with RawServer(repeats(REPLY), served) as server, fetcher(insecure=insecure) as http:
            return await within(9, http.fetch(lease(f"https://{name}:{server.port}/"), ["127.0.0.1"]))

    return run(main(), loop)


CASES: dict[str, tuple[str, str, Kind | None]] = {
    "good": ("good", "good.test", None),
    "good, with a final dot": ("good", "good.test.", None),
    "good for an address": ("good", "127.0.0.1", None),
    "expired": ("expired", "good.test", Kind.BAD_CERTIFICATE),
    "for another name": ("other", "good.test", Kind.BAD_CERTIFICATE),
    "for a name, asked by address": ("other", "127.0.0.1", Kind.BAD_CERTIFICATE),
    "signed by itself": ("self", "good.test", Kind.BAD_CERTIFICATE),
}


@loops
@pytest.mark.parametrize(("leaf", "name", "kind"), CASES.values(), ids=CASES)
def test_a_bad_certificate_is_a_failure_of_its_own(
    trusted: Path, loop: str, leaf: str, name: str, kind: Kind | None
) -> None:
    fetched = visit(loop, context(trusted, leaf), name)
    assert (fetched.failure and fetched.failure.kind) == kind
    assert fetched.body == (PAGE if kind is None else b"")
    assert not fetched.insecure


@loops
@pytest.mark.parametrize(("leaf", "name", "kind"), CASES.values(), ids=CASES)
def test_the_operator_may_accept_it_and_the_page_is_marked(
    trusted: Path, loop: str, leaf: str, name: str, kind: Kind | None
) -> None:
    fetched = visit(loop, context(trusted, leaf), name, insecure=True)
    assert (fetched.failure, fetched.body) == (None, PAGE)
    assert fetched.insecure == (kind is not None)


def test_a_page_on_a_kept_connection_is_marked_too(trusted: Path) -> None:
    async def main() -> None:
        async with RawServer(repeats(REPLY), context(trusted, "expired")) as server, fetcher(insecure=True) as http:
            url = lease(f"https://good.test:{server.port}/")
            assert [(await http.fetch(url, ["127.0.0.1"])).insecure for _ in range(2)] == [True, True]
            assert http.statistics().reused == 1

    run(main())


@loops
def test_a_kept_connection_saves_the_handshake(trusted: Path, loop: str) -> None:
    async def main() -> None:
        async with RawServer(repeats(REPLY), context(trusted, "good")) as server, fetcher() as http:
            for _ in range(3):
                assert (await http.fetch(lease(f"https://good.test:{server.port}/"), ["127.0.0.1"])).body == PAGE
            assert server.connections == 1

    run(main(), loop)


@loops
def test_the_server_is_told_the_name_but_not_an_address(trusted: Path, loop: str) -> None:
    told: list[str | None] = []
    served = context(trusted, "good")
    served.sni_callback = lambda _, name, __: told.append(name)
    visit(loop, served, "good.test")
    visit(loop, served, "127.0.0.1")
    assert told == ["good.test", None]


@loops
def test_plain_http_where_tls_is_spoken(trusted: Path, loop: str) -> None:
    async def main() -> None:
        async with RawServer(repeats(REPLY), context(trusted, "good")) as server, fetcher() as http:
            fetched = await within(9, http.fetch(lease(f"http://good.test:{server.port}/"), ["127.0.0.1"]))
            assert fetched.failure is not None
            assert fetched.failure.kind in (Kind.BAD_RESPONSE, Kind.RESET)

    run(main(), loop)


HANDSHAKES = {
    "plain HTTP": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "no common version": b"\x15\x03\x03\x00\x02\x02\x46",  # the alert protocol_version
    "no such name": b"\x15\x03\x03\x00\x02\x02\x70",  # the alert unrecognized_name
}


@loops
@pytest.mark.parametrize("insecure", [False, True])
@pytest.mark.parametrize("reply", HANDSHAKES.values(), ids=HANDSHAKES)
def test_a_handshake_that_fails_is_not_the_certificates_fault(loop: str, reply: bytes, insecure: bool) -> None:
    async def animal(peer: Peer) -> None:
        await peer.send(reply)
        await peer.stay()

    async def main() -> None:
        async with RawServer(animal) as server, fetcher(insecure=insecure) as http:
            fetched = await within(9, http.fetch(lease(f"https://good.test:{server.port}/"), ["127.0.0.1"]))
            assert fetched.failure is not None
            assert fetched.failure.kind is Kind.TLS_FAILED
            assert server.connections == 1 + quick.IS_NATIVE

    run(main(), loop)


@loops
@pytest.mark.parametrize("then", ["close", "reset"])
def test_a_handshake_that_is_broken_off(loop: str, then: str) -> None:
    async def animal(peer: Peer) -> None:
        if then == "reset":
            peer.reset()

    async def main() -> None:
        async with RawServer(animal) as server, fetcher() as http:
            fetched = await within(9, http.fetch(lease(f"https://good.test:{server.port}/"), ["127.0.0.1"]))
            assert fetched.failure is not None
            assert fetched.failure.kind in (Kind.RESET, Kind.TLS_FAILED)

    run(main(), loop)


@loops
def test_a_body_until_close_is_whole_over_tls(trusted: Path, loop: str) -> None:
    async def main() -> None:
        animal = says(b"HTTP/1.1 200 OK\r\n\r\n" + PAGE)
        async with RawServer(animal, context(trusted, "good")) as server, fetcher() as http:
            fetched = await within(9, http.fetch(lease(f"https://good.test:{server.port}/"), ["127.0.0.1"]))
            assert (fetched.failure, fetched.truncated, fetched.body) == (None, None, PAGE)

    run(main(), loop)


@loops
@pytest.mark.parametrize("extra", [b"\x17\x03\x03\x00\x11" + bytes(17), b"HTTP/1.1 "], ids=["damaged", "no TLS"])
def test_what_somebody_else_adds_is_not_taken_for_the_end(trusted: Path, loop: str, extra: bytes) -> None:
    """Who is between can close the connection, but not lengthen or change what the server says."""
    asked = asyncio.Event()

    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(b"HTTP/1.1 200 OK\r\n\r\n" + PAGE)
        asked.set()
        await peer.stay()

    async def main() -> Fetched:
        async with RawServer(animal, context(trusted, "good")) as server:

            async def between(peer: Peer) -> None:
                joined = asyncio.create_task(peer.join(server.port))
                await asked.wait()
                await asyncio.sleep(0.05)  # the page is on its way
                await peer.send(extra)
                await asyncio.wait([joined])

            async with RawServer(between) as front, fetcher() as http:
                return await within(9, http.fetch(lease(f"https://good.test:{front.port}/"), ["127.0.0.1"]))

    fetched = run(main(), loop)
    assert fetched.failure is not None or fetched.truncated is not None
    assert fetched.body in (b"", PAGE)


@loops
def test_who_never_answers_is_let_go(trusted: Path, loop: str) -> None:
    gone = asyncio.Event()

    async def animal(peer: Peer) -> None:
        await peer.stay()
        gone.set()

    async def main() -> None:
        async with RawServer(animal) as server, fetcher(connect_timeout=0.1) as http:
            fetched = await within(9, http.fetch(lease(f"https://good.test:{server.port}/"), ["127.0.0.1"]))
            assert fetched.failure is not None
            assert fetched.failure.kind is Kind.CONNECT_TIMEOUT
            await within(9, gone.wait())

    run(main(), loop)


@loops
def test_a_large_body_comes_whole(trusted: Path, loop: str) -> None:
    body = bytes(range(251)) * 8000

    async def main() -> None:
        animal = repeats(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        async with RawServer(animal, context(trusted, "good")) as server, fetcher() as http:
            for _ in range(2):
                fetched = await within(9, http.fetch(lease(f"https://good.test:{server.port}/"), ["127.0.0.1"]))
                assert fetched.failure is None
                assert fetched.body == body
            assert server.connections == 1

    run(main(), loop)


@loops
@pytest.mark.parametrize("name", ["a" * 64 + ".test", "a..test", "-.test", "_a.test"])
def test_a_name_that_no_certificate_can_have_raises_nothing(trusted: Path, loop: str, name: str) -> None:
    fetched = visit(loop, context(trusted, "good"), name)
    assert fetched.failure is not None
    assert fetched.failure.kind in (Kind.TLS_FAILED, Kind.BAD_CERTIFICATE)
