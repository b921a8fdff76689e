"""Serves the API beside a crawl: on loopback unless told otherwise, and beyond it only with a certificate."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from skitter.api.front import Line, away
from skitter.api.tokens import Tokens
from skitter.bus.talk import ask
from skitter.config.load import load
from skitter.errors import OperatorError
from skitter.folder.crawlfile import settings_file
from skitter.folder.routesfile import read_routes
from skitter.folder.sockets import desk_path
from skitter.node.owners import Owners
from skitter.settings import Settings
from skitter.work.messages import Answer, Asked

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from skitter.api.gate import Gate

LOOPBACK = "127.0.0.1"
BEGINS_IN = 10.0
ENDS_IN = 2
MOST_AT_ONCE = 1000
"""Connections: who comes after is told 503."""


class ApiPlace(Struct, frozen=True):
    """Where the API is: an address and a port (0: any that is free), and the files that make it safe."""

    port: int
    address: str = LOOPBACK
    name: str = ""  # that it is asked for by, beside its address
    tokens: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def require_safe(self) -> None:
        """Returns if nobody on the way can read tokens. OperatorError says what is missing."""
        try:
            is_loopback = ipaddress.ip_address(self.address).is_loopback
        except ValueError:
            raise OperatorError("--api-address", self.address, "must be an address of this machine") from None
        if not is_loopback and (self.certificate is None or self.key is None):
            right = "beyond this machine needs --api-certificate and --api-key: tokens must not be read on the way"
            raise OperatorError("--api-address", self.address, right)


def extra() -> None:
    """Returns if what the API needs is installed."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise OperatorError("--api-port", "", "needs what `pip install 'skitter[api]'` installs") from None


def lines_to(directory: Path, nodes: int) -> list[Line]:
    """Returns the ways to the nodes of a crawl on this machine."""

    def line(number: int) -> Line:
        async def asked(asked: Asked) -> Answer | None:
            raw = await ask(desk_path(directory, number), msgspec.msgpack.encode(asked))
            answer: Answer | None = None if raw is None else msgspec.msgpack.decode(raw, type=Answer)
            return answer

        return asked

    return [line(number) for number in range(nodes)]


def owner_in(directory: Path, nodes: int) -> Callable[[str], int]:
    """Returns what tells the node of a host. The folder has its routes when the first URL is asked about."""
    owners: list[Owners] = []

    def owner(host: str) -> int:
        if not owners:
            owners.append(Owners(0, nodes, read_routes(directory)))
        return owners[0].of_host(host)

    return owner


def settings_in(directory: Path) -> Callable[[], Settings]:
    """Returns what tells the settings of a crawl that are in force: those of its folder. Problem: it has none yet."""
    known: dict[int, Settings] = {}

    def settings() -> Settings:
        file = settings_file(directory)
        if file is None:
            raise away()
        changed = file.stat().st_mtime_ns
        if changed not in known:
            found = load([file]).settings
            known.clear()
            known[changed] = found
        return known[changed]

    return settings


@contextlib.asynccontextmanager
async def serving(
    place: ApiPlace,
    tokens: Tokens,
    app: Callable[[Gate], ASGIApp],
    open_socket: socket.socket | None = None,
) -> AsyncIterator[str]:
    """Yields the address at which `app` answers, while it does. OperatorError if it can't listen there."""
    import uvicorn

    from skitter.api.gate import Gate

    class Server(uvicorn.Server):
        """Signals are the crawl's."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    place.require_safe()
    with contextlib.closing(open_socket or listening(place)) as bound:
        port = bound.getsockname()[1]
        gate = Gate(tokens, names_of(place, port), is_secure=place.certificate is not None)
        config = uvicorn.Config(
            app(gate),
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=ENDS_IN,
            ssl_certfile=place.certificate,
            ssl_keyfile=place.key,
        )
        server = Server(config)
        running = asyncio.create_task(server.serve([bound]))
        try:
            yield address_of(place, port)
        finally:
            server.should_exit = True
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(running, BEGINS_IN)


def names_of(place: ApiPlace, port: int) -> list[str]:
    """Returns what the API may be asked for by, with its port."""
    hosts = {place.address, place.name or place.address, *(("localhost",) if place.address == LOOPBACK else ())}
    return [f"{_bracketed(host)}:{port}" for host in hosts]


def address_of(place: ApiPlace, port: int) -> str:
    """Returns the address that the API is told to people by."""
    return f"{'https' if place.certificate else 'http'}://{_bracketed(place.name or place.address)}:{port}"


def listening(place: ApiPlace) -> socket.socket:
    """Returns a socket that listens at the place. OperatorError if that can't be."""
    family = socket.AF_INET6 if ":" in place.address else socket.AF_INET
    made = socket.socket(family)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((place.address, place.port))
        made.listen()
    except (OSError, OverflowError) as error:
        made.close()
        why = os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else str(error)
        right = f"can't be listened on at {place.address} ({why}); choose another, 0 takes any that is free"
        raise OperatorError("--api-port", place.port, right) from None
    return made


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
