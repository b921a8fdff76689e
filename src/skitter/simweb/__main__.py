"""The simulated web as a process of its own: `python -m skitter.simweb --hosts 50`.

When it is ready it prints one JSON line with its port, its seeds and its process id. It ends at SIGTERM or Ctrl-C.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from pathlib import Path

import msgspec
import uvloop
from msgspec import structs

from skitter.simweb.real import PageWriter
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import DASHBOARD, DEMO, FLEET, PLAIN, WorldSettings
from skitter.simweb.world import World
from skitter.simweb.zoo import ANIMALS

WORLDS = {"mixed": WorldSettings(), "demo": DEMO, "fleet": FLEET, "dashboard": DASHBOARD, "plain": PLAIN}
NUMBERS = ("seed", "hosts", "pages_per_host", "links_per_page", "page_bytes", "hosts_per_address", "strains_per_host")
SHARES = ("cross_host_share", "dressed_share", "sitemap_share", "slow", "change")


class Ready(msgspec.Struct, frozen=True):
    """What is said when the server can be asked."""

    port: int
    pid: int
    seeds: list[str]


def main() -> None:
    """Serves a world until it is told to stop."""
    uvloop.run(serve(_parser().parse_args()))


async def serve(options: argparse.Namespace) -> None:
    """Serves the world that `options` describe."""
    stopped = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stopped.set)
    async with SimWeb(_world(options), port=options.port, log=options.log) as web:
        if options.hosts_file:
            web.hosts_file(options.hosts_file)
        ready = msgspec.json.encode(Ready(web.port, os.getpid(), web.seeds())).decode()
        if options.ready_file:
            _write_whole(options.ready_file, f"{ready}\n")
        print(ready, flush=True)
        await stopped.wait()


def _world(options: argparse.Namespace) -> World:
    if options.pages is None:
        return World(_settings(options))
    pages = [path.read_bytes() for path in sorted(options.pages.glob("*.html"))]
    return World(_settings(options), PageWriter(pages))


def _settings(options: argparse.Namespace) -> WorldSettings:
    given = {name: getattr(options, name) for name in (*NUMBERS, *SHARES, "network")}
    changes = {name: value for name, value in given.items() if value is not None}
    animals = tuple(ANIMALS) if options.animals == "all" else tuple(filter(None, options.animals.split(",")))
    world = WORLDS[options.world]
    return structs.replace(world, **changes, calendar=options.calendar or world.calendar, animals=animals)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m skitter.simweb", description="A simulated web on loopback.")
    parser.add_argument("--world", choices=WORLDS, default="mixed", help="which settings to begin with")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--log", type=Path, help="where to write a line for each request and each answer")
    parser.add_argument("--hosts-file", type=Path, help="where to write names and addresses")
    parser.add_argument("--ready-file", type=Path, help="where to write the JSON line when ready")
    for name in NUMBERS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int)
    for name in SHARES:
        parser.add_argument(f"--{name.replace('_', '-')}", type=float)
    parser.add_argument("--pages", type=Path, help="a folder of real pages (*.html) to show, with the world's links")
    parser.add_argument("--network", help="the loopback network in which the hosts live")
    parser.add_argument("--calendar", action="store_true", help="an endless trap on every host")
    parser.add_argument("--animals", default="", help="names from the zoo, with commas between them, or `all`")
    return parser


def _write_whole(path: Path, text: str) -> None:
    """Writes a file that others wait for: it is there in whole or not at all."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    main()
