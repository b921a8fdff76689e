"""From what is wanted to what it takes, each figure with how it came about. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from skitter.capacity.costs import Costs, Prices, page_cost
from skitter.capacity.need import Machine, Need
from skitter.settings import DAY, HOUR

MONTH = 30.0  # days
PUTS = 6
"""Of a WARC file: its parts, and its indexes."""
FILE_BYTES, FILE_SECONDS = 128e6, 60.0
CHECKPOINT = 600.0
COPIES = 3


class Unit(StrEnum):
    """What a figure counts."""

    PAGES = "pages/s"
    BYTES = "bytes"
    SPEED = "bytes/s"
    RATE = "a second"
    CORES = "cores"
    NODES = "nodes"
    NUMBER = ""
    MONEY = "$ a month"


class Figure(Struct, frozen=True):
    """One line of a plan."""

    part: str
    name: str
    value: float
    unit: Unit
    how: str


class Capacity(Struct, frozen=True):
    """What a crawl takes; and why it can't be, if it can't."""

    figures: Sequence[Figure]
    problems: Sequence[str] = ()

    def value(self, name: str) -> float:
        """Returns the figure of that name."""
        return next(one.value for one in self.figures if one.name == name)


def reckon(need: Need, costs: Costs, prices: Prices, machine: Machine) -> Capacity:
    """Returns what a crawl takes."""
    figures = [
        *_traffic(need),
        *_kept(need, costs),
        *_known(need, costs, machine),
        *_names(need),
        *_machines(need, costs, machine),
        *_fleet(need, costs, machine),
    ]
    return Capacity([*figures, *_money(prices, machine, figures)], _problems(need))


def bits_of_filter(error: float) -> float:
    """Returns the bits for each URL of a filter that errs so often."""
    return -math.log(error) / math.log(2) ** 2


def nodes_for(need: Need, costs: Costs, machine: Machine) -> int:
    """Returns the nodes that the peak takes: by their cores, and by the requests under way."""
    return max(
        1,
        math.ceil(_cores(need, costs, need.rate * need.peak) / (machine.cores * machine.busy)),
        math.ceil(need.rate * need.peak * need.latency / machine.in_flight),
    )


def _traffic(need: Need) -> list[Figure]:
    rate, peak = need.rate, need.rate * need.peak
    return [
        Figure("traffic", "pages a second", rate, Unit.PAGES, f"{need.pages:,.0f} / {DAY:,.0f} s"),
        Figure("traffic", "pages a second, peak", peak, Unit.PAGES, f"{need.peak:g} times that"),
        Figure("traffic", "from the web", rate * need.page_bytes, Unit.SPEED, "pages a second × size of a page"),
        Figure("traffic", "from the web, peak", peak * need.page_bytes, Unit.SPEED, f"{need.peak:g} times that"),
        Figure("traffic", "requests under way, peak", peak * need.latency, Unit.NUMBER, "pages a second × latency"),
        Figure("traffic", "hosts at work, peak", peak * need.delay, Unit.NUMBER, "pages a second × delay of a host"),
    ]


def _kept(need: Need, costs: Costs) -> list[Figure]:
    day = need.pages * need.page_bytes
    new = day * (1 - need.known)
    return [
        Figure("archive", "fetched in a day", day, Unit.BYTES, "pages × size of a page"),
        Figure("archive", "fetched in a month", day * MONTH, Unit.BYTES, f"{MONTH:g} days"),
        Figure("archive", "fetched in a year", day * 365, Unit.BYTES, "365 days"),
        Figure("archive", "kept", new * need.keep_days, Unit.BYTES, f"{need.keep_days:g} days, less bodies known"),
        Figure(
            "archive",
            "tables and indexes",
            need.pages * costs.rows * need.keep_days,
            Unit.BYTES,
            f"{costs.rows:g} bytes a page",
        ),
    ]


def _known(need: Need, costs: Costs, machine: Machine) -> list[Figure]:
    whole = need.urls * costs.record
    bits = bits_of_filter(need.error)
    each = f"{need.urls:,.0f} URLs × {costs.record:g} bytes"
    return [
        Figure("frontier", "frontier", whole, Unit.BYTES, each),
        Figure("frontier", "frontier of a shard", whole / machine.shards, Unit.BYTES, f"{machine.shards:,.0f} shards"),
        Figure("frontier", "filter", need.urls * bits / 8, Unit.BYTES, f"{bits:.1f} bits a URL, for {need.error:.2%}"),
    ]


def _names(need: Need) -> list[Figure]:
    robots = need.hosts * need.robots_bytes
    return [
        Figure("names", "names kept", need.hosts * need.name_bytes, Unit.BYTES, f"{need.name_bytes:g} bytes a host"),
        Figure("names", "names asked for", need.hosts / DAY, Unit.RATE, "each host once a day"),
        Figure("names", "robots.txt", robots, Unit.BYTES, f"{need.robots_bytes / 1e3:g} kB a host, once a day"),
    ]


def _machines(need: Need, costs: Costs, machine: Machine) -> list[Figure]:
    page, peak = _page(need, costs), need.rate * need.peak
    nodes = nodes_for(need, costs, machine)
    cores = _cores(need, costs, peak)
    browsers = need.rate * need.rendered * costs.rendering * costs.times
    return [
        Figure("machines", "cores at work", _cores(need, costs, need.rate), Unit.CORES, f"{page * 1e3:.2f} ms a page"),
        Figure("machines", "cores at work, peak", cores, Unit.CORES, f"{need.peak:g} times that"),
        Figure("machines", "of them for browsers", browsers, Unit.CORES, f"{need.rendered:.1%} of pages rendered"),
        Figure(
            "machines", "nodes", nodes, Unit.NODES, f"{machine.cores:g} cores each, at the peak {machine.busy:.0%} busy"
        ),
        Figure("machines", "memory of a node", _memory(costs, machine, browsers / nodes), Unit.BYTES, "docs/memory.md"),
        Figure(
            "machines",
            "frontier of a node",
            need.urls * costs.record / nodes,
            Unit.BYTES,
            "on its disk, and as much again while it is compacted",
        ),
    ]


def _fleet(need: Need, costs: Costs, machine: Machine) -> list[Figure]:
    log = need.rate * costs.log_bytes
    return [
        Figure("fleet", "to Kafka", log, Unit.SPEED, f"{costs.log_bytes / 1e3:g} kB a page"),
        Figure("fleet", "kept by Kafka", log * CHECKPOINT * COPIES, Unit.BYTES, "since the last checkpoint, 3 copies"),
        Figure("fleet", "cores of brokers", need.rate * costs.broker * COPIES, Unit.CORES, "59 µs a page and copy"),
        Figure("fleet", "puts to S3", _puts(need, costs, machine), Unit.RATE, "128 MB or 60 s a file, 6 puts each"),
    ]


def _money(prices: Prices, machine: Machine, figures: Sequence[Figure]) -> list[Figure]:
    found = {one.name: one.value for one in figures}
    hours = MONTH * DAY / HOUR
    kept = (found["kept"] + found["tables and indexes"]) / 1e9
    rows = [
        ("nodes", found["nodes"] * machine.cores * hours * prices.core_hour, f"${prices.core_hour:g} a core and hour"),
        ("storage", kept * prices.stored_gb_month, f"${prices.stored_gb_month:g} a GB and month"),
        ("puts", found["puts to S3"] * DAY * MONTH * prices.put, f"${prices.put * 1e6:g} a million"),
        (
            "brokers",
            found["cores of brokers"] / machine.busy * hours * prices.core_hour
            + found["kept by Kafka"] / 1e9 * prices.broker_gb_month,
            "cores and disks",
        ),
        (
            "transfer",
            found["fetched in a month"] / 1e9 * prices.transferred_gb,
            f"${prices.transferred_gb:g} a GB from the web",
        ),
    ]
    whole = sum(value for _, value, _ in rows)
    money = [Figure("money", f"{name}, $", value, Unit.MONEY, how) for name, value, how in rows]
    return [*money, Figure("money", "in all, $", whole, Unit.MONEY, "a month")]


def _problems(need: Need) -> list[str]:
    most = need.hosts / need.delay * DAY if need.delay else math.inf
    found = []
    if need.pages > most:
        found.append(
            f"{need.hosts:,.0f} hosts at one request in {need.delay:g} s give {most:,.0f} pages a day at most, and "
            f"{need.pages:,.0f} are wanted: more hosts, or a delay that was agreed on with them."
        )
    elif need.pages * need.peak > most:
        found.append(
            f"At the peak more hosts would have to be at work than there are ({need.hosts:,.0f}): it will be "
            f"{most / need.pages:.2g} times what is usual, not {need.peak:g}."
        )
    return found


def _cores(need: Need, costs: Costs, rate: float) -> float:
    return rate * (_page(need, costs) + need.rendered * costs.rendering * costs.times)


def _page(need: Need, costs: Costs) -> float:
    return page_cost(need.page_bytes * need.unpacked, costs)


def _memory(costs: Costs, machine: Machine, browsers: float) -> float:
    return machine.cores * machine.memory + math.ceil(browsers) * costs.browser


def _puts(need: Need, costs: Costs, machine: Machine) -> float:
    """Returns the puts in a second: files end by size, or by time where a node is slow."""
    nodes = nodes_for(need, costs, machine)
    of_node = need.rate * need.page_bytes / nodes
    return nodes / min(FILE_SECONDS, FILE_BYTES / of_node) * PUTS
