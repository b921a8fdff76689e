"""`make fleet-torture`: a fleet of real processes on a real broker, put through one fault after another, and a report.

Nodes are killed, some with their disk, all at once; stand still; leave and come back, all one after another; the broker
is killed. Their archive goes to a real S3 server, which is killed too. Then all is let come to its end, and judged: by
the web server's own log, by what the shards' logs come to, and by what is in the bucket.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.fleet_pauses import Fault, pauses_by_fault, spread

from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import Web, served
from tests.fleet.archived import answered, brought, captures, indexed
from tests.fleet.nodes import Fleet, wait_for
from tests.fleet.test_processes import Logs, judge, missed
from tests.servers.kafka import Broker
from tests.servers.s3 import S3Server

NAMES = "abcd"
FAULTS = (
    *("kill", "kill", "kill", "kill with disk", "kill with disk", "stop", "stop", "leave", "leave", "all", "broker"),
    *("S3", "rolling restart"),
)


def main() -> None:
    """Exits with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--hosts", type=int, default=250)
    parser.add_argument("--pages", type=int, default=24)
    parser.add_argument("--delay", type=float, default=8.0, help="of each host: so large that faults hit a crawl")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Torture(Path(folder), args).run()
    sys.stdout.write(report)
    if args.report is not None:
        args.report.write_text(report, encoding="utf-8")


class Torture:
    """One fleet, from its making to the verdict."""

    def __init__(self, folder: Path, args: argparse.Namespace) -> None:
        self._folder = folder
        self._args = args
        self._dice = random.Random(args.seed)
        for name in ("kafka", "s3"):
            (folder / name).mkdir()
        self._broker, self._s3 = Broker(folder / "kafka"), S3Server(folder / "s3")
        self._faults: list[Fault] = []
        self._requests: list[int] = []  # made by the end of each fault
        self._begun_again = 0  # nodes that were starting when the broker was killed

    def run(self) -> str:
        """Returns the report."""
        self._broker.start()
        self._s3.start()
        os.environ.update(self._s3.environment)
        args = self._args
        settings = WorldSettings(seed=args.seed, hosts=args.hosts, pages_per_host=args.pages)
        try:
            with served(self._folder, settings) as web:
                fleet = Fleet(self._folder, self._broker.bootstrap, "torture", 16)
                with contextlib.closing(fleet):
                    return self._tortured(fleet, web)
        finally:
            self._broker.kill()
            self._s3.kill()

    def _tortured(self, fleet: Fleet, web: Web) -> str:
        web.seeds = web.world.homes()
        address = f"s3://{self._s3.bucket}/torture"
        fleet.add("lost_seconds = 60")
        pairs = {"bucket.address": address, "bucket.roll_seconds": 10, "bucket.closing_seconds": 10}
        fleet.init(
            web, self._args.delay, *(text for key, value in pairs.items() for text in ("--set", f"{key}={value}"))
        )
        began = time.monotonic()
        fleet.start(*NAMES)
        wait_for(lambda: len(web.requests()) > 50, 120, fleet.logs)
        for _ in range(self._args.faults):
            self._befall(self._dice.choice(FAULTS), fleet, web)
            time.sleep(self._dice.uniform(1, 8))
        self._begun_again += fleet.start_again()
        took = wait_for(lambda: not missed(web), 1800, fleet.logs)
        took += wait_for(lambda: set(answered(web.requests())) <= indexed(address), 300, fleet.logs)
        for name in NAMES:
            assert fleet.leave(name) == 0, fleet.logs()
        kept = captures(brought(address, self._folder / "brought"))
        logs = Logs(self._broker.bootstrap, fleet.name, fleet.shards)
        given = answered(web.requests())
        assert not set(given) - set(kept), "every page that was given is in the bucket"
        judge(fleet, web, logs, delay=self._args.delay, lost=given - kept)
        pauses = pauses_by_fault(self._broker.bootstrap, fleet.name, fleet.shards, self._faults)
        rows = [
            *self._what_was_done(web, logs, time.monotonic() - began, took),
            (
                "lost, asked for twice at once, asked too soon, forbidden, counts that do not add up, WARC files in "
                "the bucket that one of three readers finds broken",
                "0",
            ),
            (
                "pages that were given and whose capture was lost with a disk, or cut off: fetched again, and all in "
                "the bucket",
                f"{(given - kept).total():,}",
            ),
            *((f"until a shard may be fetched from again, {what}", spread(pauses[what])) for what in sorted(pauses)),
        ]
        return _page(self._args, rows)

    def _what_was_done(self, web: Web, logs: Logs, seconds: float, took: float) -> list[tuple[str, str]]:
        made = Counter(fault.what for fault in self._faults)
        requests, half = len(web.requests()), self._requests[len(self._requests) // 2]
        return [
            ("faults", f"{made.total()}: " + ", ".join(f"{count} {fault}" for fault, count in made.most_common())),
            ("requests, URLs", f"{requests:,}, {len(logs.urls):,}"),
            ("requests made by half of the faults, by the last", f"{half:,}, {self._requests[-1]:,}"),
            (
                "nodes that ended in words since the broker was away at their start, and were begun again",
                f"{self._begun_again}",
            ),
            ("tenures that were not released", f"{logs.broken.total():,}"),
            ("seconds in all, and of them after the last fault", f"{seconds:.0f}, {took:.0f}"),
            ("load of the machine at the end (2 cores)", f"{os.getloadavg()[1]:.1f}"),
        ]

    def _befall(self, fault: str, fleet: Fleet, web: Web) -> None:
        self._begun_again += fleet.start_again()
        began = time.time()
        self._make(fault, self._dice.choice(NAMES), fleet)
        self._faults.append(Fault(fault, began, time.time()))
        self._requests.append(len(web.requests()))
        sys.stderr.write(f"{len(self._faults)} {fault}, {self._requests[-1]} requests\n")

    def _make(self, fault: str, name: str, fleet: Fleet) -> None:
        match fault:
            case "kill" | "kill with disk":
                fleet.kill(name, disk=fault.endswith("disk"))
                time.sleep(self._dice.choice((0.0, 10.0)))
                fleet.start(name)
            case "stop":
                fleet.stop(name, self._dice.uniform(3, 15))
            case "leave":
                assert fleet.leave(name) == 0, fleet.logs()
                time.sleep(self._dice.choice((0.0, 5.0)))
                fleet.start(name)
            case "rolling restart":
                for one in NAMES:
                    assert fleet.leave(one) == 0, fleet.logs()
                    fleet.start(one)
                    wait_for(lambda one=one: fleet.held(one), 60, fleet.logs)  # type: ignore[misc]
            case "all":
                for one in NAMES:
                    fleet.kill(one)
                fleet.start(*NAMES)
            case "broker":
                self._broker.kill()
                self._broker.start()
            case "S3":
                self._s3.kill()
                time.sleep(self._dice.uniform(0, 5))
                self._s3.start()


def _page(args: argparse.Namespace, rows: list[tuple[str, str]]) -> str:
    what = (
        f"`make fleet-torture`, seed {args.seed}: 4 nodes, 16 shards, one broker, one S3 server, 2 cores that others "
        f"use too; {args.hosts} hosts with a delay of {args.delay:g} s. Where the broker was away while a shard was "
        "nobody's, its pause is counted by itself; with a session of 6 s and a lease of 5 s, the shards of a dead node "
        "wait for 11 s and what the dealing out takes."
    )
    lines = [f"| {name} | {found} |" for name, found in rows]
    return "\n".join(["# A fleet under torture", "", what, "", "| | |", "|---|---|", *lines, ""])


if __name__ == "__main__":
    main()
