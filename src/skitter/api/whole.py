"""The whole API of a crawl on one machine, and the process that serves it beside the crawl: `python -m skitter.api`.

In a process of its own: flooded, hung or killed, it takes nothing from the crawl but time on a core, and gives way
there. The socket is the supervisor's, so that a new process goes on where a dead one was, at the same port.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from skitter.api.about import about_routes
from skitter.api.app import app_of
from skitter.api.dashboard.routes import dashboard_routes
from skitter.api.endpoints import Endpoint
from skitter.api.front import Front
from skitter.api.gate import Gate
from skitter.api.limits import Limits
from skitter.api.login import login_routes
from skitter.api.looking import looking_endpoints
from skitter.api.repeats import Repeats
from skitter.api.server import ApiPlace, lines_to, owner_in, serving, settings_in
from skitter.api.telling import telling_endpoints
from skitter.api.tokens import FILE, tokens_in
from skitter.api.work import work_endpoints
from skitter.console.crawl import FolderConsole

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from skitter.console.port import Console
    from skitter.settings import Settings

GIVES_WAY = 5
ANSWERS = "api-answers.sqlite"


class ApiStart(Struct, frozen=True):
    """What the API's process is told before it begins."""

    directory: Path
    place: ApiPlace
    socket: int  # its descriptor
    nodes: int  # 0: there are none that lend leases


def whole_app(
    console: Console,
    settings: Callable[[], Settings],
    more: Sequence[Endpoint] = (),
    repeats: Repeats | None = None,
    limits: Limits | None = None,
) -> Callable[[Gate], ASGIApp]:
    """Returns what makes the application: all that can be asked of a crawl, and what is more."""

    def app(gate: Gate) -> ASGIApp:
        endpoints = [*looking_endpoints(console), *telling_endpoints(console), *more]
        pages = [*login_routes(gate), *about_routes(gate, settings), *dashboard_routes(console, gate, limits)]
        return app_of(endpoints, gate, limits=limits, repeats=repeats, pages=pages)

    return app


async def serve(start: ApiStart, ended: asyncio.Future[None]) -> None:
    """Serves until `ended`."""
    directory = start.directory
    tokens = tokens_in(start.place.tokens or directory / FILE)
    (directory / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    repeats = Repeats(directory / "run" / ANSWERS, time.time)
    front = Front(lines_to(directory, start.nodes), owner_in(directory, start.nodes)) if start.nodes else None
    settings = settings_in(directory)
    more = [] if front is None else work_endpoints(front, settings)
    async with FolderConsole(directory) as console:
        app = whole_app(console, settings, more, repeats)
        async with serving(start.place, tokens, app, socket.socket(fileno=start.socket)):
            await ended
    repeats.close()


async def _main() -> None:
    loop = asyncio.get_running_loop()
    start = msgspec.json.decode(await asyncio.to_thread(sys.stdin.buffer.readline), type=ApiStart, dec_hook=_path)
    ended: asyncio.Future[None] = loop.create_future()

    def hear() -> None:
        if not os.read(sys.stdin.fileno(), 4096) and not ended.done():  # whoever started us is done, or dead
            ended.set_result(None)

    loop.add_reader(sys.stdin.fileno(), hear)
    await serve(start, ended)


def _path(kind: type[Path], text: str) -> Path:
    return kind(text)


def main() -> None:
    """Serves until standard input ends."""
    import uvloop

    os.nice(GIVES_WAY)
    uvloop.run(_main())
