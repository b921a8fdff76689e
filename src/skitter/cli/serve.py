"""`skitter serve`: the API and the dashboard beside a crawl, running or not."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skitter.cli.options import api_place, crawl_folder
from skitter.cli.say import say
from skitter.errors import OperatorError

if TYPE_CHECKING:
    from skitter.api.server import ApiPlace

PORT = 8800


def serve(
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The folder of a crawl, or its bucket.", parser=crawl_folder)
    ] = None,
    fleet: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="A fleet in place of a folder.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="0: any that is free.")] = PORT,
    address: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Beyond this machine it needs a certificate.")
    ] = "127.0.0.1",
    name: Annotated[str, typer.Option(metavar="NAME", help="The name that people know it by.")] = "",
    tokens: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Who may ask, lines `NAME TOKEN ROLE` (DIR/api-tokens).")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(metavar="FILE", help="As PEM.")] = None,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="Of the certificate, as PEM.")] = None,
) -> None:
    """Serve the API beside a crawl, running or not; it never slows the crawl. Ctrl-C ends it.

    Exit code: 0 ended, 2 a mistake.
    """
    if (directory is None) is (fleet is None):
        raise OperatorError("DIR", "", "name the folder of a crawl, or a fleet with --fleet FILE.toml: one of the two")
    try:
        place = api_place(port, address, name, tokens, (certificate, key))
        assert place is not None
        asyncio.run(_serve(directory, place) if directory is not None else _serve_fleet(fleet, place))
    except OperatorError as error:
        raise OperatorError(
            error.key.replace("--api-", "--"), error.value, error.right.replace("--api-", "--")
        ) from None


async def _serve(directory: Path, place: ApiPlace) -> None:
    from skitter.api.server import address_of, listening
    from skitter.api.tokens import FILE, tokens_in
    from skitter.api.whole import ApiStart
    from skitter.api.whole import serve as serve_crawl
    from skitter.console.crawl import require_crawl

    require_crawl(directory)
    file = place.tokens or directory / FILE
    tokens_in(file)
    bound = listening(place)
    where = address_of(place, bound.getsockname()[1])
    say(f"skitter: {directory} is at {where}/; sign in, or ask, with a token of {file}", err=True)
    await serve_crawl(ApiStart(directory, place, bound.detach(), 0), _stopped())


async def _serve_fleet(file: Path | None, place: ApiPlace) -> None:
    from skitter.api.app import app_of
    from skitter.api.fleet import fleet_endpoints
    from skitter.api.server import serving
    from skitter.api.tokens import FILE, tokens_in
    from skitter.cli.fleet import fleet_file
    from skitter.fleet.standing import fleet_standing

    assert file is not None
    found = fleet_file(file)
    held = place.tokens or file.parent / FILE
    endpoints = fleet_endpoints(lambda: fleet_standing(found, time.time()))
    async with serving(place, tokens_in(held), lambda gate: app_of(endpoints, gate)) as where:
        say(f"skitter: the fleet {found.fleet.name} is at {where}/v1/fleet; ask with a token of {held}", err=True)
        await _stopped()


def _stopped() -> asyncio.Future[None]:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def stop() -> None:
        if not ended.done():
            ended.set_result(None)

    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(sign, stop)
    return ended
