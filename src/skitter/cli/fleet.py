"""`skitter fleet`: the same crawl on many machines."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from skitter.cli.options import (
    ApiAddressOption,
    ApiCertificateOption,
    ApiKeyOption,
    ApiNameOption,
    ApiPortOption,
    ApiTokensOption,
    JsonOption,
    SetOption,
    api_place,
    pairs_of,
    seeds_of,
)
from skitter.cli.say import say
from skitter.errors import OperatorError, SkitterError, first_of

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from skitter.fleet.file import FleetFile
    from skitter.node.node import Node
    from skitter.settings import Settings

fleet = typer.Typer(
    help="Crawl on many machines, on Kafka: a fleet of nodes that share the shards.", no_args_is_help=True
)

FileOption = Annotated[Path, typer.Option("--fleet", metavar="FILE.toml", help="The fleet file, see docs/fleet.md.")]


@fleet.command()
def init(
    file: FileOption,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Where to begin, or to go on from.")] = None,
    seeds: Annotated[Path | None, typer.Option(metavar="FILE", help="A file of URLs, one a line.")] = None,
    set_: SetOption = None,
) -> None:
    """Make a fleet: its topics, checked, its routes and its settings; or give one that is there more seeds.

    Exit code: 0 done, 2 a mistake, for one a topic whose settings would lose records, 4 Kafka does not answer.
    """
    from skitter.fleet.making import make_fleet

    for line in make_fleet(
        fleet_file(file), file.parent, seeds_of(urls, seeds), os.environ, pairs_of(set_), time.time()
    ):
        say(line)


@fleet.command()
def node(
    file: FileOption,
    name: Annotated[str, typer.Option(help="The node's own name.", show_default="of the machine")] = "",
    directory: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where it keeps what it has.", show_default="fleet.directory")
    ] = None,
    api_port: ApiPortOption = None,
    api_address: ApiAddressOption = "127.0.0.1",
    api_name: ApiNameOption = "",
    api_tokens: ApiTokensOption = None,
    api_certificate: ApiCertificateOption = None,
    api_key: ApiKeyOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show nothing but errors.")] = False,
) -> None:
    """Be a node: take shards as the group gives them, crawl, and release them when told to stop (SIGTERM, Ctrl-C).

    Exit code: 0 stopped in order, 2 a mistake, 4 a broken disk, or a log that is not the one it knew.
    """
    import gc

    import uvloop

    from skitter.fleet.file import NAME
    from skitter.fleet.service import Service

    name = name or socket.gethostname()
    if NAME.fullmatch(name) is None:
        raise OperatorError("--name", name, "must be letters, digits, - and _")
    found = fleet_file(file)
    where = directory if directory is not None else Path(found.fleet.directory)
    place = api_place(api_port, api_address, api_name, api_tokens, (api_certificate, api_key))

    def serve(node: Node, settings: Settings) -> AbstractAsyncContextManager[str]:
        from skitter.api.app import app_of
        from skitter.api.front import Front
        from skitter.api.server import serving
        from skitter.api.tokens import FILE, tokens_in
        from skitter.api.work import work_endpoints

        assert place is not None
        endpoints = work_endpoints(Front([node.answer_worker]), lambda: settings)
        tokens = tokens_in(place.tokens or where / FILE)
        return serving(place, tokens, lambda gate: app_of(endpoints, gate))

    def tell(text: str) -> None:
        if not quiet:
            say(f"skitter: {text}", err=True)

    service = Service(found, name, where, tell, serve if place is not None else None)
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    try:
        uvloop.run(service.run())
    except* SkitterError as group:
        error = first_of(group)
        say(f"skitter: {error}", err=True)
        sys.exit(error.exit_code)


@fleet.command()
def status(file: FileOption, json: JsonOption = False) -> None:
    """Show nodes and shards: who holds what, how much of its lease is left, and how far behind it is."""
    from skitter.fleet.standing import fleet_standing, lines_of

    standing = fleet_standing(fleet_file(file), time.time())
    if json:
        say(msgspec.json.encode(standing).decode())
        return
    for line in lines_of(standing):
        say(line)


@fleet.command()
def grow(
    file: FileOption, directory: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")]
) -> None:
    """Make a fleet of a crawl on one machine, without starting over: stop the crawl, then this, then start nodes.

    Its folder is marked as moved; its archive stays readable there, and goes to the bucket of the settings if they
    name one. Whatever breaks it off, the same command goes on. Exit code: 0 done, 2 a mistake, 4 Kafka or a disk.
    """
    from skitter.fleet.growing import grow_fleet

    for line in grow_fleet(fleet_file(file), file.parent, directory, os.environ, time.time()):
        say(line)


@fleet.command()
def export(
    file: FileOption, directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is to be made.")]
) -> None:
    """Make a crawl on one machine of a fleet, without starting over: drain all nodes, then this, then `skitter crawl`.

    The fleet is marked as exported. Whatever breaks it off, the same command begins again. Exit code: as `grow`.
    """
    from skitter.fleet.exporting import export_fleet

    for line in export_fleet(fleet_file(file), directory, time.time()):
        say(line)


WaitOption = Annotated[float, typer.Option("--wait", metavar="SECONDS", help="How long to wait until it is done.")]


@fleet.command()
def split(
    file: FileOption,
    shard: Annotated[int, typer.Argument(metavar="SHARD", help="As `skitter fleet status` counts them.")],
    to: Annotated[int | None, typer.Option(metavar="SHARD", help="Where to.", show_default="a new shard")] = None,
    wait: WaitOption = 60.0,
) -> None:
    """Give about half of a shard's domains to a new shard, while the crawl runs. A domain is not split by this."""
    from skitter.fleet.splitting import split_shard

    for line in split_shard(fleet_file(file), shard, to, wait):
        say(line)


