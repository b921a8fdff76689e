"""What a crawl of the whole web asks of a fleet, from costs that were measured on one machine: `make scale`.

    python bench/scale.py [--write docs/scale.md]     tables on the terminal, or into that page, with its pictures

Nothing is fetched. Domains are drawn (their hosts and pages by a power law, as crawls of the web find it), put into
slots as `url.routes` does, slots into shards, shards onto nodes as a consumer group deals them out; then the costs of a
page are multiplied out. What was measured, and where, is said at each figure; prices are an assumption.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from skitter.capacity.costs import Costs, Prices, page_cost
from skitter.capacity.lines import Line, drawn
from skitter.url.routes import SLOTS

DAY = 86_400
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"


class Web(NamedTuple):
    """The web as the first of the seeds has it."""

    pages_per_second: float = 58_000
    peak: float = 150_000
    hosts: float = 500e6
    urls: float = 50e9
    links: int = 20
    kilobytes: float = 400  # of a page, decoded; 100 as it comes and is stored


class Fleet(NamedTuple):
    nodes: int = 450
    cores: int = 8
    shards: int = SLOTS
    session: float = 6.0
    lease: float = 5.0
    checkpoint: float = 600.0
    file_bytes: float = 128e6
    file_seconds: float = 60.0


BIGGEST = 1_000_000
"""Domains that are drawn one by one. All others are so small that a slot has its fair share of them."""
QUOTA = 100_000
"""Requests to a host in a day, at most: `frontier.daily_quota`; and one a second."""
EXPONENT = 1.05
SPREAD_ABOVE = 30.0
"""Pages a second of a domain above which it is spread over several shards: twice what a shard has in the mean."""
PLATFORM = 0.2
"""The biggest domains have hosts in proportion to pages: so many for a thousand pages that are wanted in a day."""


def main() -> None:
    """Prints what it comes to."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", metavar="PATH", help="the page whose tables and pictures to write anew")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    web, costs, fleet = Web(), Costs(), Fleet()
    slots = slot_loads(web, random.Random(given.seed))
    spread = slot_loads(web, random.Random(given.seed), SPREAD_ABOVE)
    tables = "\n\n".join(
        [
            "### A page\n\n" + table(page_rows(costs)),
            "### The whole\n\n" + table(whole_rows(web, costs, fleet, Prices())),
            "### Load of shards and nodes\n\n"
            + table(load_rows(slots, fleet, "") + load_rows(spread, fleet, ", large domains spread")[1:]),
            "### Nodes\n\n" + table(node_rows(spread, web, costs, fleet)),
            "### A node dies\n\n" + table(takeover_rows(web, costs, fleet)),
        ]
    )
    print(tables)
    if given.write:
        page = Path(given.write)
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        page.write_text(f"{before}{BEGIN}\n{tables}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
        for name, picture in pictures(slots, spread, fleet).items():
            page.with_name(f"{page.stem}-{name}.svg").write_text(picture, encoding="utf-8")


# The web in slots


def slot_loads(web: Web, roll: random.Random, spread_above: float = float("inf")) -> list[float]:
    """Returns the pages a second that the domains of each slot are visited with, at the sustained rate.

    A domain that has more than `spread_above` is spread by its hosts over several slots, by an exception in the table.
    """
    weights = [1 / (place + 10) ** EXPONENT for place in range(BIGGEST)]
    tail = sum_of_tail(BIGGEST, web.hosts / 2)
    scale = web.pages_per_second / (sum(weights) + tail)
    loads = [0.0] * SLOTS
    left = 0.0
    for weight in weights:
        wanted = weight * scale
        given = min(wanted, most_of(wanted))
        left += wanted - given
        pieces = math.ceil(given / spread_above) if given > spread_above else 1
        for _ in range(pieces):
            loads[roll.randrange(SLOTS)] += given / pieces
    even = (tail * scale + left) / SLOTS  # what the biggest may not have is spent on all others
    return [load + even for load in loads]


def sum_of_tail(first: float, last: float) -> float:
    """Returns the sum of the weights of all domains that are not drawn one by one."""
    return ((first + 10) ** (1 - EXPONENT) - (last + 10) ** (1 - EXPONENT)) / (EXPONENT - 1)


def most_of(wanted: float) -> float:
    """Returns the pages a second that politeness and quota let a domain have: that of its hosts together."""
    hosts = max(1.0, wanted * DAY * PLATFORM / 1000)
    return hosts * min(1.0, QUOTA / DAY)


def shard_loads(slots: Sequence[float], shards: int) -> list[float]:
    """Returns the loads of shards, each of some slots."""
    loads = [0.0] * shards
    for slot, load in enumerate(slots):
        loads[slot % shards] += load
    return loads


def node_loads(shards: Sequence[float], nodes: int, *, by_load: bool) -> list[float]:
    """Returns the loads of nodes: shards dealt out by number, as a group does, or the heaviest to the idlest."""
    loads = [0.0] * nodes
    if not by_load:
        for shard, load in enumerate(shards):
            loads[shard % nodes] += load
        return loads
    heap = [(0.0, node) for node in range(nodes)]
    for load in sorted(shards, reverse=True):
        had, node = heapq.heappop(heap)
        heapq.heappush(heap, (had + load, node))
    return [load for load, _ in heap]


# What it comes to


def page_rows(costs: Costs) -> list[tuple[str, ...]]:
    rows = [("KB decoded", "CPU ms, ours", "pages/s a core", "of it: bytes", "of it: TLS", "of it: Kafka's client")]
    for kilobytes in (33, 100, 250, 400):
        whole, megabytes = page_cost(kilobytes * 1e3, costs), kilobytes / 1000
        by_size = megabytes * (costs.megabyte * costs.judged + costs.undone)
        parts = (by_size, costs.handshake, costs.client)
        rows.append(
            (str(kilobytes), f"{whole * 1e3:.2f}", f"{1 / whole:.0f}", *(f"{part / whole:.0%}" for part in parts))
        )
    return rows


def whole_rows(web: Web, costs: Costs, fleet: Fleet, prices: Prices) -> list[tuple[str, ...]]:
    rows = [("", "sustained", "peak")]

    def row(name: str, value: Callable[[float], float], shown: str = "{:,.0f}") -> None:
        rows.append((name, shown.format(value(web.pages_per_second)), shown.format(value(web.peak))))

    page = page_cost(web.kilobytes * 1e3, costs)
    stored = 100e3
    row("pages a second", lambda rate: rate)
    row("cores at work, ours", lambda rate: rate * page)
    row("cores at work, brokers (three copies)", lambda rate: rate * costs.broker * 3)
    row("from the web, GB/s", lambda rate: rate * stored / 1e9, "{:.1f}")
    row("to Kafka, MB/s", lambda rate: rate * costs.log_bytes / 1e6)
    row("to S3, GB/s", lambda rate: rate * stored / 1e9, "{:.1f}")
    row("S3 files a second", lambda rate: files_per_second(rate, stored, fleet), "{:.1f}")
    row("a node: pages/s", lambda rate: rate / fleet.nodes)
    row("a node: cores", lambda rate: rate / fleet.nodes * page, "{:.1f}")
    row("a node: Mbit/s from the web", lambda rate: rate / fleet.nodes * stored * 8 / 1e6)
    row("a shard: pages/s", lambda rate: rate / fleet.shards, "{:.1f}")
    cores = web.peak * page / 0.6 + web.pages_per_second * costs.broker * 3 / 0.6
    month = 30 * DAY * web.pages_per_second
    kept = month * stored / 1e9 * 0.7
    rows.append(
        (
            "URLs of a shard, million; GB",
            f"{web.urls / fleet.shards / 1e6:.1f}",
            f"{web.urls / fleet.shards * costs.record / 1e9:.1f}",
        )
    )
    rows.append(("$ a day: machines for the peak at 60 %", f"{cores * 24 * prices.core_hour:,.0f}", ""))
    rows.append(("$ a day: a month in S3, 30 % of bodies known", f"{kept * prices.stored_gb_month / 30:,.0f}", ""))
    rows.append(
        ("$ a day: puts", f"{files_per_second(web.pages_per_second, stored, fleet) * DAY * 6 * prices.put:,.0f}", "")
    )
    held = web.pages_per_second * costs.log_bytes * fleet.checkpoint * 3 / 1e9
    rows.append(("GB in the brokers, ten minutes of log, three copies", f"{held:,.0f}", ""))
    return rows


def files_per_second(rate: float, stored: float, fleet: Fleet) -> float:
    """Returns how many WARC files are begun in a second: by size, or by time where a node is slow."""
    of_node = rate / fleet.nodes * stored
    return fleet.nodes / min(fleet.file_seconds, fleet.file_bytes / of_node)


def load_rows(slots: Sequence[float], fleet: Fleet, how: str) -> list[tuple[str, ...]]:
    rows = [("", "mean pages/s", "most", "most / mean", "99 %")]
    kinds: list[tuple[str, Sequence[float]]] = [
        (f"{shards:,} shards{how}", shard_loads(slots, shards)) for shards in (64, 512, SLOTS)
    ]
    all_shards = shard_loads(slots, fleet.shards)
    kinds += [
        (f"{fleet.nodes} nodes, as the group deals{how}", node_loads(all_shards, fleet.nodes, by_load=False)),
        (f"{fleet.nodes} nodes, after moves by load{how}", node_loads(all_shards, fleet.nodes, by_load=True)),
    ]
    for name, loads in kinds:
        mean = sum(loads) / len(loads)
        high = sorted(loads)[int(len(loads) * 0.99)]
        rows.append((name, f"{mean:.1f}", f"{max(loads):.1f}", f"{max(loads) / mean:.2f}", f"{high:.1f}"))
    return rows


def node_rows(slots: Sequence[float], web: Web, costs: Costs, fleet: Fleet) -> list[tuple[str, ...]]:
    rows = [
        (
            "nodes",
            "pages/s a node, peak",
            "cores a node, busiest",
            "CPU ms a page",
            "partitions a node",
            "GB of frontier a node",
        )
    ]
    page = page_cost(web.kilobytes * 1e3, costs)
    for nodes in (50, 100, 225, 450):
        loads = node_loads(shard_loads(slots, fleet.shards), nodes, by_load=False)
        busiest = max(loads) / web.pages_per_second * web.peak
        rows.append(
            (
                str(nodes),
                f"{web.peak / nodes:,.0f}",
                f"{busiest * page:.1f}",
                f"{page * 1e3:.2f}",
                f"{fleet.shards / nodes:.0f}",
                f"{web.urls * costs.record / nodes / 1e9:,.0f}",
            )
        )
    return rows


def takeover_seconds(
    nodes: int, web: Web, costs: Costs, fleet: Fleet, *, bytes_per_second: float
) -> tuple[float, float]:
    """Returns the seconds until a dead node's shards are fetched from again: with their stores at hand, and from S3."""
    waits = fleet.session + fleet.lease
    shards = fleet.shards / nodes
    pages = web.pages_per_second / fleet.shards * fleet.checkpoint / 2
    replay = pages * costs.replayed  # of one shard; each has another heir, if there are more nodes than shards of one
    share = max(1.0, shards / max(1, nodes - 1))
    download = web.urls / fleet.shards * costs.record / bytes_per_second
    return waits + replay * share, waits + (replay + download) * share


def takeover_rows(web: Web, costs: Costs, fleet: Fleet) -> list[tuple[str, ...]]:
    rows = [("nodes", "shards that move", "s, log replayed", "s, with stores from S3 at 100 MB/s")]
    for nodes in (4, 50, 450):
        warm, cold = takeover_seconds(nodes, web, costs, fleet, bytes_per_second=100e6)
        rows.append((str(nodes), f"{fleet.shards / nodes:.0f}", f"{warm:.1f}", f"{cold:.1f}"))
    return rows


def table(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows as Markdown."""
    head, *rest = rows
    lines = [head, ["---"] * len(head), *rest]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def pictures(slots: Sequence[float], spread: Sequence[float], fleet: Fleet) -> dict[str, str]:
    """Returns the pictures by name."""
    counts = [10, 20, 50, 100, 150, 225, 300, 450, 600]

    def busiest(loads: Sequence[float], *, by_load: bool) -> list[tuple[float, float]]:
        shards = shard_loads(loads, fleet.shards)
        return [(n, max(node_loads(shards, n, by_load=by_load)) * n / sum(shards)) for n in counts]

    def heaviest(loads: Sequence[float]) -> list[tuple[float, float]]:
        return [(place, sorted(loads, reverse=True)[place]) for place in range(0, SLOTS, 64)]

    return {
        "nodes": drawn(
            "The busiest node against the mean",
            "nodes",
            "×",
            [
                Line("as the group deals shards out", busiest(slots, by_load=False)),
                Line("large domains spread", busiest(spread, by_load=False)),
                Line("and moved by load", busiest(spread, by_load=True)),
            ],
        ),
        "slots": drawn(
            "Load of the slots, heaviest first",
            "slot",
            "pages/s",
            [Line("as they are", heaviest(slots)), Line("large domains spread", heaviest(spread))],
        ),
    }


if __name__ == "__main__":
    main()
