"""`make fleet-torture`: a fleet of real processes on a real broker, put through one fault after another, and a report.

Nodes are killed, some with their disk, all at once; stand still; leave and come back; the broker is killed. Then all is
let come to its end, and judged: by the server's own log, and by what the shards' logs come to.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from confluent_kafka import Consumer, TopicPartition

from skitter.bus.topics import ends_of
from skitter.ports import LOG
from skitter.shard.log import codec
from skitter.shard.log.codec import Take, Unreadable
from skitter.shard.log.ownership import LEASE, Standing, after
from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import served
from tests.fleet.nodes import Fleet, wait_for
from tests.fleet.test_processes import DELAY, Logs, judge, missed
from tests.servers.kafka import Broker

NAMES = "abcd"
FAULTS = ("kill", "kill", "kill", "kill with disk", "kill with disk", "stop", "stop", "leave", "leave", "all", "broker")


def main() -> None:
    """Exits with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = _tortured(Path(folder), args)
    sys.stdout.write(report)
    if args.report is not None:
        args.report.write_text(report, encoding="utf-8")


def _tortured(folder: Path, args: argparse.Namespace) -> str:
    dice, made = random.Random(args.seed), Counter[str]()
    settings = WorldSettings(seed=args.seed, hosts=args.hosts, pages_per_host=args.pages)
    (folder / "kafka").mkdir()
    broker = Broker(folder / "kafka")
    broker.start()
    began = time.monotonic()
    with served(folder, settings) as web, contextlib.closing(Fleet(folder, broker.bootstrap, "torture", 16)) as fleet:
        web.seeds = web.world.homes()
        fleet.init(web, DELAY)
        fleet.start(*NAMES)
        wait_for(lambda: len(web.requests()) > 50, 60, fleet.logs)
        for _ in range(args.faults):
            fault = dice.choice(FAULTS)
            _befall(fault, dice, fleet, broker)
            made[fault] += 1
            sys.stderr.write(f"{sum(made.values())} {fault}, {len(web.requests())} requests\n")
            time.sleep(dice.uniform(1, 8))
        took = wait_for(lambda: not missed(web), 600, fleet.logs)
        for name in NAMES:
            assert fleet.leave(name) == 0, fleet.logs()
        logs = Logs(broker.bootstrap, fleet.name, fleet.shards)
        judge(fleet, web, logs)
        handed, lost = _pauses(broker.bootstrap, fleet)
        requests = len(web.requests())
    broker.kill()
    rows = [
        ("faults", f"{sum(made.values())}: " + ", ".join(f"{count} {fault}" for fault, count in made.most_common())),
        ("requests, URLs", f"{requests:,}, {len(logs.urls):,}"),
        ("lost, asked for twice at once, asked too soon, forbidden, counts that do not add up", "0"),
        ("tenures that were not released", f"{logs.broken.total():,}"),
        ("from a release to the next take", _spread(handed)),
        (f"from the last record of a tenure that was not released to when the next may fetch (the lease of {LEASE} s "
         "included)", _spread(lost)),
        ("seconds in all, and of them after the last fault", f"{time.monotonic() - began:.0f}, {took:.0f}"),
    ]  # fmt: skip
    lines = [f"| {what} | {found} |" for what, found in rows]
    what = f"`make fleet-torture`, seed {args.seed}: 4 nodes, 16 shards, one broker, 2 shared cores."
    head = f"# A fleet under torture\n\n{what}"
    return "\n".join([head, "", "| | |", "|---|---|", *lines, ""])


def _befall(fault: str, dice: random.Random, fleet: Fleet, broker: Broker) -> None:
    name = dice.choice(NAMES)
    match fault:
        case "kill" | "kill with disk":
            fleet.kill(name, disk=fault.endswith("disk"))
            time.sleep(dice.choice((0.0, 10.0)))
            fleet.start(name)
        case "stop":
            fleet.stop(name, dice.uniform(3, 15))
        case "leave":
            assert fleet.leave(name) == 0, fleet.logs()
            time.sleep(dice.choice((0.0, 5.0)))
            fleet.start(name)
        case "all":
            for one in NAMES:
                fleet.kill(one)
            fleet.start(*NAMES)
        case "broker":
            broker.kill()
            broker.start()


def _pauses(bootstrap: str, fleet: Fleet) -> tuple[list[float], list[float]]:
    """Returns for how long shards were nobody's: after releases, and after tenures that were not released."""
    handed: list[float] = []
    lost: list[float] = []
    client = {"bootstrap.servers": bootstrap}
    for shard, end in enumerate(ends_of(client, fleet.name, LOG, fleet.shards)):
        standing, last = Standing(), 0.0
        for at, raw in _records(client, f"{fleet.name}.{LOG}", shard, end):
            record = codec.decode(raw)
            assert not isinstance(record, Unreadable)
            if isinstance(record, Take) and last:
                (lost if standing.owner else handed).append(at - last + (LEASE if standing.owner else 0))
            standing, counts = after(standing, record)
            last = at if counts else last
    return handed, lost


def _records(client: dict[str, str], topic: str, partition: int, end: int) -> list[tuple[float, bytes]]:
    consumer = Consumer(client | {"group.id": "torture", "enable.auto.commit": False})
    with contextlib.closing(consumer):
        consumer.assign([TopicPartition(topic, partition, 0)])
        found: list[tuple[float, bytes]] = []
        while len(found) < end:
            some = consumer.consume(500, 1.0)
            found += [(message.timestamp()[1] / 1000, message.value() or b"") for message in some]
        return found


def _spread(pauses: list[float]) -> str:
    if not pauses:
        return "none"
    ordered = sorted(pauses)
    most = ordered[int(0.9 * (len(ordered) - 1))]
    return (
        f"{len(ordered)}: median {median(ordered):.1f} s, nine in ten within {most:.1f} s, longest {ordered[-1]:.1f} s"
    )


if __name__ == "__main__":
    main()
