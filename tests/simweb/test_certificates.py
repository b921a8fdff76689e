"""Each certificate is what it says, to a client that trusts the web's own root and to one that does not."""

from __future__ import annotations

import asyncio
import socket
import ssl
from pathlib import Path

import pytest
import uvloop

from skitter.simweb.certificates import Certificate, Tls
from skitter.simweb.log import read_log
from skitter.simweb.play import by_path, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World

SHOWN = {f"{certificate}.sim.test": certificate for certificate in Certificate}
BIG = text(b"x" * 3_000_000)
PLAYS = {name: by_path({"/": text("hello"), "/big": BIG}) for name in SHOWN}
COMPLAINTS = {
    Certificate.GOOD: "",
    Certificate.EXPIRED: "certificate has expired",
    Certificate.SELF_SIGNED: "self-signed certificate",
    Certificate.OTHER_NAME: "Hostname mismatch",
    Certificate.NONE: "reset",
}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    return Tls(tmp_path_factory.mktemp("tls"), SHOWN)


async def asked(web: SimWeb, name: str, path: str, context: ssl.SSLContext) -> bytes:
    address = next(named.address for named in web.world.names() if named.name == name)
    reader, writer = await asyncio.open_connection(address, web.tls_port, ssl=context, server_hostname=name)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {name}:{web.tls_port}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer


async def complaint(web: SimWeb, name: str, context: ssl.SSLContext) -> str:
    try:
        answer = await asked(web, name, "/", context)
    except ssl.SSLError as error:
        return str(error)
    except ConnectionResetError:
        return "reset"
    assert answer.endswith(b"\r\n\r\nhello")
    return ""


@pytest.mark.parametrize("loop", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_each_certificate_is_refused_for_its_own_fault_and_the_good_one_is_taken(
    loop: object, tls: Tls, tmp_path: Path
) -> None:
    async def main() -> None:
        trusting = ssl.create_default_context(cafile=str(tls.root))
        async with SimWeb(World(WorldSettings(hosts=1), plays=PLAYS), tls=tls, log=tmp_path / "log") as web:
            for name, certificate in SHOWN.items():
                told = await complaint(web, name, trusting)
                assert bool(told) == (certificate is not Certificate.GOOD)
                assert COMPLAINTS[certificate] in told
            assert "unable to get local issuer" in await complaint(web, "good.sim.test", ssl.create_default_context())

    assert callable(loop)
    loop(main())
    assert [request.url.partition(":")[0] for request in read_log(tmp_path / "log")] == ["https"]


@pytest.mark.parametrize("loop", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_a_long_answer_goes_through_whole(loop: object, tls: Tls, tmp_path: Path) -> None:
    async def main() -> None:
        trusting = ssl.create_default_context(cafile=str(tls.root))
        async with SimWeb(World(WorldSettings(hosts=1), plays=PLAYS), tls=tls, log=tmp_path / "log") as web:
            answer = await asked(web, "good.sim.test", "/big", trusting)
            assert answer.partition(b"\r\n\r\n")[2] == BIG.body

    assert callable(loop)
    loop(main())
    assert [request.status for request in read_log(tmp_path / "log")] == [200]


def test_the_plain_port_tells_whoever_takes_it_for_a_secure_one(tls: Tls) -> None:
    async def main() -> None:
        async with SimWeb(World(WorldSettings(hosts=1), plays=PLAYS)) as web:
            address = next(iter(web.world.names())).address
            with pytest.raises(ssl.SSLError, match="WRONG_VERSION_NUMBER"):
                await asyncio.open_connection(
                    address, web.port, ssl=ssl.create_default_context(), server_hostname="a.test"
                )

    asyncio.run(main())


def test_tls_listens_on_loopback_only(tls: Tls) -> None:
    async def main() -> None:
        async with SimWeb(World(WorldSettings(hosts=1)), tls=tls) as web:
            devices = [
                server.sockets[0].getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16) for server in web._servers
            ]
            assert devices == [b"lo\0", b"lo\0"]

    asyncio.run(main())
