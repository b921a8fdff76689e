"""`python -m bench.fleet_brokers`: a fleet on three brokers, each record on all of them; one is killed, and two are.

With one broker away all goes on: two copies are enough (`min.insync.replicas`). With two away nothing is taken, nodes
say so, and nothing is fetched once their leases are over; then all goes on. The web server's log is the judge.
"""

from __future__ import annotations

import base64
import contextlib
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from skitter.servers.bringing import jars, java
from skitter.servers.child import Child, free_ports
from skitter.servers.kafka import PROPERTIES, SMALL, START_SECONDS
from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import Web, served
from tests.fleet.nodes import Fleet, wait_for
from tests.fleet.test_processes import judge_log, missed
from tests.servers.jars import CACHE

BROKERS = 3
DELAY = 2.0
AWAY = 20.0
"""Seconds for which a broker, or two, are away."""


class Cluster:
    """Brokers that are their own controllers; each may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        ports = free_ports(2 * BROKERS)
        self._ports, controllers = ports[:BROKERS], ports[BROKERS:]
        self.bootstrap = ",".join(f"127.0.0.1:{port}" for port in self._ports)
        voters = ",".join(f"{number + 1}@127.0.0.1:{port}" for number, port in enumerate(controllers))
        identity = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode("ascii").rstrip("=")
        run = [java(CACHE, str), *SMALL, "-cp", f"{jars(CACHE, str)}/*"]
        self._children = []
        for number in range(BROKERS):
            place = folder / f"broker{number}"
            place.mkdir()
            settings = place / "server.properties"
            ports_of = {"port": self._ports[number], "controller": controllers[number]}
            text = PROPERTIES.format(**ports_of, folder=place, protocol="PLAINTEXT", host="127.0.0.1")
            text = text.replace("node.id=1\n", f"node.id={number + 1}\ncontroller.quorum.voters={voters}\n")
            text = "".join(line for line in text.splitlines(True) if "quorum.bootstrap" not in line)
            text = text.replace("offsets.topic.replication.factor=1", f"offsets.topic.replication.factor={BROKERS}")
            settings.write_text(text, encoding="utf-8")
            command = [*run, "kafka.tools.StorageTool", "format", "-t", identity, "-c", str(settings)]
            subprocess.run(command, cwd=place, capture_output=True, timeout=120, check=True)
            self._children.append(Child([*run, "kafka.Kafka", str(settings)], folder=place))

    def start(self) -> None:
        """Returns when all brokers are there."""
        for child in self._children:
            child.start(lambda: True, seconds=START_SECONDS)
        self.wait_whole()

    def wait_whole(self) -> float:
        """Returns how long it took until all brokers are there, and have all records."""
        return wait_for(self._is_whole, 5 * START_SECONDS)

    def _is_whole(self) -> bool:
        try:
            known = AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0}).list_topics(timeout=5)
        except KafkaException:
            return False
        copies = [len(part.isrs) for topic in known.topics.values() for part in topic.partitions.values()]
        return len(known.brokers) == BROKERS and all(number == BROKERS for number in copies)

    def kill(self, *numbers: int) -> None:
        """Ends brokers with SIGKILL."""
        for number in numbers:
            self._children[number].kill()

    def revive(self, *numbers: int) -> None:
        """Starts brokers again; they come when they come."""
        for number in numbers:
            self._children[number].start(lambda: True, seconds=START_SECONDS)


def main() -> None:
    """Exits with 1 if a promise was broken."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster = Cluster(folder)
        cluster.start()
        try:
            with served(folder, WorldSettings(seed=3, hosts=60, pages_per_host=40)) as web:
                fleet = Fleet(folder, cluster.bootstrap, "three", 6)
                fleet.file.write_text(fleet.file.read_text().replace("replication = 1", f"replication = {BROKERS}"))
                with contextlib.closing(fleet):
                    _play(cluster, fleet, web)
        finally:
            cluster.kill(*range(BROKERS))


def _play(cluster: Cluster, fleet: Fleet, web: Web) -> None:
    web.seeds = web.world.homes()
    fleet.init(web, DELAY)
    fleet.start("a", "b")
    wait_for(lambda: len(web.requests()) > 50, 180, fleet.logs)
    _say("all brokers are there", web)
    for away in ((0,), (1,), (2,), (0, 1)):
        cluster.kill(*away)
        _watch(web, f"broker {' and '.join(str(one + 1) for one in away)} of {BROKERS} away")
        cluster.revive(*away)
        took = cluster.wait_whole()
        _watch(web, f"all there again after {took:.0f} s, and watched")
        sys.stdout.write(f"  nodes that ended meanwhile, and were begun again: {fleet.start_again()}\n")
    wait_for(lambda: not missed(web), 900, fleet.logs)
    for name in ("a", "b"):
        assert fleet.leave(name) == 0, fleet.logs()
    judge_log(web, DELAY)
    _say("the end: nothing lost, no delay cut short, no host asked twice at once", web)


def _watch(web: Web, what: str) -> None:
    began, seen = time.time(), len(web.requests())
    time.sleep(AWAY)
    since = sorted(one.began_wall for one in web.requests()[seen:])
    pauses = [later - earlier for earlier, later in zip([began, *since], [*since, time.time()], strict=True)]
    longest = max(pauses)
    sys.stdout.write(f"{what} for {AWAY:.0f} s: {len(since)} requests, longest pause {longest:.1f} s\n")
    sys.stdout.flush()


def _say(what: str, web: Web) -> None:
    sys.stdout.write(f"{what}: {len(web.requests())} requests\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
