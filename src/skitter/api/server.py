"""Serves the API beside a crawl: on loopback unless told otherwise, and beyond it only with a certificate."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.api.front import Front, Line
from skitter.api.tokens import FILE, tokens_in
from skitter.bus.talk import ask
from skitter.errors import OperatorError
from skitter.folder.routesfile import read_routes
from skitter.folder.sockets import desk_path
from skitter.node.owners import Owners
from skitter.settings import Settings
from skitter.work.messages import Answer, Asked

LOOPBACK = "127.0.0.1"
BEGINS_IN = 10.0
ENDS_IN = 2


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


@contextlib.asynccontextmanager
async def serving(
    place: ApiPlace, directory: Path, front: Front, settings: Callable[[], Settings]
) -> AsyncIterator[str]:
    """Yields the address at which the API answers, while it does. OperatorError if it can't listen there."""
    import uvicorn

    from skitter.api.app import Gate, app_of

    class Server(uvicorn.Server):
        """Signals are the crawl's."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    place.require_safe()
    tokens = tokens_in(place.tokens or directory / FILE)
    with contextlib.closing(_listening(place)) as open_socket:
        port = open_socket.getsockname()[1]
        hosts = {place.address, place.name or place.address, *(("localhost",) if place.address == LOOPBACK else ())}
        app = app_of(front, Gate(tokens, [f"{_bracketed(host)}:{port}" for host in hosts]), settings)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=ENDS_IN,
            ssl_certfile=place.certificate,
            ssl_keyfile=place.key,
        )
        server = Server(config)
        running = asyncio.create_task(server.serve([open_socket]))
        try:
            yield f"{'https' if place.certificate else 'http'}://{_bracketed(place.name or place.address)}:{port}"
        finally:
            server.should_exit = True
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(running, BEGINS_IN)


def _listening(place: ApiPlace) -> socket.socket:
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