@fleet.command()
def move(
    file: FileOption,
    what: Annotated[list[str], typer.Argument(metavar="DOMAIN|SLOT…", help="What goes: a slot, or a domain's.")],
    to: Annotated[int, typer.Option(metavar="SHARD", help="Where to.")],
    wait: WaitOption = 60.0,
) -> None:
    """Give slots, with all domains in them, to another shard, while the crawl runs."""
    from skitter.fleet.splitting import move_slots

    for line in move_slots(fleet_file(file), what, to, wait):
        say(line)


@fleet.command()
def spread(
    file: FileOption,
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="One that is too much for a shard.")],
    over: Annotated[str, typer.Option(metavar="SHARD,SHARD…", help="A shard for each part, one may be there twice.")],
    wait: WaitOption = 60.0,
) -> None:
    """Deal out the hosts of a domain to several shards, while the crawl runs. It can't be undone.

    Each part has its share of the domain's turns and budget. `split` and `move` go on with parts as with domains.
    """
    from skitter.fleet.splitting import spread_domain

    try:
        shards = [int(text) for text in over.split(",")]
    except ValueError:
        raise OperatorError("--over", over, "must be numbers of shards, with commas between") from None
    for line in spread_domain(fleet_file(file), domain.lower(), shards, wait):
        say(line)


@fleet.command()
def drain(file: FileOption, names: Annotated[list[str], typer.Argument(metavar="NODE…")]) -> None:
    """Tell nodes to leave: they finish what is under way, release their shards, and end. One may be started again."""
    from skitter.fleet.making import drain_nodes

    for line in drain_nodes(fleet_file(file), names, time.time()):
        say(line)


def fleet_file(file: Path) -> FleetFile:
    """Returns what a fleet file says. OperatorError if it can't be used, or what a fleet needs is not installed."""
    try:
        import confluent_kafka  # noqa: F401
    except ImportError:
        raise OperatorError("skitter fleet", "", "needs what `pip install 'skitter[fleet]'` installs") from None
    from skitter.fleet.file import read_fleet

    return read_fleet(file)
