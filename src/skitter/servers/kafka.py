"""A Kafka broker that is its own controller. Killed and started again it has its port and its records."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from skitter.servers.bringing import Say, jars, java
from skitter.servers.child import Child, answers, free_ports

START_SECONDS = 90
SMALL = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
listeners={protocol}://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners={protocol}://{host}:{port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,{protocol}:{protocol}
inter.broker.listener.name={protocol}
controller.listener.names=CONTROLLER
log.dirs={folder}/log
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
"""


class Door(NamedTuple):
    """How clients come in: `properties` are more settings of the broker, `client` of whoever connects."""

    protocol: str = "PLAINTEXT"
    host: str = "127.0.0.1"
    properties: str = ""
    client: Mapping[str, str] = MappingProxyType({})


OPEN = Door()


class KafkaServer:
    """`bootstrap` is what clients connect to. Unavailable is raised where this machine can't have one."""

    def __init__(self, folder: Path, cache: Path, say: Say = lambda _: None, door: Door = OPEN) -> None:
        self._java, self._class_path = java(cache, say), f"{jars(cache, say)}/*"
        self._folder = folder
        self.port, controller = free_ports(2)
        self.bootstrap = f"{door.host}:{self.port}"
        self.client = {"bootstrap.servers": self.bootstrap, **door.client}
        settings = folder / "server.properties"
        places = {"port": self.port, "controller": controller, "folder": folder}
        made = PROPERTIES.format(**places, protocol=door.protocol, host=door.host) + door.properties
        settings.write_text(made, encoding="utf-8")
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode("ascii").rstrip("=")
        self._run("kafka.tools.StorageTool", "format", "--standalone", "-t", cluster, "-c", str(settings))
        self._child = Child(self._command("kafka.Kafka", str(settings)), folder=folder)

    def _command(self, main: str, *arguments: str) -> list[str]:
        return [self._java, *SMALL, "-cp", self._class_path, main, *arguments]

    def _run(self, main: str, *arguments: str) -> None:
        command = self._command(main, *arguments)
        subprocess.run(command, cwd=self._folder, capture_output=True, timeout=60, check=True)  # noqa: S603

    def start(self) -> None:
        """Returns when the broker answers."""
        self._child.start(self._is_ready, seconds=START_SECONDS)

    def _is_ready(self) -> bool:
        if not answers(self.port):
            return False
        try:
            known = AdminClient({**self.client, "log_level": 0}).list_topics(timeout=5)
        except KafkaException:
            return False
        return bool(known.brokers)

    def kill(self) -> None:
        """Ends it with SIGKILL; `start` brings it back."""
        self._child.kill()

    def pause(self) -> None:
        """Makes it hang until `go_on`."""
        os.kill(self._child.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Undoes `pause`."""
        os.kill(self._child.pid, signal.SIGCONT)
