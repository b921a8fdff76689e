"""The next connection to a server: what was learnt of it saves a handshake, and is not trusted for too long."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest

from skitter.fetch import dial
from skitter.fetch import rustls as quick
from skitter.fetch.answer import AnswerReader
from skitter.fetch.connection import Connection, Endpoint
from skitter.fetch.dial import Dialler
from skitter.messages import Kind
from skitter.settings import FetchSettings
from tests.fetch.certificates import server_context as context
from tests.fetch.rawserver import Peer, RawServer
from tests.fetch.visit import LOOPS, QUICK, fetcher, lease, run, within

STAY, CLOSE = (f"GET /{end} HTTP/1.1\r\n\r\n".encode() for end in ("stay", "close"))
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
ALERT = b"\x15\x03\x03\x00\x02\x02\x28"  # handshake_failure

pytestmark = pytest.mark.usefixtures("stack")
loops = pytest.mark.parametrize("loop", LOOPS)


def hellos(served: ssl.SSLContext) -> list[str | None]:
    """Returns a list of the names that clients will ask for, in handshakes that fail too."""
    heard: list[str | None] = []
    served.sni_callback = lambda _, name, __: heard.append(name)
    return heard


def dialler(insecure: bool = False, **options: Any) -> Dialler:
    return Dialler(FetchSettings(insecure=insecure, **QUICK), lambda _: None, 10.0, **options)


async def visit(dials: Dialler, server: RawServer, request: bytes = STAY) -> Connection:
    """Returns a connection that has brought an answer and is gone by now."""
    loop = asyncio.get_running_loop()
    dialled = await dials.dial(Endpoint("https", "good.test", server.port, "127.0.0.1"), loop.time() + 5)
    assert isinstance(dialled, Connection), dialled
    answer, gone = AnswerReader(FetchSettings()), loop.create_future()
    dialled.forget = gone.set_result
    dialled.send(request, answer, loop.time() + 5)
    await dialled.wait_answered(answer)
    assert answer.payload() == b"hi"
    if request != CLOSE:
        dialled.abort()
    await within(9, gone)
    return dialled


class Host:
    """Answers, then waits or closes, and knows who has taken up a session."""

    def __init__(self) -> None:
        self.resumed: list[bool] = []

    async def __call__(self, peer: Peer) -> None:
        request = await peer.request()
        self.resumed.append(peer.has_resumed)
        await peer.send(REPLY)
        if request != CLOSE:
            await peer.stay()


@loops
def test_one_that_was_closed_is_known_though_the_loop_was_too_busy_to_say_so(trusted: Path, loop: str) -> None:
    async def main() -> None:
        peers: list[Peer] = []

        async def stays(peer: Peer) -> None:
            peers.append(peer)
            await peer.request()
            await peer.send(REPLY)
            await peer.stay()

        async with RawServer(stays, context(trusted, "good")) as server:
            now = asyncio.get_running_loop().time()
            dialled = await dialler().dial(Endpoint("https", "good.test", server.port, "127.0.0.1"), now + 5)
            assert isinstance(dialled, Connection), dialled
            answer = AnswerReader(FetchSettings())
            dialled.send(STAY, answer, now + 5)
            await dialled.wait_answered(answer)
            assert (dialled.is_open, dialled.is_left) == (True, False)
            peers[0].hang_up()  # and nothing is awaited before we look
            assert (dialled.is_open, dialled.is_left) == (True, True)
            dialled.abort()

    run(main(), loop)


@loops
@pytest.mark.parametrize("request_", [STAY, CLOSE], ids=["we close", "the server closes"])
def test_the_next_connection_takes_up_the_session(trusted: Path, loop: str, request_: bytes) -> None:
    host = Host()

    async def main() -> None:
        async with RawServer(host, context(trusted, "good")) as server:
            dials = dialler()
            for _ in range(3):
                assert not (await visit(dials, server, request_)).insecure

    run(main(), loop)
    assert host.resumed == [False, quick.IS_NATIVE, quick.IS_NATIVE]


@loops
def test_a_server_that_breaks_off_at_a_session_is_asked_again_without_one(trusted: Path, loop: str) -> None:
    """The two are told apart by who is between: the second connection, the first with a session, is refused."""
    host = Host()

    async def main() -> int:
        async with RawServer(host, context(trusted, "good")) as server:

            async def between(peer: Peer) -> None:
                if peer.number == 2 and quick.IS_NATIVE:
                    await peer.send(ALERT)
                else:
                    await peer.join(server.port)

            async with RawServer(between) as front:
                dials = dialler()
                for _ in range(3):
                    await visit(dials, front)
                return front.connections

    assert run(main(), loop) == 3 + quick.IS_NATIVE
    assert host.resumed == [False] * 3


@loops
def test_a_server_that_rustls_does_not_know_how_to_speak_to(trusted: Path, loop: str) -> None:
    """CBC is nothing for rustls. It costs one more handshake, once."""
    shown = context(trusted, "good")
    shown.maximum_version = ssl.TLSVersion.TLSv1_2
    shown.set_ciphers("ECDHE-ECDSA-AES128-SHA256")
    greeted = hellos(shown)

    async def main() -> list[bool]:
        async with RawServer(Host(), shown) as server:
            dials = dialler()
            return [(await visit(dials, server)).insecure for _ in range(3)]

    assert run(main(), loop) == [False] * 3
    assert len(greeted) == 3 + quick.IS_NATIVE


@loops
def test_a_bad_certificate_is_looked_at_once(trusted: Path, loop: str) -> None:
    shown = context(trusted, "expired")
    greeted = hellos(shown)

    async def main() -> list[bool]:
        async with RawServer(Host(), shown) as server:
            dials = dialler(insecure=True)
            return [(await visit(dials, server)).insecure for _ in range(4)]

    assert run(main(), loop) == [True] * 4
    assert len(greeted) == 5 + quick.IS_NATIVE


def test_a_bad_certificate_stays_bad_if_it_may_not_be_accepted(trusted: Path) -> None:
    async def main() -> None:
        async with RawServer(Host(), context(trusted, "expired")) as server, fetcher() as http:
            for _ in range(3):
                fetched = await http.fetch(lease(f"https://good.test:{server.port}/"), ["127.0.0.1"])
                assert fetched.failure is not None
                assert fetched.failure.kind is Kind.BAD_CERTIFICATE

    run(main())


@pytest.mark.parametrize(("remember", "marked"), [(0.0, False), (60.0, True)], ids=["forgotten", "remembered"])
def test_a_mended_certificate_is_seen_when_the_bad_one_is_forgotten(
    trusted: Path, remember: float, marked: bool
) -> None:
    async def main() -> list[bool]:
        shown = context(trusted, "expired")
        async with RawServer(Host(), shown) as server:
            dials = dialler(insecure=True, remember=remember)
            before = [(await visit(dials, server)).insecure for _ in range(3)]
            shown.load_cert_chain(trusted / "good.pem")
            return [*before, (await visit(dials, server)).insecure]

    assert run(main()) == [True, True, True, marked]


def test_a_certificate_that_was_good_is_no_excuse_for_a_bad_one(trusted: Path) -> None:
    """Another server has come in the place of the first, with other keys."""

    async def main() -> list[Kind | None]:
        async with RawServer(Host(), context(trusted, "good")) as server:
            port = server.port
            http = fetcher(max_connections=0)
            kinds = [(await http.fetch(lease(f"https://good.test:{port}/"), ["127.0.0.1"])).failure for _ in range(2)]
        async with RawServer(Host(), context(trusted, "expired"), port=port):
            kinds.append((await http.fetch(lease(f"https://good.test:{port}/"), ["127.0.0.1"])).failure)
        return [failure and failure.kind for failure in kinds]

    assert run(main()) == [None, None, Kind.BAD_CERTIFICATE]


def test_one_servers_bad_certificate_is_no_other_servers(trusted: Path) -> None:
    async def main() -> list[bool]:
        async with (
            RawServer(Host(), context(trusted, "expired")) as bad,
            RawServer(Host(), context(trusted, "good")) as good,
        ):
            dials = dialler(insecure=True)
            return [(await visit(dials, server)).insecure for server in (bad, good, bad, good)]

    assert run(main()) == [True, False, True, False]


def test_few_servers_are_remembered(trusted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dial, "MAX_REMEMBERED", 1)
    shown = [context(trusted, "expired") for _ in range(2)]
    greeted = [hellos(one) for one in shown]

    async def main() -> None:
        async with RawServer(Host(), shown[0]) as one, RawServer(Host(), shown[1]) as two:
            dials = dialler(insecure=True)
            for server in (one, two, two, one):
                assert (await visit(dials, server)).insecure

    run(main())
    assert list(map(len, greeted)) == ([6, 4] if quick.IS_NATIVE else [4, 3])
