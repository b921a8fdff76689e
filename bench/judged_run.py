"""Two ways to crawl a judged web: in one process and virtual time, or with real processes and sockets.

Both give the same: the requests as the servers saw them, and what the crawler told of its captures.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from msgspec import structs

from skitter.sim.run.played import EAGER, played
from skitter.simweb.judged.score import Judged
from skitter.simweb.judged.web import JudgedWeb
from skitter.simweb.log import read_log
from skitter.simweb.nameserver import UNKNOWN, NameServer, Record, found
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import PLAIN
from skitter.simweb.world import World

NETWORK = "127.20.0.0/16"
COLUMNS = ("url", "errand", "reasons", "duplicate_of")
ONE_HOST = structs.replace(PLAIN, hosts=1, pages_per_host=1)
"""A world needs a host of its own; nothing leads to it."""


class Run(NamedTuple):
    """One crawl, as the servers saw it and as the crawler tells it."""

    requests: Sequence[str]  # in order
    told: Sequence[Judged]
    probes: int
    soundings: int
    ended: str


def crawl(
    web: JudgedWeb, *, pages: int, processes: bool = False, delay: float = 0.0, look_after: int | None = None
) -> Run:
    """Crawls a web until it is done, or has fetched so many pages.

    After `look_after` pages there is the nightly look: it reads tables, and so it takes real processes.
    """
    if processes or look_after is not None:
        return asyncio.run(_with_processes(web, pages, delay, look_after))
    return _in_virtual_time(web, pages, delay)


def _in_virtual_time(web: JudgedWeb, pages: int, delay: float) -> Run:
    settings = structs.replace(EAGER, politeness=structs.replace(EAGER.politeness, delay=delay))
    run = played(web.play, web.seeds(), settings, max_pages=pages)
    if run.troubles:
        sys.exit("\n".join(run.troubles))
    told = [Judged(one.url, one.reasons, one.duplicate_of) for one in run.told if one.errand == "page"]
    probes, soundings = (sum(one.errand == errand for one in run.asked) for errand in ("probe", "sounding"))
    return Run([one.url for one in run.asked], told, probes, soundings, run.ended)


async def _with_processes(web: JudgedWeb, pages: int, delay: float, look_after: int | None) -> Run:
    with tempfile.TemporaryDirectory(prefix="skitter-judged-") as name:
        folder = Path(name)
        names = NameServer()
        names.table = _Zone(web)
        async with SimWeb(World(ONE_HOST, plays=web.plays()), log=folder / "web.log") as server, names:
            (folder / "seeds").write_text("\n".join(web.seeds(server.port)))
            if look_after is not None:
                await _crawl(folder, names.address, look_after, delay)
                await _look(folder)
            ended = await _crawl(folder, names.address, pages, delay)
        rows = [row for file in folder.glob("out/parquet/captures/**/*.parquet") for row in _rows(file)]
        requests = [request.url for request in read_log(folder / "web.log")]
    probes, soundings = (sum(row["errand"] == errand for row in rows) for errand in ("probe", "sounding"))
    pages = [row for row in rows if row["errand"] == "page"]
    told = [Judged(row["url"], _reasons(row["reasons"]), row.get("duplicate_of")) for row in pages]
    return Run(requests, told, probes, soundings, ended)


async def _crawl(folder: Path, server: str, pages: int, delay: float) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "skitter", "crawl", "--seeds", folder / "seeds", "--out", folder / "out"),
        *("--allow-net", NETWORK, "--scope", "any", "--delay", str(delay), "--quiet", "--json"),
        *("--contact", "judge@sim.test"),
        *("--max-pages", str(pages), "--set", "politeness.address_rate=100000", "--set", "node.linger=5"),
        *("--set", f"dns.servers={server}", "--set", "frontier.daily_quota=1000000000"),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    return str(json.loads(said.splitlines()[-1])["ended"])


async def _look(folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "skitter", "rank", folder / "out"), stdout=asyncio.subprocess.DEVNULL
    )
    if await process.wait():
        sys.exit("bench: the nightly look failed")


def _rows(file: Path) -> list[dict[str, Any]]:
    there = pq.read_schema(file).names
    return pq.read_table(file, columns=[name for name in COLUMNS if name in there]).to_pylist()


def _reasons(column: str | Sequence[str] | None) -> Sequence[str]:
    return column.split() if isinstance(column, str) else column or ()


class _Zone(dict[Any, Any]):
    """Every name that answers, each with an address that follows from it."""

    def __init__(self, web: JudgedWeb) -> None:
        super().__init__()
        self._web = web

    def get(self, name: Any, otherwise: Any = UNKNOWN) -> Record:
        if isinstance(name, tuple) or self._web.find(name) is None:
            return otherwise
        mark = zlib.crc32(name.encode())
        return found(f"127.20.{mark >> 8 & 255}.{1 + mark % 254}")
