"""How a crawl is tortured: killed as often as asked for, with files that roll and buffers that are flushed often."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from skitter.simweb.settings import DEMO
from tests.faults.crawler import Crawl, served
from tests.faults.driver import Ordeal, drive
from tests.faults.verdict import Verdict, judge

DELAY = 0.5
HARSH = (
    *("--set", "store.roll_bytes=65536"),
    *("--set", "store.sync_seconds=1"),
    *("--set", f"frontier.store_memory={1024**2}"),
    *("--set", "node.stop_seconds=5"),
)


class Torture(NamedTuple):
    """A world, and how often the crawl of it is killed."""

    seed: int
    kills: int
    hosts: int
    pages_per_host: int


def torture(folder: Path, wanted: Torture) -> tuple[Ordeal, Verdict]:
    """Returns what was done to the crawl in `folder`/out, and what was found after it had come to its end."""
    # Every kind of trouble, and no Crawl-delay over a second: else the crawl ends with minutes of one host.
    world = structs.replace(DEMO, seed=wanted.seed, hosts=wanted.hosts, pages_per_host=wanted.pages_per_host)
    out = folder / "out"
    with served(folder, world, "demo") as web:
        with contextlib.closing(Crawl(out, web, *HARSH, delay=DELAY)) as crawl:
            ordeal = drive(crawl, web, wanted.seed, wanted.kills)
        return ordeal, judge(out, web, ordeal, DELAY)
