"""How a fleet stands: by what its nodes said last, and how far its topics have come."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from skitter.bus.table import Table
from skitter.bus.topics import NODES, ends_of, partitions_of
from skitter.fleet.file import FleetFile, client_of
from skitter.fleet.report import NodeReport
from skitter.ports import LINKS

SILENT = 10.0
"""A node that has said nothing for so long is shown as silent: its shards are another's soon."""

_reports = msgspec.json.Decoder(NodeReport)


class ShardStanding(Struct, frozen=True):
    """One shard: who holds it, and how many messages of its links are waiting."""

    shard: int
    owner: str
    left: float  # seconds of the lease, when the node last said so
    waiting: int


class NodeStanding(Struct, frozen=True):
    """One node."""

    name: str
    silent: float  # seconds since it last said anything
    shards: int
    pages: int
    in_flight: int
    lost: int
    trouble: str


class FleetStanding(Struct, frozen=True):
    """The whole fleet."""

    name: str
    nodes: list[NodeStanding]
    shards: list[ShardStanding]
    urls: dict[str, int]  # by state, in the shards that are held
    unheld: list[int]  # shards that no node says it holds


def fleet_standing(file: FleetFile, now: float) -> FleetStanding:
    """Returns how the fleet stands. MachineError if Kafka does not answer."""
    client, fleet = client_of(file), file.fleet
    with contextlib.closing(Table(client, fleet.name, NODES)) as table:
        reports = [_reports.decode(raw) for raw in table.refresh().values()]
    count = partitions_of(client, fleet.name)
    ends = ends_of(client, fleet.name, LINKS, count)
    shards: dict[int, ShardStanding] = {}
    urls: Counter[str] = Counter()
    for report in sorted(reports, key=lambda one: one.at):
        if now - report.at > SILENT:
            continue
        urls.update(report.states)
        for one in report.shards:
            waiting = max(0, ends[one.shard] - one.links)
            shards[one.shard] = ShardStanding(one.shard, report.name, one.left, waiting)
    return FleetStanding(
        fleet.name,
        [_node(report, now) for report in sorted(reports, key=lambda one: one.name)],
        [shards[number] for number in sorted(shards)],
        dict(urls),
        [number for number in range(count) if number not in shards],
    )


def _node(report: NodeReport, now: float) -> NodeStanding:
    return NodeStanding(
        report.name,
        max(0.0, now - report.at),
        len(report.shards),
        report.pages,
        report.in_flight,
        report.lost,
        report.trouble,
    )


def lines_of(standing: FleetStanding) -> Iterator[str]:
    """Yields what there is to say, for a terminal."""
    held, unheld = len(standing.shards), len(standing.unheld)
    yield f"{standing.name}: {len(standing.nodes)} nodes, {held} shards held, {unheld} not"
    for node in standing.nodes:
        silent = f", silent for {node.silent:.0f} s" if node.silent > SILENT else ""
        trouble = f", {node.trouble}" if node.trouble else ""
        told = f"{node.shards} shards, {node.pages:,} pages, {node.in_flight} under way, {node.lost} shards lost"
        yield f"  {node.name}: {told}{silent}{trouble}"
    waiting = sum(one.waiting for one in standing.shards)
    yield "  URLs: " + (", ".join(f"{count:,} {state}" for state, count in standing.urls.items() if count) or "none")
    yield f"  messages waiting in the links: {waiting:,}"
